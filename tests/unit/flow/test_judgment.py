"""The judge's verdict and what it does to a run: product.md 3."""

from typing import Any

import pytest

from shiage.domain.events import Muted, RunStarted
from shiage.domain.run import Assess, FinishPhase, Limits, Mode, Role
from shiage.domain.verdict import Finding, Judgment
from shiage.flow.history import recall

WRITTEN = ["requirements", "design", "tasks"]


@pytest.mark.parametrize("phase", WRITTEN)
def test_an_author_that_passes_finishes_the_phase(at: Any, phase: str) -> None:
    play = at(phase)
    assert (play.order.role, play.order.round) == (Role.AUTHOR, 0)
    play.begin()
    play.end()
    assert play.action == Assess(1)
    play.assess()
    assert play.action == FinishPhase(phase)


@pytest.mark.parametrize("phase", WRITTEN)
def test_a_rejection_goes_back_with_what_was_found_and_the_session(at: Any, phase: str) -> None:
    play = at(phase)
    play.reject()
    assert (play.order.phase, play.order.correcting, play.order.session) == (phase, 1, "s9")


@pytest.mark.parametrize("phase", [*WRITTEN, "impl"])
def test_the_third_rejection_asks_a_person(at: Any, phase: str) -> None:
    play = at(phase)
    for _ in range(3):
        play.reject()
    assert (play.state, play.action) == (("paused", "awaiting-response"), None)
    assert play.run.detail == "Q2 src/app.py:3 a marker was left"


def test_the_third_attempt_may_still_pass(at: Any) -> None:
    play = at("design")
    play.reject()
    play.reject()
    play.attempt()
    assert play.action == FinishPhase("design")


def test_without_escalation_the_limit_is_incomplete(at: Any) -> None:
    play = at("task", workflow="task", limits=Limits(escalate=False))
    for _ in range(3):
        play.reject()
    assert play.state == ("paused", "incomplete")


def test_the_same_rejection_twice_asks_a_person_before_the_limit(at: Any) -> None:
    play = at("design", limits=Limits(iterations=5))
    play.reject("the same words")
    play.reject("the same words")
    assert play.state == ("paused", "awaiting-response")


def test_without_escalation_the_same_rejection_is_tried_up_to_the_limit(at: Any) -> None:
    play = at("design", limits=Limits(iterations=5, escalate=False))
    for _ in range(4):
        play.reject("the same words")
        assert play.state[0] == "running"
    play.reject("the same words")
    assert play.state == ("paused", "incomplete")


@pytest.mark.parametrize("changed", [{"quote": "other words"}, {"quote": "the same words", "rule": "other"}])
def test_another_rejection_is_not_the_same_one(at: Any, changed: dict[str, str]) -> None:
    play = at("design", limits=Limits(iterations=5))
    play.reject("the same words")
    play.reject(**changed)
    assert play.order.correcting == 2


def test_two_rejections_that_name_nothing_are_not_the_same_one(at: Any) -> None:
    play = at("design", limits=Limits(iterations=5))
    play.attempt(judgment=Judgment.REJECT)
    play.attempt(judgment=Judgment.REJECT)
    assert play.order.correcting == 2


def test_what_could_not_be_judged_is_tried_again_as_it_was(at: Any) -> None:
    play = at("design")
    play.attempt(judgment=Judgment.RETRY, session="s1")
    assert (play.order.correcting, play.order.session) == (None, "")


def test_what_could_not_be_judged_waits_longer_each_time_and_burns_no_iteration(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1, retry_delay=2.0))
    waits = []
    for _ in range(2):
        play.attempt(judgment=Judgment.RETRY)
        waits.append(play.order.not_before - play.run.last.ended_at)
    assert waits == [2.0, 4.0]
    play.attempt()
    assert play.action == FinishPhase("design")


def test_a_retry_of_a_correction_is_the_same_correction(at: Any) -> None:
    play = at("design")
    play.reject()
    play.attempt(judgment=Judgment.RETRY)
    assert play.order.correcting == 1


def test_what_can_never_be_judged_asks_a_person_after_two_retries(at: Any) -> None:
    play = at("design", limits=Limits(iterations=9))
    for _ in range(3):
        play.attempt(judgment=Judgment.RETRY)
    assert play.state == ("paused", "awaiting-response")


def muted(play: Any, finding: Finding) -> None:
    play.tell(Muted, finding=finding.id, why="it is meant so")


def test_after_a_finding_was_muted_the_work_is_looked_at_again_before_an_agent_is_asked(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1))
    play.reject()
    muted(play, play.run.last.assessment.findings[0])
    assert (play.state, play.action) == (("paused", "muted"), None)
    play.resume()
    assert play.action == Assess(1)
    play.assess()
    assert play.action == FinishPhase("design")


def test_a_muted_finding_stays_muted_in_later_runs_and_steps(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1))
    play.reject()
    finding = play.run.last.assessment.findings[0]
    muted(play, finding)
    play.reset()
    play.start(run="r2")
    assert play.run.muted == {finding.id: "it is meant so"}
    again = recall([*play.events, RunStarted(run="r3", at=1e6, spec="login", mode=Mode.STEP, phase="design")])
    assert again.step is not None and again.step.muted == play.run.muted


def test_a_finding_of_an_older_attempt_changes_nothing_about_what_is_next(at: Any) -> None:
    play = at("design")
    play.reject()
    play.stop()
    before = play.run.todo
    play.tell(Muted, finding="12345678", why="an old one")
    assert play.run.todo == Assess(1) or play.run.todo == before


def test_the_answer_resumes_the_same_task_and_session(at: Any) -> None:
    play = at("task", workflow="task")
    for _ in range(3):
        play.reject()
    play.answer("use the other library")
    assert (play.state, play.action) == (("paused", "awaiting-response"), None)
    play.resume()
    order = play.order
    assert (order.phase, order.session, order.correcting, order.answer) == ("task", "s9", 3, "use the other library")


def test_an_answer_is_told_once(at: Any) -> None:
    play = at("design")
    for _ in range(3):
        play.reject()
    play.answer("use the other library")
    play.resume()
    play.reject()
    assert play.order.answer == ""


def test_a_resume_after_the_question_grants_the_iterations_again(at: Any) -> None:
    play = at("design")
    for _ in range(3):
        play.reject()
    play.resume()
    play.reject()
    play.reject()
    assert play.order.correcting == 5
    play.reject()
    assert play.state == ("paused", "awaiting-response")


def test_stopping_and_resuming_grants_no_iteration(at: Any) -> None:
    play = at("design")
    play.reject()
    play.reject()
    play.stop()
    play.resume()
    play.reject()
    assert play.state == ("paused", "awaiting-response")


def test_rejections_of_one_phase_do_not_count_in_another(at: Any) -> None:
    play = at("requirements")
    play.reject()
    play.reject()
    play.attempt()
    play.finish()
    play.enter()
    play.reject()
    play.reject()
    assert play.order.phase == "design"


def test_a_person_may_accept_what_the_judge_rejected(at: Any) -> None:
    play = at("design")
    for _ in range(3):
        play.reject()
    play.approve("design")
    assert (play.state, play.run.todo) == (("paused", "approved"), FinishPhase("design", by_person=True))
    play.resume()
    assert play.action == FinishPhase("design", by_person=True)


def test_the_question_names_where_the_finding_is_at_most_three_times(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1))
    play.reject()
    assert play.run.detail.count("Q2") == 1
    play.resume()
    play.attempt(judgment=Judgment.REJECT)
    assert play.run.detail == ""
