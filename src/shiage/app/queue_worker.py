"""A worker: claims whatever may run, runs it here, and waits for more."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shiage.app.beside import must_stay
from shiage.app.going_on import carry, go_on
from shiage.app.queue_keeper import Keeper, Told
from shiage.app.queue_runs import carry_out
from shiage.app.runs import Watch
from shiage.app.tickets import TicketView, view
from shiage.app.workspace import Workspace, open_workspace
from shiage.domain.errors import UserError
from shiage.domain.run import Run
from shiage.queue.store import Store
from shiage.queue.tickets import State, Ticket

#: Keys of a ticket's order that are settings of its run.
_SETTINGS = {"agent": "agent", "template": "review_loop.template"}
#: What a queued ticket waits for that comes without a person, so that a draining worker stays.
_COMES = frozenset({"", "worker", "time", "again", "agent", "room"})


@dataclass(slots=True)
class Worker:
    workspace: Workspace
    store: Store
    told: Told = field(default_factory=Told)
    room: int = 1  #: runs at once in this process
    drain: bool = False  #: end when nothing is left that could begin
    _stopping: bool = False
    _keeper: Keeper | None = None

    def stop(self) -> None:
        """Claim no more, end what runs, and give it back: somebody goes on with it later."""
        self._stopping = True
        if self._keeper:
            self._keeper.end("worker")

    async def work(self) -> None:
        async with Keeper(self.store, self.told) as self._keeper:
            running: set[asyncio.Task[None]] = set()
            while running or not self._stopping:
                claimed = not self._stopping and len(running) < self.room and await self._next(self._keeper)
                if claimed:
                    task = asyncio.create_task(self._one(self._keeper, claimed))
                    task.add_done_callback(self._wake)
                    running.add(task)
                    continue
                if self.drain and not running and not await self._coming():
                    return
                await self._keeper.change()
                running = {task for task in running if not task.done()}

    def _wake(self, task: asyncio.Task[None]) -> None:  # noqa: ARG002  what a callback gets
        if self._keeper:
            self._keeper.changed.set()

    async def _next(self, keeper: Keeper) -> Ticket | None:
        """The next claim; a queue that is gone for now has none."""
        most = self.workspace.settings.max_parallel
        try:
            found = await asyncio.to_thread(lambda: self.store.claim(most=most))
        except UserError as error:
            keeper.say_trouble(error)
            return None
        keeper.say_back()
        return found

    async def _coming(self) -> bool:
        try:
            seen = await asyncio.to_thread(view, self.workspace, self.store)
        except UserError:
            return True
        rows = {row.ticket: row for row in seen.tickets}
        return any(row.state == State.QUEUED and _comes(row, rows) for row in seen.tickets)

    async def _one(self, keeper: Keeper, ticket: Ticket) -> None:
        self.told.claimed(ticket)
        try:
            await carry_out(keeper, ticket, lambda watch: self._begin(keeper, ticket, watch), Watch(), _refused)
        except Exception as error:  # one broken run ends no other; its ticket has the error already
            self.told.failed(ticket, error)

    async def _begin(self, keeper: Keeper, ticket: Ticket, watch: Watch) -> Run:
        overrides = self._overrides(ticket)
        if ticket.order.get("remote"):
            return await carry(replace(self.workspace, overrides=overrides), keeper, ticket, watch)
        return await go_on(open_workspace(self.workspace.root, self.workspace.environ, overrides), ticket, watch)

    def _overrides(self, ticket: Ticket) -> Mapping[str, object]:
        told = {setting: ticket.order[key] for key, setting in _SETTINGS.items() if ticket.order.get(key)}
        return {**self.workspace.overrides, **told}


def _comes(row: TicketView, rows: Mapping[int, TicketView]) -> bool:
    """Whether it ends without a person. One of a chain does if what it waits for does."""
    if row.state != State.QUEUED:
        return row.state == State.RUNNING
    before = rows.get(row.after or 0)
    return row.waits_for in _COMES or (row.waits_for == "ticket" and (before is None or _comes(before, rows)))


#: What comes of a ticket that cannot begin here. Free for others: the spec is held without the queue, needs the main
#: checkout, or went on elsewhere; this machine cannot reach the repository or has no room.
_OTHERS = frozenset({"busy", "checkout-busy", "fenced", "fetch-failed", "repository-gone", "state-not-writable"})
#: A person must settle it, and the run goes on from where it is.
_PERSON = frozenset({"push-refused", "not-trusted", "branch-foreign", "no-identity"})


def _refused(error: UserError) -> State:
    if error.code in _OTHERS or must_stay(error):
        return State.QUEUED
    return State.AWAITING_RESPONSE if error.code in _PERSON else State.ERROR
