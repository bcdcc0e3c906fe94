"""The document review loop: product.md 2.1."""

from typing import Any

import pytest

from shiage.domain.outcome import Cause, Ending
from shiage.domain.run import (
    MAX_DOCUMENT_REVIEW_ROUNDS,
    Assess,
    CloseRound,
    Counts,
    EnterPhase,
    FinishPhase,
    Limits,
    Role,
    StartAgent,
)

REVIEW = "document-review"


def test_one_round_is_a_review_and_then_a_reply(at: Any) -> None:
    play = at(REVIEW)
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 1)
    play.attempt()
    assert (play.order.role, play.order.round, play.order.fix) == (Role.RESPONDER, 1, False)
    play.attempt(counts=Counts(1, 0))
    assert play.action == CloseRound(2, more=True)


def test_the_round_number_is_closed_rounds_plus_one(at: Any) -> None:
    assert at(REVIEW, closed=3).order.round == 4


def test_nothing_to_fix_and_nothing_to_discuss_approves_and_goes_to_impl(at: Any) -> None:
    play = at(REVIEW)
    play.round()
    assert play.action == FinishPhase(REVIEW)
    play.finish()
    assert play.action == EnterPhase("impl")


def test_the_last_round_of_an_approval_is_closed_as_the_last(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(counts=Counts(0, 0))
    assert play.action == CloseRound(2, more=False)


@pytest.mark.parametrize("discuss", [0, 2])
def test_something_to_fix_leads_to_the_next_round_whatever_the_discussion(at: Any, discuss: int) -> None:
    play = at(REVIEW)
    play.round(fix=1, discuss=discuss)
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 2)


def test_nothing_to_fix_and_something_to_discuss_pauses(at: Any) -> None:
    play = at(REVIEW)
    play.round(fix=0, discuss=1)
    assert play.state == ("paused", "needs-discussion")
    assert play.run.detail == "0 to fix, 1 to discuss"
    assert play.run.closed == {REVIEW: 1}


def test_a_resume_after_a_discussion_begins_the_next_round(at: Any) -> None:
    play = at(REVIEW)
    play.round(discuss=1)
    play.resume()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 2)


@pytest.mark.parametrize("found", [{"problem": "no table"}, {}, {"counts": Counts(0, 0), "problem": "sources differ"}])
def test_a_reply_that_cannot_be_counted_pauses_and_is_never_approved(at: Any, found: dict[str, Any]) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(**found, path="reply.md")
    while isinstance(play.action, CloseRound):
        play.close()
    assert play.state == ("paused", "verdict-unreadable")
    assert play.run.path == "reply.md"


def test_a_review_that_is_missing_pauses(at: Any) -> None:
    play = at(REVIEW)
    play.attempt(problem="document-review-1.md is missing", path="document-review-1.md")
    assert play.state == ("paused", "verdict-unreadable")
    assert play.run.detail == "document-review-1.md is missing"


def test_a_repaired_reply_is_counted_without_another_agent(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(problem="no table")
    play.resume()
    assert play.action == Assess(2)
    play.assess(counts=Counts(0, 0))
    play.close()
    assert play.action == FinishPhase(REVIEW)


def test_a_reply_left_as_it_is_makes_the_same_role_be_asked_once_more(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(problem="no table")
    play.resume()
    play.assess(problem="no table")
    assert (play.order.role, play.order.round) == (Role.RESPONDER, 1)
    play.attempt(problem="no table")
    assert play.state == ("paused", "verdict-unreadable")


def test_the_limit_is_seven_rounds() -> None:
    assert MAX_DOCUMENT_REVIEW_ROUNDS == 7
    assert Limits().review_rounds == 7


def rounds(play: Any, count: int) -> None:
    for _ in range(count):
        play.round(fix=1)


def test_the_seventh_round_may_still_approve(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 6)
    assert play.order.round == 7
    play.round()
    assert play.action == FinishPhase(REVIEW)


@pytest.mark.parametrize(("fix", "discuss"), [(1, 0), (0, 1), (2, 2)])
def test_a_seventh_round_that_is_not_clean_pauses(at: Any, fix: int, discuss: int) -> None:
    play = at(REVIEW)
    rounds(play, 6)
    play.round(fix, discuss)
    assert play.state == ("paused", "max-rounds")
    assert play.run.closed == {REVIEW: 7}
    assert "after round 7" in play.run.detail


def test_a_persons_resume_after_max_rounds_opens_a_new_allowance_and_the_numbering_goes_on(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 7)
    play.resume()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 8)
    rounds(play, 7)
    assert (play.state, play.run.closed) == (("paused", "max-rounds"), {REVIEW: 14})


def test_a_recovery_after_max_rounds_opens_no_allowance(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 7)
    play.resume(by="recovery")
    assert play.state == ("paused", "max-rounds")


def test_stopping_and_resuming_by_itself_opens_no_allowance(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 6)
    play.stop()
    play.resume()
    play.round(fix=1)
    assert play.state == ("paused", "max-rounds")


def test_rounds_that_are_closed_on_disk_count_against_the_first_allowance(at: Any) -> None:
    play = at(REVIEW, closed=7)
    assert play.state == ("paused", "max-rounds")
    assert play.run.detail == "7 of 7 rounds are closed"
    assert play.run.attempts == ()


def test_a_reset_gives_fresh_allowances(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 7)
    play.reset()
    play.start(run="r2")
    play.enter()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 8)
    rounds(play, 7)
    assert (play.state, play.run.closed) == (("paused", "max-rounds"), {REVIEW: 14})


