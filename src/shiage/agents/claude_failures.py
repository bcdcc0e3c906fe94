"""Why a run of Claude Code failed, from what it says in its result, its errors and its status codes."""

from collections.abc import Callable
from dataclasses import dataclass

from shiage.agents.failures import Table, by_status, by_text, row
from shiage.domain.outcome import Cause


@dataclass(frozen=True, slots=True)
class Facts:
    """All that may tell the cause. `terminal_reason` means different things in different versions: read it last."""

    subtype: str = ""
    error: str = ""  #: the machine-readable error of its last message
    status: int | None = None  #: of the HTTP answer
    reason: str = ""
    text: str = ""
    limited: bool = False  #: the last rate-limit event said "rejected"
    overridden: bool = False  #: it ended though a hook of the project would not let it


SUBTYPES = {
    "error_max_turns": Cause.MAX_TURNS,
    "error_max_budget_usd": Cause.MAX_TURNS,
}
ERRORS = {
    "authentication_failed": Cause.NOT_LOGGED_IN,
    "oauth_org_not_allowed": Cause.NOT_LOGGED_IN,
    "billing_error": Cause.CRASHED,  # an empty account: waiting does not help and nor does a login
    "model_not_found": Cause.CRASHED,
    "rate_limit": Cause.TRANSIENT,
    "overloaded": Cause.TRANSIENT,
    "server_error": Cause.TRANSIENT,
}
REASONS = {
    "prompt_too_long": Cause.CONTEXT_OVERFLOW,
    "max_turns": Cause.MAX_TURNS,
    "budget_exhausted": Cause.MAX_TURNS,
}
TEXTS: Table = (
    row(r"credit balance", Cause.CRASHED),
    row(r"run /login", Cause.NOT_LOGGED_IN),
)


#: In this order: the first that knows the cause decides.
RULES: tuple[Callable[[Facts], Cause | None], ...] = (
    lambda facts: Cause.USAGE_LIMIT if facts.limited else None,
    lambda facts: Cause.MAX_TURNS if facts.overridden else None,
    lambda facts: SUBTYPES.get(facts.subtype),
    lambda facts: ERRORS.get(facts.error),
    lambda facts: REASONS.get(facts.reason),
    lambda facts: by_status(facts.status),
    lambda facts: by_text(facts.text, TEXTS),
)


def cause_of(facts: Facts) -> Cause | None:
    """The cause, if anything tells it."""
    return next((cause for rule in RULES if (cause := rule(facts))), None)
