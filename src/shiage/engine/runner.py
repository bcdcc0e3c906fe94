"""Drives one run to its end: one inbox, one consumer, the journal before every effect."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, assert_never

from shiage.agents.adapter import AgentEvent
from shiage.domain.errors import UserError
from shiage.domain.events import (
    AttemptAssessed,
    AttemptExited,
    AttemptStarted,
    Event,
    PhaseFinished,
    RecordFailed,
    RoundClosed,
    StopRequested,
)
from shiage.domain.run import (
    Action,
    Assess,
    Attempt,
    CloseRound,
    EnterPhase,
    FinishPhase,
    Order,
    Run,
    StartAgent,
    Status,
    StopAgent,
)
from shiage.domain.verdict import Judgment
from shiage.engine import attempts, commands, effects
from shiage.engine.assess import assess
from shiage.engine.case import Case
from shiage.engine.record import Record
from shiage.flow.iterations import corrects
from shiage.flow.machine import accepts, evolve, plan
from shiage.flow.workflows import JUDGED

#: How often a request of another process is looked for: below what a person notices.
REQUEST_SECONDS = 0.05

#: Why a run pauses when its folder cannot be worked with; whatever else fails there failed in writing.
_REASONS = {
    "spec-unreadable": "spec-unreadable",
    "file-unreadable": "spec-unreadable",
    "path-outside": "spec-unreadable",
    "settings-unreadable": "settings-unreadable",
    "setting-invalid": "settings-unreadable",
    "snapshot-missing": "evidence-lost",
    "snapshot-damaged": "evidence-lost",
    "merge-conflict": "merge-conflict",
    "merge-blocked": "merge-blocked",
    "worktree-broken": "worktree-broken",
    "git-failed": "worktree-broken",
    "push-refused": "push-refused",
}

#: After these a step is closed, and its work is kept where it cannot be lost.
_CLOSING = (AttemptAssessed, RoundClosed, PhaseFinished)

AgentListener = Callable[[Attempt, AgentEvent], None]


class Runner:
    """One run in this process. `drive` returns when nothing is left to do or to wait for."""

    def __init__(self, case: Case, record: Record, on_agent: AgentListener) -> None:
        self._case = case
        self._record = record
        self._on_agent = on_agent
        self._inbox: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()
        self._work: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._prompt = ""  #: of the attempt that is being started
        self._id = ""  #: the run that is driven

    @property
    def run(self) -> Run:
        return self._record.history.of(self._id)

    async def drive(self, begin: Sequence[Event]) -> Run:
        """Take the first events, then whatever follows from them, until the run has stopped."""
        self._id = begin[0].run
        watcher = asyncio.create_task(self._watch_requests())
        try:
            pending = deque(begin)
            while pending or self._work or plan(self.run):
                event = pending.popleft() if pending else await self._next()
                if event is not None:
                    self._take(event)
                    pending.extend(await self._keep(event))
            self._record.force()
            return self.run
        finally:
            watcher.cancel()
            await self._abandon()

    def request_stop(self, by: str = "person") -> None:
        """Ask for a stop; safe to call at any time and more than once."""
        self._inbox.put_nowait(StopRequested(run=self.run.id, at=self._case.clock(), by=by))

    async def _next(self) -> Event | None:
        """Do what is planned; wait for the inbox when everything planned is under way."""
        if self._inbox.empty():
            for action in plan(self.run):
                event = self._perform(action)
                if event is not None:
                    return event
        if self._work is None and self._inbox.empty():
            return None
        await asyncio.sleep(0)  # what was begun goes on while the disk writes
        self._record.force()
        message = await self._inbox.get()
        if isinstance(message, BaseException):
            raise message
        return message

    def _take(self, event: Event) -> None:
        if not self._is_due(event):
            self._record.dropped(event)
            return
        self._record.note(event, self._correction(event))
        if isinstance(event, AttemptStarted | StopRequested):
            self._record.force()
        if isinstance(event, AttemptStarted):
            self._begin(self._attempt(self.run.last))
        if isinstance(event, StopRequested):
            self._stop.set()

    def _correction(self, event: Event) -> str:
        """The prompt that follows from a rejection, told with it; one that a person has added to is told when sent."""
        if isinstance(event, AttemptStarted):
            return self._prompt if corrects(self.run, event.order) else ""
        if not isinstance(event, AttemptAssessed) or event.assessment.judgment is not Judgment.REJECT:
            return ""
        after = evolve(self.run, event)
        if not isinstance(after.todo, StartAgent) or after.todo.order.correcting != event.attempt:
            return ""
        try:
            return attempts.prompt(self._case, after, after.todo.order, self._case.setup.agent(after.todo.order))
        except UserError:  # what cannot be read now pauses the run when the attempt is to begin
            return ""

    async def _keep(self, event: Event) -> list[Event]:
        """What cannot be kept stops the run; once it has stopped anyway, whoever started it must hear of it."""
        if self._case.keep is None or not isinstance(event, _CLOSING):
            return []
        self._record.force()
        try:
            await asyncio.to_thread(self._case.keep, self.run, event)
        except UserError as error:
            if error.code not in _REASONS or self.run.status is not Status.RUNNING:
                raise
            return [self._failed(error)]
        return []

    def _is_due(self, event: Event) -> bool:
        """A second stop, or the end of what was given up meanwhile, changes nothing any more."""
        if isinstance(event, StopRequested | AttemptStarted):
            return self.run.status is Status.RUNNING
        return accepts(self.run, event)

    def _perform(self, action: Action) -> Event | None:
        """Do one action; what is not done at once goes on as the one piece of work and reports to the inbox."""
        if self._work is not None:
            return None
        match action:
            case StartAgent(order):
                return self._start(order)
            case Assess():
                if self._case.setup.checks:  # else it only looks, and that may go on while the disk writes
                    self._record.force()
                self._begin(self._assess(self.run.last))
                return None
            case StopAgent():
                self._record.force()
                self._stop.set()
                return None
            case EnterPhase():
                return self._effect(effects.enter, action)
            case CloseRound():
                return self._effect(effects.close, action)
            case FinishPhase():
                return self._effect(effects.finish, action)
            case _:
                assert_never(action)

    def _effect(self, do: Callable[[Case, Run, Any], Event], action: Action) -> Event:
        self._record.force()
        try:
            return do(self._case, self.run, action)
        except UserError as error:
            return self._failed(error)

    def _failed(self, error: UserError) -> RecordFailed:
        place = error.where.path if error.where else ""
        reason = _REASONS.get(error.code, "spec-not-writable")
        return RecordFailed(run=self.run.id, at=self._case.clock(), reason=reason, path=place, problem=str(error))

    def _start(self, order: Order) -> Event | None:
        now = self._case.clock()
        if order.not_before is not None and order.not_before > now:
            self._begin(self._wait(order, order.not_before - now))
            return None
        if order.role in JUDGED and commands.due(self._case, self.run):
            self._record.force()
            self._begin(self._learn(order))
            return None
        return self._started(order)

    async def _learn(self, order: Order) -> Event | None:
        """How the configured commands end before anybody has worked, so that old failures are nobody's fault."""
        await commands.learn(self._case, self.run, self._stop)
        return None if self._stop.is_set() else self._started(order)

    def _started(self, order: Order) -> Event:
        agent, number = self._case.setup.agent(order), len(self.run.attempts) + 1
        try:
            self._prompt = attempts.prepare(self._case, self.run, number, order)
        except UserError as error:
            return self._failed(error)
        agent_id = attempts.new_agent_id(self.run.id, number)
        return AttemptStarted(
            run=self.run.id, at=self._case.clock(), attempt=number, agent_id=agent_id, agent=agent.name, order=order
        )

    def _begin(self, work: Coroutine[Any, Any, Event | None]) -> None:
        self._work = asyncio.create_task(self._finish(work))

    async def _finish(self, work: Coroutine[Any, Any, Event | None]) -> None:
        """Whatever comes of it reaches the inbox, also a mistake of ours."""
        try:
            message: Event | BaseException | None = await work
        except BaseException as error:
            message = error
        self._work = None
        self._inbox.put_nowait(message)

    async def _wait(self, order: Order, seconds: float) -> Event | None:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return self._started(order)
        return None

    async def _attempt(self, attempt: Attempt) -> Event:
        report = await attempts.start(
            self._case, self.run, attempt, self._prompt, self._stop, lambda event: self._on_agent(attempt, event)
        )
        return AttemptExited(
            run=self.run.id, at=self._case.clock(), attempt=attempt.number, agent_id=attempt.agent_id,
            outcome=report.outcome,
        )  # fmt: skip

    async def _assess(self, attempt: Attempt) -> Event:
        try:
            said = attempts.words(self._case, self.run, attempt)
            found = await assess(self._case, self.run, attempt, said, self._stop)
        except UserError as error:
            return self._failed(error)
        return AttemptAssessed(
            run=self.run.id, at=self._case.clock(), attempt=attempt.number, agent_id=attempt.agent_id,
            assessment=found,
        )  # fmt: skip

    async def _watch_requests(self) -> None:
        """Another process asks for a stop by leaving a file; the end of an agent is never learned this way."""
        request = self._case.places.stop_request
        while True:
            if request.exists():
                with suppress(OSError):  # what cannot be put away is a request all the same
                    request.unlink(missing_ok=True)
                if not self._stop.is_set():
                    self.request_stop()
            await asyncio.sleep(REQUEST_SECONDS)

    async def _abandon(self) -> None:
        """Leave no agent behind when the run ends by an error of ours or of the journal."""
        self._stop.set()
        if self._work is not None:
            await asyncio.wait({self._work})
