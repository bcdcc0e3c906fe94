"""Keeps what this process has claimed: says that it is alive, hears of stops, and ends what was lost to another."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType

from shiage.app.runs import Stoppable
from shiage.domain.errors import ShiageError, UserError
from shiage.queue.store import Store
from shiage.queue.tickets import Ticket

LOOK_SECONDS = 1.0  #: between two looks for a worker that died or a time that has come; what changes is told at once
RENEW = 1 / 6  #: of a lease: between two renewals
#: Of a lease: whoever could not renew for so long ends its agents itself, before anybody else may begin.
FENCE = 2 / 3


@dataclass(slots=True)
class Told:
    """Who hears what becomes of tickets."""

    claimed: Callable[[Ticket], None] = lambda ticket: None
    ended: Callable[[Ticket], None] = lambda ticket: None
    refused: Callable[[Ticket], None] = lambda ticket: None  #: a result that came too late
    failed: Callable[[Ticket, Exception], None] = lambda ticket, error: None
    trouble: Callable[[UserError], None] = lambda error: None  #: the queue cannot be used for now
    back: Callable[[], None] = lambda: None
    repository: Callable[[UserError | None], None] = lambda gone: None  #: that it is gone in mid-run; None: it is back


@dataclass(slots=True)
class Held:
    """A claimed ticket and the run that was started for it."""

    ticket: Ticket
    lost: bool = False
    asked: str = ""  #: who asked for its end
    _runs: list[Stoppable] = field(default_factory=list)

    def started(self, runner: Stoppable) -> None:
        self._runs = [runner]
        if self.asked:
            runner.request_stop(self.asked)

    def end(self, by: str) -> None:
        """Stop its agents; once is enough."""
        if not self.asked:
            self.asked = by
            for runner in self._runs:
                runner.request_stop(by)


class Keeper:
    def __init__(self, store: Store, told: Told | None = None) -> None:
        self.store = store
        self.told = told or Told()
        self.changed = asyncio.Event()
        self._held: dict[int, Held] = {}
        self._over = False
        self._ending = ""  #: who asked for the end of everything
        self._renewed = time.monotonic()
        self._trouble = False

    async def __aenter__(self) -> "Keeper":
        self._task = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over = True
        with suppress(ShiageError):
            self.store.wake()
        with suppress(asyncio.CancelledError):
            await self._task

    @property
    def held(self) -> tuple[Held, ...]:
        return tuple(self._held.values())

    def owns(self, ticket: Ticket) -> bool:
        """Whether nobody else can have it: by what was heard, and by how long ago that was, for a process may freeze."""
        heard = time.monotonic() - self._renewed < self.store.lease
        held = self._held.get(ticket.id)
        return heard and held is not None and held.asked != "lease"

    def is_over(self, ticket: Ticket) -> bool:
        """Whether somebody has asked for its end, or it has ended."""
        held = self._held.get(ticket.id)
        return held is None or bool(held.asked)

    @contextmanager
    def holding(self, ticket: Ticket) -> Iterator[Held]:
        if not self._held:
            self._renewed = time.monotonic()
        held = self._held[ticket.id] = Held(ticket)
        if self._ending:  # it was claimed while the end was asked for
            held.end(self._ending)
        try:
            yield held
        finally:
            del self._held[ticket.id]

    def end(self, by: str) -> None:
        """Stop what runs, and whatever a claim that is under way still brings."""
        self._ending = by
        for held in self.held:
            held.end(by)
        self.changed.set()

    async def change(self) -> None:
        """Until something in the queue may be different."""
        await self.changed.wait()
        self.changed.clear()

    async def _keep(self) -> None:
        while not self._over:
            woken = await asyncio.to_thread(self.store.wait, LOOK_SECONDS)
            if self._held and (woken or time.monotonic() - self._renewed >= self.store.lease * RENEW):
                await self._renew()
            self.changed.set()

    async def _renew(self) -> None:
        mine = self.held
        try:
            stops = await asyncio.to_thread(self.store.renew, [held.ticket for held in mine])
        except UserError as error:
            self.say_trouble(error)
            if time.monotonic() - self._renewed > self.store.lease * FENCE:
                self._end_all(mine)
            return
        self._renewed = time.monotonic()
        self.say_back()
        for held in mine:
            held.lost = held.ticket.id not in stops
            if held.lost or stops[held.ticket.id]:
                held.end("lease" if held.lost else "person")

    def _end_all(self, mine: tuple[Held, ...]) -> None:
        """Two agents at once would be worse than none."""
        for held in mine:
            held.end("lease")

    def say_trouble(self, error: UserError) -> None:
        if not self._trouble:
            self.told.trouble(error)
        self._trouble = True

    def say_back(self) -> None:
        if self._trouble:
            self.told.back()
        self._trouble = False
