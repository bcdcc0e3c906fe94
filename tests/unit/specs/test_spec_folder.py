"""A folder is found, created and read; its phases are over when the disk says so."""

import json
from pathlib import Path

import pytest

from shiage.domain.errors import OurBug, UserError
from shiage.specs import base, files
from shiage.specs.folder import BugFolder, Folder, SpecFolder, create, find, list_folders, valid_name
from shiage.specs.inspections import InspectionVerdict

HEADER = "| | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|-|-|-|-|-|\n"
SUMMARY = f"## Response Summary\n\n{HEADER}| Info | {{}} | {{}} | 0 | 0 |\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def spec(tmp_path: Path) -> Folder:
    return create(tmp_path, "login", "Log people in.", "ja")


@pytest.fixture
def bug(tmp_path: Path) -> Folder:
    return create(tmp_path, "crash", "It crashes.", "en", bug=True)


def put(folder: Folder, **state: object) -> None:
    folder.state_file.write_text(json.dumps({**folder.value(), **state}, indent=2))


def write(folder: Folder, name: str, text: str) -> None:
    folder.artefact_path(name).write_text(text)


@pytest.mark.parametrize("name", ["a", "0", "login-2", "a" * 64])
def test_a_name_of_small_letters_digits_and_hyphens_is_valid(name: str) -> None:
    assert valid_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "Login", "-a", "a/b", "..", "a b", "a\n", "日本", "a" * 65, "a_b", "a\x00", "--all"]
)
def test_any_other_name_is_refused_before_it_reaches_a_path(tmp_path: Path, name: str) -> None:
    for act in (
        lambda: find(tmp_path, name),
        lambda: create(tmp_path, name, "", "en"),
        lambda: SpecFolder(tmp_path, name),
    ):
        with pytest.raises(UserError) as caught:
            act()
        assert caught.value.code == "spec-name-invalid"
    assert names(tmp_path) == []


def test_a_new_spec_has_the_canonical_keys_and_the_words_of_the_person(spec: Folder) -> None:
    value = spec.value()
    assert list(value) == ["feature_name", "created_at", "updated_at", "language", "phase", "approvals"]
    assert (value["feature_name"], value["language"], value["phase"]) == ("login", "ja", "initialized")
    assert value["approvals"] == {
        phase: {"generated": False, "approved": False} for phase in ("requirements", "design", "tasks")
    }
    assert spec.state_file.read_text().startswith('{\n  "feature_name": "login",\n')
    assert (spec.text("requirements.md") or "").startswith(
        "# Requirements Document\n\n## Project Description (Input)\n\nLog people in.\n"
    )
    assert spec.request() == "Log people in."
    assert names(spec.path) == ["requirements.md", "spec.json"]
    assert not any(
        map(spec.finished, ("requirements", "design", "tasks", "document-review", "impl", "inspection", "deploy"))
    )


def test_a_request_may_hold_headings_of_its_own(tmp_path: Path) -> None:
    words = "One.\n\n## Two\n\nThree \ud800."
    assert create(tmp_path, "a", words, "en").request() == words.replace("\ud800", "?")


def test_a_new_bug_has_its_report(bug: Folder) -> None:
    assert bug.request() == "# crash\n\nIt crashes."
    assert bug.state().feature_name == "crash"
    assert (bug.key, bug.workflow) == ("bug-crash", "bug")
    assert not any(map(bug.finished, ("analyze", "fix", "verify")))


@pytest.mark.parametrize("as_bug", [True, False])
def test_a_name_that_is_taken_is_refused(spec: Folder, as_bug: bool) -> None:
    before = spec.state_file.read_bytes()
    with pytest.raises(UserError) as caught:
        create(spec.root, "login", "other", "en", bug=as_bug)
    assert caught.value.code == "spec-exists"
    assert spec.state_file.read_bytes() == before


