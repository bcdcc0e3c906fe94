"""shiage queue: what is queued, runs or waits for a person; add, cancel, answer."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import click

from shiage.app.catalogue import known
from shiage.app.enqueue import Asked, enqueue
from shiage.app.sentences import detail
from shiage.app.tickets import QueueView, TicketView, answer, cancel, queue_of, view
from shiage.app.times import point
from shiage.app.workspace import Workspace
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, note, show
from shiage.cli.paint import paint
from shiage.cli.project import workspace
from shiage.cli.telling import waits
from shiage.cli.text import clean, columns
from shiage.cli.words import counted, language, t
from shiage.queue.store import Store
from shiage.queue.tickets import State, Ticket


@made("queue", example="shiage queue add login --after 3")
@click.argument("action", metavar="list|add|cancel|answer", type=click.Choice(["list", "add", "cancel", "answer"]))
@click.argument("words", metavar="WORD", nargs=-1)
@click.option("--agent", metavar="NAME")
@click.option("--until", metavar="PHASE")
@click.option("--after", metavar="TICKET", default="")
@click.option("--not-before", metavar="TIME")
@click.option("--priority", metavar="N", type=int, default=0)
@click.option("--queue", metavar="URL", default="")
def command(
    context: Context, action: str, words: tuple[str, ...], agent: str | None, until: str | None, after: str,
    not_before: str | None, priority: int, queue: str,
) -> int:  # fmt: skip
    least, most = _WORDS[action]
    if not least <= len(words) <= most:
        raise click.UsageError(t(f"usage.queue_{action}"))
    project = workspace(context, {"agent": agent, "queue.url": queue or None})
    begin = point(not_before, datetime.now().astimezone()) if not_before else 0.0
    asked = Asked({"agent": agent or "", "until": until or ""}, after, begin, priority)
    with queue_of(project) as store:
        before = {ticket.id for ticket in store.open() if ticket.state is not State.AWAITING_RESPONSE}
        changed = _DO[action](project, store, words, asked)
        seen = view(project, store)
    for ticket in changed if action == "add" else ():
        if ticket.id in before:
            note(context, t("queue.already", spec=ticket.order.get("name", ticket.subject), ticket=ticket.id))
    _tell(context, seen, [ticket.id for ticket in changed] if action != "list" else None)
    return 0


def _add(project: Workspace, store: Store, words: Sequence[str], asked: Asked) -> list[Ticket]:
    return [enqueue(project, store, name, asked) for name in words]


def _cancel(project: Workspace, store: Store, words: Sequence[str], asked: Asked) -> list[Ticket]:
    return [cancel(store, each) for each in words]


def _answer(project: Workspace, store: Store, words: Sequence[str], asked: Asked) -> list[Ticket]:
    project.require_trust()
    return [answer(store, words[0], words[1])]


Do = Callable[[Workspace, Store, Sequence[str], Asked], list[Ticket]]
_DO: Mapping[str, Do] = {"list": lambda *_: [], "add": _add, "cancel": _cancel, "answer": _answer}
#: How many words each action takes.
_WORDS = {"list": (0, 0), "add": (1, 1000), "cancel": (1, 1000), "answer": (2, 2)}


def _tell(context: Context, seen: QueueView, only: Sequence[int] | None) -> None:
    """All of it, or the tickets that were changed."""
    rows = [*seen.tickets, *seen.ended]
    if only is not None:
        rows = [row for row in rows if row.ticket in only]
    if context.json:
        told = seen.as_json()
        kept = {row.ticket for row in rows}
        parts = {name: [each for each in told[name] if each["ticket"] in kept] for name in ("tickets", "ended")}  # type: ignore[attr-defined]
        emit({**told, **parts})
        return
    show(context, table(rows, colored=context.colored) if rows else [t("queue.none")])
    if only is None:
        show(context, ["", f"{counted('worker', len(seen.workers))} · max_parallel {seen.max_parallel}"])


def table(rows: Sequence[TicketView], *, colored: bool) -> list[str]:
    head = [t(f"queue.{name}") for name in ("ticket", "spec", "state", "priority", "why")]
    lines = [[str(row.ticket), clean(row.spec), row.state, str(row.priority), _why(row)] for row in rows]
    first, *rest = columns([head, *lines], gap=2)
    return [paint(first, "bold", on=colored), *rest]


def _why(row: TicketView) -> str:
    if row.waits_for:
        return waits(row.waits_for, row.not_before, row.after, row.detail)
    if row.worker:
        return row.worker
    why = f"why.{row.reason}"
    if row.reason and known(language(), why):
        return t(why)
    return clean(detail(language(), row.detail)) or clean(row.reason)
