"""The queue as people use it: what is in it, what is added, cancelled, answered, and why something has to wait."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from shiage.app.abroad import repository_id
from shiage.app.workspace import Workspace, now
from shiage.config.settings import ROLES
from shiage.domain.errors import UserError
from shiage.domain.run import Run, Status
from shiage.engine.effects import iso
from shiage.engine.places import Places
from shiage.queue.store import Store, Taken
from shiage.queue.stores import open_store
from shiage.queue.tickets import FINAL, Hold, Owner, State, Ticket, Wish
from shiage.specs.folder import Folder
from shiage.specs.freeform import find_task

#: What a queued ticket may wait for.
WAITS = ("room", "time", "again", "ticket", "broken-chain", "agent", "its-owner", "worker", "lost")
MOST_DIGITS = 15  #: of a ticket's number
SHOWN_ENDED = 20  #: final tickets that a list shows


def open_queue(workspace: Workspace, *, url: str = "", name: str = "", worker: bool = False) -> Store:
    """The queue of the settings, or the one that was named."""
    places = Places(workspace.root, "queue")
    places.prepare()
    chosen = url or workspace.settings.queue.url or ""
    return open_store(chosen, places.home / "queue", name=name, worker=worker)


def queueing(workspace: Workspace, names: Sequence[str]) -> Workspace:
    """A free-form task stays here, and so does its ticket."""
    tasks = [name for name in names if find_task(workspace.root, name)]
    return workspace.kept_here() if tasks else workspace


@contextmanager
def queue_of(workspace: Workspace, url: str = "") -> Iterator[Store]:
    """For a look or one change."""
    store = open_queue(workspace, url=url)
    try:
        yield store
    finally:
        store.close()


def exists(workspace: Workspace) -> bool:
    """Whether anything was ever queued here: a look at the specs makes no queue."""
    chosen = workspace.settings.queue.url
    return bool(chosen) or (Places(workspace.root, "queue").home / "queue" / "tickets.db").exists()


def subject_of(workspace: Workspace, folder: Folder) -> str:
    """What at most one ticket runs for: a shared queue may know the same name from several repositories."""
    route = workspace.route if folder.workflow != "task" else None
    return f"{folder.key}@{repository_id(route.url)}" if route else folder.key


def worker_of(workspace: Workspace, folder: Folder) -> str:
    """Who is at work on a spec that travels, if anybody is."""
    with queue_of(workspace) as store:
        ticket = open_of(store, subject_of(workspace, folder))
        if ticket is None or ticket.state is not State.RUNNING:
            return ""
        return next((owner.name for owner in store.owners() if owner.id == ticket.owner), "")


def wish_of(workspace: Workspace, name: str, order: Mapping[str, str] | None = None) -> Wish:
    """A run of this spec, bug or task. Whoever plays a part in it counts as its agent."""
    folder = workspace.folder(name)
    agents = dict.fromkeys(workspace.settings.agent_for(role) for role in ROLES)
    told = {key: value for key, value in (order or {}).items() if value}
    return Wish(subject_of(workspace, folder), order={"name": folder.name, **told}, agents=tuple(agents))


def end_of(run: Run) -> State:
    """What a run's end makes of its ticket. Iterations inside the run never reach this."""
    match run.status:
        case Status.COMPLETED:
            return State.COMPLETE
        case Status.PAUSED if run.reason == "stopped":
            return State.CANCELLED
        case Status.PAUSED if run.reason == "incomplete":
            return State.INCOMPLETE
        case Status.PAUSED:
            return State.AWAITING_RESPONSE
        case _:
            return State.ERROR


@dataclass(frozen=True, slots=True)
class TicketView:
    """One ticket; the fields are the stable keys of `queue list --json`."""

    ticket: int
    spec: str
    state: str
    priority: int
    not_before: float
    after: int | None
    waits_for: str  #: one of WAITS; empty when it does not wait
    worker: str
    stop: bool
    run: str
    reason: str
    detail: str
    order: Mapping[str, str]
    added_at: float
    started_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class QueueView:
    tickets: tuple[TicketView, ...]
    ended: tuple[TicketView, ...]
    workers: tuple[Owner, ...]
    holds: tuple[Hold, ...]
    max_parallel: int

    def as_json(self) -> dict[str, object]:
        """As programs read it: times are RFC 3339 UTC, null where there is none."""
        lists = {name: [_told(each) for each in rows] for name, rows in asdict(self).items() if name != "max_parallel"}
        return {"v": 1, **lists, "max_parallel": self.max_parallel}


_TIMES = ("not_before", "added_at", "started_at", "ended_at", "since", "until")


def _told(row: dict[str, Any]) -> dict[str, object]:
    return row | {name: iso(row[name]) if row[name] else None for name in _TIMES if name in row}


def view(workspace: Workspace, store: Store) -> QueueView:
    """All that is open, the newest that has ended, and who is there to work."""
    tickets, owners, holds = store.open(), store.owners(), store.holds()
    seen = Around(store, tickets, owners, holds, workspace.settings.max_parallel)
    names = {owner.id: owner.name for owner in owners}
    rows = tuple(shown(ticket, seen.waits_for(ticket), names) for ticket in tickets)
    ended = tuple(shown(ticket, "", names) for ticket in store.ended(SHOWN_ENDED))
    return QueueView(rows, ended, tuple(owner for owner in owners if owner.worker), holds, seen.most)


