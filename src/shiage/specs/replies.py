"""Counts what a reply to a review says is to fix and to discuss.

Sources, in the order of formats.md: the summary table; the judgment lines together with the tables that have a judgment
column; what the agent wrote to spec.json. The largest number of each counts, so no source can hide what another says.

- The file itself must be readable: a claim in spec.json alone counts nothing.
- A summary table that is there and uncertain makes the whole reply uncountable, whatever the judgment lines say.
- Judgment lines of which one names no category are uncertain: alone they count nothing; beside a summary table those
  that do name one still count, because they can only raise the numbers.
- An issue that is judged twice under one id (W1) counts once in each category it was given.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile, zip_longest

from shiage.domain.details import told
from shiage.domain.run import Counts
from shiage.specs.markdown import Blocks, Line, Table, bare, blocks, plain

FIX, SKIP, DISCUSS, ISSUES = "fix", "skip", "discuss", "issues"

WORDS = (
    ("no fix needed", SKIP),
    ("no fix required", SKIP),
    ("no fix", SKIP),
    ("no change needed", SKIP),
    ("fix not required", SKIP),
    ("fix not needed", SKIP),
    ("修正不要", SKIP),
    ("修正は不要", SKIP),
    ("修正必要なし", SKIP),
    ("修正の必要なし", SKIP),
    ("対応不要", SKIP),
    ("fix required", FIX),
    ("fix needed", FIX),
    ("needs fix", FIX),
    ("要修正", FIX),
    ("修正必要", FIX),
    ("修正が必要", FIX),
    ("要対応", FIX),
    ("needs discussion", DISCUSS),
    ("need discussion", DISCUSS),
    ("discussion needed", DISCUSS),
    ("discussion required", DISCUSS),
    ("要議論", DISCUSS),
    ("議論必要", DISCUSS),
    ("議論が必要", DISCUSS),
    ("要検討", DISCUSS),
    ("要相談", DISCUSS),
)  #: how judgments and columns begin; the first that fits counts, so negations stand before what they negate
ALL_WORDS = tuple(word for word, _ in WORDS)
SKIP_WORDS = tuple(word for word, category in WORDS if category == SKIP)
ISSUE_HEADERS = ("issue", "指摘", "件数", "問題", "課題", "total", "合計")
JUDGMENT = re.compile(r"[^\w\"']*(?:judge?ment|判定)(?:結果)?\s*(?P<colon>:)?\s*(?P<rest>.*)")
SUMMARY = re.compile(
    r"(?:response|reply) summary|(?:対応|回答|返答|応答|返信|レスポンス|判定)の?(?:サマリ|概要|要約|まとめ|一覧)"
)
TOTAL = re.compile(r"(?:grand )?total|sum\b|合計|総計|計$")
NUMBER = re.compile(r"([0-9]{1,6})\s*(?:件|個|issues?)?(?:\s*\((?:[a-z]{1,4}-?[0-9]{1,4}[,、\s]*)+\))?")
ISSUE_ID = re.compile(r"\W*([A-Za-z]{1,4}-?[0-9]{1,4})\b")
MOST_POINTS, MOST_BESIDE = 200, 12  #: issues of a reply that are listed, and lines about each of them
DASHES = frozenset("-‐‑‒–—―−ー")


@dataclass(frozen=True, slots=True)
class Source:
    """One place that says how many there are."""

    name: str
    counts: Counts

    def __str__(self) -> str:
        return f"{self.name}: {told('left', fix=self.counts.fix, discuss=self.counts.discuss)}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply counts. Without counts it must not be taken for approval."""

    counts: Counts | None  #: None: uncountable
    problem: str = ""  #: why there are no counts; empty if there are
    uncertain: str = ""  #: what could not be read although there are counts
    differences: tuple[str, ...] = ()  #: sources that say something else than what counts
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One issue of a review as its reply judges it."""

    id: str  #: as written, W1; empty where the reply gives none
    title: str
    category: str  #: fix, skip, discuss
    line: int  #: of the judgment
    text: str = ""  #: what the reply says of it beside the judgment


@lru_cache(maxsize=16)  # closed rounds are counted again by every rule that asks for them
def count_reply(text: str, claimed: Counts | None = None) -> Reply:
    """Count a document-review-N-reply.md; `claimed` is what the agent wrote to spec.json about it."""
    parsed = blocks(text)
    if parsed.cut:
        return Reply(None, told("reply-too-long"))
    tables = tuple(parsed.tables())
    summary = _summary(tables)
    table, problem = _read_summary(summary) if summary else (None, "")
    if problem:
        return Reply(None, problem)
    judged = _read_judgments(parsed, [table for table in tables if table is not summary])
    return _result(table, judged, claimed)


@lru_cache(maxsize=64)
def judged_points(text: str) -> tuple[Point, ...]:
    """The issues whose judgment can be read, in the order of the file; it is `count_reply` that tells how many count."""
    parsed = blocks(text)
    if parsed.cut:
        return ()
    tables = tuple(parsed.tables())
    summary = _summary(tables)
    judged = _read_judgments(parsed, [table for table in tables if table is not summary])
    lines = list(parsed.lines())
    places = {line.number: at for at, line in enumerate(lines)}
    found = sorted(judged.points.values(), key=lambda point: point.line)[:MOST_POINTS]
    return tuple(
        replace(each, text="\n".join(_beside(lines, places[each.line]))) if each.line in places else each
        for each in found
    )


def _result(table: Counts | None, judged: "_Judged", claimed: Counts | None) -> Reply:
    lines = judged.counts
    if table is None and (judged.problem or lines is None):
        return Reply(None, judged.problem or told("reply-uncounted"))
    named = (("summary table", table), ("judgment lines", lines), ("spec.json", claimed))
    sources = tuple(Source(name, counts) for name, counts in named if counts is not None)
    largest = Counts(max(each.counts.fix for each in sources), max(each.counts.discuss for each in sources))
    differences = tuple(str(each) for each in sources if each.counts != largest)
    return Reply(largest, "", judged.problem, differences, sources)


def _summary(tables: Sequence[Table]) -> Table | None:
    """The first table in a section named like the summary, else the first that has a column of what is to fix."""
    named = (table for table in tables if any(SUMMARY.search(plain(name)) for name in table.headings))
    alike = (table for table in tables if FIX in map(_column, table.rows[0][1]))
    return next(named, None) or next(alike, None)


def _column(header: str) -> str:
    """What a column of the summary counts; empty for others."""
    text = plain(header)
    if text.startswith(ISSUE_HEADERS):
        return ISSUES
    named = _categories(text)
    return named.pop() if len(named) == 1 else ""


def _categories(text: str) -> set[str]:
    """All categories that a plain text names."""
    named = set()
    for word, category in WORDS:
        if word in text:
            named.add(category)
            text = text.replace(word, "")
    return named


def _read_summary(table: Table) -> tuple[Counts | None, str]:
    """Its sums, or why it is uncertain."""
    header = [_column(cell) for cell in table.rows[0][1]]
    places = {name: index for index, name in enumerate(header) if name}
    if len(places) != sum(map(bool, header)) or not {FIX, DISCUSS} <= places.keys():
        return None, f"line {table.line}: the summary table needs one column each of what to fix and to discuss"
    fix = discuss = 0
    rows = [(line, cells) for line, cells in table.rows[1:] if not TOTAL.match(plain(cells[0]))]
    for line, cells in rows:
        numbers = {name: _number(cells[index]) for name, index in places.items()}
        if problem := _row_problem(numbers):
            return None, f"line {line}: {problem}"
        fix, discuss = fix + (numbers[FIX] or 0), discuss + (numbers[DISCUSS] or 0)
    return (Counts(fix, discuss), "") if rows else (None, f"line {table.line}: the summary table has no rows")


def _row_problem(numbers: Mapping[str, int | None]) -> str:
    known = {name: number for name, number in numbers.items() if number is not None}
    if len(known) < len(numbers):
        return "a count of the summary table is no number"
    issues, parts = known.pop(ISSUES, None), sum(known.values())
    if issues is None or issues == parts or (SKIP not in known and issues > parts):
        return ""
    return f"the summary table counts {issues} issues but {parts} judgments"


def _number(cell: str) -> int | None:
    if not cell.strip():
        return 0
    text = plain(cell)
    if text and DASHES.issuperset(text):
        return 0
    match = NUMBER.fullmatch(text)
    return int(match[1]) if match else None


def _begins_with(text: str, words: tuple[str, ...]) -> bool:
    return text.lstrip(":=-{>→ ").startswith(words)


@dataclass(slots=True)
class _Judged:
    """Issues by their names and categories; an issue is known by its id, or by its line."""

    points: dict[tuple[str, str], Point] = field(default_factory=dict)
    problem: str = ""

    def take(self, issue: str, text: str, line: int, title: str = "") -> None:
        """One judgment. To skip must be said first: what only mentions it is no judgment."""
        named = _categories(text)
        if len(named) == 1 and (SKIP not in named or _begins_with(text, SKIP_WORDS)):
            match, category = ISSUE_ID.match(issue), named.pop()
            name, rest = (match[1], issue[match.end() :]) if match else ("", issue)
            point = Point(name, bare(title or rest).lstrip(" .:-–—"), category, line)
            self.points.setdefault((name.casefold() or str(line), category), point)
        else:
            self.problem = self.problem or f"line {line}: the judgment names none or several of the categories"

    @property
    def counts(self) -> Counts | None:
        """None where nobody judged anything."""
        if not self.points:
            return None
        return Counts(*(sum(category == each for _, category in self.points) for each in (FIX, DISCUSS)))


def _read_judgments(parsed: Blocks, tables: Iterable[Table]) -> _Judged:
    judged = _Judged()
    lines = list(parsed.lines())
    for line, after in zip_longest(lines, lines[1:]):
        match = JUDGMENT.match(plain(line.text))
        if match is None or not (match["colon"] or _begins_with(match["rest"], ALL_WORDS)):
            continue
        rest = match["rest"] or (plain(after.text) if after else "")
        judged.take(line.headings[-1] if line.headings else "", rest, line.number)
    for table in tables:
        _read_column(table, judged)
    return judged


def _read_column(table: Table, judged: _Judged) -> None:
    places = [index for index, cell in enumerate(table.rows[0][1]) if JUDGMENT.match(plain(cell))]
    for line, cells in table.rows[1:]:
        for text in (plain(cells[index]) for index in places[:1]):
            if not DASHES.issuperset(text):  # a row of dashes, or an empty one, says that there is no issue
                title = " · ".join(cell for index, cell in enumerate(cells[1:], 1) if index not in places)
                judged.take(cells[0], text, line, title)


def _beside(lines: Sequence[Line], at: int) -> Iterator[str]:
    """What stands under the same heading as the judgment at this place."""
    before = takewhile(lambda each: not each.is_heading, lines[max(0, at - MOST_BESIDE) : at][::-1])
    after = takewhile(lambda each: not each.is_heading, lines[at + 1 : at + 1 + MOST_BESIDE])
    told = (bare(each.text) for each in (*reversed([*before]), *after))
    return (text for text in told if text and not JUDGMENT.match(text.casefold()))
