"""Text on a terminal: measured in cells, cut to fit, and never able to command it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from shiage.cli.words import language

#: Escape sequences first and whole, so that their letters do not stay behind; then every other control character,
#: and the marks that turn the direction of writing, which can make a line read as something else.
_STRINGS = r"\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"  # titles, links, clipboards, device commands
_SEQUENCES = r"\x1b\[[0-?]*[ -/]*[@-~]?|\x1b."
_CONTROLS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_HARMFUL = re.compile(f"{_STRINGS}|{_SEQUENCES}|{_CONTROLS}", re.DOTALL)
_PAINTED = re.compile(r"\x1b\[[0-9;]*m")  #: our own colours, which take no room
#: Longer lines are cut before anything else looks at them.
_LONGEST = 4096
_ASCII = str.maketrans({"✓": "ok", "✗": "x", "·": "-", "│": "|", "└": "`", "→": "->", "…": "...", "–": "-", "⏵": ">"})


def clean(text: str) -> str:
    """The text without anything that a terminal would obey; lines and tabs become blanks."""
    return _HARMFUL.sub("", text[:_LONGEST].replace("\t", " ").replace("\n", " "))


def lines_of(text: str) -> list[str]:
    """The lines of a longer text, each of them clean."""
    return [clean(line) for line in text.splitlines()]


def cells(text: str) -> int:
    """How wide a terminal shows it. What many Japanese terminals show two cells wide counts two there."""
    if "\x1b" in text:
        text = _PAINTED.sub("", text)
    if text.isascii():
        return len(text)
    wide = "WFA" if language() == "ja" else "WF"
    return sum(_cell(character, wide) for character in text)


def _cell(character: str, wide: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in wide else 1


def fit(text: str, width: int) -> str:
    """As much of the text as fits, with a sign that something is missing."""
    if cells(text) <= width:
        return text
    kept, used = "", cells("...")
    for character in text:
        used += cells(character)
        if used > width:
            break
        kept += character
    return kept + "..."[: max(0, width)]


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))


def plain_glyphs(text: str) -> str:
    """For terminals and fonts that know ASCII only."""
    return text.translate(_ASCII)


def columns(rows: Sequence[Sequence[str]], *, gap: int = 3, width: int | None = None) -> list[str]:
    """Rows under each other; the last column is as long as it is, or as there is room for it."""
    widths = [max(cells(row[index]) for row in rows) for index in range(len(rows[0]) - 1)] if rows else []
    room = None if width is None else max(0, width - sum(widths) - gap * len(widths))
    return [_row(row, widths, gap, room) for row in rows]


def _row(row: Sequence[str], widths: Iterable[int], gap: int, room: int | None) -> str:
    padded = [pad(cell, width + gap) for cell, width in zip(row, widths, strict=False)]
    last = row[-1] if room is None else fit(row[-1], room)
    return ("".join(padded) + last).rstrip()


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most so many cells; Japanese may break anywhere, other scripts between words."""
    lines, line = [], ""
    for piece in re.findall(r"`[^`]*`\S?|[^\s\u3000-\u9fff\uff00-\uffef]+|[\u3000-\u9fff\uff00-\uffef]|\s+", text):
        if line and cells(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def duration(seconds: float) -> str:
    """A stretch of time as a person says it: 9s, 3m12s, 1h02m."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


def clock(seconds: float) -> str:
    """Time that goes on: 0:09, 12:04, 1:02:33."""
    whole = int(seconds)
    minutes = f"{whole // 60 % 60:02d}" if whole >= 3600 else str(whole // 60)
    return f"{whole // 3600}:{minutes}:{whole % 60:02d}" if whole >= 3600 else f"{minutes}:{whole % 60:02d}"
