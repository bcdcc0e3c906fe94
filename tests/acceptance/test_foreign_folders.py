"""Spec folders that people and other tools prepared: read as they are, believed where they prove it, never damaged."""

import json

import pytest
from scenes import DOCUMENTS, author, doing, reply, reviewer, story

GO, NOGO = "# Inspection\n\n- Judgment: GO\n", "# Inspection\n\n判定: NOGO\n"
TICKED = DOCUMENTS["tasks"].replace("[ ]", "[x]")
OPEN = TICKED.replace("[x] 2.", "[-] 2.")


def changed(project, name: str, until: str, files: dict[str, str], **state) -> None:
    """A finished folder with some of its files and keys as somebody else left them."""
    spec = project.given(name, until, **state)
    for file, text in files.items():
        (spec / file).write_text(text) if text else (spec / file).unlink()


FOLDERS = {
    # name of the case: finished up to, files that differ, keys that differ, the first phase that is open
    "nothing": ("", {}, {}, "requirements"),
    "only-the-request": ("", {"requirements.md": "# Requirements\n"}, {}, "requirements"),
    "requirements-said-and-missing": ("requirements", {"requirements.md": ""}, {}, "requirements"),
    "requirements-said-and-blank": ("requirements", {"requirements.md": " \n"}, {}, "requirements"),
    "requirements": ("requirements", {}, {}, "design"),
    "tasks-without-a-box": ("tasks", {"tasks.md": "# Tasks\n\nnone\n"}, {}, "tasks"),
    "tasks": ("tasks", {}, {}, "document-review"),
    "phase-nobody-knows": ("tasks", {}, {"phase": "shipped-by-magic"}, "document-review"),
    "review": ("document-review", {}, {}, "impl"),
    "review-of-agents-word": ("document-review", {}, {"documentReview": {"status": "complete"}}, "document-review"),
    "review-without-reply": ("document-review", {"document-review-1-reply.md": ""}, {}, "document-review"),
    "review-uncountable": ("document-review", {"document-review-1-reply.md": "all fine"}, {}, "document-review"),
    "review-not-clean": ("document-review", {"document-review-1-reply.md": reply(1, 0)}, {}, "document-review"),
    "review-newest-not-clean": ("document-review", {"document-review-2-reply.md": reply(0, 1)}, {}, "document-review"),
    "review-legacy": (
        "document-review", {}, {"documentReview": {"status": "approved", "currentRound": 1, "rounds": 1}}, "impl",
    ),
    "impl": ("impl", {}, {}, "inspection"),
    "impl-said-and-a-box-open": ("impl", {"tasks.md": OPEN}, {}, "impl"),
    "impl-done-and-not-said": ("impl", {}, {"phase": "tasks-generated"}, "impl"),
    "impl-of-history": ("impl", {}, {"phase": "implementation-completed"}, "inspection"),
    "inspection": ("inspection", {}, {}, "deploy"),
    "inspection-nogo": ("inspection", {"inspection-1.md": NOGO}, {}, "inspection"),
    "inspection-said-and-missing": ("inspection", {"inspection-1.md": ""}, {}, "inspection"),
    "inspection-in-prose": ("inspection", {"inspection-1.md": "We GO on.\n"}, {}, "inspection"),
    "deployed": ("inspection", {}, {"phase": "deploy-complete"}, ""),
}  # fmt: skip


def test_the_first_open_phase_is_where_artefacts_and_spec_json_agree_that_work_is_left(project):
    for name, (until, files, state, _) in FOLDERS.items():
        changed(project, name, until, files, **state)
    found = {row["spec"]: row["phases"] for row in project.shiage("status", "--json").json["specs"]}
    first = {
        name: next((phase for phase, is_at in phases.items() if is_at != "done"), "") for name, phases in found.items()
    }
    assert first == {name: expected for name, (_, _, _, expected) in FOLDERS.items()}


def test_a_broken_spec_hides_no_other_and_is_named_with_its_place(project):
    project.given("good", "design")
    project.by_hand("comma", {}, '{\n  "feature_name": "comma",\n}\n')
    project.by_hand("gone", {"tasks.md": TICKED}, "{}")
    (project.spec("gone") / "spec.json").unlink()
    board = {row["spec"]: row for row in project.shiage("status", "--json").json["specs"]}
    assert board["good"]["phase"] == "tasks"
    for name in ("comma", "gone"):
        assert board[name]["reason"] == "spec-unreadable", board[name]
    told = project.shiage("status", "comma")
    assert ".kiro/specs/comma/spec.json:3:1" in told.out.replace("\n", "") + told.err


def test_a_run_of_a_broken_spec_pauses_and_leaves_every_byte(project):
    project.cast(story())
    text = '{"feature_name": "login", "a": 1,}'
    spec = project.by_hand("login", {}, text)
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"]) == (4, "spec-unreadable")
    assert ended["path"].startswith(".kiro/specs/login/spec.json")
    assert (spec / "spec.json").read_text() == text
    assert project.attempts() == []


def test_finished_phases_and_an_approved_review_are_not_run_again(project):
    project.cast(story())
    spec = project.given(until="document-review")
    before = {
        path.name: path.read_bytes() for path in spec.iterdir() if path.suffix == ".md" and path.name != "tasks.md"
    }
    assert project.ran("login")["exit_code"] == 0
    assert [role for role, _, _ in project.attempts()] == ["implementer", "inspector"]
    assert {name: (spec / name).read_bytes() for name in before} == before


