"""The verdict of an inspection: its labelled line, and nothing else in the text.

A line is labelled when it begins with the label and a colon or a verdict comes next: "Judgment criteria" and "the
judgment may be GO" are prose. A label that stands alone takes the next line.
The first labelled line decides. A later one that says something worse counts instead; one that says nothing is ignored.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import zip_longest

from shiage.specs.markdown import Line, Table, bare, blocks


class InspectionVerdict(StrEnum):
    GO = "GO"
    NOGO = "NOGO"
    MANUAL = "MANUAL"  #: a person has to look
    UNREADABLE = "UNREADABLE"  #: no labelled line, or the first says nothing, or leaves the choice


HYPHEN = r"[\s\-‐‑‒–—−]?"
LABEL = re.compile(
    r"[^\w\"'“「『]*(?:[0-9]{1,3}[.)]\s*)?(?:(?:final|overall)\s|最終|総合)?(?:judge?ment|decision|判定)(?:結果)?"
    r"\s*(?:\([^()]*\)\s*)?(?P<mark>[:=は])?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
MANUAL = re.compile(rf"manual{HYPHEN}verify", re.IGNORECASE)
NOGO = re.compile(rf"(?<![a-z])no{HYPHEN}go(?![a-z])", re.IGNORECASE)
GO = re.compile(r"\W*(?:GO(?![A-Za-z])|[Gg]o\W*$)")
BEGINS = re.compile(rf"\W*(?:{GO.pattern}|(?i:no{HYPHEN}go(?![a-z])|manual{HYPHEN}verify))")
ANY = rf"(?:no{HYPHEN}go|go|manual{HYPHEN}verify(?:{HYPHEN}required)?)"
CHOICE = re.compile(rf"(?<![a-z]){ANY}\W*?(?:[|/,、・]|\bor\b|または)\W*{ANY}(?![a-z])", re.IGNORECASE)
WORST_FIRST = (InspectionVerdict.NOGO, InspectionVerdict.MANUAL, InspectionVerdict.GO)

MOST_FINDINGS = 40  #: what a fixer can act on in one attempt; the report is there for the rest
WIDTH = 300
FAILED = re.compile(r"\b(?:fail(?:ed)?|ng|nogo|critical|major)\b|不合格|未達|重大", re.IGNORECASE)


def read_verdict(text: str) -> InspectionVerdict:
    """What the labelled lines outside code, comments and tables say."""
    parsed = blocks(text)
    said = list(_labelled([bare(line.text) for line in parsed.lines()]))
    if parsed.cut or not said or said[0] is InspectionVerdict.UNREADABLE:
        return InspectionVerdict.UNREADABLE
    return next(verdict for verdict in WORST_FIRST if verdict in said)


def _labelled(lines: list[str]) -> Iterator[InspectionVerdict]:
    for text, after in zip_longest(lines, lines[1:], fillvalue=""):
        match = LABEL.match(text)
        if match is None:
            continue
        value = match["rest"] or after
        if match["mark"] or BEGINS.match(value):
            yield _verdict(value)


def _verdict(value: str) -> InspectionVerdict:
    if CHOICE.search(value):
        return InspectionVerdict.UNREADABLE  # a template that nobody filled in
    if NOGO.search(value):
        return InspectionVerdict.NOGO
    if MANUAL.search(value):
        return InspectionVerdict.MANUAL
    return InspectionVerdict.GO if GO.match(value) else InspectionVerdict.UNREADABLE


def findings(text: str) -> tuple[str, ...]:
    """What to tell the fixer of a report: its headings and list items, and the rows of its tables that failed."""
    shown: list[str] = []
    for piece in blocks(text).pieces():
        shown += _failed_rows(piece) if isinstance(piece, Table) else _spoken(piece)
        if len(shown) >= MOST_FINDINGS:
            break
    return tuple(line[:WIDTH] for line in shown[:MOST_FINDINGS])


def _spoken(line: Line) -> list[str]:
    if line.is_heading:
        return [f"{'#' * len(line.headings)} {line.headings[-1]}"]
    return [f"- {line.text.strip()}"] if line.is_listed and line.text.strip() else []


def _failed_rows(table: Table) -> list[str]:
    rows = (cells for _, cells in table.rows[1:])
    return [" | ".join(cells) for cells in rows if any(FAILED.search(bare(cell)) for cell in cells)]
