"""Every shape that occurs is read; a wrong type is a missing value."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.domain.run import Counts
from shiage.specs.state import Approval, InspectionRecord, RoundRecord, SpecState, read_state

KEYS = "documentReview roundDetails status inspection rounds approvals autoExecution passed permissions impl worktree"
MORE = "roundNumber round number result fixRequired phase"
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(f"{KEYS} {MORE}".split()), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["documentReview", "inspection", "approvals", "autoExecution", "phase"]), JUNK))
@settings(max_examples=60, deadline=None)
def test_any_object_is_a_state(value: dict[str, object]) -> None:
    state = read_state(value)
    assert all(isinstance(each, bool) for each in state.permissions.values())
    assert all(each.number >= 0 for each in state.rounds)
    assert all(each.result in ("go", "nogo", "") for each in state.inspections)


def test_nothing_is_the_beginning() -> None:
    assert read_state({}) == SpecState()


def test_the_plain_parts_are_read() -> None:
    state = read_state(
        {
            "feature_name": "login",
            "language": "ja",
            "phase": "validated",
            "approvals": {"design": {"generated": True, "approved": 1}, "tasks": True},
            "documentReview": {"status": "approved"},
            "worktree": {"path": "wt", "branch": "b", "created_at": 3},
        }
    )
    assert (state.feature_name, state.language, state.phase, state.review_status) == (
        "login",
        "ja",
        "validated",
        "approved",
    )
    assert state.approvals == {"design": Approval(True, False), "tasks": Approval(False, False)}
    assert state.worktree == {"path": "wt", "branch": "b"}
    assert read_state({"bug_name": "crash"}).feature_name == "crash"


def test_only_a_clear_word_permits() -> None:
    words = {"a": True, "b": False, "c": "run", "d": "skip", "e": "pause", "f": "perhaps", "g": None, "h": 1, "i": []}
    state = read_state(
        {"autoExecution": {"permissions": words, "documentReviewFlag": "run", "inspectionFlag": "pause"}}
    )
    assert state.permissions == {
        "document-review": True, "inspection": False, "a": True, "b": False, "c": True, "d": False, "e": False,
        "f": False, "h": False, "i": False,
    }  # fmt: skip


def test_a_permission_beats_an_older_flag() -> None:
    auto = {"permissions": {"inspection": True}, "inspectionFlag": "pause"}
    assert read_state({"autoExecution": auto}).permissions == {"inspection": True}


def test_rounds_of_all_times_are_read() -> None:
    first = {"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 2, "needsDiscussionCount": 0}
    dates = {"reviewCompletedAt": "2026-01-01", "replyCompletedAt": "2026-01-02"}
    rows = [
        {**first, **dates, "fixApplied": True, "fixRequired": 9},
        {"round": 2, "fixRequired": 1, "needsDiscussion": "x", "fixStatus": "applied"},
        {"status": 3, "fixRequired": True, "needsDiscussion": -1},
        "junk",
    ]
    assert read_state({"documentReview": {"roundDetails": rows}}).rounds == (
        RoundRecord(1, "reply_complete", 2, 0, "2026-01-01", "2026-01-02", fix_applied=True),
        RoundRecord(2, fix=1, fix_applied=True),
        RoundRecord(3),
        RoundRecord(4),
    )


def test_a_claim_needs_one_number_at_least() -> None:
    assert RoundRecord(1).claim is None
    assert RoundRecord(1, fix=2).claim == Counts(2, 0)
    assert RoundRecord(1, discuss=1).claim == Counts(0, 1)


@pytest.mark.parametrize(
    ("value", "records"),
    [
        (
            {
                "rounds": [
                    {"number": 2, "result": "go", "inspectedAt": "a"},
                    {"result": "nogo", "fixedAt": "b"},
                    {"result": 1},
                ]
            },
            (InspectionRecord(2, "go", "a"), InspectionRecord(2, "nogo", "", "b"), InspectionRecord(3)),
        ),
        (
            {
                "status": "x",
                "rounds": 2,
                "roundDetails": [{"roundNumber": 1, "passed": False}, {"roundNumber": 2, "passed": True}],
            },
            (InspectionRecord(1, "nogo"), InspectionRecord(2, "go")),
        ),
        ({"passed": True, "inspected_at": "a", "report_file": "inspection-1.md"}, (InspectionRecord(1, "go", "a"),)),
        ({"rounds": [{"number": 1, "result": "NO-GO"}]}, (InspectionRecord(1, "nogo"),)),
        ({"passed": "yes"}, (InspectionRecord(1),)),
        ([], ()),
    ],
)
def test_inspections_of_all_shapes_are_read(value: object, records: tuple[InspectionRecord, ...]) -> None:
    assert read_state({"inspection": json.loads(json.dumps(value))}).inspections == records
