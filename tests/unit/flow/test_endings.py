"""How an attempt's end decides: failures, retries, limits that pass, stops, losses, budgets."""

from typing import Any

import pytest

from shiage.domain.errors import IllegalEvent
from shiage.domain.events import AttemptExited, AttemptLost, AttemptStarted
from shiage.domain.outcome import POLICY, Cause, Ending, Outcome, Usage
from shiage.domain.run import Assess, EnterPhase, FinishPhase, Limits, Order, Role, StopAgent
from shiage.flow.gates import UNKNOWN_RESET_SECONDS
from shiage.flow.machine import accepts, replay

PERMANENT = [cause for cause in Cause if cause not in POLICY]


@pytest.mark.parametrize("cause", PERMANENT)
def test_a_permanent_failure_stops_at_once_with_the_reason(at: Any, cause: Cause) -> None:
    play = at("design")
    play.fail(cause, detail="log in first")
    assert (play.state, play.run.detail, len(play.run.attempts)) == (("error", "agent-failed"), "log in first", 1)


@pytest.mark.parametrize("cause", [Cause.IDLE, Cause.TOTAL])
def test_a_time_limit_is_an_error(at: Any, cause: Cause) -> None:
    play = at("design")
    play.fail(cause, Ending.TIMED_OUT)
    assert play.state == ("error", "timed-out")


def test_an_agent_that_never_was_is_an_error(at: Any) -> None:
    play = at("design")
    play.fail(Cause.NOT_INSTALLED, Ending.NOT_STARTED)
    assert play.state == ("error", "agent-failed")


def test_a_failed_run_goes_on_from_there(at: Any) -> None:
    play = at("design")
    play.fail()
    play.resume()
    assert (play.order.phase, play.order.role) == ("design", Role.AUTHOR)


def test_an_exit_with_failure_is_never_looked_at(at: Any) -> None:
    play = at("impl")
    play.fail()
    play.resume()
    assert not isinstance(play.action, Assess)


def test_transient_failures_are_retried_after_a_delay_that_doubles(at: Any) -> None:
    play = at("design", limits=Limits(retries=3, retry_delay=2.0))
    waits = []
    for _ in range(3):
        play.fail(Cause.TRANSIENT)
        waits.append(play.order.not_before - play.run.last.ended_at)
    assert waits == [2.0, 4.0, 8.0]


def test_transient_failures_are_retried_only_within_the_limit(at: Any) -> None:
    play = at("design", limits=Limits(retries=3))
    for _ in range(4):
        play.fail(Cause.TRANSIENT)
    assert play.state == ("error", "agent-failed")


def test_a_resume_after_the_last_retry_grants_them_again(at: Any) -> None:
    play = at("design", limits=Limits(retries=1))
    for _ in range(2):
        play.fail(Cause.TRANSIENT)
    play.resume()
    assert play.order.not_before is None
    play.fail(Cause.TRANSIENT)
    assert play.order.not_before == play.run.last.ended_at + 1.0


def test_a_success_ends_a_row_of_transient_failures(at: Any) -> None:
    play = at("impl", limits=Limits(retries=1))
    play.fail(Cause.TRANSIENT)
    play.attempt(open_tasks=("2",))
    play.fail(Cause.TRANSIENT)
    assert play.order.not_before is not None


def test_stopping_and_resuming_grants_no_retry(at: Any) -> None:
    play = at("design", limits=Limits(retries=1))
    play.fail(Cause.TRANSIENT)
    play.begin()
    play.stop()
    play.end(Ending.STOPPED)
    play.resume()
    play.fail(Cause.TRANSIENT)
    assert play.state == ("error", "agent-failed")


def test_a_crash_grants_no_retry(at: Any) -> None:
    play = at("design", limits=Limits(retries=1))
    play.fail(Cause.TRANSIENT)
    play.begin()
    play.lose()
    play.resume(by="recovery")
    play.fail(Cause.TRANSIENT)
    assert play.state == ("error", "agent-failed")


