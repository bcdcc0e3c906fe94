"""What a verdict shows: each rule's finding whole, its quote, its bounds, and what cannot be judged."""

from collections.abc import Iterator
from typing import Any

import pytest
from labelled import table

from shiage.domain.errors import UserError
from shiage.domain.verdict import CriterionResult, Finding, Judgment
from shiage.judge import EVALUATORS, JudgeSettings, TemplateEvaluator, check, evaluator_of, settings_from
from shiage.judge.checking import MAX_FINDINGS
from shiage.judge.findings import MAX_QUOTE, quote_of

DONE = {"src/app.py": "def go() -> int:\n    return 1\n"}
MARK = "x = 1  # TODO: more\n"


def _cases() -> Iterator[tuple[dict[str, Any], Finding]]:
    suggestion = ""
    for case in table("findings")["case"]:
        criterion, rule, path, line, quote = case.pop("finds")
        suggestion = case.pop("suggests", suggestion)
        case["after"] = case.get("after", {}) | dict.fromkeys(case.pop("deleted", ()))
        yield case, Finding(criterion, rule, path, line or None, quote, case.pop("says"), suggestion)


CASES = list(_cases())


@pytest.mark.parametrize(("given", "finding"), CASES, ids=[f"{one.rule}: {one.description}" for _, one in CASES])
def test_a_finding_says_what_is_wrong_where_and_what_to_do(given: dict[str, Any], finding: Finding) -> None:
    assert check(criteria=[finding.criteria_id], **given).findings == (finding,)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("\n  \n\tx\ty  \nz", "x y"),
        ("a\x1b[31m\0b", "a�[31m�b"),
        ("x" * MAX_QUOTE, "x" * MAX_QUOTE),
        ("x" * (MAX_QUOTE + 1), "x" * MAX_QUOTE + "…"),
        (" \n", ""),
    ],
)
def test_a_quote_is_one_short_printable_line(text: str, quote: str) -> None:
    assert MAX_QUOTE == 200
    assert quote_of(text) == quote


# ---------------------------------------------------------------- results


def test_a_result_names_the_first_finding_and_counts_the_others() -> None:
    verdict = check(after={"a.py": MARK}, criteria=["Q2", "Q3"])
    assert verdict.criteria_results == (
        CriterionResult("Q2", False, "comment-mark at a.py:1: TODO was left in the added text."),
        CriterionResult("Q3", True, ""),
    )
    (result,) = check(after={"a.py": MARK * 3}, criteria=["Q2"]).criteria_results
    assert result.details == "comment-mark at a.py:1: TODO was left in the added text. (and 2 more)"
    (result,) = check(report="I did it.", criteria=["Q5"]).criteria_results
    assert result.details == "no-change: Nothing was changed and nothing was delivered."


def test_findings_of_one_criterion_are_bounded() -> None:
    assert MAX_FINDINGS == 50
    for count in (49, 50, 51):
        assert len(check(after={"a.py": MARK * count}, criteria=["Q2"]).findings) == min(count, 50)


def test_one_line_has_one_finding_of_a_criterion() -> None:
    twice = check(after={"a.py": 'raise ValueError("TODO")  # TODO: more\n'}, criteria=["Q2"])
    assert [finding.line for finding in twice.findings] == [1]
    both = check(after={"a.py": MARK, "b.py": MARK}, criteria=["Q2"])
    assert [finding.place for finding in both.findings] == ["a.py:1", "b.py:1"]


def test_findings_without_a_line_are_told_apart_by_rule_and_quote() -> None:
    gone = {"tests/test_a.py": None, "tests/test_b.py": None}
    old = dict.fromkeys(gone, "def test_a():\n    assert go()\n")
    findings = check(after=gone, before=old, status="ERROR", criteria=["Q5"]).findings
    assert [(one.rule, one.path) for one in findings] == [
        ("status", ""), ("test-deleted", "tests/test_a.py"), ("test-deleted", "tests/test_b.py"),
    ]  # fmt: skip
    asked = check(after=DONE, request="Create a.py and b.py", criteria=["Q1"]).findings
    assert [one.quote for one in asked] == ["a.py", "b.py"]


def test_the_mandatory_criteria_are_asked_in_order_when_none_are_named() -> None:
    assert [one.criteria_id for one in check(after=DONE).criteria_results] == ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]
    chosen = check(after=DONE, settings={"criteria": {"mandatory": ["Q4", "Q2"]}})
    assert [one.criteria_id for one in chosen.criteria_results] == ["Q4", "Q2"]


