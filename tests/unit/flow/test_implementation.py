"""The implementation guard: product.md 2.2."""

from typing import Any

import pytest

from shiage.domain.errors import IllegalEvent
from shiage.domain.events import AttemptAssessed
from shiage.domain.outcome import Cause, Ending
from shiage.domain.run import Assess, Assessment, EnterPhase, FinishPhase, Limits, Role, SealedTask
from shiage.domain.verdict import Judgment

OPEN = {"open_tasks": ("2. test it",), "done": 1, "total": 2}
NEW_SEAL = (SealedTask("1", "build it", 0),)


def open_ends(play: Any, count: int) -> None:
    for _ in range(count):
        play.attempt(**OPEN)


def test_every_box_ticked_leads_to_the_inspection(at: Any) -> None:
    play = at("impl")
    play.attempt(done=2, total=2)
    assert play.action == FinishPhase("impl")
    play.finish()
    assert play.action == EnterPhase("inspection")


def test_the_tasks_are_sealed_when_impl_starts(at: Any) -> None:
    assert [task.id for task in at("impl").run.seal] == ["1", "2"]


def test_open_boxes_run_impl_again_without_task_arguments(at: Any) -> None:
    play = at("impl")
    play.attempt(session="s1", **OPEN)
    order = play.order
    assert (order.phase, order.role, order.session, order.answer, order.correcting) == (
        "impl", Role.IMPLEMENTER, "", "", None,
    )  # fmt: skip


@pytest.mark.parametrize("found", [{"problem": "tasks.md is missing"}, {"problem": "tasks.md has no boxes"}])
def test_a_missing_tasks_file_or_one_without_boxes_is_not_complete(at: Any, found: dict[str, str]) -> None:
    play = at("impl")
    play.attempt(**found)
    assert play.order.role is Role.IMPLEMENTER


def test_impl_is_run_again_up_to_seven_times(at: Any) -> None:
    play = at("impl")
    open_ends(play, 7)
    assert play.order.role is Role.IMPLEMENTER
    play.attempt(done=2, total=2)
    assert play.action == FinishPhase("impl")


def test_open_after_the_seventh_re_run_is_an_error_and_nothing_continues(at: Any) -> None:
    play = at("impl")
    open_ends(play, 8)
    assert (play.state, play.action) == (("error", "tasks-incomplete"), None)
    assert play.run.detail == "still open: 2. test it"
    with pytest.raises(IllegalEvent):
        play.resume()


def test_a_missing_tasks_file_after_the_seventh_re_run_names_the_problem(at: Any) -> None:
    play = at("impl")
    for _ in range(8):
        play.attempt(problem="tasks.md is missing")
    assert (play.state, play.run.detail) == (("error", "tasks-incomplete"), "tasks.md is missing")


def test_a_reset_clears_error_and_count(at: Any) -> None:
    play = at("impl")
    open_ends(play, 8)
    play.reset()
    assert (play.state, play.run.attempts, play.action) == (("idle", ""), (), None)
    play.start(run="r2")
    play.enter()
    open_ends(play, 7)
    assert play.order.role is Role.IMPLEMENTER


def test_an_approval_does_not_stand_in_for_the_explicit_reset(at: Any) -> None:
    play = at("impl")
    open_ends(play, 8)
    try:
        play.approve("impl")
    except IllegalEvent:
        return
    assert play.state == ("error", "tasks-incomplete")
    with pytest.raises(IllegalEvent):
        play.resume()


def test_an_approval_of_another_phase_leaves_the_error_as_it_is(at: Any) -> None:
    play = at("impl")
    open_ends(play, 8)
    play.approve("design")
    assert play.state == ("error", "tasks-incomplete")


def test_while_boxes_are_open_the_judges_verdict_changes_nothing(at: Any) -> None:
    play = at("impl")
    for _ in range(7):
        play.reject("the same words", **OPEN)
    assert (play.order.correcting, play.order.session) == (None, "")
    for _ in range(2):
        play.reject()
    assert play.order.correcting == 9
    play.reject()
    assert play.state == ("paused", "awaiting-response")


def test_a_rejection_while_the_task_list_is_unreadable_uses_no_iteration(at: Any) -> None:
    play = at("impl")
    for _ in range(2):
        play.reject(problem="tasks.md is missing")
    play.reject()
    assert play.order.correcting == 3


def test_when_all_are_ticked_the_judge_decides(at: Any) -> None:
    play = at("impl")
    play.reject()
    assert (play.order.correcting, play.order.session) == (1, "s9")
    play.attempt()
    assert play.action == FinishPhase("impl")


def test_every_run_by_a_person_begins_at_0(at: Any) -> None:
    play = at("impl")
    open_ends(play, 7)
    play.stop()
    play.resume()
    open_ends(play, 7)
    assert play.order.role is Role.IMPLEMENTER
    play.attempt(**OPEN)
    assert play.state == ("error", "tasks-incomplete")