def test_a_name_that_is_taken_in_the_last_moment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = files.rename

    def late(source: Path, place: Path) -> None:
        (place / "in").mkdir(parents=True)
        real(source, place)

    monkeypatch.setattr(files, "rename", late)
    with pytest.raises(UserError) as caught:
        create(tmp_path, "login", "", "en")
    assert caught.value.code == "spec-exists"


def test_a_spec_or_a_bug_is_found_by_its_name(spec: Folder, bug: Folder) -> None:
    assert isinstance(find(spec.root, "login"), SpecFolder)
    assert isinstance(find(spec.root, "crash"), BugFolder)


@pytest.mark.parametrize(("name", "near"), [("logn", True), ("loginxx", True), ("nigol", False), ("crahs", True)])
def test_an_unknown_name_is_told_with_its_nearest(spec: Folder, bug: Folder, name: str, near: bool) -> None:
    with pytest.raises(UserError) as caught:
        find(spec.root, name)
    assert caught.value.code == "spec-unknown"
    assert ("did you mean" in caught.value.help) is near


def test_folders_are_listed_in_order_and_only_those_that_are_some(spec: Folder, bug: Folder) -> None:
    create(spec.root, "a", "", "en")
    specs = spec.path.parent
    (specs / "empty").mkdir()
    (specs / "Upper").mkdir()
    (specs / "file").touch()
    outside = spec.root.parent / f"{spec.root.name}-outside"
    outside.mkdir()
    (outside / "spec.json").write_text("{}")
    (specs / "out").symlink_to(outside)
    assert [folder.key for folder in list_folders(spec.root)] == ["a", "login", "bug-crash"]
    with pytest.raises(UserError) as caught:
        find(spec.root, "out")
    assert caught.value.code == "path-outside"


def test_a_project_without_specs_has_none(tmp_path: Path) -> None:
    assert list_folders(tmp_path) == ()


def test_files_are_read_by_their_names(spec: Folder) -> None:
    for name in ("document-review-2.md", "document-review-2-reply.md", "inspection-2.md"):
        write(spec, name, name)
    assert (spec.review(2), spec.reply(2), spec.inspection(2)) == (
        "document-review-2.md", "document-review-2-reply.md", "inspection-2.md",
    )  # fmt: skip
    assert spec.review(1) is None
    assert spec.shown("design.md") == ".kiro/specs/login/design.md"
    assert spec.shown("") == ".kiro/specs/login"
    with pytest.raises(OurBug):
        spec.text("../other/spec.json")


def test_a_missing_state_of_a_spec_is_an_error_and_of_a_bug_is_none(spec: Folder, bug: Folder) -> None:
    spec.state_file.unlink()
    with pytest.raises(UserError) as caught:
        spec.state()
    assert caught.value.code == "spec-unreadable"
    bug.state_file.unlink()
    assert bug.state().phase == "reported"
    assert bug.write_state({("phase",): "analyzed"})
    assert list(bug.value()) == ["bug_name", "created_at", "updated_at", "phase"]


def test_a_state_that_is_no_json_is_refused_and_never_overwritten(spec: Folder) -> None:
    spec.state_file.write_bytes(b'{\n  "a": 1,\n}')
    with pytest.raises(UserError) as caught:
        spec.write_state({("phase",): "x"})
    assert caught.value.code == "spec-unreadable"
    assert str(caught.value.where) == ".kiro/specs/login/spec.json:3:1"
    assert spec.state_file.read_bytes() == b'{\n  "a": 1,\n}'