def test_words_of_completion_need_the_evidence_of_criteria_that_are_not_enabled_too() -> None:
    assert check(report="Done.", criteria=["Q6"]).criteria_failed == ("Q6",)
    assert check(report="Done.", after=DONE, request="Create b.py", criteria=["Q6"]).criteria_failed == ("Q6",)
    assert check(report="Done.", after=DONE, criteria=["Q6"]).criteria_failed == ()
    assert check(report="Done.", criteria=["Q2"]).criteria_failed == ()


def test_a_report_has_one_finding_for_its_words_of_completion() -> None:
    assert [one.line for one in check(report="Done.\nDone.", criteria=["Q6"]).findings] == [1]


@pytest.mark.parametrize(
    ("given", "judgment"),
    [
        ({"report": "529 overloaded"}, Judgment.REJECT),
        ({"report": "Error: 529 overloaded", "status": "BLOCKED"}, Judgment.REJECT),
        ({"report": "Error: 529 overloaded", "status": "ERROR"}, Judgment.RETRY),
        ({"report": "Error: 529 overloaded" + "." * 1979, "status": "ERROR"}, Judgment.RETRY),
        ({"report": "Error: 529 overloaded" + "." * 1980, "status": "ERROR"}, Judgment.REJECT),
        ({"report": "timeout. Done.", "status": "ERROR"}, Judgment.RETRY),
        ({"report": None, "status": "ERROR"}, Judgment.REJECT),
        ({"report": "", "status": "ERROR"}, Judgment.REJECT),
        ({"report": "Error: 529", "status": "ERROR", "after": DONE, "request": "Create b.py"}, Judgment.REJECT),
        ({"report": "http 503", "status": "ERROR", "after": DONE}, Judgment.RETRY),
    ],
)
def test_only_a_short_error_that_passes_by_itself_is_tried_again(given: dict[str, Any], judgment: Judgment) -> None:
    assert check(**given).judgment is judgment


# ---------------------------------------------------------------- what cannot be judged


def test_a_criterion_that_breaks_has_not_passed() -> None:
    def broken(_: object) -> None:
        raise RuntimeError("no grammar")

    verdict = check(after={"a.go": "package a\n"}, criteria=["Q4"], ask=broken)
    assert verdict.judgment is Judgment.REJECT
    assert verdict.findings == (
        Finding("Q4", "criterion-error", "", None, "RuntimeError('no grammar')", "Q4 could not be judged.", "Report this as a fault of shiage."),
    )  # fmt: skip


def test_an_evaluator_that_breaks_has_not_passed() -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("out of tune")

    evaluators = (TemplateEvaluator("tune", "Tuner", broken),)
    verdict = check(report="It works.", after=DONE, template="tune", evaluators=evaluators)
    said = "Tuner failed: RuntimeError('out of tune')"
    assert verdict.judgment is Judgment.REJECT
    assert verdict.criteria_results[-1] == CriterionResult("tune", False, said)
    assert verdict.findings == (
        Finding("tune", "evaluator-error", "", None, "RuntimeError('out of tune')", said, "Repair the evaluator."),
    )


def test_an_evaluator_judges_report_and_request_of_its_own_template_alone() -> None:
    finding = Finding("X1", "too-loud")
    asked: list[tuple[str, str]] = []

    def loud(report: str, request: str) -> Any:
        asked.append((report, request))
        return [CriterionResult("X1", False)], [finding]

    evaluators = (TemplateEvaluator("loud", "Loudness", loud),)
    verdict = check(report="It works.", after=DONE, request="Fix it", template="loud", evaluators=evaluators)
    assert (verdict.judgment, verdict.criteria_failed, verdict.findings) == (Judgment.REJECT, ("X1",), (finding,))
    assert check(after=DONE, template="loud", evaluators=evaluators).criteria_failed == ("X1",)
    for other in (None, "", "LOUD", "goal_drift_guard"):
        assert check(report="It works.", after=DONE, template=other, evaluators=evaluators).criteria_failed == ()
    assert asked == [("It works.", "Fix it"), ("", "")]


