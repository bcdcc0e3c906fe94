"""Which attempts belong together as the iterations of one review loop."""

from shiage.domain.outcome import POLICY, Policy
from shiage.domain.run import Attempt, Order, Run


def iteration(run: Run) -> int:
    """Which attempt in a row at the same thing the last one is; one that was cut short does not count."""
    return 1 + sum(_counts(attempt) for attempt in _earlier(run))


def begins_loop(run: Run) -> bool:
    """Whether the last attempt is the first of its loop: nothing before it, or a person has begun it anew."""
    earlier = _earlier(run)
    return not earlier or run.last.number in (run.since.rejections, run.since.retries) or _failed(earlier[0])


def _earlier(run: Run) -> list[Attempt]:
    order, found = run.last.order, []
    for attempt in reversed(run.attempts[:-1]):
        if (attempt.order.phase, attempt.order.role, attempt.order.round) != (order.phase, order.role, order.round):
            break
        found.append(attempt)
    return found


def _failed(attempt: Attempt) -> bool:
    """Whether it ended in a way that no run goes on from by itself."""
    outcome = attempt.outcome
    return outcome is not None and not attempt.completed and not attempt.cut and outcome.cause not in POLICY


def _counts(attempt: Attempt) -> bool:
    return attempt.assessment is not None or passes(attempt)


def passes(attempt: Attempt) -> bool:
    """Whether it failed for a reason that passes by itself: the same prompt is worth another try."""
    outcome = attempt.outcome
    return outcome is not None and not attempt.cut and POLICY.get(outcome.cause) is Policy.RETRY


def corrects(run: Run, order: Order) -> bool:
    """Whether an attempt of this order repairs rejected work of its own role."""
    return order.correcting is not None and run.attempts[order.correcting - 1].order.role is order.role
