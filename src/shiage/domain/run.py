"""What is true of a run: values only; `flow` says how they change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shiage.domain.outcome import Cause, Ending, Outcome
from shiage.domain.verdict import CriterionResult, Finding, Judgment

MAX_DOCUMENT_REVIEW_ROUNDS = 7


class Status(StrEnum):
    IDLE = "idle"  #: nothing has been asked for, or it was reset
    RUNNING = "running"  #: exactly one agent is at work, or the next step is being taken
    PAUSED = "paused"  #: waits for a person, nothing runs
    COMPLETED = "completed"  #: reached the end that was asked for
    ERROR = "error"  #: something is wrong


class Mode(StrEnum):
    AUTO = "auto"  #: loops and advances by itself
    STEP = "step"  #: one manual pass of one phase


class Role(StrEnum):
    AUTHOR = "author"
    REVIEWER = "reviewer"
    RESPONDER = "responder"
    IMPLEMENTER = "implementer"
    INSPECTOR = "inspector"
    FIXER = "fixer"


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps as the settings had them when the session began."""

    review_rounds: int = MAX_DOCUMENT_REVIEW_ROUNDS
    impl_reruns: int = 7
    inspection_rounds: int = 3
    iterations: int = 3  #: attempts the judge may look at before a person is asked
    retries: int = 3  #: transient failures in a row
    retry_delay: float = 1.0  #: seconds before the first retry; doubles with each
    escalate: bool = True  #: ask a person when the iterations are used up
    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    usage_wait: float = 12 * 3600.0  #: seconds; a usage limit that lasts longer is a person's affair
    takeover: Mapping[str, str] = field(default_factory=dict)  #: agent -> who works while its usage limit lasts


@dataclass(frozen=True, slots=True)
class Counts:
    """What a reply leaves open, as shiage counted it."""

    fix: int
    discuss: int

    @property
    def clean(self) -> bool:
        return self.fix == 0 and self.discuss == 0


@dataclass(frozen=True, slots=True)
class SealedTask:
    """A task as it stood when the implementation began; its tick is free, its words are not."""

    id: str
    text: str
    order: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What the spec folder said when it was asked."""

    finished: tuple[str, ...] = ()
    closed: Mapping[str, int] = field(default_factory=dict)  #: phase -> rounds closed on disk
    reviewed: Mapping[str, int] = field(default_factory=dict)  #: phase -> round looked at but not yet answered
    tampered: str = ""  #: how tasks.md differs from the seal


@dataclass(frozen=True, slots=True)
class Order:
    """What an attempt is asked to do."""

    phase: str
    role: Role
    round: int = 0  #: the round's number on disk; 0 where the phase has none
    correcting: int | None = None  #: the attempt whose findings are to be corrected
    session: str = ""  #: the agent's session to resume
    answer: str = ""  #: what a person said
    not_before: float | None = None  #: seconds since the epoch
    fix: bool = False  #: apply an existing reply (manual only)
    agent: str = ""  #: who works instead of the role's own agent
    question: str = ""  #: what `answer` answers


@dataclass(frozen=True, slots=True)
class Assessment:
    """What shiage itself found after an attempt had ended."""

    judgment: Judgment = Judgment.PASS
    criteria: tuple[CriterionResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    counts: Counts | None = None  #: of a reply
    verdict: str = ""  #: of an inspection: go, nogo, manual
    problem: str = ""  #: why something could not be read or is missing
    question: str = ""  #: what it wants to know from a person before it goes on
    path: str = ""  #: the file that decided
    open_tasks: tuple[str, ...] = ()
    done: int = 0
    total: int = 0
    tampered: str = ""
    differences: tuple[str, ...] = ()  #: what the agent claimed and shiage found otherwise
    muted: tuple[Finding, ...] = ()  #: found as well, and a person said that it does not count

    @property
    def signature(self) -> frozenset[tuple[str, str, str, str]]:
        """What makes two rejections the same one."""
        return frozenset((f.criteria_id, f.rule, f.path, f.quote) for f in self.findings)


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's word on what a role may use; it holds for this spec from then on."""

    role: Role
    tool: str  #: in the agent's own words
    allowed: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    number: int
    agent_id: str
    agent: str
    order: Order
    started_at: float
    ended_at: float | None = None
    outcome: Outcome | None = None
    assessment: Assessment | None = None
    lost: bool = False  #: its end was never seen: shiage died
    second_look: bool = False  #: assessed again after a person may have repaired its file

    @property
    def in_flight(self) -> bool:
        return self.outcome is None and not self.lost

    @property
    def completed(self) -> bool:
        return self.outcome is not None and self.outcome.ending is Ending.COMPLETED

    @property
    def cut(self) -> bool:
        return self.lost or (self.outcome is not None and self.outcome.ending is Ending.STOPPED)

    @property
    def transient(self) -> bool:
        return self.outcome is not None and self.outcome.cause is Cause.TRANSIENT

    @property
    def seconds(self) -> float:
        return 0.0 if self.ended_at is None else self.ended_at - self.started_at


