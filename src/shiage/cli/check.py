"""shiage check: the gate alone, for CI, pre-commit and reports."""

from pathlib import Path

import click

from shiage.app import checks
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.paint import paint
from shiage.cli.project import workspace
from shiage.cli.text import clean
from shiage.cli.words import counted, t
from shiage.domain.verdict import Finding, Judgment, Verdict
from shiage.version import VERSION

REJECTED = 5  #: exit code


@made("check", example="shiage check --base HEAD")
@click.argument("paths", nargs=-1, metavar="PATH")
@click.option("--base", metavar="REV|DIR", default="")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--format", "style", type=click.Choice(["text", "sarif", "github"]), default="text")
def command(context: Context, paths: tuple[str, ...], base: str, report: Path | None, style: str) -> int:
    verdict = checks.judge(workspace(context, bare=True), checks.Asked(paths, base, report))
    code = 0 if verdict.judgment is Judgment.PASS else REJECTED
    if context.json:
        emit(checks.as_report(verdict))
    elif style == "sarif":
        emit(checks.as_sarif(verdict, VERSION))
    elif style == "github":
        show(context, checks.as_github(verdict.findings))
    else:
        show(context, _page(context, verdict))
    return code


def _page(context: Context, verdict: Verdict) -> list[str]:
    color = "green" if verdict.judgment is Judgment.PASS else "red"
    said = t("check.verdict", judgment=verdict.judgment.value, findings=counted("finding", len(verdict.findings)))
    lines = [] if context.quiet else [line for finding in verdict.findings for line in _finding(finding)]
    return [*lines, paint(said, color, on=context.colored)]


def _finding(finding: Finding) -> list[str]:
    place = finding.place or t("check.report")
    quote = finding.quote.strip().splitlines()[0][:120] if finding.quote.strip() else ""
    lines = (f"{place}  {finding.criteria_id} {finding.rule}  {quote}", f"    {finding.id}  {finding.description}")
    return [clean(line).rstrip() for line in lines]
