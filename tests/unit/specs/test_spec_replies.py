"""A reply counts what it says it leaves open; what cannot be counted is never taken for approval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.domain.run import Counts
from shiage.specs.replies import Point, count_reply, judged_points

ROWS = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=4)
DRESSES = st.sampled_from(["{}", "**{}**", " {} ", "{}件", "[{}](#w1)", "`{}`", "{} (W1, C-02)"])
HEADERS = {
    "en": ("Severity", "Issues", "Fix Required", "No Fix Needed", "Needs Discussion"),
    "ja": ("重要度", "指摘数", "要修正", "修正不要", "要議論"),
    "dressed": ("**Severity**", "**Issues**", "Fix Required ✅", "**No Fix Needed** ❌", "Needs Discussion ⚠️"),
}
HEADINGS = (
    "## Response Summary",
    "# 対応サマリー",
    "### 回答サマリ",
    "## 3. Response  summary",
    "Response Summary\n---",
)


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def table(rows: list[tuple[int, int, int]], headers: str = "en", dress: str = "{}", order: tuple[int, ...] = ()) -> str:
    """A summary table: fix, skip and discuss per row, the issues as their sum."""
    order = order or (0, 1, 2, 3, 4)
    names = ["Critical", "Warning", "Info", "重大"]
    full = [
        HEADERS[headers],
        *((name, fix + skip + talk, fix, skip, talk) for name, (fix, skip, talk) in zip(names, rows, strict=False)),
    ]
    lines = [
        [dress.format(cell) if at and line else cell for at, cell in enumerate(cells)]
        for line, cells in enumerate(full)
    ]
    drawn = [row(*(cells[at] for at in order)) for cells in lines]
    return "\n" + drawn[0] + row(*["---"] * len(order)) + "".join(drawn[1:])


@given(ROWS, st.sampled_from(sorted(HEADERS)), st.sampled_from(HEADINGS), DRESSES, st.permutations([1, 2, 3, 4]))
@settings(max_examples=60, deadline=None)
def test_a_summary_table_counts_what_was_put_in(
    rows: list[tuple[int, int, int]], headers: str, heading: str, dress: str, order: list[int]
) -> None:
    reply = count_reply(f"# Reply\n\n{heading}\n{table(rows, headers, dress, (0, *order))}\n")
    assert reply.counts == Counts(sum(fix for fix, _, _ in rows), sum(talk for _, _, talk in rows)), reply.problem
    assert (reply.problem, reply.differences) == ("", ())


@given(
    st.text(st.sampled_from("|-:# \nJudgment判定要修正*Fix Required0１件<!--`"), max_size=300) | st.text(max_size=200)
)
@settings(max_examples=80, deadline=None)
def test_any_text_gives_counts_or_a_reason(text: str) -> None:
    reply = count_reply(text, Counts(0, 0))
    assert (reply.counts is None) == bool(reply.problem)


@given(ROWS, st.integers(0, 3), st.sampled_from([-1, 1, 5]))
@settings(max_examples=60, deadline=None)
def test_issues_that_are_not_the_sum_are_uncertain(rows: list[tuple[int, int, int]], column: int, off: int) -> None:
    cells = [["Warning", fix + skip + talk, fix, skip, talk] for fix, skip, talk in rows]
    changed = int(cells[0][1 + column]) + off
    cells[0][1 + column] = changed if changed >= 0 else 77
    text = "## Response Summary\n\n" + row(*HEADERS["en"]) + row(*["-"] * 5) + "".join(row(*line) for line in cells)
    reply = count_reply(text, Counts(0, 0))
    assert reply.counts is None
    assert reply.problem == f"line 5: the summary table counts {cells[0][1]} issues but {sum(cells[0][2:])} judgments"


CLEAN = "## Response Summary\n" + table([(0, 2, 0)])


@pytest.mark.parametrize(
    "cell", ["two", "1?", "✅", "N/A", "-1", "1.5", "1 (fixed)", "~~1~~ 0", "9" * 5000, "<b>1</b>"]
)
def test_a_cell_that_is_no_number_makes_the_reply_uncountable(cell: str) -> None:
    text = CLEAN.replace("| 0 | 2 | 0 |", f"| {cell} | 2 | 0 |")
    reply = count_reply(text + "\n**Judgment**: **No Fix Needed**\n", Counts(0, 0))
    assert reply.counts is None
    assert reply.problem == "line 5: a count of the summary table is no number"


@pytest.mark.parametrize("cell", ["-", "–", "ー", "", "０", " **0** ", "0 件", "0<!-- 3 -->"])
def test_dashes_and_empty_cells_are_nothing(cell: str) -> None:
    assert count_reply(CLEAN.replace("| 0 | 2 | 0 |", f"| {cell} | 2 | {cell} |")).counts == Counts(0, 0)


@pytest.mark.parametrize("name", ["Total", "**Total**", "合計", "計", "Grand Total"])
def test_a_total_row_is_skipped(name: str) -> None:
    assert count_reply(CLEAN + row(name, 99, 9, 90, 0)).counts == Counts(0, 0)


@pytest.mark.parametrize(
    "headers",
    [
        ("Severity", "Issues", "Fix Required", "No Fix Needed"),
        ("Severity", "Issues", "No Fix Needed", "Needs Discussion"),
        ("Severity", "Fix Required", "Fix Needed", "Needs Discussion"),
        ("File", "Changes", "Why", "Who"),
    ],
)
def test_a_summary_without_its_columns_is_uncertain(headers: tuple[str, ...]) -> None:
    reply = count_reply(
        "## Response Summary\n\n" + row(*headers) + row(*["-"] * 4) + row("Info", 0, 0, 0), Counts(0, 0)
    )
    assert reply.counts is None
    assert reply.problem.startswith("line 3: the summary table needs one column each")


def test_a_summary_without_rows_is_uncertain() -> None:
    reply = count_reply("## Response Summary\n\n" + row(*HEADERS["en"]) + row(*["-"] * 5) + row("Total", 0, 0, 0, 0))
    assert reply.problem == "line 3: the summary table has no rows"


def test_without_a_column_of_issues_or_of_what_needs_no_fix_the_rest_is_still_checked() -> None:
    text = "## Response Summary\n\n" + row("", "Fix Required", "Needs Discussion") + row(*"---") + row("Info", 1, 2)
    assert count_reply(text).counts == Counts(1, 2)
    text = "## Response Summary\n\n" + row("", "Issues", "Fix Required", "Needs Discussion") + row(*"----")
    assert count_reply(text + row("Info", 4, 1, 2)).counts == Counts(1, 2)
    assert count_reply(text + row("Info", 2, 1, 2)).counts is None


def test_a_table_under_another_heading_counts_only_where_none_is_named_so() -> None:
    other = "## Appendix\n" + table([(5, 0, 0)])
    assert count_reply("# Reply\n" + table([(1, 0, 0)])).counts == Counts(1, 0)
    assert count_reply(other + CLEAN).counts == Counts(0, 0)
    assert count_reply(
        "## Files\n\n" + row("File", "Changes") + row("-", "-") + row("a", "b") + other
    ).counts == Counts(5, 0)


def test_a_table_in_a_fence_or_a_comment_is_not_there() -> None:
    assert count_reply("```\n" + CLEAN + "```\n").counts is None
    assert count_reply("<!--\n" + CLEAN + "-->\n").counts is None


LINES = """
### W1: one
**Judgment**: **Fix Required** ✅