def test_the_goal_drift_guard_is_the_evaluator_of_its_template() -> None:
    assert [row.template_id for row in EVALUATORS] == ["goal_drift_guard"]
    assert evaluator_of("goal_drift_guard") is EVALUATORS[0]
    assert EVALUATORS[0].name == "Goal Drift Guard Evaluator"
    assert evaluator_of("goal") is evaluator_of(None) is None
    results = check(report="It works.", after=DONE, template="goal_drift_guard").criteria_results
    assert [(one.criteria_id, one.details) for one in results[-5:]] == [
        ("GD1", "no work handed back"), ("GD2", "no early completion"), ("GD3", "every demand accounted for"),
        ("GD4", "scope kept"), ("GD5", "nothing put off"),
    ]  # fmt: skip


# ---------------------------------------------------------------- settings


def test_settings_that_name_nothing_are_the_built_in_ones() -> None:
    assert settings_from(None) == settings_from({}) == settings_from({"criteria": {}}) == JudgeSettings()
    own = JudgeSettings(marks=("HACK",))
    assert settings_from(own) is own
    assert JudgeSettings() == JudgeSettings(
        ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6"),
        ("...", "// 残り省略", "// etc.", "// 以下同様", "/* 省略 */", "// ...", "// remaining", "// and so on"),
        ("これで完了です", "以上です", "完了しました", "This completes", "Done.", "That's all"),
        ("TODO", "FIXME", "TBD"),
    )


def test_each_setting_is_read_from_its_key_and_empty_texts_are_dropped() -> None:
    given = {"criteria": {"mandatory": ["Q2", " "]}, "omission_patterns": ["...", "usw."], "early_termination_patterns": ("fin",), "marks": ["HACK", ""]}  # fmt: skip
    read = settings_from(given)
    assert read == JudgeSettings(("Q2",), ("...", "usw."), ("fin",), ("HACK",))
    assert read.own_omissions == ("usw.",)


@pytest.mark.parametrize(
    ("given", "key", "expected"),
    [
        ({"criteria": ["Q1"]}, "criteria", "an object with the lists mandatory and optional"),
        ({"criteria": {"mandatory": "Q1"}}, "criteria.mandatory", "a list of texts"),
        ({"omission_patterns": "..."}, "omission_patterns", "a list of texts"),
        ({"early_termination_patterns": [1]}, "early_termination_patterns", "a list of texts"),
        ({"marks": None}, "marks", "a list of texts"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_by_name(given: dict[str, Any], key: str, expected: str) -> None:
    with pytest.raises(UserError) as refused:
        settings_from(given)
    assert refused.value.code == "setting-invalid"
    assert str(refused.value) == f"review_loop.{key} must be {expected}"
    assert refused.value.help == f"correct `{key}` in the settings"


def test_own_marks_take_the_place_of_the_built_in_ones() -> None:
    given = {"after": {"a.py": "x = 1  # HACK: no lock\ny = 2  # TODO: more\n"}, "criteria": ["Q2"]}
    assert [one.quote for one in check(**given, settings={"marks": ["HACK"]}).findings] == ["x = 1  # HACK: no lock"]
    assert check(**given, settings={"marks": []}).findings == ()


def test_own_omissions_are_literal_and_count_outside_strings_and_in_any_case() -> None:
    given = {"criteria": ["Q3"], "settings": {"omission_patterns": ["und.so"]}}
    text = 'a = "und.so"\nb = 1  # UND.SO\nc = 1  # und so\n'
    assert [one.line for one in check(after={"a.py": text}, **given).findings] == [2]
    assert [
        one.line for one in check(after={"a.py": text + "# und.so\n"}, before={"a.py": text}, **given).findings
    ] == [4]


def test_without_marks_nothing_is_one() -> None:
    after = {"a.py": "x = 1  # TODO: b\n# fixme\n", "a.md": "TODO: b\n\n| TBD |\n"}
    verdict = check(report="There is a TODO left.", after=after, criteria=["Q2"], settings={"marks": []})
    assert verdict.findings == ()


def test_each_of_the_users_own_patterns_is_found_as_it_is_written() -> None:
    given = {"omission_patterns": ["<cut>", "// .*", "ETC!"]}
    text = "// <CUT>\nlet a = '<cut>'; // .* here\nlet b = 1; // etc!\nlet c = 2; // .a\n"
    found = check(after={"a.js": text}, criteria=["Q3"], settings=given).findings
    assert [(one.rule, one.line) for one in found] == [
        ("omission-pattern", 1),
        ("omission-pattern", 2),
        ("omission-pattern", 3),
    ]
