"""What is told, in which order and with which numbers."""

from typing import Any

import pytest

from shiage.domain.events import AttemptAssessed, AttemptStarted
from shiage.domain.outcome import Cause, Ending, Usage
from shiage.domain.run import Assessment, Counts, Limits
from shiage.domain.verdict import CriterionResult, Finding, Judgment
from shiage.flow.machine import evolve
from shiage.flow.reports import Level, Report, issue, reports
from shiage.flow.workflows import SPEC

REVIEW = "document-review"
OPEN = {"open_tasks": ("2. test it",), "done": 1, "total": 2}


def one(play: Any, name: str) -> Report:
    found = [report for report in play.told if report.event_type == name]
    assert len(found) == 1, play.names()
    report: Report = found[0]
    return report


def test_a_pause_names_its_reason_and_the_next_action(at: Any) -> None:
    play = at(REVIEW)
    play.round(discuss=1)
    report = one(play, "RUN_PAUSED")
    assert (report.level, report.notify) == (Level.WARNING, True)
    assert report.content["reason"] == "needs-discussion"
    assert "`shiage approve login document-review`" in str(report.content["next_action"])
    assert (report.content["phase"], report.content["path"]) == (REVIEW, "reply.md")


def test_a_failure_names_its_reason_and_the_next_action(at: Any) -> None:
    play = at("design")
    play.fail(detail="exit 3")
    report = one(play, "RUN_FAILED")
    assert (report.level, report.notify) == (Level.ERROR, True)
    assert report.content["reason"] == "agent-failed"
    assert (report.content["detail"], "`shiage run login`" in str(report.content["next_action"])) == ("exit 3", True)


def test_the_end_of_a_run_is_told_once(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases[:-1])
    play.start()
    play.refuse(optional=True)
    report = one(play, "RUN_COMPLETED")
    assert (report.level, report.notify, dict(report.content)) == (Level.INFO, True, {"phase": "inspection"})


