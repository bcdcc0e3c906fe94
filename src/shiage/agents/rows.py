"""What both readers of the system's process table share."""

import hashlib
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

MARKER_NAME = "SHIAGE_AGENT_ID"


@dataclass(frozen=True, slots=True)
class Row:
    """One process, as the system shows it at this moment."""

    pid: int
    parent: int
    session: int
    started: float  #: with `pid` the identity of a process: a pid alone is reused
    zombie: bool
    cpu: float  #: seconds used by it and by the children it has waited for

    def names(self, now: "Row | None") -> bool:
        """Whether a later look at the same pid still shows this process."""
        return now is not None and (now.pid, now.started) == (self.pid, self.started)


def below(rows: Mapping[int, Row], roots: Iterable[int]) -> set[int]:
    """Every descendant of the roots, the roots not included."""
    children: dict[int, list[int]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row.pid)
    found: set[int] = set()
    queue = list(roots)
    while queue:
        new = [pid for pid in children.get(queue.pop(), ()) if pid not in found]
        found.update(new)
        queue.extend(new)
    return found


def above(rows: Mapping[int, Row], pid: int) -> set[int]:
    """The process itself and all its ancestors."""
    found: set[int] = set()
    while pid in rows and pid not in found:
        found.add(pid)
        pid = rows[pid].parent
    return found


def tag_of(marker: str) -> int:
    """A number for a marker, so rare that nobody else uses it; a positive 63-bit value."""
    return 1 << 56 | int.from_bytes(hashlib.sha256(marker.encode("utf-8", "replace")).digest()[:7])


def send_by_pid(row: Row, number: signal.Signals, look: Callable[[int], Row | None]) -> bool:
    """Signal a process by pid right after a look at its start time: the smallest window without a pidfd."""
    try:
        if row.names(look(row.pid)):
            os.kill(row.pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True
