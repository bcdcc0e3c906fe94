"""Which phase comes next, and when a run has reached its end."""

from typing import Any

import pytest

from shiage.domain.run import CloseRound, Counts, EnterPhase, FinishPhase, Role, StartAgent
from shiage.flow.workflows import BUG, SPEC, TASK, WORKFLOWS


def all_good(play: Any) -> None:
    """Answers every plan with success until nothing is planned."""
    while play.action is not None:
        match play.action:
            case EnterPhase():
                play.enter()
            case FinishPhase():
                play.finish()
            case CloseRound():
                play.close()
            case StartAgent(order):
                play.attempt(**GOOD.get(order.role, {}))


GOOD: dict[Role, dict[str, Any]] = {
    Role.INSPECTOR: {"verdict": "go"},
    Role.RESPONDER: {"counts": Counts(0, 0)},
}


def phases_of(play: Any) -> list[str]:
    return [attempt.order.phase for attempt in play.run.attempts]


def test_a_spec_goes_through_requirements_design_tasks_review_impl_inspection_and_deploy(play: Any) -> None:
    play.start()
    all_good(play)
    assert play.state == ("completed", "")
    assert list(play.finished) == [row.name for row in SPEC.phases]
    assert [attempt.order.role for attempt in play.run.attempts] == [
        Role.AUTHOR, Role.AUTHOR, Role.AUTHOR, Role.REVIEWER, Role.RESPONDER, Role.IMPLEMENTER, Role.INSPECTOR,
    ]  # fmt: skip


def test_a_bug_goes_through_analyze_fix_and_verify_on_the_same_engine(play: Any) -> None:
    play.start(workflow="bug")
    all_good(play)
    assert play.state == ("completed", "")
    assert list(play.finished) == [row.name for row in BUG.phases] == ["analyze", "fix", "verify"]


def test_a_free_form_task_is_one_judged_phase(play: Any) -> None:
    play.start(workflow="task")
    all_good(play)
    assert (play.state, phases_of(play)) == (("completed", ""), [row.name for row in TASK.phases])


def test_a_run_starts_at_the_first_phase_that_is_not_finished(play: Any) -> None:
    play.finished = ("requirements", "design", "document-review")
    play.start()
    assert play.action == EnterPhase("tasks")


def test_finished_phases_and_an_approved_review_are_not_run_again(play: Any) -> None:
    play.finished = ("requirements", "design", "document-review")
    play.start()
    all_good(play)
    assert phases_of(play) == ["tasks", "impl", "inspection"]


def test_a_run_of_which_every_phase_is_finished_is_completed_at_once(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases)
    play.start()
    assert (play.state, play.action) == (("completed", ""), None)


def test_a_run_that_was_asked_to_end_earlier_completes_there(play: Any) -> None:
    play.start(until="design")
    all_good(play)
    assert (play.state, phases_of(play)) == (("completed", ""), ["requirements", "design"])


def test_until_a_finished_phase_completes_without_an_agent(play: Any) -> None:
    play.finished = ("requirements", "design")
    play.start(until="requirements")
    assert (play.state, play.run.attempts) == (("completed", ""), ())


def test_a_completed_run_can_be_started_again_for_a_later_end(play: Any) -> None:
    play.start(until="requirements")
    all_good(play)
    play.start(until="design", run="r2")
    all_good(play)
    assert (play.state, play.run.id, phases_of(play)) == (("completed", ""), "r2", ["design"])


def test_a_resume_may_name_another_end(play: Any) -> None:
    play.start()
    play.enter()
    play.stop()
    play.resume(until="requirements")
    all_good(play)
    assert (play.state, phases_of(play)) == (("completed", ""), ["requirements"])


def test_a_resume_whose_end_lies_behind_completes(at: Any) -> None:
    play = at("impl")
    play.stop()
    play.resume(until="design")
    assert play.state == ("completed", "")


def test_a_phase_that_may_not_be_entered_pauses_the_run(play: Any) -> None:
    play.start()
    play.refuse()
    assert (play.state, play.run.phase) == (("paused", "not-permitted"), "requirements")


def test_permissions_are_read_when_the_phase_is_about_to_start(play: Any) -> None:
    play.start()
    play.refuse()
    play.resume()
    assert play.action == EnterPhase("requirements")


def test_deploy_is_off_by_default_and_a_run_that_may_not_deploy_is_completed(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-1])
    play.start()
    play.refuse(optional=True)
    assert (play.state, play.run.phase, play.action) == (("completed", ""), "inspection", None)


def test_a_deploy_that_the_person_asked_for_and_may_not_have_pauses(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-1])
    play.start(until="deploy")
    play.refuse(optional=True)
    assert (play.state, play.run.phase) == (("paused", "not-permitted"), "deploy")


def test_deploy_needs_no_agent(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-1])
    play.start()
    play.enter()
    assert play.action == FinishPhase("deploy")
    play.finish()
    assert (play.state, play.run.attempts) == (("completed", ""), ())


def test_a_resume_goes_back_when_an_earlier_phase_is_open_again(at: Any) -> None:
    play = at("impl")
    play.stop()
    play.finished = ("requirements", "tasks", "document-review")
    play.resume()
    assert play.action == EnterPhase("design")


def test_a_resume_of_a_run_that_was_finished_by_hand_completes(at: Any) -> None:
    play = at("inspection")
    play.stop()
    play.finished = tuple(row.name for row in SPEC.phases)
    play.resume()
    assert play.state == ("completed", "")


def test_a_phase_that_a_manual_step_finished_meanwhile_is_not_run_again(at: Any) -> None:
    play = at("design")
    play.fail()
    play.finished = (*play.finished, "design")
    play.resume()
    assert play.action == EnterPhase("tasks")


def test_a_phase_that_awaits_approval_goes_on_once_approved(play: Any) -> None:
    play.start()
    play.refuse("not-approved")
    play.approve("requirements")
    assert play.state == ("paused", "approved")
    play.resume()
    assert play.action == EnterPhase("requirements")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_workflow_is_found_by_its_name(name: str) -> None:
    flow = WORKFLOWS[name]
    assert flow.name == name
    assert [flow.phase(row.name) for row in flow.phases] == list(flow.phases)
    assert all(row.gates for row in flow.phases if row.roles)
