"""What the Goal Drift Guard shows: each rule's finding, and the results that sum them up."""

import pytest

from shiage.domain.verdict import CriterionResult, Finding
from shiage.judge.drift import evaluate

HANDED_BACK = ("Work is handed back instead of being done", "Decide, do it, and say what was done")
TOO_EARLY = ("The work is called finished before it is", "Finish what was asked and show what proves it")
SMALLER = ("Less was done than asked", "Do all that was asked, as it was asked")
PUT_OFF = ("Demanded work is put off", "Do it now; nothing that was asked may be left for later")
SHOWN = [
    ("GD1", "escape-phrase", "You can add tests if needed", HANDED_BACK), ("GD1", "handed-back", "The validation is left to you", HANDED_BACK),
    ("GD1", "escape-phrase", "必要に応じてテストを追加してください", HANDED_BACK), ("GD1", "handed-back", "認証はお任せします", HANDED_BACK),
    ("GD2", "partial-called-done", "This is just a skeleton", TOO_EARLY), ("GD2", "stopped-for-now", "It works for now", TOO_EARLY), ("GD2", "stopped-for-now", "とりあえず実装しました", TOO_EARLY),
    ("GD4", "scope-reduced", "I built a simplified parser", SMALLER), ("GD4", "substituted", "We built a list instead of what you asked", SMALLER),
    ("GD4", "left-undone", "I skipped the export", SMALLER), ("GD4", "scope-reduced", "部分的に実装しました", SMALLER), ("GD5", "put-off", "The tests will be added later", PUT_OFF), ("GD5", "put-off", "後ほど直します", PUT_OFF),
]  # fmt: skip
DEMAND = "Do it, then say in the report what was done for it"


@pytest.mark.parametrize(("criterion", "rule", "said", "words"), SHOWN)
def test_a_finding_of_the_guard_is_shown_whole(criterion: str, rule: str, said: str, words: tuple[str, str]) -> None:
    end = "." if said.isascii() else "。"
    _, findings = evaluate(f"Changed src/app.py; 12 passed.\n\n{said}{end}")
    assert findings == (Finding(criterion, rule, "", 3, said, *words),)


def test_a_claim_or_a_forgotten_demand_is_shown_whole() -> None:
    claim = Finding(
        "GD2", "claim-without-evidence", "", 1, "All done", "Completion is claimed without anything that proves it", "Name the files changed and the checks that passed",
    )  # fmt: skip
    assert evaluate("All done!")[1] == (claim,)
    said = "Demand in line 2 of the request is {}: Add the export"
    forgotten = Finding("GD3", "demand-unmentioned", "", None, "Add the export", said.format("not accounted for in the report"), DEMAND)  # fmt: skip
    assert evaluate("a", "Please:\n- Add the export")[1] == (forgotten,)
    undone = Finding("GD3", "demand-not-done", "", None, "Add the export", said.format("reported as not done"), DEMAND)
    assert evaluate("- [ ] export", "Please:\n- Add the export")[1] == (undone,)


def test_too_much_to_judge_is_shown_whole() -> None:
    wanted = "".join(f"- Add part{number}\n" for number in range(501))
    says = ("There is more here than can be judged", "Report briefly, one line for each demand")
    assert evaluate("a", wanted)[1] == (Finding("GD3", "too-much-to-judge", "", 1, "Add part500", *says),)


