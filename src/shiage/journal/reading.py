"""Reading a journal, at once or while somebody writes it."""

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path

from shiage.domain.errors import UserError, Where
from shiage.journal import durable
from shiage.journal.entry import Entry, decode

_TAIL = 65_536  # bytes in which the newest entry is looked for first
_BLOCK = 262_144  # bytes read at once on the way back
_MARK = 128  # bytes remembered before the cursor; the chain's hash among them makes them unique


def read(path: Path) -> tuple[Entry, ...]:
    """Every entry of a journal, oldest first; a torn last line and lines of other tools are skipped."""
    data = readable(path) or b""
    return tuple(entries_in(data[: data.rfind(b"\n") + 1]))


def readable(path: Path, start: int = 0, end: int | None = None) -> bytes | None:
    """The bytes of a journal; None if there is none yet."""
    try:
        return durable.read(path, start, end)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(
            "journal-unreadable",
            f"the journal cannot be read: {error.strerror}",
            where=Where(str(path)),
            help="make it a readable file; its folder may hold a link or a folder of that name",
        ) from error


def backwards(path: Path, size: int = _BLOCK) -> Iterator[Entry]:
    """Entries from the newest on, read block by block as far as somebody asks; whole lines only."""
    try:
        end = path.stat().st_size
    except OSError:
        return
    rest, whole = b"", False  # the beginning of the line that the block before began with
    while end:
        start = max(0, end - size)
        block = (readable(path, start, end) or b"") + rest
        if not whole:  # what stands behind the last newline is not a line yet
            block, whole = block[: block.rfind(b"\n") + 1], b"\n" in block
        head, newline, lines = block.partition(b"\n") if start else (b"", b"", block)
        rest, end = head + newline if whole else block, start
        yield from reversed(entries_in(lines if whole else b""))


def follow(path: Path, after_seq: int = 0) -> "Follower":
    """A reader that goes on where it was."""
    return Follower(path, after_seq)


class Follower:
    """Gives each new entry once, whole lines only. A rewritten end is given again with the numbers it has."""

    def __init__(self, path: Path, after_seq: int = 0) -> None:
        self._path = path
        self._seq = after_seq
        self._offset = 0  #: of the first byte not looked at
        self._mark = b""  #: the bytes before it: if they differ, the file was cut or replaced

    def skip(self) -> Entry | None:
        """Count all that is there as given; the newest of it. Reads the end alone where that suffices."""
        try:
            start = max(0, self._path.stat().st_size - _TAIL)
        except OSError:
            return None
        data = readable(self._path, start) or b""
        end = data.rfind(b"\n") + 1
        newest = next((entry for line in reversed(data[:end].split(b"\n")) if (entry := decode(line))), None)
        if newest is None:
            return next(reversed(self.poll()), None)
        self._seq, self._offset, self._mark = newest.seq, start + end, data[max(0, end - _MARK) : end]
        return newest

    def poll(self) -> list[Entry]:
        """The entries that were completed since the last call."""
        data = readable(self._path, self._offset - len(self._mark))
        if data is None:
            return []
        if not data.startswith(self._mark):
            return self._again()
        return self._given(data, len(self._mark))

    def _given(self, data: bytes, start: int) -> list[Entry]:
        end = data.rfind(b"\n", start) + 1
        if not end:
            return []
        self._offset += end - start
        self._mark = data[max(0, end - _MARK) : end]
        fresh = [entry for entry in entries_in(data[start:end]) if entry.seq > self._seq]
        self._seq = max([self._seq, *(entry.seq for entry in fresh)])
        return fresh

    def _again(self) -> list[Entry]:
        """From the beginning: what was seen before may be gone."""
        self._offset, self._mark = 0, b""
        data = readable(self._path) or b""
        whole = entries_in(data[: data.rfind(b"\n") + 1])
        self._seq = min(self._seq, max((entry.seq for entry in whole), default=0))
        return self._given(data, 0)


def entries_in(data: bytes) -> list[Entry]:
    """The entries among whole lines."""
    with _collector_paused():
        return [entry for line in data.split(b"\n") if line and (entry := decode(line)) is not None]


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes many objects and no garbage: collecting meanwhile took three quarters of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
