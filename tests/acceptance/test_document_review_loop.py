"""Seed 000: the document review runs in rounds until it is approved, or a person is needed."""

import json
import time

import pytest
from criteria import criterion
from scenes import DOCUMENTS, doing, reply, responder, story


def rounds(project) -> list[tuple[str, int]]:
    return [(role, number) for role, phase, number in project.attempts() if phase == "document-review"]


def details(project):
    return project.state()["documentReview"]["roundDetails"]


@criterion("000-1.1", "000-3.3")
def test_a_reply_that_leaves_something_to_fix_starts_the_next_round_by_itself(project):
    project.new(scenes=story(responder(fix=2, round=1)))
    assert project.shiage("run", "login").code == 0
    assert rounds(project) == [("reviewer", 1), ("responder", 1), ("reviewer", 2), ("responder", 2)]


@criterion("000-1.1", "000-3.3")
def test_what_is_to_discuss_waits_while_something_is_to_fix(project):
    project.new(scenes=story(responder(fix=1, discuss=1, round=1)))
    assert project.shiage("run", "login").code == 0
    assert len(rounds(project)) == 4


@criterion("000-1.2")
def test_the_loop_is_decided_in_one_place_and_every_decision_is_journalled(project):
    project.new(scenes=story(responder(fix=1, round=1)))
    project.shiage("run", "login")
    told = [e["content"]["nextAction"] for e in project.journal(kind="ROUND_COMPLETED") if "nextAction" in e["content"]]
    assert told == ["continue", "approved"]


@criterion("000-1.3", "000-4.1")
def test_each_closed_round_is_in_spec_json_before_the_next_begins(project, until):
    spec = project.new(scenes=story(responder(fix=3, round=1), doing("reviewer", ["hang", 30], round=2)))
    running = project.start("run", "login")
    until(lambda: (spec / "event-log.jsonl").exists() and ("reviewer", 2) in rounds(project))
    first = details(project)[0]
    assert {k: first[k] for k in ("roundNumber", "status", "fixRequiredCount", "needsDiscussionCount", "fixApplied")} == {
        "roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 3, "needsDiscussionCount": 0, "fixApplied": True,
    }  # fmt: skip
    assert first["reviewCompletedAt"].endswith("Z") and first["replyCompletedAt"].endswith("Z")
    assert project.state()["documentReview"]["status"] == "in_progress"
    assert project.status()["round"] == {"closed": 1, "current": 2, "max": 7}
    assert project.shiage("stop", "login").code == 0
    assert running.wait(15) == 130
    assert details(project)[0] == first


@criterion("000-2.1", "000-2.2")
def test_after_seven_rounds_that_are_not_clean_the_run_pauses(project):
    project.new(scenes=story(responder(fix=1)))
    ended = project.shiage("run", "login")
    assert ended.code == 4
    assert rounds(project)[-1] == ("responder", 7)
    status = project.status()
    assert (status["status"], status["reason"], status["round"]["closed"]) == ("paused", "max-rounds", 7)
    assert "shiage approve login document-review" in status["next_action"]


def test_the_seventh_round_may_still_approve(project):
    project.new(scenes=story(*(responder(fix=1, round=n) for n in range(1, 7))))
    assert project.shiage("run", "login").code == 0
    assert rounds(project)[-1] == ("responder", 7)
    assert project.state()["documentReview"]["status"] == "approved"


@criterion("000-2.3")
def test_a_person_who_resumes_after_the_limit_gets_a_new_allowance_and_numbering_goes_on(project):
    project.new(scenes=story(*(responder(fix=1, round=n) for n in range(1, 8))))
    assert project.shiage("run", "login").code == 4
    assert project.shiage("run", "login").code == 0
    assert rounds(project)[-1] == ("responder", 8)


def test_a_person_may_approve_the_review_instead(project):
    project.new(scenes=story(responder(fix=1)))
    assert project.shiage("run", "login").code == 4
    assert project.shiage("approve", "login", "document-review").code == 0
    assert project.state()["documentReview"]["status"] == "approved"
    assert project.shiage("run", "login").code == 0
    assert len(rounds(project)) == 14


@criterion("000-3.1", "000-6.1")
def test_nothing_to_fix_and_nothing_to_discuss_approves_and_goes_on_to_impl(project):
    project.new(scenes=story())
    assert project.shiage("run", "login").code == 0
    assert project.state()["documentReview"]["status"] == "approved"
    phases = [phase for _, phase, _ in project.attempts()]
    assert phases.index("impl") == phases.index("document-review") + 2