def test_a_stop_is_told_once_and_the_late_end_says_nothing(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.end(Ending.STOPPED)
    assert one(play, "RUN_PAUSED").content["reason"] == "stopped"


def test_a_resume_that_pauses_for_the_same_reason_is_told_again(at: Any) -> None:
    play = at("impl")
    play.attempt(tampered="- 2. test it")
    play.told.clear()
    play.tampered = "- 2. test it"
    play.resume()
    assert one(play, "RUN_PAUSED").content["reason"] == "tasks-tampered"


def test_a_start_of_what_is_finished_says_that_it_is(play: Any) -> None:
    play.finished = tuple(row.name for row in SPEC.phases)
    play.start()
    play.told.clear()
    play.start(run="r2")
    assert play.names() == ["RUN_COMPLETED"]


def test_each_round_is_told_as_started_completed_and_continuing(at: Any) -> None:
    play = at(REVIEW)
    play.round(fix=2, discuss=1)
    play.begin()
    assert play.names() == ["ROUND_STARTED", "ROUND_COMPLETED", "ROUND_CONTINUING", "ROUND_STARTED"]
    started, completed, continuing, next_started = play.told
    assert started.content == {"phase": REVIEW, "round": 1}
    counts = {"phase": REVIEW, "round": 1, "fixRequired": 2, "needsDiscussion": 1}
    assert completed.content == {**counts, "nextAction": "continue"}
    assert continuing.content == {**counts, "next": 2}
    assert next_started.content == {"phase": REVIEW, "round": 2}
    assert {report.level for report in play.told} == {Level.INFO}


def test_an_approved_review_is_told_as_info(at: Any) -> None:
    play = at(REVIEW)
    play.round()
    assert play.names() == ["ROUND_STARTED", "ROUND_COMPLETED", "REVIEW_APPROVED"]
    assert play.told[1].content["nextAction"] == "approved"
    assert (play.told[2].level, play.told[2].notify) == (Level.INFO, True)


def test_a_round_that_pauses_is_told_before_the_pause(at: Any) -> None:
    play = at(REVIEW)
    play.round(discuss=2)
    assert play.names() == ["ROUND_STARTED", "ROUND_COMPLETED", "RUN_PAUSED"]
    assert play.told[1].content["nextAction"] == "paused"


def test_a_manual_round_that_is_not_clean_is_not_told_as_approved(play: Any) -> None:
    play.step(REVIEW)
    play.enter()
    play.round(fix=3)
    assert "REVIEW_APPROVED" not in play.names()
    assert one(play, "ROUND_COMPLETED").content["nextAction"] != "approved"


def test_an_inspection_round_tells_its_verdict_and_its_fix(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    play.fixed()
    told = [report.content.get("verdict") for report in play.told if report.event_type == "ROUND_COMPLETED"]
    assert told == ["nogo", "fixed"]


def test_each_re_run_is_told_with_its_numbers(at: Any) -> None:
    play = at("impl")
    play.attempt(**OPEN)
    play.attempt(**OPEN)
    told = [report for report in play.told if report.event_type == "IMPL_RERUN"]
    assert [report.content["rerun"] for report in told] == [1, 2]
    assert told[0].content == {"rerun": 1, "max": 7, "done": 1, "total": 2, "open": ["2. test it"]}
    assert all((report.level, report.notify) == (Level.INFO, True) for report in told)


def test_the_limit_of_re_runs_is_an_error_with_its_numbers(at: Any) -> None:
    play = at("impl", limits=Limits(impl_reruns=1))
    play.attempt(**OPEN)
    play.attempt(**OPEN)
    report = one(play, "IMPL_LIMIT_REACHED")
    assert (report.level, report.notify) == (Level.ERROR, True)
    assert report.content == {"rerun": 1, "max": 1, "done": 1, "total": 2, "open": ["2. test it"]}
    assert one(play, "RUN_FAILED").content["reason"] == "tasks-incomplete"


@pytest.mark.parametrize("found", [{"done": 2, "total": 2}, {**OPEN, "tampered": "- 2."}])
def test_nothing_is_told_of_a_re_run_that_is_none(at: Any, found: dict[str, Any]) -> None:
    play = at("impl")
    play.attempt(**found)
    assert "IMPL_RERUN" not in play.names()


def test_a_re_run_that_the_budget_holds_back_is_not_told(at: Any) -> None:
    play = at("impl", limits=Limits(usd=1.0))
    play.begin()
    play.end(usage=Usage(cost_usd=1.0))
    play.assess(**OPEN)
    assert play.state == ("paused", "budget")
    assert "IMPL_RERUN" not in play.names()


def test_a_manual_implementation_is_not_told_as_a_re_run(play: Any) -> None:
    play.step("impl")
    play.enter()
    play.attempt(**OPEN)
    assert "IMPL_RERUN" not in play.names()
    assert one(play, "STEP_COMPLETED").content == {"phase": "impl"}


def test_the_end_of_a_step_is_told_once(play: Any) -> None:
    play.step("design")
    play.enter()
    play.attempt()
    play.finish()
    play.approve("design")
    assert one(play, "STEP_COMPLETED").notify


LOOP = [
    "REVIEW_LOOP_START", "REVIEW_ITERATION_START",
    "QUALITY_JUDGMENT", "REJECTION_DETAILS", "REVIEW_ITERATION_END",
    "REVIEW_ITERATION_START",
    "QUALITY_JUDGMENT", "REVIEW_ITERATION_END", "REVIEW_LOOP_END",
]  # fmt: skip


def test_the_review_loop_is_told_in_order(at: Any) -> None:
    play = at("design")
    play.reject()
    play.attempt()
    assert play.names() == LOOP
    assert [report.content.get("iteration") for report in play.told[1:8]] == [1, 1, 1, 1, 2, 2, 2]
    assert play.told[2].content["criteria_failed"] == ["Q2"]
    assert str(play.told[2].content["summary"]).startswith("src/app.py:3")
    assert str(play.told[2].content["summary"]).endswith("a marker was left")
    assert play.told[8].content == {"final_status": "COMPLETE", "total_iterations": 2}
    full = [report.event_type for report in play.told if report.visibility == "full"]
    assert set(full) == {"REVIEW_ITERATION_START", "REJECTION_DETAILS", "REVIEW_ITERATION_END"}


@pytest.mark.parametrize(("escalate", "status"), [(True, "AWAITING_RESPONSE"), (False, "INCOMPLETE")])
def test_the_loop_that_reached_its_limit_says_how_it_ended(at: Any, escalate: bool, status: str) -> None:
    play = at("design", limits=Limits(iterations=1, escalate=escalate))
    play.reject()
    assert one(play, "REVIEW_LOOP_END").content == {"final_status": status, "total_iterations": 1}


PROMPT = "## Problems were found"


def told_with(play: Any, correction: str, event: Any) -> list[Report]:
    before, play.run = play.run, evolve(play.run, event)
    return list(reports(before, event, play.run, correction))


def test_the_modification_prompt_is_told_whole_between_the_rejection_and_the_end_of_its_iteration(at: Any) -> None:
    play = at("design")
    play.begin()
    play.end()
    finding = Finding("Q3", "omission", "a.py", 7, "# ...")
    found = Assessment(Judgment.REJECT, (CriterionResult("Q3", False),), (finding,))
    event = AttemptAssessed(run="r1", at=99.0, attempt=1, agent_id="a1", assessment=found)
    told = told_with(play, PROMPT, event)
    assert [report.event_type for report in told] == [
        "QUALITY_JUDGMENT", "REJECTION_DETAILS", "MODIFICATION_PROMPT", "REVIEW_ITERATION_END",
    ]  # fmt: skip
    assert told[1].content["modification_prompt"] == PROMPT
    assert told[2].content == {"iteration": 1, "prompt": PROMPT}
    assert [report.visibility for report in told] == ["summary", "full", "full", "full"]


def test_at_the_limit_the_details_hold_the_prompt_though_it_is_not_sent(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1))
    play.begin()
    play.end()
    found = Assessment(Judgment.REJECT, (CriterionResult("Q3", False),))
    event = AttemptAssessed(run="r1", at=99.0, attempt=1, agent_id="a1", assessment=found)
    names = [report.event_type for report in told_with(play, PROMPT, event)]
    assert names == ["QUALITY_JUDGMENT", "REJECTION_DETAILS", "REVIEW_ITERATION_END", "REVIEW_LOOP_END", "RUN_PAUSED"]


def test_an_answered_question_begins_the_loop_anew_with_the_prompt_that_is_sent(at: Any) -> None:
    play = at("design", limits=Limits(iterations=1))
    play.reject()
    play.answer("leave nothing out")
    play.resume()
    event = AttemptStarted(run="r1", at=99.0, attempt=2, agent_id="a2", agent="claude", order=play.order)
    names = [report.event_type for report in told_with(play, PROMPT, event)]
    assert names == ["REVIEW_LOOP_START", "MODIFICATION_PROMPT", "REVIEW_ITERATION_START"]


def test_a_passing_failure_is_an_iteration_judged_retry(at: Any) -> None:
    play = at("design")
    play.fail(Cause.TRANSIENT, detail="overloaded")
    assert play.names() == [
        "REVIEW_LOOP_START", "REVIEW_ITERATION_START", "QUALITY_JUDGMENT", "REVIEW_ITERATION_END", "ATTEMPT_WAITS",
    ]  # fmt: skip
    assert play.told[2].content == {
        "iteration": 1, "judgment": "RETRY", "criteria_failed": [], "summary": "transient: overloaded",
    }  # fmt: skip
    play.begin()
    assert play.told[-1].content == {"iteration": 2}


def test_a_permanent_failure_ends_its_loop_as_an_error_and_a_resume_begins_another(at: Any) -> None:
    play = at("design")
    play.fail(detail="not logged in")
    assert one(play, "REVIEW_LOOP_END").content == {"final_status": "ERROR", "total_iterations": 1}
    play.resume()
    play.begin()
    assert play.names().count("REVIEW_LOOP_START") == 2


def test_a_rejected_step_ends_its_loop_as_an_error(play: Any) -> None:
    play.step("design")
    play.enter()
    play.reject()
    assert one(play, "REVIEW_LOOP_END").content["final_status"] == "ERROR"


def test_the_loop_of_an_implementation_with_open_boxes_is_not_told_as_complete(at: Any) -> None:
    play = at("impl")
    play.attempt(**OPEN)
    assert all(report.content.get("final_status") != "COMPLETE" for report in play.told)


def test_an_attempt_that_was_cut_short_is_no_iteration(at: Any) -> None:
    play = at("design")
    play.begin()
    play.lose()
    play.begin()
    told = [report.content["iteration"] for report in play.told if report.event_type == "REVIEW_ITERATION_START"]
    assert told == [1, 1]


def test_reviewers_and_inspectors_are_not_told_as_judged(at: Any) -> None:
    play = at("inspection")
    play.inspection("go")
    assert "QUALITY_JUDGMENT" not in play.names()


def test_a_claim_that_differs_from_what_was_found_is_an_event(at: Any) -> None:
    play = at("impl")
    play.attempt(differences=("said 2 of 2 tasks, found 1",), path="tasks.md", **OPEN)
    report = one(play, "CLAIM_DIFFERS")
    assert report.level is Level.WARNING
    assert report.content == {"claim": "said 2 of 2 tasks, found 1", "path": "tasks.md"}


@pytest.mark.parametrize("cause", [Cause.TRANSIENT, Cause.USAGE_LIMIT])
def test_a_wait_is_told_with_its_end(at: Any, cause: Cause) -> None:
    play = at("design")
    play.fail(cause, detail="overloaded")
    report = one(play, "ATTEMPT_WAITS")
    told = {"agent": "claude", "cause": cause, "detail": "overloaded", "until": play.order.not_before}
    assert report.content == told


def test_a_failure_that_is_not_retried_is_no_wait(at: Any) -> None:
    play = at("design")
    play.fail()
    assert play.names()[-1] == "RUN_FAILED"
    assert "ATTEMPT_WAITS" not in play.names()


def test_the_end_of_a_stopped_agent_is_no_wait(at: Any) -> None:
    play = at("design")
    play.begin()
    play.stop()
    play.end(Ending.FAILED, Cause.TRANSIENT)
    assert "ATTEMPT_WAITS" not in play.names()


def test_a_fact_without_news_tells_nothing(play: Any) -> None:
    play.start()
    play.enter()
    assert play.told == []


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [("Q1", "missing_file"), ("Q3", "omission"), ("Q4", "syntax_error"), ("Q6", "early_termination"),
     ("Q2", "incomplete"), ("GD1", "incomplete")],
)  # fmt: skip
def test_a_finding_is_told_in_the_words_of_the_review_loop(criterion: str, kind: str) -> None:
    told = issue(Finding(criterion, "rule", "a.py", 7, "quoted", "what", "do this"))
    assert told.pop("id") == Finding(criterion, "rule", "a.py", 99, "quoted").id
    assert told == {
        "type": kind, "criteria_id": criterion, "rule": "rule", "location": "a.py:7", "quote": "quoted",
        "description": "what", "suggestion": "do this",
    }  # fmt: skip


def test_a_second_rejection_of_a_fix_is_its_second_iteration(at: Any) -> None:
    play = at("inspection")
    play.inspection("nogo")
    play.reject()
    play.reject()
    told = [report.content["iteration"] for report in play.told if report.event_type == "QUALITY_JUDGMENT"]
    assert told == [1, 2]
    assert play.run.last.assessment.judgment is Judgment.REJECT


def test_a_reply_with_counts_that_were_written_after_a_pause_is_told(at: Any) -> None:
    play = at(REVIEW)
    play.attempt()
    play.attempt(counts=Counts(0, 0))
    play.record_fails("spec-not-writable")
    play.resume()
    play.close()
    assert one(play, "ROUND_COMPLETED").content["nextAction"] == "approved"
