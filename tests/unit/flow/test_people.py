"""What a person's word does, and what it cannot do."""

from typing import Any

import pytest

from shiage.domain.errors import IllegalEvent
from shiage.domain.events import RunStarted
from shiage.domain.outcome import Ending
from shiage.domain.run import CloseRound, Counts, EnterPhase, FinishPhase, StartAgent
from shiage.flow.workflows import SPEC


def try_answer(play: Any) -> None:
    """An answer that nobody asked for may be refused; it may not do harm."""
    try:
        play.answer("go on")
    except IllegalEvent:
        return


def test_an_answer_never_opens_a_phase_that_is_not_permitted(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-2])
    play.start(until="deploy")
    play.enter()
    play.inspection("go")
    play.finish()
    play.refuse(optional=True)
    try_answer(play)
    play.resume()
    assert play.action == EnterPhase("deploy")


def test_an_answer_before_any_attempt_of_a_phase_without_roles_does_no_harm(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-1])
    play.start(until="deploy")
    play.refuse(optional=True)
    try_answer(play)
    play.resume()
    assert play.action == EnterPhase("deploy")


def test_an_answer_never_skips_the_phase_that_was_about_to_begin(at: Any) -> None:
    play = at("document-review")
    play.round()
    play.finish()
    play.record_fails("spec-unreadable")
    try_answer(play)
    play.resume()
    assert play.action == EnterPhase("impl")


def test_an_answer_never_loses_a_counted_round(at: Any) -> None:
    play = at("document-review")
    play.attempt()
    play.attempt(counts=Counts(1, 0))
    play.record_fails("spec-not-writable")
    try_answer(play)
    play.resume()
    assert play.action == CloseRound(2, more=True)


def test_an_answer_never_undoes_an_approval(at: Any) -> None:
    play = at("document-review")
    play.round(discuss=1)
    play.approve("document-review")
    try_answer(play)
    play.resume()
    assert play.action == FinishPhase("document-review", by_person=True)


def test_an_approval_while_the_agent_is_still_ending_is_kept_or_refused(at: Any) -> None:
    play = at("document-review", closed=1)
    play.begin()
    play.stop()
    try:
        play.approve("document-review")
    except IllegalEvent:
        return
    play.end(Ending.STOPPED)
    play.resume()
    assert play.action == FinishPhase("document-review", by_person=True)


def test_an_approved_review_is_not_run_again_after_its_agent_ended_late(at: Any) -> None:
    play = at("document-review", closed=1)
    play.begin()
    play.stop()
    try:
        play.approve("document-review")
        play.finish()
    except IllegalEvent:
        return
    play.end(Ending.STOPPED)
    play.resume()
    assert play.action == EnterPhase("impl")


def test_an_approval_of_another_phase_is_noted_and_changes_nothing_else(at: Any) -> None:
    play = at("document-review")
    play.round(discuss=1)
    play.approve("design")
    assert play.state == ("paused", "needs-discussion")
    assert play.run.approved == {"design": 0}


@pytest.mark.parametrize("status", ["idle", "completed"])
def test_an_approval_of_a_run_that_is_not_under_way_is_only_noted(play: Any, status: str) -> None:
    if status == "completed":
        play.finished = tuple(row.name for row in SPEC.phases)
        play.start()
    play.approve("design")
    assert (str(play.run.status), play.run.approved) == (status, {"design": 0})


def test_an_approval_survives_a_reset_and_a_new_start(play: Any) -> None:
    play.approve("design")
    play.reset()
    play.start()
    assert play.run.approved == {"design": 0}


def test_an_approval_that_cannot_be_written_pauses_and_is_written_at_resume(at: Any) -> None:
    play = at("document-review")
    play.round(discuss=1)
    play.approve("document-review")
    play.record_fails("spec-not-writable")
    assert play.state == ("paused", "spec-not-writable")
    play.resume()
    assert play.action == FinishPhase("document-review", by_person=True)


def test_an_approval_of_the_last_phase_completes_at_resume(at: Any) -> None:
    play = at("verify", workflow="bug")
    play.attempt(verdict="manual")
    play.approve("verify")
    play.finish()
    assert play.run.todo is None
    play.resume()
    assert play.state == ("completed", "")


def test_an_approved_failure_goes_on(at: Any) -> None:
    play = at("design")
    play.fail()
    play.approve("design")
    assert play.state == ("paused", "approved")
    play.resume()
    play.finish()
    assert play.action == EnterPhase("tasks")


def test_a_second_start_of_a_running_run_is_refused(at: Any) -> None:
    play = at("design")
    with pytest.raises(IllegalEvent):
        play.tell(RunStarted, spec="login", run="r2")


def test_a_reset_keeps_what_is_on_disk_and_forgets_the_rest(at: Any) -> None:
    play = at("document-review")
    play.round(fix=1)
    play.stop()
    play.reset()
    assert (play.state, play.run.attempts, play.run.closed) == (("idle", ""), (), {"document-review": 1})
    assert (play.run.spec, play.run.workflow) == ("login", "spec")


def test_settings_that_changed_count_from_the_resume_on(at: Any) -> None:
    play = at("document-review")
    play.stop()
    play.resume(limits=type(play.limits)(review_rounds=1))
    play.round(fix=1)
    assert play.state == ("paused", "max-rounds")


def test_a_resume_before_anything_was_begun_enters_the_phase(play: Any) -> None:
    play.start()
    play.stop()
    play.resume()
    assert play.action == EnterPhase("requirements")
    play.enter()
    assert isinstance(play.action, StartAgent)
