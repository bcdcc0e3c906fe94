"""What stands in the queue, and the one table of what may become of it. Every store enforces this table itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class State(StrEnum):
    QUEUED = "QUEUED"  #: waits for a worker, a time, an earlier ticket or an agent
    RUNNING = "RUNNING"  #: exactly one owner works on it
    AWAITING_RESPONSE = "AWAITING_RESPONSE"  #: waits for a person
    COMPLETE = "COMPLETE"
    INCOMPLETE = "INCOMPLETE"  #: the iterations were used up and nobody is asked
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"


MOVES: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.RUNNING, State.CANCELLED}),
    State.RUNNING: frozenset(State) - {State.RUNNING},
    State.AWAITING_RESPONSE: frozenset({State.QUEUED, State.CANCELLED}),
    State.COMPLETE: frozenset(),
    State.INCOMPLETE: frozenset(),
    State.ERROR: frozenset(),
    State.CANCELLED: frozenset(),
}
FINAL = frozenset(state for state, moves in MOVES.items() if not moves)
OPEN = frozenset(State) - FINAL


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks of the queue."""

    subject: str  #: what it is about, such as the name of a spec; at most one ticket of a subject runs
    key: str = ""  #: at most one open ticket has it; empty: the subject
    order: Mapping[str, str] = field(default_factory=dict)  #: how it is to be run; the queue does not read it
    agents: tuple[str, ...] = ()  #: who would work on it; a hold on one of them holds the ticket
    priority: int = 0  #: higher begins earlier; among equals the older one
    not_before: float = 0.0  #: seconds since the epoch
    after: int | None = None  #: begins when the subject of this ticket is complete

    @property
    def dedup(self) -> str:
        return self.key or self.subject


@dataclass(frozen=True, slots=True)
class Ticket:
    """One row of the queue. A ticket that a claim returned is the claim: its token says which one."""

    id: int
    subject: str
    key: str
    order: Mapping[str, str]
    agents: tuple[str, ...]
    state: State
    priority: int
    not_before: float
    after: int | None
    answer: str  #: a person's words that no run has taken yet
    reserved: str  #: the only owner that may claim it, for as long as that one lives
    owner: str  #: who works on it, or did last
    token: int  #: number of its claims; a result must bring the newest
    beat: int  #: number of renewals of this claim
    stop: bool  #: somebody asked for its end
    apart: bool  #: runs beside another one, so not in the main checkout
    run: str  #: the journal's name of what came of it
    reason: str
    detail: str
    added_at: float
    started_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that claims tickets."""

    id: str  #: unique for ever
    name: str  #: what people call it; unique among the living
    host: str
    pid: int
    worker: bool  #: takes any ticket, not only its own
    since: float


@dataclass(frozen=True, slots=True)
class Hold:
    """No ticket of this agent begins before the time."""

    agent: str
    until: float
    why: str