def ticket_of(workspace: Workspace, subject: str) -> TicketView | None:
    """The open ticket of this subject, if it waits or runs; a look makes no queue."""
    if not exists(workspace):
        return None
    with queue_of(workspace) as store:
        found = open_of(store, subject)
        return next((row for row in view(workspace, store).tickets if found and row.ticket == found.id), None)


def shown(ticket: Ticket, waits_for: str, names: Mapping[str, str]) -> TicketView:
    return TicketView(
        ticket=ticket.id, spec=ticket.order.get("name", ticket.subject), state=ticket.state.value,
        priority=ticket.priority, not_before=ticket.not_before, after=ticket.after, waits_for=waits_for,
        worker=names.get(ticket.owner, "") if ticket.state is State.RUNNING else "", stop=ticket.stop,
        run=ticket.run, reason=ticket.reason, detail=ticket.detail, order=ticket.order, added_at=ticket.added_at,
        started_at=ticket.started_at, ended_at=ticket.ended_at,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Around:
    """The rest of the queue, as one ticket sees it."""

    store: Store
    tickets: tuple[Ticket, ...]
    owners: tuple[Owner, ...]
    holds: tuple[Hold, ...]
    most: int

    def waits_for(self, ticket: Ticket) -> str:
        """Why nobody works on a ticket that is queued or was running, the weightiest first."""
        if ticket.state is State.RUNNING and not self.alive(ticket.owner):
            return "lost" if self.worker else "worker"
        if ticket.state is not State.QUEUED:
            return ""
        return next((why for why, holds in _HINDRANCES if holds(self, ticket)), "")

    @property
    def worker(self) -> bool:
        return any(owner.worker for owner in self.owners)

    def alive(self, owner: str) -> bool:
        return any(other.id == owner for other in self.owners)

    def full(self, ticket: Ticket) -> bool:
        running = [other for other in self.tickets if other.state is State.RUNNING]
        return len(running) >= self.most or any(other.subject == ticket.subject for other in running)

    def chained(self, ticket: Ticket) -> bool:
        before = self.store.get(ticket.after) if ticket.after is not None else None
        if before is None or before.state is State.COMPLETE:
            return False
        ended = self.store.ended(SHOWN_ENDED)
        done = (each for each in ended if each.subject == before.subject and each.state is State.COMPLETE)
        return not any(each.id >= before.id for each in done)


#: What keeps a queued ticket waiting.
_HINDRANCES: tuple[tuple[str, Callable[[Around, Ticket], bool]], ...] = (
    ("again", lambda around, ticket: ticket.not_before > now() and bool(ticket.reason)),  # a worker put it back
    ("time", lambda around, ticket: ticket.not_before > now()),
    ("broken-chain", lambda around, ticket: around.chained(ticket) and around.store.blocked(ticket)),
    ("ticket", lambda around, ticket: around.chained(ticket)),
    ("agent", lambda around, ticket: any(hold.agent in ticket.agents for hold in around.holds)),
    ("its-owner", lambda around, ticket: around.alive(ticket.reserved)),
    ("room", lambda around, ticket: around.full(ticket)),
    ("worker", lambda around, ticket: not around.worker),
)


def chosen(store: Store, words: str) -> Ticket:
    """The ticket of this number, or the open one of this spec."""
    numbered = words.isdecimal() and len(words) <= MOST_DIGITS
    found = store.get(int(words)) if numbered else _of_name(store, words)
    if found is None:
        raise UserError(
            "ticket-unknown", f'there is no ticket "{words}"', help="`shiage queue list` shows those there are."
        )
    return found


def _of_name(store: Store, name: str) -> Ticket | None:
    return next((ticket for ticket in store.open() if name in (ticket.order.get("name"), ticket.subject)), None)


def answer(store: Store, words: str, text: str) -> Ticket:
    """A person's words for the run that waits for them; whoever is free goes on with it."""
    ticket = chosen(store, words)
    try:
        return store.answer(ticket.id, text)
    except Taken as taken:
        raise UserError(
            "no-question",
            f'ticket {ticket.id} ("{ticket.order.get("name", ticket.subject)}") is {taken.ticket.state.value}',
            help="`shiage queue list` shows those that wait for an answer.",
        ) from taken


def cancel(store: Store, words: str) -> Ticket:
    """Take back what is still to be done; what has ended stays as it ended."""
    ticket = chosen(store, words)
    if ticket.state in FINAL:
        named = ticket.order.get("name", ticket.subject)
        raise UserError(
            "ticket-ended", f'ticket {ticket.id} ("{named}") has ended: {ticket.state.value}',
            help="`shiage queue list` shows those that are still to be done.",
        )  # fmt: skip
    return store.cancel(ticket.id)


def open_of(store: Store, subject: str) -> Ticket | None:
    return next((ticket for ticket in store.open() if ticket.subject == subject), None)


def left_behind(store: Store, subject: str) -> Ticket | None:
    """The open ticket of this subject that no living process has."""
    alive = {owner.id for owner in store.owners()}
    for ticket in store.open():
        holder = ticket.owner if ticket.state is State.RUNNING else ticket.reserved
        if ticket.subject == subject and holder not in alive:
            return ticket
    return None


def settle(workspace: Workspace, name: str) -> None:
    """A person stopped or reset this spec: nobody may go on with it by the queue's word."""
    if not exists(workspace):
        return
    with queue_of(workspace) as store:
        ticket = left_behind(store, subject_of(workspace, workspace.folder(name)))
        if ticket is None:
            return
        if ticket.state is not State.RUNNING:
            store.cancel(ticket.id)
        elif claimed := store.claim(most=1, id=ticket.id):
            store.finish(claimed, State.CANCELLED, reason="stopped")
