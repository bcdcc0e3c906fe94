"""What an agent needs from outside: its usage limit to reset, a permission, an answer."""

from typing import Any

import pytest

from shiage.domain.outcome import Cause, Ending, Usage
from shiage.domain.run import Grant, Limits, Role
from shiage.flow.reports import Level


def test_a_usage_limit_that_lasts_too_long_is_a_persons_affair_and_names_when_to_go_on(at: Any) -> None:
    play = at("design", limits=Limits(usage_wait=3600))
    play.fail(Cause.USAGE_LIMIT, until=play.now + 20 + 3601, detail="resets tomorrow")
    assert (play.state, play.run.detail) == (("paused", "usage-limit"), "resets tomorrow")
    play.resume()
    assert (play.order.phase, play.order.not_before) == ("design", None)


def test_waiting_for_usage_limits_can_be_switched_off(at: Any) -> None:
    play = at("design", limits=Limits(usage_wait=0))
    play.fail(Cause.USAGE_LIMIT, until=5000.0)
    assert play.state == ("paused", "usage-limit")


def test_another_agent_takes_over_at_once_and_knows_nothing_of_the_others_session(at: Any) -> None:
    play = at("design", limits=Limits(takeover={"claude": "codex"}))
    play.reject()
    assert play.order.session == "s9"
    play.fail(Cause.USAGE_LIMIT, until=5000.0)
    assert (play.order.agent, play.order.session, play.order.not_before) == ("codex", "", None)
    assert play.order.correcting == 1, "what is to be corrected stays the same"
    assert "AGENT_TAKES_OVER" in play.names()


def test_when_everybody_is_at_the_limit_the_first_to_be_free_goes_on(at: Any) -> None:
    play = at("design", limits=Limits(takeover={"claude": "codex", "codex": "claude"}))
    play.fail(Cause.USAGE_LIMIT, until=5000.0)
    play.begin(agent="codex")
    play.end(Ending.FAILED, Cause.USAGE_LIMIT, until=9000.0)
    assert (play.order.agent, play.order.not_before) == ("", 5000.0)


def test_the_next_phase_begins_with_the_roles_own_agent(at: Any) -> None:
    play = at("document-review", limits=Limits(takeover={"claude": "codex"}))
    play.fail(Cause.USAGE_LIMIT, until=5000.0)
    play.begin(agent="codex")
    play.end()
    play.assess()
    assert (play.order.role, play.order.agent) == (Role.RESPONDER, "")


def test_a_refused_permission_is_a_question_and_a_yes_resumes_the_session(at: Any) -> None:
    play = at("impl")
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",), session="s1")
    assert play.state == ("paused", "awaiting-response")
    assert "Bash(make)" in play.run.detail
    play.answer("allow", allowed=True)
    play.resume()
    assert (play.order.session, play.order.answer) == ("s1", "allow")
    assert play.run.grants == (Grant(Role.IMPLEMENTER, "Bash(make)", True),)


@pytest.mark.parametrize("allowed", [True, False])
def test_what_a_person_has_settled_is_not_asked_again(at: Any, allowed: bool) -> None:
    play = at("impl")
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",))
    play.answer("yes" if allowed else "no", allowed=allowed)
    play.resume()
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",))
    assert play.state == ("error", "agent-failed")


def test_words_instead_of_a_yes_settle_nothing(at: Any) -> None:
    play = at("impl")
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",))
    play.answer("use ninja")
    play.resume()
    assert (play.order.answer, play.run.grants) == ("use ninja", ())
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",))
    assert play.state == ("paused", "awaiting-response")


def test_a_permission_is_remembered_for_the_spec_even_after_a_reset(at: Any) -> None:
    play = at("impl")
    play.fail(Cause.PERMISSION_REFUSED, asked=("Bash(make)",))
    play.answer("allow", allowed=True)
    play.reset()
    play.start()
    assert play.run.grants == (Grant(Role.IMPLEMENTER, "Bash(make)", True),)


def test_a_refusal_that_names_nothing_is_a_failure(at: Any) -> None:
    play = at("impl")
    play.fail(Cause.PERMISSION_REFUSED)
    assert play.state == ("error", "agent-failed")


def test_a_question_parks_the_run_and_uses_up_neither_iteration_nor_re_run(at: Any) -> None:
    play = at("impl")
    play.attempt(question="Which database?", open_tasks=("2",), session="s1")
    assert (play.state, play.run.detail) == (("paused", "awaiting-response"), "Which database?")
    assert "IMPL_RERUN" not in play.names()
    play.answer("SQLite")
    play.resume()
    assert (play.order.session, play.order.question, play.order.answer) == ("s1", "Which database?", "SQLite")
    play.attempt(open_tasks=("2",))
    assert (play.order.answer, play.order.question) == ("", "")


def test_a_fixer_that_asks_has_not_answered_its_round(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    play.attempt(question="Drop the old table?")
    assert play.state == ("paused", "awaiting-response")


def test_a_manual_pass_that_ends_with_a_question_is_not_done(play: Any) -> None:
    play.step("design")
    play.enter()
    play.attempt(question="Which one?")
    assert (play.state, play.run.detail) == (("error", "rejected"), "Which one?")


def test_a_budget_that_cannot_be_held_is_told_once(at: Any) -> None:
    play = at("impl", limits=Limits(usd=1.0, tokens=10))
    play.attempt(open_tasks=("1",))
    play.attempt(open_tasks=("1",))
    told = [report for report in play.told if report.event_type == "USAGE_UNKNOWN"]
    assert [(report.level, report.content["units"]) for report in told] == [(Level.WARNING, ["usd", "tokens"])]


def test_an_agent_that_tells_what_it_uses_needs_no_such_warning(at: Any) -> None:
    play = at("impl", limits=Limits(usd=1.0, tokens=10))
    play.begin()
    play.end(usage=Usage(1, 1, 0.1))
    assert "USAGE_UNKNOWN" not in play.names()