def test_recovery_after_a_crash_is_the_same_session_and_refills_nothing(at: Any) -> None:
    play = at("impl")
    open_ends(play, 7)
    play.begin()
    play.lose()
    play.resume(by="recovery")
    play.attempt(**OPEN)
    assert play.state == ("error", "tasks-incomplete")


def test_an_attempt_that_was_lost_uses_no_re_run(at: Any) -> None:
    play = at("impl")
    open_ends(play, 6)
    play.begin()
    play.lose()
    play.resume(by="recovery")
    open_ends(play, 1)
    assert play.order.role is Role.IMPLEMENTER


def test_an_agent_that_fails_while_boxes_are_open_uses_no_re_run(at: Any) -> None:
    play = at("impl")
    open_ends(play, 7)
    play.fail(Cause.TRANSIENT)
    play.attempt(done=2, total=2)
    assert play.action == FinishPhase("impl")


def test_a_limit_of_no_re_runs_fails_at_the_first_open_box(at: Any) -> None:
    play = at("impl", limits=Limits(impl_reruns=0))
    play.attempt(**OPEN)
    assert play.state == ("error", "tasks-incomplete")


def tampered(at: Any, **found: Any) -> Any:
    play = at("impl")
    play.attempt(tampered="- 2. test it", path="tasks.md", **found)
    return play


@pytest.mark.parametrize("found", [{}, OPEN, {"judgment": Judgment.REJECT}])
def test_a_task_that_vanished_pauses_with_a_diff(at: Any, found: dict[str, Any]) -> None:
    play = tampered(at, **found)
    assert play.state == ("paused", "tasks-tampered")
    assert (play.run.detail, play.run.path) == ("- 2. test it", "tasks.md")


def test_tampered_tasks_that_are_still_tampered_are_refused_at_resume(at: Any) -> None:
    play = tampered(at)
    play.tampered = "- 2. test it"
    play.resume()
    assert (play.state, play.run.detail, play.run.path) == (("paused", "tasks-tampered"), "- 2. test it", "tasks.md")


def test_tampered_tasks_that_were_restored_run_impl_again(at: Any) -> None:
    play = tampered(at)
    play.resume()
    assert play.order.role is Role.IMPLEMENTER


def test_tampered_tasks_that_a_person_accepted_are_looked_at_again(at: Any) -> None:
    play = tampered(at)
    play.approve("tasks", seal=NEW_SEAL)
    assert (play.state, play.run.seal) == (("paused", "approved"), NEW_SEAL)
    play.resume()
    assert play.action == Assess(1)
    play.assess(done=1, total=1)
    assert play.action == FinishPhase("impl")


def test_an_approval_without_the_tasks_that_were_seen_accepts_nothing(at: Any) -> None:
    play = tampered(at)
    play.approve("tasks")
    assert play.state == ("paused", "tasks-tampered")


def accepted_after_a_cut(at: Any, cut: str) -> Any:
    """An implementer is cut short, the tasks change meanwhile, and a person accepts them."""
    play = at("impl")
    if cut != "before":
        play.begin()
    if cut == "lost":
        play.lose()
    play.stop() if cut != "lost" else None
    if cut == "stopped":
        play.end(Ending.STOPPED)
    play.tampered = "- 2. test it"
    play.resume()
    assert play.state == ("paused", "tasks-tampered")
    play.approve("tasks", seal=NEW_SEAL)
    play.tampered = ""
    play.resume()
    return play


@pytest.mark.parametrize("cut", ["stopped", "lost", "before"])
def test_an_attempt_that_was_cut_short_is_repeated_also_when_the_tasks_were_accepted_meanwhile(
    at: Any, cut: str
) -> None:
    play = accepted_after_a_cut(at, cut)
    assert (play.order.phase, play.order.role) == ("impl", Role.IMPLEMENTER)


def test_a_rejection_of_tampered_tasks_uses_no_iteration(at: Any) -> None:
    play = at("impl")
    for _ in range(2):
        play.reject(tampered="- 2. test it")
        play.resume()
    play.reject()
    assert play.order.correcting == 3


def test_tampered_tasks_do_not_undo_a_persons_approval_of_the_implementation(at: Any) -> None:
    play = tampered(at)
    play.approve("impl")
    play.tampered = "- 2. test it"
    play.resume()
    assert play.action == FinishPhase("impl", by_person=True)


def test_tasks_that_changed_do_not_hold_up_a_phase_without_a_seal(at: Any) -> None:
    play = at("inspection")
    play.stop()
    play.tampered = "- 2. test it"
    play.resume()
    assert play.order.role is Role.INSPECTOR


def test_only_an_attempt_that_is_to_be_looked_at_can_be_assessed(at: Any) -> None:
    play = at("impl")
    play.begin()
    with pytest.raises(IllegalEvent):
        play.tell(AttemptAssessed, attempt=1, agent_id="a1", assessment=Assessment())
