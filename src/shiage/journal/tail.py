"""Where the good part of a journal ends: a crash cuts lines short, another tool forgets its newline."""

from dataclasses import dataclass

import msgspec

from shiage.journal.entry import Entry, decode
from shiage.journal.head import Head

REPAIRED = "JOURNAL_REPAIRED"  #: the entry that keeps what was cut off

_OURS = b'{"seq":'  # every line of ours begins so
_HOLE = b"\0"  # what a file system leaves where a block was never written
_MOST = 64  # lines that one write may have; what stands further behind a hole was written later


@dataclass(frozen=True, slots=True)
class Tail:
    lines: list[bytes]  #: the whole lines, ours and others', without newlines
    torn: bytes  #: what a crash left behind them
    unended: bool  #: the last of the lines is another tool's and lacks its newline

    @property
    def last(self) -> Entry | None:
        """The newest entry."""
        return next((entry for line in reversed(self.lines) if (entry := decode(line))), None)


def settle(data: bytes, head: Head | None = None) -> Tail:
    """Tell whole lines from what a crash left. Lines of other tools are never counted as torn.

    Nothing was done because of what stands behind the head: a line with holes there takes along what follows it.
    """
    *lines, rest = data.split(b"\n")
    end = len(data)
    if rest and _cut_short(rest, lines):
        end -= len(rest)
        rest = b""
    if not rest:
        whole = _before_holes(lines, head)
        end -= sum(len(line) + 1 for line in lines[whole:])
        del lines[whole:]
    if rest:
        lines.append(rest)
    return Tail(lines, data[end:], bool(rest))


def _before_holes(lines: list[bytes], head: Head | None) -> int:
    """How many lines stand before the first with holes among those that nobody can have relied on."""
    whole = len(lines)
    for number in range(len(lines) - 1, max(-1, len(lines) - 1 - _MOST), -1):
        if _broken(lines[number]):
            whole = number
        elif head is None or (entry := decode(lines[number])) is None or entry.seq <= head.seq:
            break
    return whole


def _cut_short(rest: bytes, lines: list[bytes]) -> bool:
    """Whether a piece without newline was on its way to be a line of ours."""
    if _like_ours(rest):
        return True
    return not _is_json(rest) and any(decode(line) for line in reversed(lines))


def _broken(line: bytes) -> bool:
    """Whether a whole line has holes: a power cut may keep its end and lose its middle."""
    return _like_ours(line) and not _is_json(line)


def _like_ours(piece: bytes) -> bool:
    start = piece[: len(_OURS)]
    return start.startswith(_HOLE) or (start != b"" and _OURS.startswith(start))


def _is_json(piece: bytes) -> bool:
    try:
        msgspec.json.decode(piece)
    except (ValueError, RecursionError):
        return False
    return True
