"""`shiage step`: exactly one pass of a phase, no loop, no advance."""

from typing import Any

import pytest

from shiage.domain.events import AttemptLost, AttemptStarted, RunStarted
from shiage.domain.outcome import Cause, Ending
from shiage.domain.run import Assess, CloseRound, Counts, EnterPhase, FinishPhase, Limits, Mode, Order, Role, Status
from shiage.domain.verdict import Judgment
from shiage.flow.history import History, recall

REVIEW = "document-review"


def stepped(play: Any, phase: str, **fields: Any) -> Any:
    play.step(phase, **fields)
    play.enter()
    return play


@pytest.mark.parametrize("phase", ["requirements", "design", "tasks"])
def test_a_manual_run_ends_after_its_phase(play: Any, phase: str) -> None:
    stepped(play, phase)
    play.attempt()
    assert play.action == FinishPhase(phase)
    play.finish()
    assert (play.state, play.action) == (("completed", ""), None)


def test_a_manual_run_enters_its_phase_whatever_is_finished(play: Any) -> None:
    play.finished = ("requirements", "design")
    play.step("requirements")
    assert play.action == EnterPhase("requirements")


def test_a_manual_review_is_one_round_and_no_loop(play: Any) -> None:
    stepped(play, REVIEW)
    play.attempt()
    assert play.order.role is Role.RESPONDER
    play.attempt(counts=Counts(2, 1))
    assert play.action == CloseRound(2, more=True)
    play.close()
    assert (play.state, play.action) == (("completed", ""), None)


def test_a_manual_round_that_is_clean_finishes_the_review(play: Any) -> None:
    stepped(play, REVIEW)
    play.round()
    play.finish()
    assert play.state == ("completed", "")


@pytest.mark.parametrize("closed", [0, 7])
def test_a_manual_round_is_not_counted_against_the_limit(play: Any, closed: int) -> None:
    play.closed = {REVIEW: closed}
    stepped(play, REVIEW)
    assert play.order.round == closed + 1
    play.round(fix=1)
    assert play.state == ("completed", "")


def test_a_manual_review_that_cannot_be_counted_pauses(play: Any) -> None:
    stepped(play, REVIEW)
    play.attempt()
    play.attempt(problem="no table")
    assert play.state == ("paused", "verdict-unreadable")


@pytest.mark.parametrize(("closed", "number"), [(0, 1), (2, 2)])
def test_fix_applies_the_existing_reply(play: Any, closed: int, number: int) -> None:
    play.closed = {REVIEW: closed}
    play.step(REVIEW, fix=True)
    assert play.order == Order(REVIEW, Role.RESPONDER, round=number, fix=True)
    play.attempt(counts=Counts(0, 0))
    play.close()
    assert (play.action, play.closed) == (FinishPhase(REVIEW), {REVIEW: number})


def test_no_order_of_an_automatic_run_says_fix(at: Any) -> None:
    play = at(REVIEW)
    play.round(fix=3)
    play.round(fix=1)
    assert not any(attempt.order.fix for attempt in play.run.attempts)


def test_a_manual_implementation_with_open_boxes_ends_without_a_re_run(play: Any) -> None:
    stepped(play, "impl")
    play.attempt(open_tasks=("2",))
    assert (play.state, play.action) == (("completed", ""), None)


def test_a_manual_run_that_the_judge_rejects_is_rejected_and_not_repeated(play: Any) -> None:
    stepped(play, "design")
    play.reject()
    assert (play.state, play.action) == (("error", "rejected"), None)


def test_a_manual_run_at_the_limit_of_iterations_is_rejected_too(play: Any) -> None:
    play.limits = Limits(iterations=1)
    stepped(play, "design")
    play.reject()
    assert (play.state, play.run.detail) == (("error", "rejected"), "Q2 src/app.py:3 a marker was left")


def test_a_manual_implementation_without_re_runs_is_rejected(play: Any) -> None:
    play.limits = Limits(impl_reruns=0)
    stepped(play, "impl")
    play.attempt(open_tasks=("2",))
    assert play.state == ("error", "rejected")


def test_a_manual_inspection_that_says_go_finishes_the_phase(play: Any) -> None:
    stepped(play, "inspection")
    play.inspection("go")
    play.finish()
    assert play.state == ("completed", "")


def test_a_manual_inspection_that_says_nogo_is_rejected_without_a_fixer(play: Any) -> None:
    stepped(play, "inspection")
    play.inspection("nogo")
    assert (play.state, play.action) == (("error", "rejected"), None)


def test_a_manual_inspection_that_asks_for_a_check_by_hand_pauses(play: Any) -> None:
    stepped(play, "inspection")
    play.attempt(verdict="manual")
    assert play.state == ("paused", "inspection-manual")