@criterion("000-3.2", "000-6.2")
def test_nothing_to_fix_but_something_to_discuss_pauses_and_does_not_approve(project):
    project.new(scenes=story(responder(fix=0, discuss=1)))
    assert project.shiage("run", "login").code == 4
    status = project.status()
    assert (status["status"], status["reason"]) == ("paused", "needs-discussion")
    assert project.state()["documentReview"]["status"] != "approved"
    assert details(project)[0]["needsDiscussionCount"] == 1


def test_after_a_discussion_the_next_round_looks_again(project):
    project.new(scenes=story(responder(discuss=1, round=1)))
    assert project.shiage("run", "login").code == 4
    assert project.shiage("run", "login").code == 0
    assert rounds(project)[2:] == [("reviewer", 2), ("responder", 2)]


@criterion("000-3.4")
@pytest.mark.parametrize("role", ["reviewer", "responder"])
def test_an_agent_that_fails_puts_the_run_into_error(project, role):
    project.new(scenes=story(doing(role, ["exit", 3])))
    assert project.shiage("run", "login").code == 5
    status = project.status()
    assert (status["status"], status["reason"]) == ("error", "agent-failed")


@criterion("000-4.2")
def test_a_run_cut_in_the_reply_resumes_with_only_the_responder_of_that_round(project, until):
    spec = project.new(scenes=story(responder(fix=1, round=1), doing("responder", ["hang", 30], round=2, nth=1)))
    running = project.start("run", "login")
    until(lambda: (spec / "event-log.jsonl").exists() and ("responder", 2) in rounds(project))
    project.shiage("stop", "login")
    assert running.wait(15) == 130
    assert project.shiage("run", "login").code == 0
    assert rounds(project)[3:] == [("responder", 2), ("responder", 2)]


@criterion("000-4.2")
def test_a_run_cut_in_the_review_repeats_the_reviewer_of_that_round(project, until):
    half = doing("reviewer", ["write", "spec:document-review-{round}.md", "# half"], ["hang", 30], round=2, nth=1)
    spec = project.new(scenes=story(responder(fix=1, round=1), half))
    running = project.start("run", "login")
    until(lambda: (spec / "document-review-2.md").exists())
    project.shiage("stop", "login")
    assert running.wait(15) == 130
    assert project.shiage("run", "login").code == 0
    assert rounds(project)[2:] == [("reviewer", 2), ("reviewer", 2), ("responder", 2)]


@criterion("000-4.3")
def test_rounds_closed_before_a_stop_stay_as_they_are_to_the_byte(project, until):
    spec = project.new(scenes=story(responder(fix=1, round=1), doing("reviewer", ["hang", 30], round=2, nth=1)))
    running = project.start("run", "login")
    until(lambda: (spec / "event-log.jsonl").exists() and ("reviewer", 2) in rounds(project))
    project.shiage("stop", "login")
    running.wait(15)
    files = {name: (spec / name).read_bytes() for name in ("document-review-1.md", "document-review-1-reply.md")}
    before = details(project)[0]
    assert project.shiage("run", "login").code == 0
    assert details(project)[0] == before
    assert files == {name: (spec / name).read_bytes() for name in files}


@criterion("000-5.1")
def test_a_round_is_a_review_and_then_its_reply_with_autofix(project):
    spec = project.new(scenes=story(responder(fix=1, round=1)))
    project.shiage("run", "login")
    assert rounds(project)[:2] == [("reviewer", 1), ("responder", 1)]
    assert (spec / "document-review-1.md").exists() and (spec / "document-review-1-reply.md").exists()
    prompts = [p.read_text() for p in sorted((project.root / ".shiage" / "runs" / "r-0001").glob("*.prompt.md"))]
    assert any("document-review-1-reply.md" in prompt for prompt in prompts)


@criterion("000-5.2")
def test_fix_mode_exists_only_in_the_manual_step(project):
    project.new(scenes=story(responder(fix=1, round=1)))
    assert project.shiage("run", "login", "--fix").code == 2
    for phase in DOCUMENTS:
        assert project.shiage("step", "login", phase).code == 0
    assert project.shiage("step", "login", "document-review").code == 0
    assert project.shiage("step", "login", "document-review", "--fix").code == 0
    assert rounds(project) == [("reviewer", 1), ("responder", 1), ("responder", 1)]


