"""Every entry of a journal is one sentence, whatever is in it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.app.sentences import next_step, role_name, sentence, why
from shiage.cli.telling import told
from shiage.domain.reasons import REASONS, next_action
from shiage.journal.entry import Entry

Made = Callable[..., Entry]


@pytest.mark.parametrize(
    ("event_type", "content", "said"),
    [
        ("RUN_STARTED", {"mode": "auto", "by": "person"}, "run started (person)"),
        ("RUN_STARTED", {"mode": "step", "phase": "design"}, "one pass of design started"),
        ("PHASE_REFUSED", {"phase": "impl", "reason": "not-permitted"}, "impl: not permitted, not begun"),
        (
            "PHASE_REFUSED",
            {"phase": "deploy", "reason": "not-permitted", "optional": True},
            "deploy: not asked for, so the run ends here",
        ),
        (
            "ATTEMPT_STARTED",
            {"attempt": 3, "agent": "claude", "order": {"phase": "design", "role": "author"}},
            "design: author starts (attempt 3, claude)",
        ),
        (
            "ATTEMPT_EXITED",
            {"attempt": 3, "outcome": {"ending": "failed", "cause": "crashed", "detail": "Ended with exit code 2."}},
            "attempt 3 failed (crashed): Ended with exit code 2.",
        ),
        (
            "ATTEMPT_WAITS",
            {"cause": "transient", "detail": "overload", "until": 1767323045.0},
            "waits until 03:04Z (transient): overload",
        ),
        ("ATTEMPT_WAITS", {"cause": "x", "detail": "y", "until": 1e18}, "waits until ? (x): y"),
        (
            "ROUND_COMPLETED",
            {"phase": "document-review", "round": 2, "fixRequired": 3, "needsDiscussion": 1},
            "document-review: round 2 closed, fix 3, discuss 1",
        ),
        ("ROUND_COMPLETED", {"phase": "inspection", "round": 1, "verdict": "nogo"}, "inspection: round 1 says NOGO"),
        ("IMPL_RERUN", {"rerun": 2, "max": 7, "open": ["1", "2.1"]}, "impl runs again (2/7): open tasks 2"),
        ("IMPL_RERUN", {"rerun": 2, "max": 7, "open": []}, "impl runs again (2/7): tasks.md has no task to count"),
        (
            "QUALITY_JUDGMENT",
            {"iteration": 1, "judgment": "REJECT", "criteria_failed": ["Q2", "Q3"]},
            "iteration 1: REJECT Q2, Q3",
        ),
        (
            "REJECTION_DETAILS",
            {"issues_detected": [{"location": "a.py:3", "criteria_id": "Q3", "rule": "omission", "quote": "残り"}]},
            'rejected: a.py:3  Q3 omission  "残り"',
        ),
        (
            "RUN_PAUSED",
            {"phase": "impl", "reason": "stopped"},
            "impl: paused, on request (stopped). Next: run `shiage run login`",
        ),
        ("SOMETHING_NEW", {}, "SOMETHING_NEW"),
        ("APPROVED", {"phase": None}, ": approved by a person"),
    ],
)  # fmt: skip
def test_an_entry_is_a_sentence(entry: Made, event_type: str, content: dict[str, object], said: str) -> None:
    assert sentence("en", "login", entry(event_type, **content)) == said


def test_only_the_first_findings_are_named(entry: Made) -> None:
    issues = [{"location": f"a.py:{n}", "description": "empty"} for n in range(5)]
    said = sentence("en", "login", entry("REJECTION_DETAILS", issues_detected=issues))
    assert said == "rejected: a.py:0  empty; a.py:1  empty; a.py:2  empty +2"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, min_value=0, max_value=1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["reason", "open", "issues_detected", "until", "order", "outcome", "role", "phase", "mode"])
TYPES = st.sampled_from(["RUN_PAUSED", "REJECTION_DETAILS", "IMPL_RERUN", "ATTEMPT_EXITED", "ATTEMPT_WAITS", "X"])


@given(TYPES, st.dictionaries(NAMES, VALUES), st.sampled_from(["en", "ja"]))
def test_whatever_stands_in_an_entry_it_can_be_told(event_type: str, content: dict[str, object], language: str) -> None:
    made = Entry(1, event_type, "2026-01-02T03:04:05.000Z", "summary", "r-1", content, "")
    assert isinstance(sentence(language, "login", made), str)


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_the_english_next_action_is_that_of_the_domain(reason: str) -> None:
    values = {"spec": "login", "phase": "impl", "path": "design.md"}
    assert next_step("en", reason, **values) == next_action(reason, **values)


def test_the_japanese_next_action_names_a_file_even_when_none_is_known() -> None:
    assert next_step("ja", "spec-unreadable", spec="login", phase="") == "そのファイル を直してから `shiage run login`"


def test_an_unknown_reason_or_role_is_shown_as_it_is() -> None:
    assert (next_step("en", "no-such", spec="a", phase=""), why("en", "no-such"), role_name("en", "x")) == (
        "",
        "no-such",
        "x",
    )


def test_a_line_of_the_log_has_time_spec_and_a_harmless_sentence(entry: Made) -> None:
    line = told("login", entry("ANSWERED", text="a\x1b[2J\nb"))
    assert line == "2026-01-02T03:04:05Z  login  answered: a b"
