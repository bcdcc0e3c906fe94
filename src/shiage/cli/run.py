"""shiage run: start a spec, or go on where it stopped; several at once, each in a worktree of its own."""

from collections.abc import Awaitable
from datetime import datetime

import click

from shiage.app.beside import Beside
from shiage.app.enqueue import Asked, enqueue
from shiage.app.runs import Watch
from shiage.app.times import point
from shiage.app.troubles import said
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.detach import detached
from shiage.cli.driving import drive_queued
from shiage.cli.output import note
from shiage.cli.params import PhaseName, SpecName
from shiage.cli.project import workspace
from shiage.cli.text import clean
from shiage.cli.words import language, t
from shiage.domain.errors import UserError
from shiage.domain.run import Run


@made("run", example="shiage run login --until tasks")
@click.argument("specs", metavar="SPEC", nargs=-1, required=True, type=SpecName())
@click.option("--agent", metavar="NAME")
@click.option("--until", metavar="PHASE", type=PhaseName())
@click.option("--worktree", is_flag=True)
@click.option("--base", metavar="REV")
@click.option("--detach", is_flag=True)
@click.option("--after", metavar="TICKET", default="")
@click.option("--not-before", metavar="TIME", default="")
@click.option("--priority", metavar="N", type=int)
def command(
    context: Context, specs: tuple[str, ...], agent: str | None, until: str | None, worktree: bool, base: str | None,
    detach: bool, after: str, not_before: str, priority: int | None,
) -> int:  # fmt: skip
    if base is not None and not (worktree and base):
        raise click.UsageError(t("usage.base"))
    project = workspace(context, {"agent": agent})
    names = tuple(dict.fromkeys(specs))
    order = {"agent": agent or "", "until": until or "", "worktree": "yes" if worktree else "", "base": base or ""}
    if detach or after or not_before or priority is not None:
        asked = Asked(order, after, _time(not_before), priority or 0)
        return detached(context, project, names, lambda store, name: enqueue(project, store, name, asked))

    def staying(name: str, why: UserError) -> None:
        note(context, t("cli.staying", spec=name, why=clean(said(language(), why))))

    beside = Beside(project, until or "", worktree, base or "", len(names) > 1, staying)

    def begin(name: str, watch: Watch) -> Awaitable[Run]:
        return beside.run(name, watch)

    return drive_queued(context, project, names, begin, order)


def _time(words: str) -> float:
    return point(words, datetime.now().astimezone()) if words else 0.0
