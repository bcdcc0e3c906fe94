"""The Goal Drift Guard as a classifier: admissions are caught, ordinary language is left alone."""

import time
import tomllib
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.judge.drift import evaluate
from shiage.judge.drift.demands import MAX_DEMANDS

BESIDE = "Changed src/app.py and tests/test_app.py; 12 passed."  # evidence, so that claims alone decide nothing


def failed(report: str, request: str = "") -> set[str]:
    results, findings = evaluate(report, request)
    broken = {result.criteria_id for result in results if not result.passed}
    assert broken == {found.criteria_id for found in findings}
    return broken


CORPUS = tomllib.loads((Path(__file__).parents[2] / "corpus" / "drift.toml").read_text(encoding="utf-8"))
CAUGHT = {criterion: said["en"] + said["ja"] for criterion, said in CORPUS["caught"].items()}
LEFT_ALONE = [words for said in CORPUS["plain"].values() for words in said["en"] + said["ja"]]
CLAIMS = CORPUS["claims"]["en"] + CORPUS["claims"]["ja"]


@pytest.mark.parametrize(("criterion", "words"), [(k, w) for k, words in CAUGHT.items() for w in words])
def test_an_admission_is_caught_even_beside_evidence(criterion: str, words: str) -> None:
    assert criterion in failed(f"{BESIDE}\n\n{words}")


@pytest.mark.parametrize("words", LEFT_ALONE)
def test_ordinary_language_passes_every_criterion(words: str) -> None:
    assert failed(words) == set()


@pytest.mark.parametrize("words", CLAIMS)
def test_a_claim_of_completion_without_evidence_is_early(words: str) -> None:
    assert "GD2" in failed(f"I changed the reader.\n\n{words}")
    assert "GD2" in failed(words)


@pytest.mark.parametrize("words", CLAIMS)
def test_a_claim_beside_evidence_is_believed(words: str) -> None:
    assert failed(f"{BESIDE}\n\n{words}") == set()


def test_a_claim_is_not_believed_where_the_report_admits_the_contrary() -> None:
    assert failed(f"{BESIDE} I did not implement the export.\n\nAll done!") == {"GD2", "GD4"}


@pytest.mark.parametrize("framed", CORPUS["framed"], ids=lambda framed: framed["criterion"] + framed["tongue"])
def test_every_phrase_is_caught_in_every_frame(framed: dict[str, list[str]]) -> None:
    said = [frame.format(phrase) for frame, phrase in product(framed["frames"], framed["phrases"])]
    assert [words for words in said if framed["criterion"] not in failed(words)] == []


ADMISSIONS = [words for criterion in CAUGHT.values() for words in criterion]
QUOTING = [
    "> {}",
    "```\n{}\n```",
    "~~~text\n{}\n~~~",
    "Removed the comment `{}` from the source.",
    "「{}」という文を消した。",
]


@pytest.mark.parametrize("frame", QUOTING)
def test_a_quotation_is_nobodys_admission(frame: str) -> None:
    caught = [words for words in ADMISSIONS if "「" not in words and failed(frame.format(words))]
    assert caught == []


@pytest.mark.parametrize(
    ("report", "line"),
    [
        ("Later is now.\n```\ncode\n```\n", None), ("```py\n1\n```\nThe tests will be added later.\n", 4), ("The tests will be added later.\n```py\n1\n```\n", 1),
        ("The tests will be added later.\n```\n1\n```\n", 1), ("~~~\n```\nThe tests will be added later.\n~~~\n", None), ("````\n```\nThe tests will be added later.\n````\n", None),
        ("- ```\n  The tests will be added later.\n  ```\n- The tests will be added later.\n", 4), ("Removed 'the tests will be added later' from it.", None),
        ("It's said that the tests will be added later, isn't it", 1), ("`a` and ``the tests will be `b` added later`` too", None), ("`a` the tests will be added later `b`", 1),
    ],
)  # fmt: skip
def test_what_stands_beside_a_quotation_is_the_agents_own_word(report: str, line: int | None) -> None:
    assert [found.line for found in evaluate(report)[1]] == ([line] if line else [])


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert failed("```\nThe tests will be added later.") == {"GD5"}


def test_a_finding_names_line_rule_quote_and_remedy() -> None:
    _, findings = evaluate("Added `src/a.py`.\n\n- Parser: done\n- The **tests** will be\n  added later.\n")
    (found,) = findings
    assert (found.criteria_id, found.rule, found.line) == ("GD5", "put-off", 4)
    assert found.quote == "The **tests** will be added later"
    assert found.description and found.suggestion


def test_a_letter_that_grows_in_lower_case_moves_no_quotation() -> None:
    (found,) = evaluate("İİİİ is there. The tests will be added later.")[1]
    assert found.quote == "The tests will be added later"


def test_every_criterion_has_a_result_in_order() -> None:
    results, findings = evaluate("")
    assert [result.criteria_id for result in results] == ["GD1", "GD2", "GD3", "GD4", "GD5"]
    assert all(result.passed for result in results) and findings == ()


def test_carriage_returns_count_as_line_ends() -> None:
    assert evaluate("One.\r\nTwo.\r\n- Tests will be added later.\r\n")[1][0].line == 3
    assert evaluate("One.\rTwo.\r- Tests will be added later.\r")[1][0].line == 3


