"""shiage init: make a project ready. Shows everything first; a file that is there stays as it is."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from shiage.app.create import Planned, apply_init, plan_init
from shiage.app.setup import agent_for, root_for
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import agreed, emit, note, show
from shiage.cli.text import clean
from shiage.cli.words import counted, language, t

_LONGEST = 20  #: lines of a new file that are shown


@made("init", example="shiage init --agent claude")
@click.option("--agent", metavar="NAME")
def command(context: Context, agent: str | None) -> int:
    root = root_for(context.start)
    chosen = agent_for(agent, os.environ)
    planned = plan_init(root, chosen, language())
    if not context.json and not context.quiet:
        show(context, _plan(root, chosen, planned, whole=context.verbose))
    fresh = [file for file in planned if not file.same and not file.kept]
    if fresh and not agreed(context, t("init.ask", agent=chosen)):
        note(context, t("init.refused"))
        return 1
    return _told(context, root, apply_init(root, planned, os.environ))


def _plan(root: Path, agent: str, planned: Sequence[Planned], *, whole: bool) -> Iterator[str]:
    yield t("init.project", root=root)
    yield t("init.agent", agent=agent)
    for file in planned:
        if file.same:
            yield t("init.keep", path=file.path)
            continue
        if file.kept:
            yield t("init.keep_diff")
        yield from _change(file, whole=whole)


def _change(file: Planned, *, whole: bool) -> Iterator[str]:
    """What would be written; a long file that is new is named only, for the plan must be readable."""
    length = len(file.text.splitlines())
    if file.found is None and length > _LONGEST and not whole:
        yield t("init.new", path=file.path, lines=counted("line", length))
        return
    yield from (clean(line) for line in file.diff.splitlines())


def _told(context: Context, root: Path, written: Sequence[str]) -> int:
    if context.json:
        emit({"v": 1, "project": str(root), "written": list(written)})
        return 0
    show(context, [t("init.written", path=path) for path in written] or [t("init.nothing")])
    note(context, t("init.next"))
    return 0
