"""The labelled line decides; the words elsewhere do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.specs.inspections import MOST_FINDINGS, InspectionVerdict, findings, read_verdict

GO, NOGO, MANUAL, UNREADABLE = InspectionVerdict

FORMS = st.sampled_from(
    [
        "{}: {}",
        "- **{}**: {}",
        "**{}: {}** ✅",
        "## {}：{}",
        "> {} - {}",
        "1. {}: **{}**",
        "* {}: `{}` (after autofix)",
        "{}\n\n**{}**",
    ]
)
LABELS = st.sampled_from(
    ["Judgment", "判定", "DECISION", "Decision", "最終判定", "Overall Judgment", "判定結果", "Judgement"]
)
WORDS = st.sampled_from(
    [
        ("GO", GO),
        ("ＧＯ", GO),
        *((word, NOGO) for word in ("NOGO", "NO-GO", "NO GO", "No–Go")),
        *((word, MANUAL) for word in ("MANUAL_VERIFY_REQUIRED", "MANUAL VERIFY REQUIRED")),
    ]
)


@given(FORMS, LABELS, WORDS)
@settings(max_examples=60, deadline=None)
def test_every_way_of_writing_the_line_is_read(form: str, label: str, word: tuple[str, InspectionVerdict]) -> None:
    text = f"# Report\n\nNOGO or GO, who knows.\n\n{form.format(label, word[0])}\n\nGO NOGO\n"
    assert read_verdict(text) is word[1]


@given(st.text(st.sampled_from("Judgment判定: GONO-|/*_#\n<!->`"), max_size=150) | st.text(max_size=150))
@settings(max_examples=60, deadline=None)
def test_any_text_has_some_verdict(text: str) -> None:
    assert read_verdict(text) in InspectionVerdict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GO",
        "The judgment: GO",
        "Judgment criteria: GO needs all tests",
        "判定基準: GO",
        "The inspection ended with Judgment: GO.",
        "```\nJudgment: GO\n```",
        "<!--\nJudgment: GO\n-->",
        "    Judgment: GO",
        '"Judgment: GO" was asked for',
        "`Judgment: ` GO",
        "| Judgment | GO |\n|---|---|\n| Judgment: GO | x |",
        "Judgment: GO | NOGO",
        "DECISION: GO | NO-GO | MANUAL_VERIFY_REQUIRED",
        "Judgment: GO/NOGO",
        "Judgment: **NOGO** / **GO**",
        "判定: {GO または NOGO}",
        "Judgment: ",
        "Judgment: pending",
        "Judgment: GOOD",
        "Judgment: LGTM, ready to go",
        "判定: 条件付きGO",
        "Judgment: not GO",
        "Judgment: pending\n\nJudgment: GO",
    ],
)
def test_what_is_no_clear_labelled_line_is_unreadable(text: str) -> None:
    if text.startswith("`"):
        assert read_verdict(text) is not NOGO
        return
    assert read_verdict(text) is UNREADABLE


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Judgment: GO\n\n- Judgment: NOGO", NOGO),
        ("Judgment: NOGO\n\n- Judgment: GO", NOGO),
        ("Judgment: GO\n\nDECISION: MANUAL_VERIFY_REQUIRED", MANUAL),
        ("Judgment: MANUAL_VERIFY_REQUIRED\n\nJudgment: NOGO", NOGO),
        ("Judgment: GO\n\n### Tests\n\nJudgment: PASS", GO),
        ("Judgment: NOGO (GO once C1 is fixed)", NOGO),
        ("Judgment: GO (NOGO items were fixed)", NOGO),
        ("## 判定\n\n下記のとおり。\n\n- **判定**: GO", GO),
        ("Judgment: Go", GO),
        ("Judgment (final): GO", GO),
    ],
)
def test_of_several_words_the_worse_one_counts(text: str, verdict: InspectionVerdict) -> None:
    assert read_verdict(text) is verdict


def test_a_report_that_was_not_read_to_its_end_is_unreadable() -> None:
    assert read_verdict("Judgment: GO\n" + "\n" * 60_000) is UNREADABLE
    assert read_verdict("Judgment: GO\n\n" + "- " * 60 + "Judgment: NOGO\n") is UNREADABLE


def test_findings_are_headings_items_and_failed_rows_within_bounds() -> None:
    text = "# Report\n\nprose\n\n- a point\n\n| Id | Status |\n|---|---|\n| R1 | PASS |\n| R2 | **FAIL** |\n\n## Next\n"
    assert findings(text) == ("# Report", "- a point", "R2 | **FAIL**", "## Next")
    many = findings("\n".join(f"- {'x' * 1000}" for _ in range(200)))
    assert len(many) == MOST_FINDINGS
    assert max(map(len, many)) == 300
