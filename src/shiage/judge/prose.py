"""Prose in Markdown and reports: which lines are said, and which are quotation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^[ \t]{0,12}(?:[-*+>]\s+|\d+[.)]\s+)?(?P<ticks>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_SPAN = re.compile(r"(?P<ticks>`+)(?P<inside>[^`\n]{0,400})(?P=ticks)(?!`)")
_QUOTED = re.compile(
    r"\"[^\"\n]{0,200}\"|「[^」\n]{0,200}」|『[^』\n]{0,200}』|“[^”\n]{0,200}”|(?<!\w)'[^'\n]{0,200}'(?!\w)"
)
_INK = re.compile(r"\S")
MAX_LINE = 4_000  #: characters of a prose line that are read; no sentence is longer


@dataclass(frozen=True, slots=True)
class Line:
    """A line of prose. `text` is as long as `raw`, with code spans blanked."""

    number: int
    raw: str
    text: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: where it begins, which language it names, what it holds."""

    line: int  #: of its first inner line
    info: str
    text: str
    closed: bool


def without_spans(line: str) -> str:
    """Code spans become blanks."""
    return _SPAN.sub(lambda match: _INK.sub(" ", match[0]), line) if "`" in line else line


def without_quotes(line: str) -> str:
    """Code spans and quoted words become blanks."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), without_spans(line))


def prose_lines(text: str) -> Iterator[Line]:
    """The lines outside fences and block quotes that say something."""
    for number, raw, fence in _walk(text):
        if fence is None and raw and not raw.isspace():
            bounded = raw[:MAX_LINE]
            if not bounded.lstrip().startswith(">"):
                yield Line(number, bounded, without_spans(bounded))


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a text, in order."""
    blocks: list[Fence] = []
    lines: list[str] = []
    first, info = 0, ""
    for number, raw, state in _walk(text):
        if state is None:
            continue
        if state.startswith("open"):
            first, info, lines = number + 1, state[5:], []
        elif state == "close":
            blocks.append(Fence(first, info, "\n".join(lines), closed=True))
            first = 0
        else:
            lines.append(raw)
    if first:
        blocks.append(Fence(first, info, "\n".join(lines), closed=False))
    return blocks


def _walk(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Each line with None (prose), "open info", "in" or "close"."""
    ticks = ""
    for number, raw in enumerate(text.split("\n"), 1):
        found = FENCE.match(raw) if "```" in raw or "~~~" in raw else None
        if not ticks:
            if found:
                ticks = found["ticks"]
                yield number, raw, "open " + found["info"].strip().split(" ")[0].strip("{}.")
            else:
                yield number, raw, None
        elif found and found["ticks"].startswith(ticks) and not found["info"].strip():
            ticks = ""
            yield number, raw, "close"
        else:
            yield number, raw, "in"
