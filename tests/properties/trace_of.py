"""What a random history leaves behind, and how likely trouble is in it."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

from shiage.domain.events import (
    Answered,
    Approved,
    AttemptAssessed,
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    Event,
    Muted,
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
from shiage.domain.outcome import POLICY, Cause, Ending, Outcome, Usage
from shiage.domain.run import Action, Assessment, Counts, Limits, Mode, Order, Role, Run
from shiage.domain.verdict import Finding, Judgment
from shiage.flow.history import History

PERMANENT = [cause for cause in Cause if cause not in POLICY and cause is not Cause.NONE]
CLEAN, DIRTY, STUCK = Counts(0, 0), Counts(2, 1), Counts(0, 1)


@dataclass(slots=True)
class Step:
    """One fact, the run it belongs to before and after, and the world when it was told."""

    event: Event
    before: Run
    after: Run
    planned: tuple[Action, ...]
    closed: dict[str, int]  #: rounds closed on disk
    finished: frozenset[str]  #: phases finished on disk
    edits: int  #: how often somebody else changed the disk
    alive: int  #: agents that really are at work


@dataclass
class Trace:
    seed: int
    workflow: str
    limits: Limits
    steps: list[Step] = field(default_factory=list)
    histories: list[History] = field(default_factory=lambda: [History()])
    replayed: list[bool] = field(default_factory=list)  #: at each crash: is what the journal tells what was true
    surprises: list[str] = field(default_factory=list)  #: refused facts of planned actions, and errors of other kinds
    accepted: list[str] = field(default_factory=list)  #: impossible, stale or foreign messages that were not refused
    progress: tuple[bool, int] | None = None  #: with nothing but success: was it completed, after how many facts

    @cached_property
    def auto(self) -> list[Step]:
        """What concerns the automatic run alone."""
        return [step for step in self.steps if step.after.mode is Mode.AUTO]

    @property
    def events(self) -> list[Event]:
        return [step.event for step in self.steps]


@dataclass(slots=True)
class Mood:
    """How likely trouble is in this history."""

    fail: float
    transient: float
    reject: float
    open: float
    dirty: float
    nogo: float
    odd: float  #: unreadable, tampered, unwritable, refused
    disturb: float  #: people, crashes, noise

    @classmethod
    def any(cls, rng: Random) -> "Mood":
        mild, hard = (0.0, 0.1, 0.4), (0.1, 0.5, 0.95)
        draws = (mild, (0.2, 0.9), (0.1, 0.5, 0.9), hard, hard, hard, (0.0, 0.04, 0.15), (0.03, 0.12, 0.3))
        return cls(*(rng.choice(levels) for levels in draws))

    def outcome(self, rng: Random) -> Outcome:
        usage = Usage(30, 20, 0.4)
        if rng.random() >= self.fail:
            return Outcome(Ending.COMPLETED, session="s", usage=usage)
        if rng.random() < self.transient:
            cause = rng.choices((Cause.TRANSIENT, Cause.USAGE_LIMIT), (4, 1))[0]
            return Outcome(Ending.FAILED, cause, until=rng.choice((None, 9e9)), usage=usage)
        if rng.random() < self.odd:
            return Outcome(Ending.FAILED, Cause.PERMISSION_REFUSED, asked=(rng.choice(("Bash(make)", "Write")),))
        ending = rng.choice((Ending.FAILED, Ending.TIMED_OUT, Ending.NOT_STARTED))
        return Outcome(ending, rng.choice(PERMANENT), detail="exit 3")

    def found(self, rng: Random, role: Role, seals: bool) -> Assessment:
        if role in (Role.REVIEWER, Role.RESPONDER, Role.INSPECTOR) and rng.random() < self.odd:
            return Assessment(problem="cannot be read", path="a.md")
        if role is Role.RESPONDER:
            dirty = rng.choices((DIRTY, STUCK, Counts(1, 0)), (4, 1, 4))[0]
            return Assessment(counts=dirty if rng.random() < self.dirty else CLEAN)
        if role is Role.INSPECTOR:
            verdict = "manual" if rng.random() < self.odd else "nogo" if rng.random() < self.nogo else "go"
            return Assessment(verdict=verdict)
        return self.made(rng, role, seals)

    def made(self, rng: Random, role: Role, seals: bool) -> Assessment:
        found = Assessment()
        if role is Role.REVIEWER:
            return found
        if rng.random() < self.reject:
            finding = Finding("Q2", "marker", "a.py", 1, rng.choice("abcdefgh"))
            judgment = rng.choices((Judgment.REJECT, Judgment.RETRY), (5, 1))[0]
            found = replace(found, judgment=judgment, findings=(finding,))
        if seals and rng.random() < self.open:
            found = replace(found, **rng.choices(({"open_tasks": ("2",)}, {"problem": "no tasks.md"}), (5, 1))[0])
        if seals and rng.random() < self.odd:
            found = replace(found, tampered="- 2")
        if rng.random() < self.odd:
            found = replace(found, question="Which one?")
        return found


GOOD = Mood(0, 0, 0, 0, 0, 0, 0, 0)


def any_limits(rng: Random) -> Limits:
    return Limits(
        review_rounds=rng.choice((1, 2, 3, 7)),
        impl_reruns=rng.choice((0, 1, 2, 7)),
        inspection_rounds=rng.choice((1, 2, 3)),
        iterations=rng.choice((1, 2, 3)),
        retries=rng.choice((0, 1, 3)),
        escalate=rng.random() < 0.7,
        usd=3.0 if rng.random() < 0.15 else None,
        tokens=400 if rng.random() < 0.1 else None,
        minutes=2.0 if rng.random() < 0.1 else None,
        usage_wait=rng.choice((0.0, 3600.0, 1e10)),
        takeover=rng.choice(({}, {"claude": "codex"})),
    )


_LAST: dict[str, Any] = {"attempt": 1, "agent_id": "a1"}
EXAMPLES: dict[type[Event], dict[str, Any]] = {
    RunStarted: {"spec": "login"},
    ResumeRequested: {},
    PhaseEntered: {"phase": "design"},
    PhaseRefused: {"phase": "design", "reason": "not-permitted"},
    AttemptStarted: {**_LAST, "agent": "claude", "order": Order("design", Role.AUTHOR)},
    AttemptExited: {**_LAST, "outcome": Outcome(Ending.COMPLETED)},
    AttemptLost: _LAST,
    AttemptAssessed: {**_LAST, "assessment": Assessment()},
    RoundClosed: {"phase": "document-review", "round": 1},
    PhaseFinished: {"phase": "design"},
    RecordFailed: {"reason": "spec-unreadable", "path": "spec.json", "problem": "line 3"},
    StopRequested: {},
    ResetRequested: {},
    Approved: {"phase": "design"},
    Muted: {"finding": "0a", "why": "meant so"},
    Answered: {"text": "yes"},
}
