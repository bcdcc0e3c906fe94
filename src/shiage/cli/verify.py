"""shiage verify: is the journal what was written?"""

from dataclasses import asdict

from shiage.app.journals import verify
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.paint import paint
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace
from shiage.cli.words import counted, has, t
from shiage.journal.checking import Problem

CHANGED = 5  #: exit code


@made("verify", example="shiage verify login")
@spec_argument()
def command(context: Context, spec: str) -> int:
    project = workspace(context)
    report = verify(project, project.folder(spec))
    code = 0 if report.ok else CHANGED
    if context.json:
        emit({"v": 1, "spec": spec, "ok": report.ok, **asdict(report)})
        return code
    style, key = ("green", "verify.ok") if report.ok else ("red", "verify.bad")
    said = t(key, spec=spec, entries=counted("entry", report.entries))
    found = report.problems if context.quiet else (*report.problems, *report.notes)
    lines = [f"  {_line(problem)}" for problem in found]
    show(context, [paint(said, style, on=context.colored), *lines])
    return code


def _line(problem: Problem) -> str:
    key = f"problem.{problem.code}"
    what = t(key, what=problem.what) if has(key) else problem.what
    return t("verify.line", line=problem.line, what=what) if problem.line else what
