"""What shiage writes is written once, in its own numbers, and moves nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shiage.domain.run import Counts
from shiage.specs import record
from shiage.specs.folder import Folder, create

CLEAN, DIRTY = Counts(0, 0), Counts(2, 1)


@pytest.fixture
def spec(tmp_path: Path) -> Folder:
    return create(tmp_path, "login", "", "en")


def put(folder: Folder, **state: object) -> None:
    folder.state_file.write_text(json.dumps({**folder.value(), **state}, indent=2))


def review(folder: Folder) -> Any:
    return folder.value()["documentReview"]


def close(folder: Folder, number: int, counts: Counts, more: bool) -> tuple[str, ...]:
    return record.close_round(folder, number, counts, "t1", "t2", fix_applied=counts.fix > 0, more=more)


def entry(number: int, counts: Counts) -> dict[str, object]:
    return {
        "roundNumber": number, "status": "reply_complete", "fixRequiredCount": counts.fix,
        "needsDiscussionCount": counts.discuss, "reviewCompletedAt": "t1", "replyCompletedAt": "t2",
        "fixApplied": counts.fix > 0,
    }  # fmt: skip


def twice(folder: Folder, act: Callable[[], object]) -> None:
    act()
    before = folder.state_file.read_bytes()
    act()
    assert folder.state_file.read_bytes() == before


def test_a_closed_round_has_exactly_its_keys(spec: Folder) -> None:
    twice(spec, lambda: close(spec, 1, DIRTY, more=True))
    assert review(spec) == {"roundDetails": [entry(1, DIRTY)], "status": "in_progress"}


def test_other_rounds_keep_every_byte_and_the_round_its_unknown_keys(spec: Folder) -> None:
    first = '{"roundNumber":1,   "status": "reply_complete", "mine": [1,2]}'
    rounds = first + ', {"round": 2, "note": "x"}'
    text = '{"documentReview": {"roundDetails": [' + rounds + '], "currentRound": 1}}'
    spec.state_file.write_text(text)
    close(spec, 2, DIRTY, more=True)
    assert first in spec.state_file.read_text()
    assert review(spec)["roundDetails"][1] == {"round": 2, "note": "x", **entry(2, DIRTY)}
    assert review(spec)["currentRound"] == 2


def test_an_older_number_of_the_round_never_goes_back(spec: Folder) -> None:
    put(spec, documentReview={"currentRound": 5, "roundDetails": []})
    close(spec, 1, DIRTY, more=True)
    assert review(spec)["currentRound"] == 5
    put(spec, documentReview={"currentRound": "x", "roundDetails": []})
    close(spec, 1, DIRTY, more=True)
    assert review(spec)["currentRound"] == 1


@pytest.mark.parametrize("held", [None, 3, {"a": 1}, "x"])
def test_what_is_no_list_of_rounds_gives_way(spec: Folder, held: object) -> None:
    put(spec, documentReview={"roundDetails": held, "kept": True})
    close(spec, 3, CLEAN, more=False)
    assert review(spec) == {"roundDetails": [entry(3, CLEAN)], "kept": True}


def test_a_round_that_is_no_object_gives_way(spec: Folder) -> None:
    put(spec, documentReview={"roundDetails": ["junk", "junk"]})
    close(spec, 2, CLEAN, more=False)
    assert review(spec)["roundDetails"] == ["junk", entry(2, CLEAN)]


def test_of_two_entries_of_a_round_the_last_one_is_written(spec: Folder) -> None:
    put(spec, documentReview={"roundDetails": [{"roundNumber": 1}, {"roundNumber": 1}]})
    close(spec, 1, CLEAN, more=False)
    assert review(spec)["roundDetails"] == [{"roundNumber": 1}, entry(1, CLEAN)]
    assert spec.state().rounds[-1].status == "reply_complete"


@pytest.mark.parametrize(("counts", "more"), [(DIRTY, True), (DIRTY, False), (CLEAN, True)])
def test_an_approval_by_the_agent_does_not_outlive_a_round_that_is_not_clean(
    spec: Folder, counts: Counts, more: bool
) -> None:
    put(spec, documentReview={"status": "approved"})
    said = close(spec, 1, counts, more)
    assert review(spec)["status"] == "in_progress"
    assert any("approved" in line for line in said)


def test_the_last_clean_round_leaves_the_status_to_the_approval(spec: Folder) -> None:
    put(spec, documentReview={"status": "resolved"})
    assert close(spec, 1, CLEAN, more=False) == ()
    assert review(spec)["status"] == "resolved"
    twice(spec, lambda: record.approve_review(spec, by_person=False))
    assert review(spec)["status"] == "approved"


@pytest.mark.parametrize("names", [("fixRequiredCount", "needsDiscussionCount"), ("fixRequired", "needsDiscussion")])
def test_other_numbers_of_the_agent_are_told(spec: Folder, names: tuple[str, str]) -> None:
    put(spec, documentReview={"roundDetails": [{names[0]: 0, names[1]: 1}]})
    assert close(spec, 1, DIRTY, more=True) == (f"round 1: spec.json had {names[0]} 0, counted 2",)
    assert spec.state().rounds[0].claim == DIRTY
    assert names[0] != "fixRequiredCount" or close(spec, 1, DIRTY, more=True) == ()


def test_a_persons_approval_is_noted_as_theirs(spec: Folder) -> None:
    record.approve_review(spec, by_person=True)
    assert review(spec) == {"status": "approved", "approvedBy": "person"}


def test_approved_phases_are_generated_too_and_others_need_no_approval(spec: Folder) -> None:
    twice(spec, lambda: record.approve_phases(spec, ["requirements", "design", "impl"]))
    approvals: Any = spec.value()["approvals"]
    assert approvals["requirements"] == approvals["design"] == {"generated": True, "approved": True}
    assert approvals["tasks"] == {"generated": False, "approved": False}
    assert "impl" not in approvals


@pytest.mark.parametrize(
    ("phase", "reached"),
    [
        ("requirements", "requirements-generated"),
        ("design", "design-generated"),
        ("tasks", "tasks-generated"),
        ("impl", "implementation-complete"),
        ("inspection", "inspection-complete"),
        ("deploy", "deploy-complete"),
    ],
)
def test_a_finished_phase_is_said_so(spec: Folder, phase: str, reached: str) -> None:
    put(spec, phase="something nobody knows")
    twice(spec, lambda: record.finish_phase(spec, phase))
    assert spec.state().phase == reached
    assert spec.state().approvals.get(phase, (False, False))[0] is (phase in record.DOCUMENTS)


def test_a_phase_never_goes_back_and_one_that_is_ahead_is_told(spec: Folder) -> None:
    put(spec, phase="inspection-complete")
    assert record.finish_phase(spec, "design") == (
        "the phase was 'inspection-complete' already, beyond 'design-generated'",
    )
    assert spec.state().phase == "inspection-complete"
    assert spec.state().approvals["design"].generated


@pytest.mark.parametrize(("phase", "word"), [("analyze", "analyzed"), ("fix", "fixed"), ("verify", "verified")])
def test_a_bug_without_a_state_gets_one(tmp_path: Path, phase: str, word: str) -> None:
    bug = create(tmp_path, "crash", "", "en", bug=True)
    bug.state_file.unlink()
    twice(bug, lambda: record.finish_phase(bug, phase))
    assert (bug.state().phase, bug.state().feature_name) == (word, "crash")


def test_inspections_are_appended_and_completed(spec: Folder) -> None:
    twice(spec, lambda: record.record_inspection(spec, 1, "nogo", "t1", None))
    twice(spec, lambda: record.record_inspection(spec, 1, "nogo", "t9", "t2"))
    twice(spec, lambda: record.record_inspection(spec, 2, "go", "t3", None))
    assert spec.value()["inspection"] == {
        "rounds": [
            {"number": 1, "result": "nogo", "inspectedAt": "t1", "fixedAt": "t2"},
            {"number": 2, "result": "go", "inspectedAt": "t3"},
        ]
    }


def test_a_foreign_shape_of_inspections_keeps_its_keys(spec: Folder) -> None:
    details = [{"roundNumber": 1, "passed": False}]
    put(spec, inspection={"status": "x", "rounds": 1, "roundDetails": details})
    record.record_inspection(spec, 2, "go", "t", None)
    assert spec.value()["inspection"] == {
        "status": "x", "rounds": [{"number": 2, "result": "go", "inspectedAt": "t"}], "roundDetails": details,
    }  # fmt: skip


def test_another_verdict_of_the_agent_is_told(spec: Folder) -> None:
    put(spec, inspection={"rounds": [{"number": 1, "result": "go", "extra": 1}]})
    assert record.record_inspection(spec, 1, "nogo", "t", None) == (
        "inspection 1: spec.json had 'go', the report says 'nogo'",
    )
    assert spec.value()["inspection"] == {"rounds": [{"number": 1, "result": "nogo", "extra": 1, "inspectedAt": "t"}]}