def test_a_retry_is_the_same_order(at: Any) -> None:
    play = at("design")
    play.reject()
    asked = play.order
    play.fail(Cause.TRANSIENT)
    assert play.order == Order(**{**{name: getattr(asked, name) for name in asked.__slots__},
                                  "not_before": play.order.not_before})  # fmt: skip


def test_a_usage_limit_waits_until_it_has_reset(at: Any) -> None:
    play = at("design")
    play.fail(Cause.USAGE_LIMIT, until=5000.0)
    assert (play.state, play.order.not_before) == (("running", ""), 5000.0)


def test_a_usage_limit_of_unknown_end_is_asked_again_after_a_quarter_of_an_hour(at: Any) -> None:
    play = at("design")
    play.fail(Cause.USAGE_LIMIT)
    assert play.order.not_before == play.run.last.ended_at + UNKNOWN_RESET_SECONDS
    assert UNKNOWN_RESET_SECONDS == 900


def test_a_usage_limit_burns_no_retry(at: Any) -> None:
    play = at("design", limits=Limits(retries=1))
    for _ in range(5):
        play.fail(Cause.USAGE_LIMIT, until=5000.0)
    assert play.state == ("running", "")


def test_a_stop_is_immediate_and_ends_the_agent(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    assert (play.state, play.action) == (("paused", "stopped"), StopAgent(1, "a1"))
    assert play.run.detail == "stopped by a person"
    play.end(Ending.STOPPED)
    assert (play.state, play.action) == (("paused", "stopped"), None)


@pytest.mark.parametrize("ending", list(Ending))
def test_a_late_exit_advances_nothing(at: Any, ending: Ending) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.end(ending)
    assert (play.state, play.action, play.run.phase) == (("paused", "stopped"), None, "design")


@pytest.mark.parametrize("ending", [Ending.STOPPED, Ending.FAILED, Ending.TIMED_OUT, Ending.NOT_STARTED])
def test_an_attempt_that_was_cut_short_is_repeated_at_resume(at: Any, ending: Ending) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.end(ending)
    play.resume()
    assert (play.order.phase, play.order.role) == ("design", Role.AUTHOR)


def test_an_agent_that_completed_while_it_was_being_stopped_is_looked_at_at_resume(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.end()
    play.resume()
    assert play.action == Assess(1)


def test_an_agent_that_was_stopped_never_counts_as_failed(at: Any) -> None:
    play = at("design")
    play.begin()
    play.end(Ending.STOPPED)
    assert play.run.status != "error"


def test_a_stop_between_two_agents_keeps_what_comes_next(at: Any) -> None:
    play = at("impl")
    play.attempt(open_tasks=("2",))
    asked = play.order
    play.stop()
    assert play.action is None
    play.resume()
    assert play.order == asked


def test_a_run_cannot_be_resumed_while_its_agent_is_at_work(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    with pytest.raises(IllegalEvent):
        play.resume()


def test_a_run_cannot_be_reset_while_its_agent_is_at_work(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    with pytest.raises(IllegalEvent):
        play.reset()


def test_a_second_agent_cannot_be_started_while_one_is_at_work(at: Any) -> None:
    play = at("design")
    order = play.order
    play.begin()
    with pytest.raises(IllegalEvent):
        play.tell(AttemptStarted, attempt=2, agent_id="a2", agent="claude", order=order)


def test_a_lost_agent_is_replaced_in_its_role(at: Any) -> None:
    play = at("document-review")
    play.attempt()
    asked = play.order
    play.begin()
    play.lose()
    assert play.order == asked
    play.resume(by="recovery")
    assert play.order == asked


def test_a_lost_agent_of_a_stopped_run_leaves_it_stopped(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.lose()
    assert (play.state, play.action) == (("paused", "stopped"), None)
    play.resume()
    assert play.order.role is Role.AUTHOR


FOREIGN = [
    {"run": "other"},
    {"agent_id": "a7"},
    {"attempt": 7},
]


@pytest.mark.parametrize("kind", [AttemptExited, AttemptLost])
@pytest.mark.parametrize("changed", FOREIGN)
def test_stale_and_foreign_messages_are_dropped(at: Any, kind: Any, changed: dict[str, Any]) -> None:
    play = at("design")
    play.begin()
    fields = {"run": "r1", "at": 1.0, "attempt": 1, "agent_id": "a1", **changed}
    if kind is AttemptExited:
        fields["outcome"] = Outcome(Ending.COMPLETED)
    event = kind(**fields)
    assert not accepts(play.run, event)
    with pytest.raises(IllegalEvent):
        play.tell(kind, **fields)


def test_an_end_that_is_told_twice_counts_once(at: Any) -> None:
    play = at("design")
    play.begin()
    play.end()
    with pytest.raises(IllegalEvent):
        play.end()


def test_an_end_before_any_attempt_is_dropped(at: Any) -> None:
    event = AttemptExited(run="r1", at=1.0, attempt=1, agent_id="a1", outcome=Outcome(Ending.COMPLETED))
    assert not accepts(at("design").run, event)


SPENT = [
    (Limits(usd=1.0), Usage(cost_usd=1.0), "1 of 1 usd are used"),
    (Limits(tokens=100), Usage(60, 40), "100 of 100 tokens are used"),
    (Limits(minutes=0.1), Usage(), "0.1667 of 0.1 minutes are used"),
]


@pytest.mark.parametrize(("limits", "usage", "detail"), SPENT)
def test_a_budget_that_is_reached_pauses_before_the_next_attempt(
    at: Any, limits: Limits, usage: Usage, detail: str
) -> None:
    play = at("impl", limits=limits)
    play.begin()
    play.end(usage=usage)
    play.assess(open_tasks=("2",))
    assert (play.state, play.run.detail) == (("paused", "budget"), detail)


def test_a_budget_never_ends_the_work_that_is_done(at: Any) -> None:
    play = at("design", limits=Limits(usd=1.0))
    play.begin()
    play.end(usage=Usage(cost_usd=3.0))
    play.assess()
    assert play.action == FinishPhase("design")
    play.finish()
    assert play.action == EnterPhase("tasks")
    play.enter()
    assert play.state == ("paused", "budget")


def test_a_resume_after_the_budget_grants_the_same_again(at: Any) -> None:
    play = at("impl", limits=Limits(usd=1.0))
    for cost in (1.0, 0.5, 0.5):
        if play.run.reason == "budget":
            play.resume()
        play.begin()
        play.end(usage=Usage(cost_usd=cost))
        play.assess(open_tasks=("2",))
    assert play.state == ("paused", "budget")
    assert len(play.run.attempts) == 3


@pytest.mark.parametrize("phase", ["design", "document-review", "impl"])
def test_stopping_and_resuming_grants_no_budget(at: Any, phase: str) -> None:
    play = at(phase, limits=Limits(usd=1.0))
    play.begin()
    play.stop()
    play.end(Ending.STOPPED, usage=Usage(cost_usd=2.0))
    play.resume()
    assert play.state == ("paused", "budget")


def test_a_crash_grants_no_budget(at: Any) -> None:
    play = at("design", limits=Limits(minutes=0.1))
    play.begin()
    play.lose()
    play.resume(by="recovery")
    assert play.state == ("paused", "budget")


def test_the_time_between_a_crash_and_the_next_start_counts_for_no_budget(at: Any) -> None:
    play = at("design", limits=Limits(minutes=0.1))
    begun = play.begin()
    play.lose(seen=begun.started_at + 2.0)
    play.resume()
    assert play.run.last.seconds == 2.0
    assert play.order == begun.order


def test_replaying_the_journal_gives_the_live_run(at: Any) -> None:
    play = at("document-review")
    play.round(fix=1)
    play.attempt()
    play.begin()
    assert replay(play.events) == play.run
    half = len(play.events) // 2
    assert replay(play.events[half:], replay(play.events[:half])) == play.run
