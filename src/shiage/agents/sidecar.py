"""A note beside an attempt's log: which process was started for it. Found there after a crash of ours."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shiage.agents.proc import system
from shiage.agents.rows import Row

_MOST = 4096  # bytes; a note has about 150


@dataclass(frozen=True, slots=True)
class Note:
    pid: int
    started: float
    boot: str
    marker: str


def path_of(log: Path) -> Path:
    return log.with_name(log.name + ".pid")


def write(log: Path, row: Row, marker: str) -> None:
    """Not synced: it serves after a crash of ours, and after one of the machine nothing lives.

    A note that cannot be written is missed by nobody but that search, which has the marker too.
    """
    note = {"pid": row.pid, "started": row.started, "boot": system.boot(), "marker": marker}
    with suppress(OSError):
        handle = os.open(path_of(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(note).encode())


def read(log: Path) -> Note | None:
    """None when there is no note or none that can be read: the folder is within an agent's reach."""
    try:
        handle = os.open(path_of(log), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fields = json.loads(os.read(handle, _MOST))
        return Note(int(fields["pid"]), float(fields["started"]), str(fields["boot"]), str(fields["marker"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
    finally:
        os.close(handle)


def remove(log: Path) -> None:
    with suppress(OSError):
        path_of(log).unlink()


def living(note: Note) -> Row | None:
    """The noted process, if this is still the same boot and the pid still names it."""
    row = system.look(note.pid) if note.boot == system.boot() else None
    return row if row and row.started == note.started else None