def test_a_manual_inspection_that_was_checked_by_hand_can_be_approved(play: Any) -> None:
    stepped(play, "inspection")
    play.attempt(verdict="manual")
    play.approve("inspection")
    play.finish()
    assert play.finished == ("inspection",)


def test_a_manual_fix_of_an_inspection_is_one_pass_of_the_fixer(play: Any) -> None:
    play.closed = {"inspection": 1}
    play.step("inspection", fix=True)
    assert play.action == EnterPhase("inspection", fix=True)
    play.enter()
    assert (play.order.role, play.order.round, play.order.fix) == (Role.FIXER, 1, True)
    play.attempt()
    play.close()
    assert (play.state, play.action) == (("completed", ""), None)


@pytest.mark.parametrize("cause", [Cause.CRASHED, Cause.TRANSIENT, Cause.USAGE_LIMIT])
def test_a_manual_run_whose_agent_exits_with_failure_is_an_error_and_not_retried(play: Any, cause: Cause) -> None:
    stepped(play, "design")
    play.fail(cause, detail="overloaded")
    assert (play.state, play.action) == (("error", "agent-failed"), None)


def test_a_manual_implementation_that_changed_the_tasks_pauses(play: Any) -> None:
    stepped(play, "impl")
    play.attempt(tampered="- 2. test it")
    assert play.state == ("paused", "tasks-tampered")


def test_a_manual_run_is_bound_by_no_budget(play: Any) -> None:
    play.limits = Limits(usd=0.0)
    stepped(play, "design")
    assert play.order.role is Role.AUTHOR


def test_a_manual_deploy_needs_no_agent(play: Any) -> None:
    stepped(play, "deploy")
    play.finish()
    assert play.state == ("completed", "")


def test_a_manual_run_that_is_gone_on_with_stays_in_its_phase(play: Any) -> None:
    play.step("design")
    play.record_fails("spec-unreadable")
    play.resume()
    assert play.action == EnterPhase("design")


def test_a_manual_step_never_changes_what_the_automatic_run_knows(at: Any, play: Any) -> None:
    auto = at(REVIEW)
    auto.round(discuss=1)
    play.run = play.run.__class__(id="s1")
    play.step("design", run="s1")
    play.enter()
    play.attempt()
    play.finish()
    history = recall([*auto.events, *play.events])
    assert (history.main, history.step) == (auto.run, play.run)
    assert history.active is history.main


def test_a_manual_step_that_is_under_way_is_what_is_active(play: Any) -> None:
    play.step("design", run="s1")
    history = recall(play.events)
    assert (history.active.mode, history.active.id) == (Mode.STEP, "s1")


def test_a_stopped_step_is_active_until_its_agent_has_ended(play: Any) -> None:
    stepped(play, "design")
    play.begin()
    play.stop()
    assert recall(play.events).active is not recall(play.events).main
    play.end(Ending.STOPPED)
    assert recall(play.events).active == History().main


def test_facts_about_the_automatic_run_pass_a_step_by(at: Any, play: Any) -> None:
    play.step("design", run="s1")
    auto = at("impl")
    auto.begin()
    history = recall([*play.events, *auto.events])
    assert (history.main.status, history.main.phase) == (Status.RUNNING, "impl")
    lost = AttemptLost(run="r1", at=99.0, attempt=1, agent_id="a1")
    assert history.after(lost).main.last.lost


def test_a_step_that_died_is_over_when_the_automatic_run_goes_on(at: Any, play: Any) -> None:
    play.step("design", run="s1")
    auto = at("impl")
    auto.begin()
    assert recall([*auto.events, *play.events]).active.id == "s1"
    gone_on = recall([*play.events, *auto.events])
    assert gone_on.active is gone_on.main


def test_a_lost_manual_agent_is_replaced_in_its_role(play: Any) -> None:
    stepped(play, REVIEW)
    play.attempt()
    asked = play.order
    play.begin()
    play.lose()
    assert play.order == asked


def test_the_pass_is_looked_at_before_it_ends(play: Any) -> None:
    stepped(play, "design")
    play.begin()
    play.end()
    assert play.action == Assess(1)
    play.assess(judgment=Judgment.RETRY)
    assert play.state == ("error", "rejected")


def test_each_step_begins_with_no_attempts() -> None:
    begun = [RunStarted(run=name, at=1.0, spec="login", mode=Mode.STEP, phase="design") for name in ("s1", "s2")]
    order = Order("design", Role.AUTHOR)
    first = AttemptStarted(run="s1", at=2.0, attempt=1, agent_id="a1", agent="claude", order=order)
    history = recall([begun[0], first, begun[1]])
    assert history.step is not None
    assert (history.step.id, history.step.attempts) == ("s2", ())
