"""How one attempt of an agent ended."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

Number = TypeVar("Number", int, float)


class Ending(StrEnum):
    """The five ways an attempt ends. `running` is for display only and is not among them."""

    COMPLETED = "completed"  #: ended by itself and its own result says done
    FAILED = "failed"  #: ended with an exit code, a signal, or a result that says failure
    TIMED_OUT = "timed-out"  #: we ended it: silent too long, or too long in all
    NOT_STARTED = "not-started"  #: there never was a process
    STOPPED = "stopped"  #: we ended it because a person asked


class Cause(StrEnum):
    """Why an attempt did not complete, in one vocabulary for all agents."""

    NONE = "none"
    USAGE_LIMIT = "usage-limit"  #: a quota that comes back at a known or unknown time
    TRANSIENT = "transient"  #: overload, rate limit, network: worth the same prompt again
    NOT_LOGGED_IN = "not-logged-in"
    NOT_INSTALLED = "not-installed"
    CONTEXT_OVERFLOW = "context-overflow"
    PERMISSION_REFUSED = "permission-refused"
    MAX_TURNS = "max-turns"
    NO_RESULT = "no-result"  #: exit 0 without the final result the agent's protocol promises
    CRASHED = "crashed"  #: any other failing exit
    IDLE = "idle"  #: no sign of life for longer than allowed
    TOTAL = "total"  #: longer in all than allowed
    HUNG = "hung"  #: gave its result and did not end


class Policy(StrEnum):
    """What a cause means for the run."""

    RETRY = "retry"  #: same prompt again after a delay, within a limit
    WAIT = "wait"  #: nothing is wrong; go on when the limit has reset
    ASK = "ask"  #: a person's yes or no is needed
    FAIL = "fail"  #: stop at once with the remedy


POLICY: dict[Cause, Policy] = {
    Cause.TRANSIENT: Policy.RETRY,
    Cause.USAGE_LIMIT: Policy.WAIT,
    Cause.PERMISSION_REFUSED: Policy.ASK,
}  #: every cause that is not named here fails at once


@dataclass(frozen=True, slots=True)
class Usage:
    """What an attempt cost; None means that the agent does not tell."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            _plus(self.input_tokens, other.input_tokens),
            _plus(self.output_tokens, other.output_tokens),
            _plus(self.cost_usd, other.cost_usd),
        )

    def since(self, before: "Usage") -> "Usage":
        """What came on top, where an agent tells totals of its session."""
        return Usage(
            _beyond(self.input_tokens, before.input_tokens),
            _beyond(self.output_tokens, before.output_tokens),
            _beyond(self.cost_usd, before.cost_usd),
        )


def _plus(one: Number | None, two: Number | None) -> Number | None:
    return two if one is None else one if two is None else one + two


def _beyond(total: Number | None, before: Number | None) -> Number | None:
    return total if total is None or before is None else max(total - before, type(total)(0))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The terminal result of one attempt: a return value, awaited by whoever started it."""

    ending: Ending
    cause: Cause = Cause.NONE
    exit_code: int | None = None
    signal: int | None = None
    detail: str = ""  #: one sentence for a person; the raw output is in the attempt's log
    until: float | None = None  #: when a usage limit resets, seconds since the epoch
    session: str = ""  #: the agent's own session id, to resume it
    usage: Usage = Usage()
    asked: tuple[str, ...] = ()  #: what it would have needed to be allowed, in the words that allow it