def test_a_state_that_is_torn_for_a_moment_is_read_when_it_is_whole(
    spec: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = spec.state_file.read_bytes()
    spec.state_file.write_bytes(whole[:40])
    monkeypatch.setattr(base.time, "sleep", lambda seconds: spec.state_file.write_bytes(whole))
    assert spec.state().feature_name == "login"


def test_a_write_changes_what_it_says_and_the_time_and_nothing_else(spec: Folder) -> None:
    text = b'{"x": {"y":  1},\n "phase": "a", "updated_at": "then", "z": [ ]}\n'
    spec.state_file.write_bytes(text)
    assert spec.write_state({("phase",): "b"})
    after = spec.state_file.read_bytes()
    at = json.loads(after)["updated_at"]
    assert after == text.replace(b'"a"', b'"b"').replace(b"then", at.encode())
    assert at != "then"


def test_a_write_that_changes_nothing_writes_nothing(spec: Folder) -> None:
    before = spec.state_file.stat()
    assert not spec.write_state({("phase",): "initialized"})
    assert spec.state_file.stat().st_mtime_ns == before.st_mtime_ns


def test_a_writer_without_the_lock_loses_nothing(spec: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real, others = base.edit, ["one", "two"]

    def edit_while_others_write(text: bytes, changes: base.Changes) -> bytes:
        after = real(text, changes)
        if others:
            spec.state_file.write_bytes(real(spec.state_file.read_bytes(), {(others.pop(),): True}))
        return after

    monkeypatch.setattr(base, "edit", edit_while_others_write)
    spec.write_state({("phase",): "x"})
    value = spec.value()
    assert (value["one"], value["two"], value["phase"]) == (True, True, "x")


def test_a_file_that_never_stands_still_is_given_up(spec: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real, number = base.edit, iter(range(1000))

    def edit_while_others_write(text: bytes, changes: base.Changes) -> bytes:
        spec.state_file.write_bytes(real(spec.state_file.read_bytes(), {("n",): next(number)}))
        return real(text, changes)

    monkeypatch.setattr(base, "edit", edit_while_others_write)
    with pytest.raises(UserError) as caught:
        spec.write_state({("phase",): "x"})
    assert caught.value.code == "spec-not-writable"


@pytest.mark.parametrize("phase", ["requirements", "design", "tasks"])
def test_a_document_is_over_when_it_is_there_and_generated_or_approved(spec: Folder, phase: str) -> None:
    write(spec, f"{phase}.md", " \n")
    put(spec, approvals={phase: {"generated": True}})
    assert not spec.finished(phase)
    write(spec, f"{phase}.md", "text\n- [ ] 1. a\n")
    assert spec.finished(phase)
    put(spec, approvals={phase: {"approved": True}})
    assert spec.finished(phase)
    put(spec, approvals={phase: {"generated": "yes"}})
    assert not spec.finished(phase)


def test_tasks_without_a_box_are_not_over(spec: Folder) -> None:
    put(spec, approvals={"tasks": {"generated": True}})
    write(spec, "tasks.md", "# Tasks\n\n```\n- [ ] 1. a\n```\n")
    assert not spec.finished("tasks")


def test_a_review_is_over_when_it_is_approved_and_its_last_reply_is_clean(spec: Folder) -> None:
    put(spec, documentReview={"status": "approved"})
    assert not spec.finished("document-review")
    assert spec.finished("document-review", person_approved=True)
    write(spec, "document-review-9-reply.md", SUMMARY.format(1, 1))
    write(spec, "document-review-10-reply.md", SUMMARY.format(0, 0))
    assert spec.finished("document-review")
    write(spec, "document-review-10-reply.md", SUMMARY.format(1, 1))
    assert not spec.finished("document-review")
    write(spec, "document-review-10-reply.md", "fine")
    assert not spec.finished("document-review")


@pytest.mark.parametrize("status", ["complete", "resolved", "review_complete", "in_progress", "Approved", "", 1])
def test_no_other_word_is_an_approval(spec: Folder, status: object) -> None:
    write(spec, "document-review-1-reply.md", SUMMARY.format(0, 0))
    put(spec, documentReview={"status": status})
    assert not spec.finished("document-review", person_approved=True)


def test_an_approval_with_a_later_round_without_a_reply_is_none(spec: Folder) -> None:
    write(spec, "document-review-1-reply.md", SUMMARY.format(0, 0))
    put(spec, documentReview={"status": "approved", "roundDetails": [{}, {"status": "review_complete"}]})
    assert spec.last_reply() is None
    assert not spec.finished("document-review")


def test_implementation_is_over_when_every_box_is_ticked_and_the_phase_says_so(spec: Folder) -> None:
    write(spec, "tasks.md", "- [x] 1. a\n- [ ]* 1.1 b\n")
    put(spec, phase="implementation-complete")
    assert not spec.finished("impl")
    assert spec.finished("impl", optional="skip")
    write(spec, "tasks.md", "- [x] 1. a\n## Notes\n- [ ] b\n")
    assert spec.finished("impl", ignore_headings=["Notes"])
    put(spec, phase="tasks-generated")
    assert not spec.finished("impl", ignore_headings=["Notes"])


@pytest.mark.parametrize("text", ["", "no box", "- [ ]* 1. only an optional one\n"])
def test_implementation_without_boxes_is_not_over(spec: Folder, text: str) -> None:
    write(spec, "tasks.md", text)
    put(spec, phase="deploy-complete")
    assert not spec.finished("impl", optional="skip")


def test_inspection_is_over_when_its_last_report_says_go(spec: Folder) -> None:
    put(spec, phase="inspection-complete")
    assert spec.last_verdict() is InspectionVerdict.UNREADABLE
    assert not spec.finished("inspection")
    write(spec, "inspection-9.md", "Judgment: NOGO")
    write(spec, "inspection-10.md", "Judgment: GO")
    write(spec, "inspection-11", "Judgment: NOGO")
    assert spec.finished("inspection")
    write(spec, "inspection-11.md", "Judgment: NOGO")
    assert not spec.finished("inspection")
    assert spec.finished("inspection", person_approved=True)
    put(spec, phase="implementation-complete")
    assert not spec.finished("inspection", person_approved=True)


def test_deploy_is_over_when_the_phase_says_so(spec: Folder) -> None:
    put(spec, phase="deploy-complete")
    assert spec.finished("deploy")


def test_the_phases_of_a_bug_need_their_file_and_their_word(bug: Folder) -> None:
    for phase, name, word in (
        ("analyze", "analysis.md", "analyzed"), ("fix", "fix.md", "fixed"), ("verify", "verification.md", "verified"),
    ):  # fmt: skip
        put(bug, phase=word)
        assert not bug.finished(phase)
        write(bug, name, "Judgment: GO")
        assert bug.finished(phase)
    assert bug.finished("analyze")
    write(bug, "verification.md", "PASSED")
    assert not bug.finished("verify")
    assert bug.finished("verify", person_approved=True)


def test_a_phase_that_nobody_has_is_our_mistake(spec: Folder) -> None:
    with pytest.raises(OurBug):
        spec.finished("analyze")


def test_rounds_are_closed_one_after_the_other_by_state_and_file(spec: Folder) -> None:
    for number, text in ((1, SUMMARY.format(1, 1)), (2, SUMMARY.format(0, 0)), (4, SUMMARY.format(0, 0))):
        write(spec, f"document-review-{number}-reply.md", text)
    closed = {"status": "reply_complete"}
    put(spec, documentReview={"roundDetails": [closed, {**closed, "round": 2}, closed, {**closed, "roundNumber": 4}]})
    assert spec.closed_rounds() == 2
    write(spec, "document-review-1-reply.md", "unreadable")
    assert spec.closed_rounds() == 0
    write(spec, "document-review-1-reply.md", SUMMARY.format(1, 1))
    put(spec, documentReview={"roundDetails": [closed, {"status": "review_complete"}]})
    assert spec.closed_rounds() == 1


def test_a_folder_that_stands_still_is_read_once_and_the_folder_itself_goes_on(spec: Folder) -> None:
    write(spec, "design.md", "then")
    look = spec.still()
    assert (look.text("design.md"), look.state().phase, look.text("tasks.md")) == ("then", "initialized", None)
    write(spec, "design.md", "now")
    write(spec, "tasks.md", "now")
    spec.write_state({("phase",): "x"})
    assert (look.text("design.md"), look.state().phase, look.text("tasks.md")) == ("then", "initialized", None)
    assert (spec.text("design.md"), spec.state().phase, spec.still().text("tasks.md")) == ("now", "x", "now")