REQUEST = (
    "Please do this:\n1. Add a login endpoint\n2. Add a logout endpoint\n3. Describe `settings.toml` in the README\n"
)
JA_REQUEST = (
    "以下を実装してください。\n- ユーザー認証の追加\n- パスワード再設定\n- 監査ログの出力\n"
    "## 背景\n- 社内システムです\n"
)
ACCOUNTED = [
    ("1. login works\n2. logout works\n3. README describes it", REQUEST),
    ("src/app.py: login and logout routes. README.md has the settings.", REQUEST),
    ("1. src/a.py ✅\n2. src/b.py ✅\n3. doc.md ✅", REQUEST),
    ("- ログインを追加\n- ログアウトを追加\n- 説明を追記\n", REQUEST),
    ("- ユーザー認証を追加\n- パスワードの再設定に対応\n- 監査ログを出力", JA_REQUEST),
    ("- Users sign in\n- Passwords can be reset\n- An audit trail is written", JA_REQUEST),
    ("Reader fixed.", "Fix the bug in the reader."),
    ("Reader fixed.", "- Fix the reader\n- Do not touch the writer\n- 設定は変更しない"),
    ("Reader fixed.", "- Fix the reader\n\n```\n- no demand\n```\n"),
    ("Reader fixed.", "- Fix the reader\nContext:\n- Python 3.11 is used\n"),
    ("Crash and leak are gone.", "- Reader:\n  - fix the crash\n  - fix the leak\n"),
    ("CI is green.", "- Fix CI\n- do it\n"),
    ("Sorted.", "① Sort the rows"),
    ("Organization of files is there.", "- Organise imports"),
    ("利用者認証を入れました。", "- 認証基盤の追加"),
]
FORGOTTEN = [
    (
        "Added the login endpoint.",
        REQUEST,
        "demand-unmentioned",
        ["Add a logout endpoint", "Describe `settings.toml` in the README"],
    ),
    ("login\nREADME\n- logout: not implemented", REQUEST, "demand-not-done", ["Add a logout endpoint"]),
    ("- [x] login\n- [ ] logout\n- [x] README", REQUEST, "demand-not-done", ["Add a logout endpoint"]),
    ("1. login\n2. README", REQUEST, "demand-unmentioned", ["Add a logout endpoint"]),
    ("1. login\n2. the weather was fine today\n3. README", REQUEST, "demand-unmentioned", ["Add a logout endpoint"]),
    ("- ユーザー認証を追加\n- 監査ログを出力", JA_REQUEST, "demand-unmentioned", ["パスワード再設定"]),
    ("ユーザー認証、監査ログ。\nパスワード再設定は未対応", JA_REQUEST, "demand-not-done", ["パスワード再設定"]),
    (
        "- one thing\n- another",
        JA_REQUEST,
        "demand-unmentioned",
        ["ユーザー認証の追加", "パスワード再設定", "監査ログの出力"],
    ),
    ("", "- Fix the reader", "demand-unmentioned", ["Fix the reader"]),
    ("パスコードを表示", "- パスワードの変更", "demand-unmentioned", ["パスワードの変更"]),
    ("Crash gone.", "- Reader:\n  - fix the crash\n  - fix the leak\n", "demand-unmentioned", ["fix the leak"]),
]


@pytest.mark.parametrize(("report", "request_text"), ACCOUNTED)
def test_a_report_that_takes_up_every_demand_passes(report: str, request_text: str) -> None:
    assert "GD3" not in failed(report, request_text)


@pytest.mark.parametrize(("report", "request_text", "rule", "demands"), FORGOTTEN)
def test_a_forgotten_demand_is_named(report: str, request_text: str, rule: str, demands: list[str]) -> None:
    found = [one for one in evaluate(report, request_text)[1] if one.criteria_id == "GD3"]
    assert [one.quote for one in found] == demands
    assert {one.rule for one in found} == {rule}


def test_a_request_with_too_many_demands_is_not_passed_unread() -> None:
    wanted = "".join(f"- Add part{number}\n" for number in range(MAX_DEMANDS + 1))
    assert [one.rule for one in evaluate(wanted, wanted)[1]] == ["too-much-to-judge"]


def test_a_report_with_too_many_triggers_is_not_passed_unread() -> None:
    report = "".join(f"Nothing of part{number} was deferred.\n\n" for number in range(600))
    assert [(one.criteria_id, one.rule) for one in evaluate(report)[1]] == [("GD5", "too-much-to-judge")]


def test_findings_of_one_rule_are_bounded() -> None:
    assert len(evaluate("The tests will be added later.\n\n" * 50)[1]) == 10


MEGABYTE = 1_000_000
HOSTILE = [
    *"a`\"'*#.\n1漢\0",
    *(
        "if needed ",
        "nothing was deferred. ",
        "instead of i ",
        "後で",
        "` `` ``` ",
        "Done. ",
        "- ",
        "[ ] \n",
        "\n ",
        "no ",
        "```\n",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_megabyte_is_judged_in_linear_time(piece: str) -> None:
    report = (piece * MEGABYTE)[:MEGABYTE] if len(piece) == 1 else piece * (MEGABYTE // len(piece))
    assert min(_seconds(report) for _ in range(2)) < 1.0  # 0.1 to 0.3 s on an idle machine; quadratic takes minutes


def _seconds(report: str) -> float:
    start = time.process_time()
    evaluate(report, "- Add the parser\n- Fix ログイン認証")
    return time.process_time() - start


@given(st.text(alphabet=st.sampled_from("a b\n`~>-*1.\"'「」。\r\0İ later done 後で\ud800")), st.text())
def test_any_text_is_judged_with_lines_inside_it(report: str, request_text: str) -> None:
    results, findings = evaluate(report, request_text)
    assert len(results) == 5
    assert all(
        found.line is None or 1 <= found.line <= report.count("\n") + report.count("\r") + 1 for found in findings
    )
