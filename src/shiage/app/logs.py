"""What an agent said, raw, in pages: a log of any size is read in pieces and never held in memory as a whole."""

import os
from array import array
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from shiage.app.journals import AttemptRow
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError, Where
from shiage.specs import files

PAGE = 1_000  #: lines given at once
LONGEST = 4_096  #: bytes of a line that are shown
HITS = 1_000  #: places of a search that are named; the count is always of all
_CHUNK = 1 << 20
_KEPT = 16  #: logs whose line numbers are remembered


@dataclass(frozen=True, slots=True)
class Line:
    number: int  #: from 1
    text: str
    cut: int = 0  #: bytes that are not shown


@dataclass(frozen=True, slots=True)
class Hits:
    count: int  #: of lines, in the whole log
    lines: tuple[int, ...]  #: the first of them


@dataclass(slots=True)
class _Index:
    """Where every PAGE-th line begins. Grows with the file."""

    inode: int
    starts: "array[int]" = field(default_factory=lambda: array("Q", [0]))
    size: int = 0  #: bytes looked at
    ended: int = 0  #: lines

    def grow(self, descriptor: int) -> None:
        while chunk := os.pread(descriptor, _CHUNK, self.size):
            self._count(chunk)
            self.size += len(chunk)

    def _count(self, chunk: bytes) -> None:
        total = self.ended + chunk.count(b"\n")
        at = -1
        while total // PAGE > self.ended // PAGE:
            for _ in range(PAGE - self.ended % PAGE):
                at = chunk.index(b"\n", at + 1)
            self.ended += PAGE - self.ended % PAGE
            self.starts.append(self.size + at + 1)
        self.ended = total


class Logs:
    """The attempts' logs of one project."""

    def __init__(self, workspace: Workspace) -> None:
        self._root = workspace.root
        self._known: OrderedDict[str, _Index] = OrderedDict()
        self._lock = Lock()

    def count(self, row: AttemptRow) -> int:
        """How many lines there are, one that is not ended yet included."""
        with self._opened(row) as (descriptor, index):
            open_end = index.size > 0 and os.pread(descriptor, 1, index.size - 1) != b"\n"
            return index.ended + open_end

    def lines(self, row: AttemptRow, first: int, most: int = PAGE) -> tuple[Line, ...]:
        """Lines from number `first` on."""
        first, most = max(first, 1), min(most, PAGE)
        with self._opened(row) as (descriptor, index):
            page = min((first - 1) // PAGE, len(index.starts) - 1)
            found = list[Line]()
            for number, head, length in _numbered(descriptor, index.starts[page], page * PAGE + 1):
                if number >= first + most:
                    break
                if number >= first:
                    found.append(Line(number, head.decode("utf-8", "replace"), length - len(head)))
            return tuple(found)

    def search(self, row: AttemptRow, wanted: str) -> Hits:
        """Every line of the whole log that has these words, whatever their case."""
        needle, count, found = wanted.casefold(), 0, list[int]()
        if not needle:
            return Hits(0, ())
        with self._opened(row) as (descriptor, _):
            for number, line, _ in _numbered(descriptor, 0, 1, longest=_CHUNK):
                if needle in line.decode("utf-8", "replace").casefold():
                    count += 1
                    if count <= HITS:
                        found.append(number)
        return Hits(count, tuple(found))

    def path(self, row: AttemptRow) -> Path:
        return files.inside(self._root, self._root / row.log)

    @contextmanager
    def _opened(self, row: AttemptRow) -> Iterator[tuple[int, _Index]]:
        """The log, and where its lines begin as far as it goes now."""
        descriptor = self._open(row)
        try:
            yield descriptor, self._indexed(row.log, descriptor)
        finally:
            os.close(descriptor)

    def _open(self, row: AttemptRow) -> int:
        try:
            return os.open(self.path(row), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            remedy = "it is there as soon as the attempt has begun, and as long as .shiage/runs is kept; on another machine, there."
            where = Where(row.log)
            raise UserError("log-missing", f"there is no log: {error.strerror}", where=where, help=remedy) from error

    def _indexed(self, name: str, descriptor: int) -> _Index:
        found = os.fstat(descriptor)
        with self._lock:
            index = self._known.pop(name, None)
            if index is None or index.inode != found.st_ino or index.size > found.st_size:
                index = _Index(found.st_ino)
            self._known[name] = index
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
            index.grow(descriptor)
            return index


def _numbered(descriptor: int, offset: int, number: int, longest: int = LONGEST) -> Iterator[tuple[int, bytes, int]]:
    """Each line with its number, its head and its whole length; the last one may not be ended yet."""
    head, length = b"", 0
    while chunk := os.pread(descriptor, _CHUNK, offset):
        offset += len(chunk)
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            yield number, (head + piece)[:longest], length + len(piece)
            number, head, length = number + 1, b"", 0
        head, length = (head + rest)[:longest], length + len(rest)
    if length:
        yield number, head, length
