"""The only writer of a journal."""

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from shiage.domain.errors import OurBug, UserError, Where
from shiage.journal import durable
from shiage.journal.entry import Draft, Entry, digest, encode, timestamp
from shiage.journal.head import REWOUND, Head, holds, load, save
from shiage.journal.masking import mask_text, masked
from shiage.journal.reading import read
from shiage.journal.tail import REPAIRED, Tail, settle

_CLOSED = -1  # in place of a file descriptor
_KEPT = 4096  # characters of a torn line that are worth keeping: more than any line but a prompt


class Journal:
    """Appends entries to one file; whoever has it open is alone.

    What `append` returns is what a later reader gets: masked, numbered, dated. Decide from that.
    """

    def __init__(self, path: Path, head: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._head = head
        self._clock = clock
        self._descriptor = _CLOSED
        self._lock = _CLOSED
        self._newest: Head | None = None  #: the last line that this handle wrote
        self._seq = 0  #: number of the last entry in the file
        self._prev = ""  #: digest of the last line, whoever wrote it
        self._size = 0  #: bytes known to be good
        self._refusal = ""  #: why nothing can be written any more
        self._refused_at = path  #: the file that could not be written: the journal or its head

    def open(self) -> "Journal":
        """Lock, repair what a crash left, and be ready to append."""
        try:
            self._head.parent.mkdir(parents=True, exist_ok=True)
            self._lock = self._locked()
            self._take_up(load(self._head))
        except OSError as error:
            self.close()
            raise self._refuse(error) from error
        return self

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """All drafts in one durable write; after a crash, all of them or the first few."""
        if self._refusal:
            raise self._refused()
        if self._descriptor == _CLOSED:
            raise OurBug("append to a journal that is not open")
        if not drafts:
            return ()
        try:
            self._still_alone()
            if self._disturbed():
                self._take_up(self._newest)
            return self._write(drafts)
        except OSError as error:
            raise self._refuse(error) from error

    def entries(self) -> Iterator[Entry]:
        """Everything that stands in the file, oldest first."""
        yield from read(self._path)

    def close(self) -> None:
        """Let the next writer in. May be called twice."""
        for descriptor in (self._descriptor, self._lock):
            if descriptor != _CLOSED:
                os.close(descriptor)
        self._descriptor = self._lock = _CLOSED

    def _locked(self) -> int:
        lock = durable.lock(self._place, str(os.getpid()))
        if lock is not None:
            return lock
        holder = durable.read(self._place).decode("ascii", "replace").strip() or "unknown"
        raise UserError(
            "journal-busy",
            f"{self._path.name} is being written by another process ({holder})",
            where=Where(str(self._path)),
            help="wait until that run has ended, or end it with `shiage stop`",
        )

    @property
    def _place(self) -> Path:
        """Of the lock."""
        return self._head.with_name(self._head.name + ".lock")

    def _still_alone(self) -> None:
        """A lock that was removed keeps nobody out: whoever came since is the one who writes."""
        with contextlib.suppress(FileNotFoundError):  # nobody came
            if not os.path.samestat(os.lstat(self._place), os.fstat(self._lock)):
                raise OSError(errno.ESTALE, "its lock was removed, and another process has taken it", str(self._place))

    def _take_up(self, known: Head | None) -> None:
        """Find the end of the file, repair it, and go on from there."""
        self._reopen()
        tail = settle(durable.read_from(self._descriptor), known)
        rewound = known is not None and not holds(tail.lines, known)
        if rewound and self._newest is not None:
            raise OSError(errno.ESTALE, "it was cut or replaced while in use", str(self._path))
        if tail.torn:
            durable.truncate(self._descriptor, os.fstat(self._descriptor).st_size - len(tail.torn))
        if tail.unended:
            durable.append(self._descriptor, b"\n")
        self._stand_behind(tail)
        notices = _repaired(tail) + ((_rewound(tail, known),) if known is not None and rewound else ())
        if notices:
            self._write(notices)

    def _reopen(self) -> None:
        if self._descriptor != _CLOSED:
            os.close(self._descriptor)
            self._descriptor = _CLOSED
        self._descriptor = durable.create(self._path)

    def _stand_behind(self, tail: Tail) -> None:
        last = tail.last
        self._size = sum(map(len, tail.lines)) + len(tail.lines)
        self._seq = last.seq if last else 0
        self._prev = digest(tail.lines[-1]) if tail.lines else ""

    def _disturbed(self) -> bool:
        """Whether somebody else wrote to, cut or replaced the file since the last look."""
        held = os.fstat(self._descriptor)
        try:
            there = os.lstat(self._path)
        except FileNotFoundError:
            return True
        return held.st_size != self._size or not os.path.samestat(held, there)

    def _write(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        entries, lines = self._sealed(drafts)
        data = b"".join(line + b"\n" for line in lines)
        try:
            durable.append(self._descriptor, data)
        except OSError:
            with contextlib.suppress(OSError):  # if not even this works, the next open repairs it
                durable.truncate(self._descriptor, self._size)
            raise
        self._size += len(data)
        self._prev = digest(lines[-1])
        self._newest = Head(entries[-1].seq, self._prev)
        self._seq = self._newest.seq
        save(self._head, self._newest)
        return entries

    def _sealed(self, drafts: Sequence[Draft]) -> tuple[tuple[Entry, ...], list[bytes]]:
        """Number, date, mask and chain the drafts."""
        entries: list[Entry] = []
        lines: list[bytes] = []
        now = self._clock()
        prev = self._prev
        for seq, draft in enumerate(drafts, self._seq + 1):
            when = timestamp(now if draft.at is None else draft.at)
            entry = Entry(seq, draft.event_type, when, draft.visibility, draft.run, masked(draft.content), prev)
            entries.append(entry)
            lines.append(encode(entry))
            prev = digest(lines[-1])
        return tuple(entries), lines

    def _refuse(self, error: OSError) -> UserError:
        """A failed write or fsync is final: what the disk holds now is unknown."""
        self._refusal = error.strerror or str(error)
        self._refused_at = Path(error.filename or self._path)
        return self._refused()

    def _refused(self) -> UserError:
        return UserError(
            "journal-not-writable",
            f"the journal cannot be written: {self._refusal}",
            where=Where(str(self._refused_at)),
            help="make room for it or make it writable, then start again with `shiage run`; nothing finished is lost",
        )


def _repaired(tail: Tail) -> tuple[Draft, ...]:
    """What was cut off is kept in the journal itself."""
    if not tail.torn:
        return ()
    text = mask_text(tail.torn.decode("utf-8", "backslashreplace"))[:_KEPT]
    content = {"line": len(tail.lines) + 1, "bytes": len(tail.torn), "sha256": digest(tail.torn), "text": text}
    return (Draft(REPAIRED, "full", _run(tail), content),)


def _rewound(tail: Tail, known: Head) -> Draft:
    """The file no longer holds what this machine wrote last: tampering, or an older version was checked out."""
    found = tail.last.seq if tail.last else 0
    return Draft(REWOUND, "full", _run(tail), {"expected": known.seq, "hash": known.hash, "found": found})


def _run(tail: Tail) -> str:
    return tail.last.run if tail.last else ""