def test_a_folder_of_cc_sdd_goes_on_at_the_review_and_its_tasks_are_approved(project):
    project.cast(story())
    approvals = {phase: {"generated": True, "approved": phase != "tasks"} for phase in DOCUMENTS}
    state = {"approvals": approvals, "phase": "tasks-generated", "ready_for_implementation": False}
    project.given(until="tasks", **state)
    assert project.ran("login", "--until", "document-review")["exit_code"] == 0
    assert project.attempts() == [("reviewer", "document-review", 1), ("responder", "document-review", 1)]
    assert project.state()["approvals"]["tasks"]["approved"] is True
    assert project.state()["ready_for_implementation"] is False


@pytest.mark.parametrize("text", ["approved, nothing left", reply(0, 1)], ids=["uncountable", "not clean"])
def test_an_approval_without_a_clean_countable_reply_is_not_believed_and_the_review_runs(project, text):
    project.cast(story())
    changed(project, "login", "document-review", {"document-review-1-reply.md": text})
    assert project.ran("login", "--until", "document-review")["exit_code"] == 0
    roles = [role for role, phase, _ in project.attempts()]
    assert roles == ["reviewer", "responder"]
    assert project.state()["documentReview"]["status"] == "approved"


def test_nothing_to_do_is_done(project):
    project.cast([])
    spec = project.given(until="inspection")
    before = (spec / "spec.json").read_bytes()
    for _ in range(2):
        ended = project.ran("login")
        assert (ended["exit_code"], ended["status"], ended["reason"]) == (0, "completed", "")
    assert project.attempts() == []
    assert (spec / "spec.json").read_bytes() == before


def test_a_round_that_was_reviewed_elsewhere_is_only_answered(project):
    project.cast(story())
    rows = [{"roundNumber": 1, "status": "review_complete"}]
    spec = project.given(until="tasks", documentReview={"status": "pending", "roundDetails": rows})
    (spec / "document-review-1.md").write_text("# Review 1\n")
    assert project.ran("login", "--until", "document-review")["exit_code"] == 0
    assert project.attempts() == [("responder", "document-review", 1)]


FOREIGN = """{
\t"x-first"   :  [ 1,2 ,3 ],   "feature_name":"login",
\t"created_at": "2026-01-02T12:04:05+09:00",
\t"updated_at": "2026-01-02T12:04:05+09:00",
\t"language": "en", "note": "caf\\u00e9 \\/ 仕様 \\ud83d\\ude00",
\t"phase": "initialized",
\t"approvals": {
\t\t"requirements": {"by" : "tool", "generated": false, "approved": false},
\t\t"design": {"generated": false,   "approved": false},
\t\t"tasks": {"generated": false, "approved": false, "x": null}
\t},
\t"autoExecution" : {"enabled":true,"permissions":{ "requirements":true }},
\t"big": 12345678901234567890, "real": 1.50e+2,
\t"worktree": {  }
}
"""
OURS = ("updated_at", "phase", "documentReview", "inspection")


def foreign(text: str) -> list[tuple[str, object]]:
    """What is not ours, in its order, numbers as they are written."""
    pairs = json.loads(text, object_pairs_hook=list, parse_int=str, parse_float=str)
    kept = [(key, value) for key, value in pairs if key not in OURS and key != "approvals"]
    rows = [
        (phase, [pair for pair in row if pair[0] not in ("generated", "approved")])
        for key, value in pairs if key == "approvals" for phase, row in value
    ]  # fmt: skip
    return [*kept, ("approvals", rows)]


def test_unknown_keys_order_and_indentation_survive_a_full_run(project):
    project.cast(story())
    spec = project.by_hand("login", {"requirements.md": "# Requirements\n"}, FOREIGN)
    assert project.ran("login")["exit_code"] == 0
    text = (spec / "spec.json").read_bytes().decode()
    assert foreign(text) == foreign(FOREIGN)
    for line in FOREIGN.splitlines():
        if not any(f'"{key}"' in line for key in (*OURS, "generated")):
            assert line.rstrip(",") in text, f"{line!r} was changed"
    for part in ('{"by" : "tool", "generated": true, "approved": true}', '{"generated": true,   "approved": true}'):
        assert part in text
    assert text.endswith("}\n") and "\t" in text.partition('"documentReview"')[0][-3:]


def test_a_key_that_another_program_adds_in_the_middle_of_a_run_is_kept(project):
    visitor = author("design")
    visitor["do"] = [*visitor["do"], ["claim", "visitor.seen", [1, 2]]]
    late = reviewer()
    late["do"] = [*late["do"], ["claim", "documentReview.foreign", "kept"]]
    project.cast(story(visitor, late))
    project.given()
    assert project.ran("login")["exit_code"] == 0
    state = project.state()
    assert state["visitor"] == {"seen": [1, 2]}
    assert (state["documentReview"]["foreign"], state["documentReview"]["status"]) == ("kept", "approved")


def test_an_agent_that_writes_its_own_approvals_completes_nothing_by_that(project):
    lie = doing(
        "author", ["claim", "approvals.design", {"generated": True, "approved": True}], ["say", "done"], phase="design"
    )
    project.cast(story(lie), "[review_loop]\nmax_iterations = 1\n")
    project.given(until="requirements")
    assert project.ran("login")["phase"] == "design"
    assert project.shiage("status", "login", "--json").json["phases"]["design"] != "done"


def test_a_folder_that_leads_out_of_the_project_is_refused(project):
    outside = project.home / "elsewhere"
    outside.mkdir()
    (outside / "spec.json").write_text('{"feature_name": "login"}')
    project.spec().parent.mkdir(parents=True)
    project.spec().symlink_to(outside)
    project.cast(story())
    refused = project.shiage("run", "login", "--json")
    assert refused.code == 1 and "error" in refused.lines[-1]
    assert [path.name for path in outside.iterdir()] == ["spec.json"]