@dataclass(frozen=True, slots=True)
class Since:
    """The first attempt that counts against each allowance; a refill moves it forward."""

    reruns: int = 0
    rejections: int = 0
    retries: int = 0
    spend: int = 0


@dataclass(frozen=True, slots=True)
class StartAgent:
    order: Order


@dataclass(frozen=True, slots=True)
class StopAgent:
    attempt: int
    agent_id: str


@dataclass(frozen=True, slots=True)
class Assess:
    attempt: int


@dataclass(frozen=True, slots=True)
class EnterPhase:
    phase: str
    fix: bool = False  #: manual: only the answering role works


@dataclass(frozen=True, slots=True)
class CloseRound:
    """Write what the last attempt's assessment says of its round into the spec."""

    attempt: int
    more: bool  #: another round follows


@dataclass(frozen=True, slots=True)
class FinishPhase:
    phase: str
    by_person: bool = False


Action = StartAgent | StopAgent | Assess | EnterPhase | CloseRound | FinishPhase


@dataclass(frozen=True, slots=True)
class Run:
    """The fold over a spec's journal. Counts are computed from the attempts, never stored."""

    spec: str = ""
    workflow: str = "spec"
    id: str = ""
    mode: Mode = Mode.AUTO
    status: Status = Status.IDLE
    phase: str = ""  #: the phase the run is in, or stopped at
    reason: str = ""  #: why it is paused or failed
    detail: str = ""  #: one sentence more
    path: str = ""  #: the file the reason is about
    until: str = ""
    limits: Limits = Limits()
    facts: Facts = Facts()
    closed: Mapping[str, int] = field(default_factory=dict)  #: phase -> rounds closed
    base: Mapping[str, int] = field(default_factory=dict)  #: phase -> rounds closed before this allowance
    approved: Mapping[str, int] = field(default_factory=dict)  #: phase -> rounds closed when a person approved
    grants: tuple[Grant, ...] = ()
    since: Since = Since()
    seal: tuple[SealedTask, ...] = ()
    snapshot: str = ""  #: the state of the project before the phase
    attempts: tuple[Attempt, ...] = ()
    muted: Mapping[str, str] = field(default_factory=dict)  #: id of a finding -> why a person muted it
    todo: Action | None = None  #: what happens next, or at resume
    fresh: bool = False  #: a person reset it: the next run gets new allowances
    started_at: float = 0.0

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]

    @property
    def cause(self) -> str:
        """Why the last attempt did not complete, in the word that all agents share; empty if it did."""
        outcome = self.attempts[-1].outcome if self.attempts else None
        return outcome.cause.value if outcome and outcome.cause is not Cause.NONE else ""

    @property
    def in_flight(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts and self.attempts[-1].in_flight else None

    def used(self, phase: str) -> int:
        """Rounds of this phase that count against its allowance."""
        return self.closed.get(phase, 0) - self.base.get(phase, 0)
