"""Q6, and Q2 in words: what a report admits, and what it only mentions."""

import tomllib
from pathlib import Path

import pytest

from shiage.domain.verdict import Judgment
from shiage.judge import check

REPORTS = tomllib.loads((Path(__file__).parents[2] / "corpus" / "reports.toml").read_text(encoding="utf-8"))
DONE = {"src/app.py": "def go() -> int:\n    return 1\n"}


@pytest.mark.parametrize("report", REPORTS["admitted"])
def test_an_admission_is_rejected_with_its_words(report):
    verdict = check(report=f"Implemented most of it.\n{report}", after=DONE)
    assert verdict.criteria_failed == ("Q6",)
    assert verdict.findings[0].line == 2
    assert verdict.findings[0].quote in report


@pytest.mark.parametrize("report", REPORTS["honest"])
def test_an_honest_report_passes(report):
    assert check(report=report, after=DONE).findings == ()


@pytest.mark.parametrize(
    "words", ["これで完了です", "以上です。", "完了しました", "This completes the task.", "Done.", "That's all"]
)
def test_words_of_completion_decide_only_when_nothing_shows_it(words):
    assert check(report=words, after=DONE).judgment is Judgment.PASS
    assert check(report=words, after={}).criteria_failed == ("Q5", "Q6")


@pytest.mark.parametrize(
    "quoted",
    [
        "```\nI did not start X.\n```",
        "`I did not start X.`",
        "> I did not start X.",
        "“I did not start X.”",
        "「まだ未着手です」",
    ],
)
def test_quotations_are_not_admissions(quoted):
    assert check(report=f"The old log said:\n\n{quoted}\n\nIt is gone.", after=DONE).judgment is Judgment.PASS


@pytest.mark.parametrize(
    "said",
    [
        "TODO: write the docs",
        "- TODO: write the docs",
        "There is still a TODO left in the parser.",
        "TODO を後で残しました。",
        "1. FIXME: the parser",
    ],
)
def test_a_mark_that_a_report_leaves_open_is_a_finding(said):
    assert "Q2" in check(report=f"Added it.\n{said}", after=DONE).criteria_failed


def test_a_fence_is_judged_as_a_file_when_there_is_no_change():
    verdict = check(
        report="Here it is:\n\n```python\ndef go():\n    # 残り省略\n    pass\n```\n", after={}, request="Write go()"
    )
    assert verdict.criteria_failed == ("Q3",)
    assert (
        check(
            report="Here it is:\n\n```python\ndef go():\n    return 1\n```\n", after={}, request="Write a function"
        ).judgment
        is Judgment.PASS
    )


def test_a_fence_is_a_quotation_when_there_is_a_change():
    assert (
        check(report="Instead of\n```js\n// ... rest of the code\n```\nit is whole now.", after=DONE).judgment
        is Judgment.PASS
    )


def test_an_open_fence_in_a_delivery_is_still_judged():
    assert (
        check(report="```js\nfunction f() {\n  // 残り省略\n", after={}, request="Write f").judgment is Judgment.REJECT
    )


def test_the_users_own_words_of_completion_are_literal_text():
    settings = {"early_termination_patterns": ["fin.*"]}
    assert "Q6" not in check(report="finished", after={}, settings=settings).criteria_failed
    assert "Q6" in check(report="It is FIN.* now", after={}, settings=settings).criteria_failed


def places(report, **given):
    findings = check(report=report, after={}, request="Write it", **given).findings
    return [(one.criteria_id, one.path, one.line) for one in findings]


@pytest.mark.parametrize(
    ("info", "path", "body"),
    [
        ("python", "report#1.py", "# TODO: b"), ("js", "report#1.js", "// TODO: b"), ("sql", "report#1.sql", "-- TODO: b"), ("{.yaml}", "report#1.yaml", "# TODO: b"),
        ("rust title=a", "report#1.rs", "// TODO: b"), ("", "report#1", "# TODO: b"), ("made-up", "report#1", "# TODO: b"),
    ],
)  # fmt: skip
def test_a_delivered_fence_is_judged_in_its_language(info, path, body):
    assert places(f"Here:\n\n```{info}\nx\n{body}\n```\n", criteria=["Q2"]) == [("Q2", path, 2)]


def test_each_delivered_fence_is_a_file_and_empty_ones_are_none():
    report = (
        "A:\n```py\nx = 1\n```\nB:\n```\n\n```\n~~~py\ny = 1  # TODO: b\n~~~\n````py\n```\nz = 1  # FIXME: c\n````\n"
    )
    assert places(report, criteria=["Q2"]) == [("Q2", "report#2.py", 1), ("Q2", "report#3.py", 2)]
    assert places("```\n\n```\n", criteria=["Q5"]) == [("Q5", "", None)]


def test_json_in_a_fence_may_have_comments():
    assert places('```json\n{\n  // why\n  "a": 1,\n}\n```\n', criteria=["Q4"]) == []
    assert places('```json\n{ "a" 1 }\n```\n', criteria=["Q4"]) == [("Q4", "report#1.json", 1)]


@pytest.mark.parametrize(
    "said",
    ["`I did not start it.`", "``I did `not` start it.``", "\"I did not start it.\"", "“I did not start it.”", "「I did not start it.」", "『I did not start it.』", "'I did not start it.'", "> I did not start it.", "  > I did not start it.",
     "```\nI did not start it.\n```", "- ```\n  I did not start it.\n  ```", "~~~~\n~~~\nI did not start it.\n~~~~"],
)  # fmt: skip
def test_what_is_quoted_is_nobodys_word(said):
    assert check(report=f"It said:\n{said}\n", after=DONE, criteria=["Q6"]).findings == ()


@pytest.mark.parametrize(
    ("said", "quote"),
    [("It works. I did not start it. It ends.", "I did not start it."), ("It works! I did not start it", "I did not start it"), ("Really? I did not start it; it waits", "I did not start it"), ("動く。I did not start it。終わり", "I did not start it。"),
     ("don't worry, I did not start it's end", "don't worry, I did not start it's end"), ("The `a` and I did not start \"b\".", "The `a` and I did not start \"b\"."), ("`a I did not start it", "`a I did not start it"), ("**I did not start it**", "**I did not start it**")],
)  # fmt: skip
def test_an_admission_is_quoted_by_its_sentence(said, quote):
    findings = check(report=f"One.\n\n{said}\n", after=DONE, criteria=["Q6"]).findings
    assert [(one.path, one.line, one.quote) for one in findings] == [("report", 3, quote)]


def test_each_sentence_that_admits_something_is_a_finding_of_its_line():
    said = "I did not start it.\nI did not finish it. I skipped the rest of it.\n\nI deferred it."
    assert [one.line for one in check(report=said, after=DONE, criteria=["Q6"]).findings] == [1, 2, 4]