def test_an_approval_is_the_other_way_out_of_max_rounds(at: Any) -> None:
    play = at(REVIEW)
    rounds(play, 7)
    play.approve(REVIEW)
    assert play.state == ("paused", "approved")
    assert play.run.todo == FinishPhase(REVIEW, by_person=True)
    assert play.run.approved == {REVIEW: 7}
    play.finish()
    assert (play.state, play.action) == (("paused", "approved"), None)
    play.resume()
    assert play.action == EnterPhase("impl")


def test_a_round_cut_in_review_repeats_the_reviewer(at: Any) -> None:
    play = at(REVIEW, closed=1)
    play.begin()
    play.stop()
    play.end(Ending.STOPPED)
    play.resume()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 2)


def test_a_round_cut_in_reply_repeats_only_the_responder(at: Any) -> None:
    play = at(REVIEW, closed=1)
    play.attempt()
    play.begin()
    play.stop()
    play.end(Ending.STOPPED)
    play.resume()
    assert (play.order.role, play.order.round) == (Role.RESPONDER, 2)


def test_a_round_whose_review_is_on_disk_begins_with_the_responder(play: Any) -> None:
    play.finished = ("requirements", "design", "tasks")
    play.closed = {REVIEW: 2}
    play.start()
    play.enter(reviewed=3)
    assert (play.order.role, play.order.round) == (Role.RESPONDER, 3)


def test_an_older_review_is_not_answered_again(play: Any) -> None:
    play.finished = ("requirements", "design", "tasks")
    play.closed = {REVIEW: 2}
    play.start()
    play.enter(reviewed=2)
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 3)


def test_a_round_that_was_closed_by_hand_meanwhile_is_not_run_again(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.begin()
    play.stop()
    play.end(Ending.STOPPED)
    play.closed[REVIEW] = 1
    play.resume()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 2)


def test_a_round_that_was_closed_by_hand_while_its_reply_was_unreadable_is_not_touched_again(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(problem="no table")
    play.closed[REVIEW] = 1
    play.resume()
    assert (play.order.role, play.order.round) == (Role.REVIEWER, 2)


def test_a_review_that_was_approved_elsewhere_is_not_run_again_at_resume(at: Any) -> None:
    play = at(REVIEW)
    play.round(discuss=1)
    play.finished = (*play.finished, REVIEW)
    play.resume()
    assert play.action == EnterPhase("impl")


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.RESPONDER])
def test_an_agent_of_any_role_that_exits_with_failure_is_an_error_and_the_run_goes_on_from_there(
    at: Any, role: Role
) -> None:
    play = at(REVIEW)
    if role is Role.RESPONDER:
        play.attempt()
    play.fail(Cause.CRASHED, detail="exit 3")
    assert (play.state, play.run.detail) == (("error", "agent-failed"), "exit 3")
    play.resume()
    assert (play.order.role, play.order.round) == (role, 1)


def test_a_spec_that_cannot_be_read_pauses_and_is_looked_at_again(at: Any) -> None:
    play = at(REVIEW)
    play.begin()
    play.end()
    play.record_fails("spec-unreadable", problem="line 3: trailing comma")
    assert (play.state, play.run.path) == (("paused", "spec-unreadable"), "spec.json")
    play.resume()
    assert play.action == Assess(1)


def test_a_counted_round_that_cannot_be_written_is_kept_and_written_at_the_next_resume(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(counts=Counts(2, 0))
    play.record_fails("spec-not-writable")
    assert (play.state, play.action) == (("paused", "spec-not-writable"), None)
    play.resume()
    assert play.action == CloseRound(2, more=True)
    play.close()
    assert play.order.round == 2


def test_a_closed_round_is_counted_once_when_its_record_is_told_twice(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(counts=Counts(1, 0))
    play.closed[REVIEW] = 1
    play.resume(by="recovery")
    play.close()
    assert (play.run.closed, play.order.round) == ({REVIEW: 1}, 2)


def test_the_next_review_does_not_continue_the_last_ones_session(at: Any) -> None:
    play = at(REVIEW)
    play.attempt(session="reviewer's")
    assert play.order.session == ""
    assert isinstance(play.action, StartAgent)
