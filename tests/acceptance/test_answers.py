"""Rejected work goes back with what was found; when that does not help a person is asked; failures are told apart."""

import pytest
from scenes import doing, story

QUICK = "[review_loop]\nretry_delay_ms = 1\n"
SILENT = doing("author", ["say", "I wrote it."], phase="requirements")


def ends(project) -> list[str]:
    return [entry["content"]["outcome"]["ending"] for entry in project.journal(kind="ATTEMPT_EXITED")]


def judgments(project) -> list[str]:
    return [entry["content"]["judgment"] for entry in project.journal(kind="QUALITY_JUDGMENT")]


def coded(text: str, **when):
    do = [["write", "greet.py", text], ["tick"], ["say", "wrote greet.py as the tasks ask"]]
    return {"role": "implementer", "do": do, **when}


def test_a_document_that_is_never_written_ends_in_a_question_and_the_answer_reaches_the_agent(project):
    project.cast(story({**SILENT, "nth": 1}, {**SILENT, "nth": 2}, {**SILENT, "nth": 3}))
    project.given()
    ended = project.ran("login", "--until", "requirements")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (4, "paused", "awaiting-response")
    assert "requirements.md" in ended["detail"]
    assert "shiage answer login" in ended["next_action"]
    asked = len(project.attempts())
    assert 2 <= asked <= 3
    assert project.journal(kind="REVIEW_LOOP_END")[-1]["content"]["final_status"] == "AWAITING_RESPONSE"
    project.cast(story())
    assert project.shiage("answer", "login", "greet in French, s'il vous plaît").code == 0
    assert "greet in French, s'il vous plaît" in project.prompts()[asked]
    assert "greet in French, s'il vous plaît" not in "".join(project.prompts()[asked + 1 :])
    assert project.attempts()[asked] == ("author", "requirements", 0)


def test_an_answer_goes_on_to_the_end_that_was_asked_for_and_no_further(project):
    project.cast(story({**SILENT, "nth": 1}), "[review_loop]\nmax_iterations = 1\n")
    project.given()
    assert project.ran("login", "--until", "requirements")["reason"] == "awaiting-response"
    assert project.shiage("answer", "login", "write it down").code == 0
    assert {phase for _, phase, _ in project.attempts()} == {"requirements"}


def test_three_different_rejections_are_the_limit(project):
    code = "def greet():\n    return 1  # {}\n"
    scenes = [coded(code.format(mark), nth=n) for n, mark in enumerate(("TODO: a", "FIXME: b", "TBD: c", "done"), 1)]
    project.cast(story(*scenes))
    project.given(until="document-review")
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"]) == (4, "awaiting-response")
    assert judgments(project) == ["REJECT"] * 3


def test_a_modification_prompt_carries_the_findings_and_the_original_task(project):
    project.cast(story(coded("import sys\n\n\ndef greet():\n    return 1  # TODO: the name\n", nth=1)))
    project.given(until="document-review")
    assert project.ran("login")["exit_code"] == 0
    first, second = project.prompts()[:2]
    assert "greet.py:5" in second and "TODO: the name" in second
    assert first.strip() in second and first.strip() != second.strip()
    assert judgments(project)[:2] == ["REJECT", "PASS"]
    issue = project.journal(kind="REJECTION_DETAILS")[0]["content"]["issues_detected"][0]
    assert (issue["criteria_id"], issue["location"]) == ("Q2", "greet.py:5")


def test_a_judge_that_is_switched_off_looks_at_nothing(project):
    project.cast(story(coded("def greet():\n    return 1  # TODO: the name\n")), "[review_loop]\nenabled = false\n")
    project.given(until="document-review")
    assert project.ran("login")["exit_code"] == 0
    assert [role for role, _, _ in project.attempts()] == ["implementer", "inspector"]


def test_the_words_that_mark_work_left_are_a_setting(project):
    text = "def greet():\n    return 1  # LATER: the name\n"
    project.cast(story(coded(text, nth=1)), '[review_loop]\ntodo_words = ["LATER"]\n')
    project.given(until="document-review")
    assert project.ran("login")["exit_code"] == 0
    assert judgments(project)[:2] == ["REJECT", "PASS"]


def test_without_escalation_the_limit_ends_incomplete(project):
    project.cast(story(SILENT), "[review_loop]\nescalate_on_max = false\nmax_iterations = 1\n")
    project.given()
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"]) == (4, "incomplete")
    assert project.journal(kind="REVIEW_LOOP_END")[-1]["content"]["final_status"] == "INCOMPLETE"
    assert len(project.attempts()) == 1


def test_an_answer_that_nobody_asked_for_is_refused(project):
    project.cast(story())
    project.given()
    refused = project.shiage("answer", "login", "hello", "--json")
    assert (refused.code, refused.lines[-1]["error"]["code"]) == (1, "no-question")
    assert not (project.spec() / "event-log.jsonl").exists() or not project.journal(kind="ANSWERED")


def test_a_passing_failure_is_tried_again_and_burns_no_iteration(project):
    busy = doing("author", ["exit", 75], phase="requirements")
    project.cast(story({**busy, "nth": 1}, {**busy, "nth": 2}), QUICK + "max_iterations = 1\n")
    project.given()
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    assert ends(project) == ["failed", "failed", "completed"]
    assert judgments(project) == ["RETRY", "RETRY", "PASS"]
    assert len(project.journal(kind="ATTEMPT_WAITS")) == 2


def test_a_failure_that_does_not_pass_is_an_error_after_its_retries(project):
    project.cast(story(doing("author", ["exit", 75], phase="requirements")), QUICK + "[limits]\nretries = 2\n")
    project.given()
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"]) == (5, "agent-failed")
    assert ends(project) == ["failed"] * 3


@pytest.mark.parametrize("how", [["exit", 1], ["exit", 127]])
def test_a_permanent_failure_stops_at_once(project, how):
    project.cast(story(doing("author", ["say", "not logged in"], how, phase="requirements")), QUICK)
    project.given()
    ended = project.ran("login")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (5, "error", "agent-failed")
    assert ends(project) == ["failed"]


def test_a_person_may_take_the_work_as_it_is_instead_of_answering(project):
    project.cast(story(coded("GREETING = 1  # TODO: more\n")), "[review_loop]\nmax_iterations = 1\n")
    project.given(until="document-review")
    assert project.ran("login")["reason"] == "awaiting-response"
    assert project.shiage("approve", "login", "impl").code == 0
    assert project.ran("login")["exit_code"] == 0
    assert [role for role, _, _ in project.attempts()] == ["implementer", "inspector"]