def test_a_result_of_the_guard_counts_its_findings_and_quotes_the_first() -> None:
    results, _ = evaluate("You can add tests if needed. The rest is up to you.")
    assert results == (
        CriterionResult("GD1", False, "2 found, the first: You can add tests if needed"), CriterionResult("GD2", True, "no early completion"),
        CriterionResult("GD3", True, "every demand accounted for"), CriterionResult("GD4", True, "scope kept"), CriterionResult("GD5", True, "nothing put off"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "report",
    ["Nothing was deferred", "No tests were deferred", "We never deferred it", "None of the pages was deferred", "Neither page nor test was deferred", "I haven't deferred it", "Zero pages are deferred", "The tests were not deferred", "It has never been put off", "Deferred: none", "Deferred: nothing", "Deferred = 0",
     "後回しにしたものはありません", "後回しにはしていません", "後回しにせずに直した", "後回しはゼロ", "後回しは0件", "後回しではなく今直した", "後回しなし"],
)  # fmt: skip
def test_what_is_denied_is_not_said(report: str) -> None:
    assert evaluate(report)[1] == ()


@pytest.mark.parametrize(
    "report",
    ["Nothing fails, but the tests were deferred", "It is not fast and the tests were deferred", "No time, so it was deferred", "It never ended because it was deferred", "後回しにしたため、問題はありません", "後回しにしたので、残っていません"],
)  # fmt: skip
def test_what_is_denied_elsewhere_in_a_sentence_is_said(report: str) -> None:
    assert [found.criteria_id for found in evaluate(report)[1]] == ["GD5"]


@pytest.mark.parametrize(
    ("report", "line", "quote"),
    [("One. The tests will be added later. Two.", 1, "The tests will be added later"), ("One\n- The tests will be added later\n- Two", 2, "The tests will be added later"), ("One\n\n1. The tests will be added later\n", 3, "The tests will be added later"),
     ("- [x] The tests will be added later", 1, "The tests will be added later"), ("It works, however the tests will be added later", 1, "the tests will be added later"), ("動きますが、テストは後で追加します。終わり", 1, "テストは後で追加します"),
     ("| a | The tests will be added later |", 1, "a | The tests will be added later |"), ("Really? The tests will be added later! Two", 1, "The tests will be added later")],
)  # fmt: skip
def test_the_clause_around_a_phrase_is_quoted(report: str, line: int, quote: str) -> None:
    ((found_line, found_quote),) = [(found.line, found.quote) for found in evaluate(report)[1]]
    assert (found_line, found_quote) == (line, quote)


@pytest.mark.parametrize(
    "heading",
    ["Context", "Background", "Notes", "Out of scope", "Non-goals", "Examples", "References", "Environment", "Constraints", "Rules", "背景", "参考", "例", "対象外", "前提", "制約", "注意", "環境", "ルール", "備考"],
)  # fmt: skip
def test_points_under_such_a_heading_are_no_demands(heading: str) -> None:
    assert evaluate("Reader fixed.", f"- Fix the reader\n\n## {heading}\n- Python is used\n")[1] == ()
    (found,) = evaluate("Reader fixed.", f"- Fix the reader\n\n## {heading}\n- Python\n\n## Tasks\n- Add exports\n")[1]
    assert found.quote == "Add exports"


@pytest.mark.parametrize("point", ["Do not touch it", "Don't sort rows", "Never sort rows", "You must not sort rows", "It should not sort rows", "No sorting", "Avoid sorting", "Works without sorting", "並び替えはしない", "並び替え禁止", "並び替え不要"])  # fmt: skip
def test_a_prohibition_is_no_demand(point: str) -> None:
    assert evaluate("Reader fixed.", f"- Fix the reader\n- {point}")[1] == ()


@pytest.mark.parametrize(
    "mark", ["- ", "* ", "+ ", "• ", "・ ", "- [ ] ", "- [x] ", "1. ", "2) ", "(3) ", "（4）", "① ", "    - "]
)
def test_each_kind_of_point_is_a_demand(mark: str) -> None:
    assert [found.quote for found in evaluate("a", f"{mark}Sort the rows")[1]] == ["Sort the rows"]


@pytest.mark.parametrize(
    "account",
    ["❌ export", "export: not done", "export not yet started", "export is not implemented", "export not finished", "export not completed", "export not addressed", "export skipped", "export deferred", "export omitted", "export pending", "[ ] export",
     "帳票は未実装", "帳票 未対応", "帳票 未着手", "帳票 未完了", "帳票はしていません", "帳票 できていません", "帳票 できませんでした"],
)  # fmt: skip
def test_a_demand_is_not_done_where_its_line_says_so(account: str) -> None:
    done, request = (
        ("- import", "- Import rows\n- Export them")
        if "export" in account
        else ("- 取込", "- 取込を追加\n- 帳票を出力")
    )
    assert [found.rule for found in evaluate(f"{done}\n- {account}", request)[1] if found.criteria_id == "GD3"] == [
        "demand-not-done"
    ]
