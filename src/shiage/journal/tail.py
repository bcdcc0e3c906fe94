"""Where the good part of a journal ends: a crash cuts lines short, another tool forgets its newline."""

from dataclasses import dataclass

import msgspec

from shiage.journal.entry import Entry, decode

REPAIRED = "JOURNAL_REPAIRED"  #: the entry that keeps what was cut off

_OURS = b'{"seq":'  # every line of ours begins so
_HOLE = b"\0"  # what a file system leaves where a block was never written


@dataclass(frozen=True, slots=True)
class Tail:
    lines: list[bytes]  #: the whole lines, ours and others', without newlines
    torn: bytes  #: what a crash left behind them
    unended: bool  #: the last of the lines is another tool's and lacks its newline

    @property
    def last(self) -> Entry | None:
        """The newest entry."""
        return next((entry for line in reversed(self.lines) if (entry := decode(line))), None)


def settle(data: bytes) -> Tail:
    """Tell whole lines from what a crash left. Lines of other tools are never counted as torn."""
    *lines, rest = data.split(b"\n")
    end = len(data)
    if rest and _cut_short(rest, lines):
        end -= len(rest)
        rest = b""
    while not rest and lines and _broken(lines[-1]):
        end -= len(lines.pop()) + 1
    if rest:
        lines.append(rest)
    return Tail(lines, data[end:], bool(rest))


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
