"""The inspection loop: product.md 2.3. The bug lane verifies in the same way."""

from typing import Any

import pytest

from shiage.domain.outcome import Cause
from shiage.domain.run import Assess, FinishPhase, Role
from shiage.domain.verdict import Judgment

LANES = pytest.mark.parametrize(("phase", "workflow"), [("inspection", "spec"), ("verify", "bug")])


@LANES
def test_go_ends_the_inspection(at: Any, phase: str, workflow: str) -> None:
    play = at(phase, workflow=workflow)
    assert (play.order.role, play.order.round) == (Role.INSPECTOR, 1)
    play.inspection("go")
    assert play.action == FinishPhase(phase)


@LANES
def test_nogo_is_fixed_and_inspected_again(at: Any, phase: str, workflow: str) -> None:
    play = at(phase, workflow=workflow)
    play.inspection("nogo")
    assert (play.order.role, play.order.round, play.order.correcting) == (Role.FIXER, 1, 1)
    play.fixed()
    assert (play.order.role, play.order.round) == (Role.INSPECTOR, 2)


@LANES
def test_the_third_nogo_pauses(at: Any, phase: str, workflow: str) -> None:
    play = at(phase, workflow=workflow)
    for _ in range(2):
        play.inspection("nogo")
        play.fixed()
    play.inspection("nogo")
    assert (play.state, play.run.detail) == (("paused", "inspection-nogo"), "NOGO in round 3")


def third_nogo(at: Any) -> Any:
    play = at("inspection")
    for _ in range(2):
        play.inspection("nogo")
        play.fixed()
    play.inspection("nogo")
    return play


def test_the_third_inspection_may_still_say_go(at: Any) -> None:
    play = at("inspection")
    for _ in range(2):
        play.inspection("nogo")
        play.fixed()
    play.inspection("go")
    assert play.action == FinishPhase("inspection")


def test_a_persons_resume_after_the_third_nogo_inspects_again_in_a_new_allowance(at: Any) -> None:
    play = third_nogo(at)
    play.resume()
    assert (play.order.role, play.order.round) == (Role.INSPECTOR, 4)
    play.inspection("nogo")
    assert play.order.role is Role.FIXER


def test_a_recovery_after_the_third_nogo_refills_nothing(at: Any) -> None:
    play = third_nogo(at)
    play.resume(by="recovery")
    assert play.state == ("paused", "inspection-nogo")


def test_a_report_without_a_labelled_line_pauses(at: Any) -> None:
    play = at("inspection")
    play.attempt(verdict="", problem="no labelled line", path="inspection-1.md")
    assert (play.state, play.run.path) == (("paused", "verdict-unreadable"), "inspection-1.md")
    play.resume()
    assert play.action == Assess(1)
    play.assess(verdict="", problem="no labelled line")
    assert (play.order.role, play.order.round) == (Role.INSPECTOR, 1)


def test_a_word_that_is_no_verdict_is_never_taken_as_go(at: Any) -> None:
    play = at("inspection")
    play.attempt(verdict="fine")
    assert play.state == ("paused", "verdict-unreadable")


def test_a_verdict_that_asks_for_a_check_by_hand_pauses(at: Any) -> None:
    play = at("inspection")
    play.attempt(verdict="manual", path="inspection-1.md")
    assert (play.state, play.run.path) == (("paused", "inspection-manual"), "inspection-1.md")
    play.approve("inspection")
    assert play.run.todo == FinishPhase("inspection", by_person=True)


def test_rejected_fixes_go_back_to_the_fixer(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    play.reject()
    assert (play.order.role, play.order.round, play.order.correcting) == (Role.FIXER, 1, 2)


def test_fixes_that_are_rejected_three_times_ask_a_person(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    for _ in range(3):
        play.reject()
    assert play.state == ("paused", "awaiting-response")
    play.resume()
    assert (play.order.role, play.order.round) == (Role.FIXER, 1)


def test_a_cut_fix_repeats_only_the_fixer_of_its_round(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    play.begin()
    play.lose()
    play.resume(by="recovery")
    assert (play.order.role, play.order.round) == (Role.FIXER, 1)


def test_a_cut_inspection_keeps_its_number(at: Any) -> None:
    play = at("inspection", closed=1)
    play.begin()
    play.lose()
    play.resume(by="recovery")
    assert (play.order.role, play.order.round) == (Role.INSPECTOR, 2)


def test_an_inspector_that_fails_is_an_error_whatever_it_wrote(at: Any) -> None:
    play = at("inspection")
    play.fail(Cause.CRASHED)
    assert play.state == ("error", "agent-failed")


def test_an_inspection_that_shiage_itself_rejects_is_no_go(at: Any) -> None:
    play = at("inspection")
    play.attempt(verdict="go", judgment=Judgment.REJECT)
    assert play.order.role is Role.INSPECTOR
