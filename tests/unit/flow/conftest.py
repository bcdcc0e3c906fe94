"""A run played by hand: every method answers what the machine planned, as the shell would."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from shiage.domain.events import (
    Answered,
    Approved,
    AttemptAssessed,
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    Event,
    PhaseEntered,
    PhaseFinished,
    PhaseRefused,
    RecordFailed,
    ResetRequested,
    ResumeRequested,
    RoundClosed,
    RunStarted,
    StopRequested,
)
from shiage.domain.outcome import Cause, Ending, Outcome, Usage
from shiage.domain.run import (
    Action,
    Assess,
    Assessment,
    Attempt,
    CloseRound,
    Counts,
    EnterPhase,
    Facts,
    FinishPhase,
    Limits,
    Mode,
    Order,
    Run,
    SealedTask,
    StartAgent,
)
from shiage.domain.verdict import CriterionResult, Finding, Judgment
from shiage.flow.machine import evolve, plan
from shiage.flow.reports import Report, reports
from shiage.flow.workflows import WORKFLOWS

SEAL = (SealedTask("1", "build it", 0), SealedTask("2", "test it", 1))


@dataclass
class Play:
    """The spec folder is three fields; time goes on by ten seconds with every fact."""

    run: Run = field(default_factory=Run)
    events: list[Event] = field(default_factory=list)
    told: list[Report] = field(default_factory=list)
    finished: tuple[str, ...] = ()
    closed: dict[str, int] = field(default_factory=dict)
    tampered: str = ""
    limits: Limits = field(default_factory=Limits)
    now: float = 0.0

    def tell(self, kind: type[Event], **fields: Any) -> Run:
        self.now += 10.0
        event = kind(**{"run": self.run.id or "r1", "at": self.now, **fields})
        before, self.run = self.run, evolve(self.run, event)
        self.events.append(event)
        self.told.extend(reports(before, event, self.run))
        return self.run

    @property
    def action(self) -> Action | None:
        planned = plan(self.run)
        assert len(planned) <= 1
        return planned[0] if planned else None

    @property
    def order(self) -> Order:
        assert isinstance(self.action, StartAgent), self.action
        return self.action.order

    @property
    def facts(self) -> Facts:
        return Facts(self.finished, dict(self.closed), {}, self.tampered)

    @property
    def state(self) -> tuple[str, str]:
        return str(self.run.status), self.run.reason

    def start(self, **fields: Any) -> Run:
        named = {"spec": "login", "limits": self.limits, "facts": self.facts}
        return self.tell(RunStarted, **{**named, **fields})

    def step(self, phase: str, *, fix: bool = False, **fields: Any) -> Run:
        return self.start(mode=Mode.STEP, phase=phase, fix=fix, **fields)

    def enter(self, reviewed: int = 0, **fields: Any) -> Run:
        assert isinstance(self.action, EnterPhase), self.action
        phase = self.action.phase
        named = {"phase": phase, "closed": self.closed.get(phase, 0), "reviewed": reviewed}
        return self.tell(PhaseEntered, **{**named, **fields})

    def refuse(self, reason: str = "not-permitted", *, optional: bool = False) -> Run:
        assert isinstance(self.action, EnterPhase), self.action
        return self.tell(PhaseRefused, phase=self.action.phase, reason=reason, optional=optional)

    def begin(self, agent: str = "claude") -> Attempt:
        number = len(self.run.attempts) + 1
        self.tell(AttemptStarted, attempt=number, agent_id=f"a{number}", agent=agent, order=self.order)
        return self.run.last

    def _of_last(self) -> dict[str, Any]:
        return {"attempt": self.run.last.number, "agent_id": self.run.last.agent_id}

    def end(
        self, ending: Ending = Ending.COMPLETED, cause: Cause = Cause.NONE, usage: Usage | None = None, **fields: Any
    ) -> Run:
        outcome = Outcome(ending, cause, usage=usage or Usage(), **fields)
        return self.tell(AttemptExited, **self._of_last(), outcome=outcome)

    def fail(self, cause: Cause = Cause.CRASHED, ending: Ending = Ending.FAILED, **fields: Any) -> Run:
        """One attempt that did not complete."""
        self.begin()
        return self.end(ending, cause, **fields)

    def lose(self, **fields: Any) -> Run:
        return self.tell(AttemptLost, **self._of_last(), **fields)

    def assess(self, **fields: Any) -> Run:
        assert isinstance(self.action, Assess), self.action
        return self.tell(AttemptAssessed, **self._of_last(), assessment=Assessment(**fields))

    def attempt(self, session: str = "", **found: Any) -> Run:
        """One attempt that completed, and what shiage found."""
        self.begin()
        self.end(session=session)
        return self.assess(**found)

    def reject(self, quote: str = "", rule: str = "marker", **found: Any) -> Run:
        finding = Finding("Q2", rule, "src/app.py", 3, quote or f"quote {self.now}", "a marker was left")
        failed = (CriterionResult("Q1", True), CriterionResult("Q2", False))
        return self.attempt(judgment=Judgment.REJECT, criteria=failed, findings=(finding,), session="s9", **found)

    def close(self) -> Run:
        action = self.action
        assert isinstance(action, CloseRound), action
        number = self.run.attempts[action.attempt - 1].order.round
        self.closed[self.run.phase] = max(number, self.closed.get(self.run.phase, 0))
        return self.tell(RoundClosed, phase=self.run.phase, round=number)

    def finish(self) -> Run:
        assert isinstance(self.run.todo, FinishPhase), self.run.todo
        phase = self.run.todo.phase
        self.finished = (*self.finished, phase)
        return self.tell(PhaseFinished, phase=phase)

    def round(self, fix: int = 0, discuss: int = 0) -> Run:
        """One whole document review round."""
        self.attempt()
        self.attempt(counts=Counts(fix, discuss), path="reply.md")
        return self.close()

    def inspection(self, verdict: str, **found: Any) -> Run:
        self.attempt(verdict=verdict, path="inspection.md", **found)
        return self.close()

    def fixed(self) -> Run:
        self.attempt()
        return self.close()

    def stop(self) -> Run:
        return self.tell(StopRequested)

    def resume(self, by: str = "person", **fields: Any) -> Run:
        named = {"by": by, "until": self.run.until, "limits": self.limits, "facts": self.facts}
        return self.tell(ResumeRequested, **{**named, **fields})

    def reset(self) -> Run:
        return self.tell(ResetRequested)

    def approve(self, phase: str, seal: tuple[SealedTask, ...] = ()) -> Run:
        return self.tell(Approved, phase=phase, seal=seal)

    def answer(self, text: str, *, allowed: bool | None = None) -> Run:
        return self.tell(Answered, text=text, allowed=allowed)

    def record_fails(self, reason: str, path: str = "spec.json", problem: str = "cannot") -> Run:
        return self.tell(RecordFailed, reason=reason, path=path, problem=problem)

    def at(self, phase: str, **fields: Any) -> "Play":
        """Begin with every earlier phase finished, inside this phase."""
        flow = WORKFLOWS[fields.get("workflow", "spec")]
        self.finished = tuple(row.name for row in flow.phases[: flow.index(phase)])
        self.start(**fields)
        self.enter(seal=SEAL if phase == "impl" else ())
        return self

    def names(self) -> list[str]:
        return [report.event_type for report in self.told]


@pytest.fixture
def play() -> Play:
    return Play()


@pytest.fixture
def at() -> Callable[..., Play]:
    """A run that has just entered a phase."""

    def begin(phase: str, *, closed: int = 0, limits: Limits | None = None, **fields: Any) -> Play:
        played = Play(closed={phase: closed} if closed else {}, limits=limits or Limits())
        return played.at(phase, **fields)

    return begin
