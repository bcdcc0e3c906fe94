"""A manual step is exactly one pass of one phase, whatever the run beside it is doing."""

import json

import pytest
from scenes import doing, implementer, inspector, responder, story


def stepped(project, *arguments: str):
    said = project.shiage("step", *arguments, "--json")
    return said.lines[-1]


def test_a_manual_impl_with_every_box_ticked_finishes_its_phase_and_no_more(project):
    project.cast(story(), "[permissions]\nimpl = false\n")
    project.given(until="document-review")
    assert stepped(project, "login", "impl")["exit_code"] == 0
    assert project.attempts() == [("implementer", "impl", 0)]
    assert project.state()["phase"] == "implementation-complete"


def test_a_manual_inspection_that_says_go_finishes_its_phase(project):
    project.cast(story())
    project.given(until="impl")
    assert stepped(project, "login", "inspection")["exit_code"] == 0
    assert project.attempts() == [("inspector", "inspection", 1)]
    assert project.state()["phase"] == "inspection-complete"


def test_a_manual_inspection_that_says_nogo_fails_and_repairs_nothing(project):
    project.cast(story(inspector("NOGO", nth=1)))
    project.given(until="impl")
    assert stepped(project, "login", "inspection")["exit_code"] == 5
    assert project.attempts() == [("inspector", "inspection", 1)]
    assert project.state()["inspection"]["rounds"][0]["result"] == "nogo"


def test_a_manual_review_is_one_review_and_one_reply_without_a_loop_and_fix_applies_it(project):
    project.cast(story(responder(fix=2, round=1)))
    project.given(until="tasks")
    assert stepped(project, "login", "document-review")["exit_code"] == 0
    assert project.attempts() == [("reviewer", "document-review", 1), ("responder", "document-review", 1)]
    row = project.state()["documentReview"]["roundDetails"][0]
    assert (row["fixRequiredCount"], row["fixApplied"]) == (2, False)
    assert stepped(project, "login", "document-review", "--fix")["exit_code"] == 0
    assert project.attempts()[2:] == [("responder", "document-review", 1)]
    assert project.state()["documentReview"]["roundDetails"][0]["fixApplied"] is True
    assert project.state()["documentReview"]["status"] != "approved"


def test_fix_applies_the_report_of_an_inspection_and_the_judge_looks_at_it(project):
    project.cast(story(inspector("NOGO", round=1)))
    project.given(until="impl")
    assert stepped(project, "login", "inspection")["exit_code"] == 5
    assert stepped(project, "login", "inspection", "--fix")["exit_code"] == 0
    assert project.attempts()[1:] == [("fixer", "inspection", 1)]
    assert (project.root / "fixed.py").exists()
    judged = [e["content"]["judgment"] for e in project.journal(kind="QUALITY_JUDGMENT")]
    assert judged == ["PASS"]
    assert project.state()["inspection"]["rounds"][0]["fixedAt"]


def test_the_end_of_a_pass_says_what_was_done_and_what_comes_next(project):
    project.cast(story())
    project.given(until="requirements")
    said = project.shiage("step", "login", "design")
    assert "login one pass of design done" in said.out
    assert said.out.splitlines()[-1].strip() == "next:  run `shiage run login`"


@pytest.mark.parametrize(
    ("phase", "code"), [("document-review", "no-reply"), ("inspection", "no-report"), ("design", "no-fix")]
)
def test_fix_without_something_to_apply_is_refused(project, phase, code):
    project.cast(story())
    project.given(until="tasks")
    refused = project.shiage("step", "login", phase, "--fix", "--json")
    assert (refused.code, refused.lines[-1]["error"]["code"]) == (1, code)


def test_a_rejected_pass_fails_and_is_not_repeated(project):
    project.cast(story(doing("author", ["say", "I thought about it"])))
    project.given()
    ended = stepped(project, "login", "requirements")
    assert (ended["exit_code"], ended["reason"]) == (5, "rejected")
    assert "shiage" in ended["next_action"]
    assert len(project.attempts()) == 1


def test_a_step_is_refused_while_the_run_is_at_work(project, until):
    project.cast(story(doing("author", ["hang", 60], phase="requirements")))
    project.given()
    running = project.start("run", "login")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and project.attempts())
    refused = project.shiage("step", "login", "design", "--json")
    assert (refused.code, refused.lines[-1]["error"]["code"]) == (1, "busy")
    running.send_signal(2)
    assert running.wait(15) == 130
    assert len(project.attempts()) == 1


def test_a_step_does_not_disturb_a_paused_run(project):
    better = doing(
        "author", ["write", "spec:design.md", "# Design\n\nTwo functions.\n"], ["say", "revised"], phase="design"
    )
    project.cast(story(responder(discuss=1, round=1), better))
    project.given(until="tasks")
    paused = project.ran("login")
    assert paused["reason"] == "needs-discussion"
    assert stepped(project, "login", "design")["exit_code"] == 0
    now = project.status()
    assert {key: now[key] for key in ("status", "reason", "phase", "next_action", "run", "round")} == {
        key: paused[key] for key in ("status", "reason", "phase", "next_action", "run", "round")
    }
    assert project.ran("login", "--until", "document-review")["exit_code"] == 0
    assert project.attempts()[-2:] == [("reviewer", "document-review", 2), ("responder", "document-review", 2)]


def test_after_a_manual_step_of_the_open_phase_the_run_goes_on_behind_it(project):
    project.cast(story(doing("author", ["exit", 1], phase="design", nth=1)))
    project.given(until="requirements")
    assert project.ran("login", "--until", "tasks")["reason"] == "agent-failed"
    assert stepped(project, "login", "design")["exit_code"] == 0
    assert project.ran("login", "--until", "tasks")["exit_code"] == 0
    assert [phase for _, phase, _ in project.attempts()] == ["design", "design", "tasks"]


def test_a_manual_deploy_marks_the_spec(project):
    project.cast([])
    project.given(until="inspection")
    assert stepped(project, "login", "deploy")["exit_code"] == 0
    assert project.state()["phase"] == "deploy-complete"


def test_a_manual_deploy_of_what_is_not_finished_is_refused(project):
    project.cast([])
    project.given(until="tasks")
    refused = project.shiage("step", "login", "deploy", "--json")
    assert refused.code == 1
    assert json.loads(refused.out)["error"]["code"] == "too-early"
    assert "impl" in json.loads(refused.out)["error"]["message"]
    assert project.state()["phase"] != "deploy-complete"


def test_a_misspelt_phase_is_answered_with_the_one_that_was_meant(project):
    project.given()
    refused = project.shiage("step", "login", "desing", "--json")
    told = json.loads(refused.out)["error"]
    assert refused.code in (1, 2)
    assert 'did you mean "design"' in f"{told['message']} {told['help']}".lower()


def test_a_manual_step_does_not_use_the_runs_allowances(project):
    project.cast(story(implementer("1")), "[limits]\nimpl_reruns = 0\n")
    project.given(until="document-review")
    for _ in range(2):
        assert stepped(project, "login", "impl")["exit_code"] in (0, 5)
    status = project.status()
    assert (status["status"], status["impl"]["retries"]) == ("idle", 0)
