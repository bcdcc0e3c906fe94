"""Opens the file of the embedded queue; makes it when there is none."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shiage.queue.tickets import MOVES
from shiage.queue.troubles import gone, other_version, told

VERSION = 1  #: of the schema; one more with each change of it or of MOVES
BUSY_SECONDS = 30.0
_SCHEMA = Path(__file__).parent / "sql" / "schema.sql"
# FULL: with NORMAL a power cut takes acknowledged transactions back.
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",  # else REPLACE deletes without asking
)


def opened(folder: Path, path: Path, *, create: bool) -> sqlite3.Connection:
    """A connection to a queue of our schema."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder / "opening.lock"):
            if not create and not path.exists():
                raise gone(path)
            return _checked(path)
    except (sqlite3.Error, OSError) as error:
        raise told(error, path) from error


def _checked(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        db.row_factory = sqlite3.Row
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise other_version(path, version, VERSION)
        for pragma in _PRAGMAS:
            db.execute(pragma)
        if version == 0:
            _make(db)
    except BaseException:
        db.close()
        raise
    return db


def _make(db: sqlite3.Connection) -> None:
    moves = ", ".join(f"('{before}', '{after}')" for before, nexts in MOVES.items() for after in sorted(nexts))
    schema = _SCHEMA.read_text(encoding="utf-8")
    db.executescript(
        f"BEGIN IMMEDIATE; {schema}\nINSERT INTO move VALUES {moves};\nPRAGMA user_version = {VERSION}; COMMIT;"
    )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One at a time: switching a new file to WAL does not wait for another process that does the same."""
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
