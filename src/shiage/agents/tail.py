"""Reads the lines of a file that is still being written, within bounded memory."""

import os
from pathlib import Path
from types import TracebackType

CHUNK = 256 * 1024
#: Longer lines are cut to their head. A file or a picture that an agent handled is one event of megabytes,
#: and a tool's end that is lost would be taken for one that failed; any other line that long is a flood.
LONGEST, LONGEST_EVENT = 4 * 1024 * 1024, 64 * 1024 * 1024
HEAD = 4096
#: How far a reader who may skip lags before it jumps ahead, and how much it still reads then.
LAG = 4 * 1024 * 1024
KEPT = 256 * 1024


class Tail:
    """Each byte once, split at \\n only: U+2028 and others are legal within JSON and text."""

    def __init__(self, path: Path, *, skim: bool = False) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        self._skim = skim
        self._held = bytearray()
        self._length = 0  # of the line that is being read, also of what was not held
        self.behind = False  #: whether there was more to read at the last look

    def lines(self) -> list[bytes]:
        """The lines completed by the next chunk."""
        if self._skim:
            self._jump()
        chunk = os.read(self._file, CHUNK)
        self.behind = len(chunk) == CHUNK
        if not chunk:
            self._notice_truncation()
            return []
        first, *others = chunk.split(b"\n")
        self._hold(first)
        if not others:
            return []
        done = [self._release(), *others[:-1]]
        self._hold(others[-1])
        return done

    def rest(self) -> list[bytes]:
        """The last line, if it was never ended. For the end of the file only."""
        return [self._release()] if self._length else []

    def _hold(self, part: bytes) -> None:
        self._length += len(part)
        self._held += part
        if self._is_cut():
            del self._held[HEAD:]

    def _is_cut(self) -> bool:
        return self._length > (LONGEST_EVENT if self._held.startswith(b"{") else LONGEST)

    def _release(self) -> bytes:
        line = bytes(self._held)
        if self._is_cut():
            line = b"%s [%d bytes cut]" % (line[:HEAD], self._length - HEAD)
        self._held.clear()
        self._length = 0
        return line

    def _jump(self) -> None:
        size, at = self.size(), os.lseek(self._file, 0, os.SEEK_CUR)
        if size - at > LAG:
            os.lseek(self._file, size - KEPT, os.SEEK_SET)
            self._held.clear()
            self._length = 0

    def _notice_truncation(self) -> None:
        if self.size() < os.lseek(self._file, 0, os.SEEK_CUR):
            os.lseek(self._file, 0, os.SEEK_SET)

    def size(self) -> int:
        return os.fstat(self._file).st_size

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> "Tail":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def end_of(path: Path, size: int = KEPT) -> bytes:
    """The last bytes of a file; nothing when it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        os.lseek(file, max(0, os.fstat(file).st_size - size), os.SEEK_SET)
        return os.read(file, size)
    except OSError:  # a folder, a pipe
        return b""
    finally:
        os.close(file)
