"""What can be wrong with the file of the embedded queue, and what a person does about it."""

import errno
import sqlite3
from pathlib import Path

from shiage.domain.errors import OurBug, ShiageError, UserError, Where
from shiage.queue.store import QueueGone

_FULL = "make room on the disk, then do it again; what was queued before is kept."
_RIGHTS = "give yourself the right to write there, then do it again."
_DAMAGED = "move the file away and queue again what was open; what happened so far stands in each spec's journal."
#: Part of what SQLite says -> code, and remedy. What is not here may pass, like a disk that comes back.
_KNOWN = (
    ("disk is full", "queue-full", _FULL),
    ("readonly database", "queue-not-writable", _RIGHTS),
    ("unable to open", "queue-not-writable", _RIGHTS),
    ("malformed", "queue-damaged", _DAMAGED),
    ("not a database", "queue-damaged", _DAMAGED),
)


def told(error: sqlite3.Error | OSError, path: Path) -> ShiageError:
    """The error as the person meets it."""
    if isinstance(error, sqlite3.IntegrityError):
        return OurBug(f"the queue refused: {error}")
    if isinstance(error, OSError):
        code, remedy = ("queue-full", _FULL) if error.errno == errno.ENOSPC else ("queue-not-writable", _RIGHTS)
        return UserError(code, f"the queue cannot be used: {error.strerror}", where=Where(str(path)), help=remedy)
    for part, code, remedy in _KNOWN:
        if part in str(error):
            return UserError(code, f"the queue cannot be used: {error}", where=Where(str(path)), help=remedy)
    return QueueGone(
        "queue-gone",
        f"the queue does not answer: {error}",
        where=Where(str(path)),
        help="a worker goes on by itself when it is back; else look at the file and its disk.",
    )


def gone(path: Path) -> QueueGone:
    return QueueGone(
        "queue-gone",
        "the queue's file is gone",
        where=Where(str(path)),
        help="put it back and a worker goes on by itself; to begin with an empty queue, start the worker again.",
    )


def other_version(path: Path, found: int, ours: int) -> UserError:
    newer = "use the newer shiage" if found > ours else "let the tickets in it end with the older shiage"
    return UserError(
        "queue-version",
        f"the queue was made by another shiage: its schema is {found}, this one's is {ours}",
        where=Where(str(path)),
        help=f"{newer}, or move the file away to begin with an empty queue.",
    )
