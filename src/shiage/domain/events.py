"""Facts about a run, in the past tense. A run is what follows from them, in order."""

from dataclasses import dataclass, field

from shiage.domain.outcome import Outcome
from shiage.domain.run import Assessment, Facts, Limits, Mode, Order, SealedTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    run: str  #: the run it belongs to
    at: float  #: seconds since the epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    spec: str
    workflow: str = "spec"
    mode: Mode = Mode.AUTO
    phase: str = ""  #: of a manual step
    fix: bool = False  #: manual: only the answering role
    until: str = ""
    by: str = "person"
    limits: Limits = field(default_factory=Limits)
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequested(Event):
    by: str = "person"  #: a person's resume may refill allowances; recovery refills nothing
    until: str = ""
    limits: Limits = field(default_factory=Limits)
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEntered(Event):
    phase: str
    closed: int = 0  #: rounds of this phase closed on disk
    reviewed: int = 0  #: a round that was looked at but not answered, by whoever
    seal: tuple[SealedTask, ...] = ()
    snapshot: str = ""  #: the state of the project before the phase


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRefused(Event):
    phase: str
    reason: str  #: not-permitted, not-approved
    optional: bool = False  #: a phase that is off by default and nobody asked for
    path: str = ""  #: the file that does not permit it
    detail: str = ""  #: what stands there


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(Event):
    attempt: int
    agent_id: str
    agent: str
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptEvent(Event):
    attempt: int
    agent_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptExited(AttemptEvent):
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLost(AttemptEvent):
    """Shiage died while this agent was at work."""

    seen: float = 0.0  #: its last sign of life, seconds since the epoch; 0: unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptAssessed(AttemptEvent):
    assessment: Assessment


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed(Event):
    phase: str
    round: int
    differences: tuple[str, ...] = ()  #: what an agent had written there and shiage found otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseFinished(Event):
    phase: str
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFailed(Event):
    """Something could not be read from or written to the spec."""

    reason: str  #: spec-unreadable, spec-not-writable, settings-unreadable
    path: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequested(Event):
    by: str = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetRequested(Event):
    by: str = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved(Event):
    phase: str
    by: str = "person"
    seal: tuple[SealedTask, ...] = ()  #: the tasks as the person accepted them


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Event):
    text: str
    by: str = "person"
    allowed: bool | None = None  #: a plain yes or no to a permission; None: words for the agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Muted(Event):
    """A person said that a finding does not count in this spec or task."""

    finding: str  #: its id
    why: str
    by: str = "person"


EVENTS: tuple[type[Event], ...] = (
    RunStarted,
    ResumeRequested,
    PhaseEntered,
    PhaseRefused,
    AttemptStarted,
    AttemptExited,
    AttemptLost,
    AttemptAssessed,
    RoundClosed,
    PhaseFinished,
    RecordFailed,
    StopRequested,
    ResetRequested,
    Approved,
    Answered,
    Muted,
)
