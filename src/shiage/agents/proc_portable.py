"""The process table of other systems, through psutil.

Nobody adopts orphans here and nothing but the environment and the session tells whose a process is:
a descendant that left both is not found.
"""

import os
import signal
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

import psutil

from shiage.agents.rows import MARKER_NAME, Row, send_by_pid

_GONE = (psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError, PermissionError)


def adopts() -> bool:
    return False


def look(pid: int) -> Row | None:
    """The row of one process; None when there is none."""
    try:
        return _row(psutil.Process(pid))
    except _GONE:
        return None


def _row(process: psutil.Process) -> Row:
    with process.oneshot():
        zombie = process.status() == psutil.STATUS_ZOMBIE
        times = None if zombie else process.cpu_times()
        return Row(
            pid=process.pid,
            parent=process.ppid(),
            session=os.getsid(process.pid),
            started=process.create_time(),
            zombie=zombie,
            cpu=times.user + times.system if times else 0.0,
        )


def everyone() -> dict[int, Row]:
    """All processes that can be seen."""
    return {row.pid: row for row in map(look, psutil.pids()) if row}


def own_children() -> Iterable[int]:
    return [child.pid for child in psutil.Process().children()]


def marker_of(pid: int) -> str:
    """The marker in the environment with which the process was started, or an empty text."""
    try:
        return psutil.Process(pid).environ().get(MARKER_NAME, "")
    except (*_GONE, OSError):
        return ""


def changing(row: Row) -> bool:
    """Nothing here shows the middle of an exec."""
    return False


def set_tag(pid: int, marker: str) -> None:
    """There is no tag here."""


def born_tagged(marker: str) -> AbstractContextManager[None]:
    return nullcontext()


def tag_on(pid: int) -> int:
    return 0


def send(row: Row, number: signal.Signals) -> bool:
    """Signal this process unless its pid names another by now; False when it is not ours to signal."""
    return send_by_pid(row, number, look)


def boot() -> str:
    """Names this boot of the machine: pids and start times mean nothing in another one."""
    return str(int(psutil.boot_time()))
