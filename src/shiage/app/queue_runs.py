"""One claimed ticket from its claim to its result, whoever claimed it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType

from shiage.app import acts
from shiage.app.carrying import as_ticket, busy, send_off, travels
from shiage.app.going_on import carry
from shiage.app.queue_keeper import LOOK_SECONDS, Held, Keeper, Told
from shiage.app.runs import Watch
from shiage.app.tickets import end_of, open_queue, wish_of
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.domain.outcome import Cause
from shiage.domain.run import Run, Status
from shiage.engine.runner import Runner
from shiage.journal.entry import Entry
from shiage.queue.store import ClaimLost, Store, Taken
from shiage.queue.tickets import Hold, State, Ticket

Begin = Callable[[Watch], Awaitable[Run]]
#: Stops that no person asked for: somebody else goes on with the ticket.
GIVEN_UP = frozenset({"lease", "worker"})
BUSY_SECONDS = 5.0  #: until a spec that somebody holds without the queue is tried again
PATIENCE_SECONDS = 5.0  #: how long a person at the terminal waits for a queue that takes no result


async def carry_out(
    keeper: Keeper, ticket: Ticket, begin: Begin, watch: Watch, refused: Callable[[UserError], State]
) -> Run:
    """Run what was claimed and bring its result to the queue; `refused` says what becomes of it if it cannot begin."""
    with keeper.holding(ticket) as held:
        try:
            run = await begin(_watched(keeper.store, held, watch))
        except UserError as error:
            later = now() + BUSY_SECONDS
            detail = f"{keeper.store.me.name}: {error.message}" if ticket.order.get("remote") else error.message
            await finish(keeper, held, refused(error), not_before=later, reason=error.code, detail=detail)
            raise
        except BaseException as error:
            stopped = isinstance(error, asyncio.CancelledError)
            await finish(keeper, held, State.CANCELLED if stopped else State.ERROR, reason="interrupted")
            raise
        given_up = held.asked in GIVEN_UP and run.reason == "stopped"
        state = State.QUEUED if given_up else end_of(run)
        await finish(keeper, held, state, run=run.id, reason=run.reason, detail=run.detail)
        return run


def _watched(store: Store, held: Held, watch: Watch) -> Watch:
    def started(runner: Runner) -> None:
        held.started(runner)
        watch.started(runner)

    def entries(spec: str, told: Sequence[Entry]) -> None:
        for entry in told:
            with suppress(ClaimLost, UserError):  # the next renewal tells the same
                _heard(store, held.ticket, entry)
        watch.entries(spec, told)

    return replace(watch, started=started, entries=entries)


def _heard(store: Store, ticket: Ticket, entry: Entry) -> None:
    """What the journal says that matters to the queue."""
    content = entry.content
    if entry.event_type == "ANSWERED" and ticket.answer:
        store.heard(ticket)
    if entry.event_type == "ATTEMPT_WAITS" and content.get("cause") == Cause.USAGE_LIMIT.value:
        until, agent = content.get("until"), content.get("agent")
        if isinstance(until, int | float) and isinstance(agent, str):
            store.hold(Hold(agent, float(until), "usage-limit"))


async def finish(keeper: Keeper, held: Held, state: State, *, not_before: float = 0.0, patience: float = PATIENCE_SECONDS,
                 **what: str) -> None:  # fmt: skip
    """Bring the result; a queue that is gone for now is waited for."""
    deadline = time.monotonic() + patience
    while True:
        try:
            ended = await asyncio.to_thread(
                lambda: keeper.store.finish(held.ticket, state, not_before=not_before, **what)
            )
        except ClaimLost:
            keeper.told.refused(held.ticket)
            return
        except UserError as error:
            keeper.say_trouble(error)
            if time.monotonic() > deadline:
                return
            await asyncio.sleep(LOOK_SECONDS / 4)
            continue
        keeper.say_back()
        keeper.told.ended(ended)
        return


@dataclass(slots=True)
class Here:
    """Runs that a person started in this process: each has its ticket, which nobody else may claim meanwhile."""

    workspace: Workspace
    most: int
    stopped: Callable[[], bool] = lambda: False  #: whether the person wants no more
    waiting: Callable[[Ticket], None] = lambda ticket: None
    told: Told = field(default_factory=Told)
    _keeper: Keeper = field(init=False)

    async def __aenter__(self) -> "Here":
        self.workspace.require_trust()
        self._keeper = Keeper(open_queue(self.workspace), self.told)
        await self._keeper.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._keeper.__aexit__(kind, error, at)
        self._keeper.store.close()

    async def run(self, name: str, begin: Begin, watch: Watch, order: dict[str, str], answer: str = "") -> Run:
        """Begin at once, or as soon as there is room; a run that travels is taken from its branch for that."""
        folder = self.workspace.folder(name)
        if travels(self.workspace, folder):
            order |= await asyncio.to_thread(send_off, self.workspace, folder, order.get("base", ""))
        wish = replace(wish_of(self.workspace, name, order), agents=())  # a person may try what is held
        try:
            ticket = self._keeper.store.reserve(wish)
        except Taken as taken:
            raise busy(name, taken) from taken
        claimed = await self._claimed(name, ticket)
        if claimed is None:
            return Run(spec=name, status=Status.PAUSED, reason="stopped")
        chosen = begin
        if order.get("remote"):
            chosen = self._carried(as_ticket(claimed, answer))
        elif claimed.answer:
            chosen = _answered(self.workspace, name, claimed.answer)
        beside = replace(watch, apart=claimed.apart)
        return await carry_out(self._keeper, claimed, chosen, beside, lambda error: _refused(claimed, error))

    def _carried(self, ticket: Ticket) -> Begin:
        return lambda watch: carry(self.workspace, self._keeper, ticket, watch)

    async def _claimed(self, name: str, ticket: Ticket) -> Ticket | None:
        store, told = self._keeper.store, False
        while not self.stopped():
            claimed = store.claim(most=self.most, id=ticket.id)
            if claimed is not None:
                return claimed
            found = store.get(ticket.id)
            if found is None or found.state is not State.QUEUED:
                raise _gone_on(name, found)
            if not told:
                self.waiting(ticket)
            told = True
            await self._keeper.change()
        store.cancel(ticket.id)
        return None


def _answered(workspace: Workspace, name: str, text: str) -> Begin:
    return lambda watch: acts.answer(workspace, name, text, watch=watch)


def _refused(claimed: Ticket, error: UserError) -> State:
    """What was begun waits for a person; what never began leaves nothing open."""
    begun = claimed.token > 1 or error.code in ("push-refused", "fenced")
    return State.AWAITING_RESPONSE if begun else State.CANCELLED


def _gone_on(name: str, ticket: Ticket | None) -> UserError:
    state = ticket.state.value if ticket else "gone"
    return UserError(
        "busy", f'"{name}" was taken out of our hands: its ticket is {state}', help=f"`shiage status {name}` shows it."
    )