### W2: two
- **判定**：要議論 ⚠️

### C-03: three
Judgment: No Fix Needed ❌

| # | Issue | Judgment | Reason |
|---|---|---|---|
| I1 | a | No Fix Needed | b |
| I2 | a | **Fix Required** ✅ | b |
| - | - | - | - |
"""


def test_judgment_lines_and_tables_are_the_second_source() -> None:
    reply = count_reply(LINES)
    assert reply.counts == Counts(2, 1)
    assert [source.name for source in reply.sources] == ["judgment lines"]


def test_an_issue_that_is_listed_twice_counts_once() -> None:
    again = "\n## Recap\n\n| Issue | 判定 |\n|---|---|\n| W1 | 要修正 |\n| **W2** | 要議論 |\n| C-03 | 修正不要 |\n"
    assert count_reply(LINES + again).counts == Counts(2, 1)


def test_sources_that_differ_count_with_the_largest_number_each_and_are_named() -> None:
    reply = count_reply(CLEAN + LINES, Counts(0, 4))
    assert reply.counts == Counts(2, 4)
    assert reply.differences == (
        "summary table: 0 to fix, 0 to discuss",
        "judgment lines: 2 to fix, 1 to discuss",
        "spec.json: 0 to fix, 4 to discuss",
    )


def test_sources_that_agree_differ_in_nothing() -> None:
    assert count_reply(CLEAN, Counts(0, 0)).differences == ()


@pytest.mark.parametrize(
    "line",
    [
        "**Judgment**: {**Fix Required** ✅ | **No Fix Needed** ❌ | **Needs Discussion** ⚠️}",
        "**Judgment**: maybe",
        "**Judgment**:",
        "**判定**: 「修正不要」とは言えない。no",
        "Judgment: it is not true that No Fix Needed applies",
    ],
)
def test_a_judgment_that_names_no_single_category_counts_nothing_alone(line: str) -> None:
    reply = count_reply(f"### W1: a\n{line}\n", Counts(0, 0))
    assert reply.counts is None
    assert reply.problem == "line 2: the judgment names none or several of the categories"


def test_beside_a_summary_an_unclear_judgment_is_told_and_the_clear_ones_still_raise_the_numbers() -> None:
    reply = count_reply(CLEAN + "\n### W1\nJudgment: maybe\n\n### W2\nJudgment: Fix Required\n")
    assert reply.counts == Counts(1, 0)
    assert "names none or several" in reply.uncertain


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("No Fix Required", Counts(0, 0)),
        ("修正必要なし", Counts(0, 0)),
        ("対応不要（設計どおり）", Counts(0, 0)),
        ("一部要修正", Counts(1, 0)),
        ("Agreed, fix required", Counts(1, 0)),
        ("Needs Discussion: two ways", Counts(0, 1)),
    ],
)
def test_words_of_a_judgment(words: str, counts: Counts) -> None:
    assert count_reply(f"Judgment: {words}\n").counts == counts


def test_a_judgment_may_stand_on_the_line_after_its_label() -> None:
    assert count_reply("**Judgment**:\n**Fix Required** ✅\n").counts == Counts(1, 0)


@pytest.mark.parametrize(
    "text", ["", "No issues were found.", "The judgment: Fix Required", "判定理由: 要修正ではない"]
)
def test_without_a_source_in_the_file_the_word_of_the_agent_counts_nothing(text: str) -> None:
    reply = count_reply(text, Counts(0, 0))
    assert reply.counts is None
    assert reply.problem == "the reply has neither a summary table nor a judgment line"


def test_what_is_too_long_to_be_read_is_not_counted() -> None:
    assert count_reply(CLEAN + "\n" * 60_000).counts is None


def test_each_judged_issue_is_known_with_its_title_place_and_what_is_said_of_it() -> None:
    text = (
        "## Warnings\n\n### W2: `two` lives\n**Issue**: a or b?\n\n**Judgment**: **Needs Discussion** ⚠️\n\nOption A: a.\n\n"
        + ("## Info\n\n| # | Issue | Judgment | Reason |\n|---|---|---|---|\n| I1 | c | No Fix Needed | d |\n")
    )
    assert judged_points(text) == (
        Point("W2", "two lives", "discuss", 6, "Issue: a or b?\nOption A: a."),
        Point("I1", "c · d", "skip", 14),
    )


@given(st.text(st.sampled_from("|-:# \nJudgment判定要修正W1*Fix Required<!--`"), max_size=300))
def test_the_points_of_any_text_are_those_that_its_judgment_lines_count(text: str) -> None:
    lines = [each.counts for each in count_reply(text).sources if each.name == "judgment lines"]
    points = judged_points(text)
    for counts in lines:
        named = [point.category for point in points]
        assert (named.count("fix"), named.count("discuss")) == (counts.fix, counts.discuss)