@criterion("000-6.1", "000-6.3")
def test_the_installed_reply_command_tells_the_rule_that_both_counts_must_be_zero(project):
    project.play([])
    (project.root / "shiage.toml").unlink()
    assert project.shiage("init", "--agent", "claude", "--yes").code == 0
    text = (project.root / ".claude/commands/kiro/document-review-reply.md").read_text()
    assert "Fix Required = 0 AND Needs Discussion = 0" in text


@criterion("000-6.2")
def test_an_agent_that_approves_itself_is_not_believed(project):
    lie = [
        ["write", "spec:document-review-{round}-reply.md", reply(0, 2)],
        ["claim", "documentReview.status", "approved"],
        ["say", "approved"],
    ]
    project.new(scenes=story(doing("responder", *lie)))
    assert project.shiage("run", "login").code == 4
    assert project.status()["reason"] == "needs-discussion"
    assert project.state()["documentReview"]["status"] == "in_progress"


def test_counts_that_the_agent_wrote_itself_are_corrected_and_the_difference_is_an_event(project):
    claim = [{"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 0, "needsDiscussionCount": 0}]
    lie = [
        ["write", "spec:document-review-{round}-reply.md", reply(2, 0)],
        ["claim", "documentReview.roundDetails", claim],
        ["say", "replied"],
    ]
    project.new(scenes=story(doing("responder", *lie, round=1)))
    assert project.shiage("run", "login").code == 0
    assert details(project)[0]["fixRequiredCount"] == 2
    assert project.journal(kind="CLAIM_DIFFERS")


@pytest.mark.parametrize(
    "text",
    ["", "no table here", "## Response Summary\n\n| Severity | Fix Required |\n|---|---|\n| Critical | some |\n"],
)
def test_a_reply_that_cannot_be_counted_pauses_and_is_never_approved(project, text):
    bad = [["write", "spec:document-review-{round}-reply.md", text], ["say", "replied"]]
    project.new(scenes=story(doing("responder", *bad)))
    assert project.shiage("run", "login").code == 4
    assert project.status()["reason"] == "verdict-unreadable"
    assert project.state().get("documentReview", {}).get("status") != "approved"


def test_a_reply_that_a_person_repaired_is_counted_without_asking_the_agent_again(project):
    spec = project.new(scenes=story(doing("responder", ["say", "forgot"], nth=1)))
    assert project.shiage("run", "login").code == 4
    (spec / "document-review-1-reply.md").write_text(reply(0, 0))
    assert project.shiage("run", "login").code == 0
    assert rounds(project) == [("reviewer", 1), ("responder", 1)]


def test_an_approved_review_is_not_run_again(project):
    project.new(scenes=story())
    assert project.shiage("run", "login", "--until", "document-review").code == 0
    assert project.shiage("run", "login").code == 0
    assert len(rounds(project)) == 2


@criterion("001-invariant-1", "001-invariant-4")
def test_rounds_are_numbered_from_1_to_7_and_the_seventh_pauses(project):
    project.new(scenes=story(responder(fix=1)))
    assert project.shiage("run", "login").code == 4
    numbers = [number for role, number in rounds(project) if role == "reviewer"]
    assert numbers == [1, 2, 3, 4, 5, 6, 7]
    assert [r["roundNumber"] for r in details(project)] == numbers


@criterion("001-invariant-2")
def test_the_status_stays_in_progress_while_the_loop_goes_on(project):
    project.new(scenes=story(responder(fix=1)))
    project.shiage("run", "login")
    assert project.state()["documentReview"]["status"] == "in_progress"


@criterion("001-invariant-3")
def test_the_loop_ends_the_moment_the_review_is_approved(project):
    project.new(scenes=story(responder(fix=1, round=1)))
    project.shiage("run", "login", "--until", "document-review")
    assert project.state()["documentReview"]["status"] == "approved"
    assert len(rounds(project)) == 4


@criterion("001-error-1")
def test_after_an_agent_failed_a_person_goes_on_by_running_again(project):
    project.new(scenes=story(doing("reviewer", ["exit", 1], nth=1)))
    assert project.shiage("run", "login").code == 5
    assert "shiage run login" in project.status()["next_action"]
    assert project.shiage("run", "login").code == 0


@criterion("001-error-2")
def test_a_spec_json_that_cannot_be_read_pauses_and_the_run_goes_on_after_its_repair(project):
    review = ["write", "spec:document-review-{round}.md", "# Review"]
    broken = doing("reviewer", review, ["write", "spec:spec.json", '{"a": 1,}'], ["say", "hm"], nth=1)
    spec = project.new(scenes=story(broken))
    assert project.shiage("run", "login").code == 4
    status = project.status()
    assert (status["status"], status["reason"]) == ("paused", "spec-unreadable")
    assert (spec / "spec.json").read_text() == '{"a": 1,}'
    (spec / "spec.json").write_text(
        '{"feature_name": "login", "phase": "tasks-generated", "language": "en", "approvals": '
        '{"requirements": {"generated": true, "approved": true}, "design": {"generated": true, "approved": true}, '
        '"tasks": {"generated": true, "approved": true}}}'
    )
    assert project.shiage("run", "login").code == 0


@criterion("001-error-3")
def test_a_round_that_could_not_be_written_is_kept_and_written_at_the_next_resume(project):
    lock = [["run", "rm", "-f", ".kiro/specs/login/spec.json"], ["run", "mkdir", ".kiro/specs/login/spec.json"]]
    good = ["write", "spec:document-review-{round}-reply.md", reply(1, 0)]
    spec = project.new(scenes=story(doing("responder", good, *lock, ["say", "replied"], round=1, nth=1)))
    assert project.shiage("run", "login", "--until", "tasks").code == 0
    kept = (spec / "spec.json").read_text()
    assert project.shiage("run", "login").code == 4
    assert project.status()["reason"] in ("spec-not-writable", "spec-unreadable")
    (spec / "spec.json").rmdir()
    (spec / "spec.json").write_text(kept)
    assert project.shiage("run", "login").code == 0
    assert details(project)[0]["fixRequiredCount"] == 1
    assert rounds(project) == [("reviewer", 1), ("responder", 1), ("reviewer", 2), ("responder", 2)]


@criterion("001-error-4", "001-error-5")
@pytest.mark.parametrize(("reply_", "reason"), [({"fix": 1}, "max-rounds"), ({"discuss": 1}, "needs-discussion")])
def test_both_pauses_name_their_reason_and_the_next_action(project, reply_, reason):
    project.new(scenes=story(responder(**reply_)))
    ended = project.shiage("run", "login")
    assert reason in ended.out + ended.err
    paused = project.journal(kind="RUN_PAUSED")[-1]["content"]
    assert paused["reason"] == reason and "shiage" in paused["next_action"]


@criterion("001-log-1", "001-log-2", "001-log-3", "001-log-4", "001-log-5", "001-log-6")
def test_the_operator_log_has_a_line_for_every_turn_of_the_loop(project):
    def log():
        lines = [json.loads(line) for line in (project.root / ".shiage" / "shiage.log").read_text().splitlines()]
        return {(line["event"], line["level"]) for line in lines if line["spec"]}, lines

    project.new(scenes=story(responder(fix=1, round=1), responder(discuss=1, round=2)))
    project.shiage("run", "login")
    seen, lines = log()
    assert {("ROUND_STARTED", "info"), ("ROUND_COMPLETED", "info"), ("ROUND_CONTINUING", "info")} <= seen
    assert ("RUN_PAUSED", "warning") in seen
    done = next(line for line in lines if line["event"] == "ROUND_COMPLETED")
    assert (done["round"], done["fixRequired"], done["needsDiscussion"], done["nextAction"]) == (1, 1, 0, "continue")
    project.play(story(responder(fix=1)))
    project.shiage("reset", "login")
    project.shiage("run", "login")
    assert any(line["event"] == "RUN_PAUSED" and line["reason"] == "max-rounds" for line in log()[1])
    project.play(story())
    project.shiage("run", "login")
    assert ("REVIEW_APPROVED", "info") in log()[0]


@criterion("001-log-7", "001-log-8")
def test_errors_and_failed_writes_are_logged_as_errors(project):
    log = project.root / ".shiage" / "shiage.log"
    project.new(scenes=story(doing("reviewer", ["exit", 1], nth=1)))
    project.shiage("run", "login")
    assert '"event": "RUN_FAILED"' in log.read_text() and '"level": "error"' in log.read_text()
    review = ["write", "spec:document-review-{round}.md", "# Review"]
    project.play(story(doing("reviewer", review, ["write", "spec:spec.json", "{"], ["say", "x"])))
    project.shiage("run", "login")
    assert any('"RECORD_FAILED"' in line and '"level": "error"' in line for line in log.read_text().splitlines())


def test_replies_of_a_hundred_milliseconds_lose_no_round(project):
    began = time.monotonic()
    project.new(scenes=story(*(responder(fix=1, round=n) for n in range(1, 7))))
    assert project.shiage("run", "login").code == 0
    assert len(details(project)) == 7
    assert time.monotonic() - began < 60
