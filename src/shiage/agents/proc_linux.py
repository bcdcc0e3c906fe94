"""The process table of Linux, read from /proc."""

import ctypes
import os
import resource
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from shiage.agents.rows import MARKER_NAME, Row, send_by_pid, tag_of

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER in linux/prctl.h
# RLIMIT_LOCKS: obeyed by no kernel since 2.4.25, yet every fork and exec hands it on. So its soft
# value is a tag that an agent's descendants keep when they clear their environment, start sessions
# of their own or are orphaned; it is even readable on a zombie.
_TAG_LIMIT = 10
_TICK = float(os.sysconf("SC_CLK_TCK"))
_YOUNG = 5.0  #: seconds: who lives longer and shows no environment has none
_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


def adopts() -> bool:
    """Whether orphans below this process become its children; asks for it at the first call."""
    return _subreaper(os.getpid())


@cache
def _subreaper(_pid: int) -> bool:  # the pid is the cache key: a fork does not inherit the role
    return bool(ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) == 0)


def look(pid: int) -> Row | None:
    """The row of one process; None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except _GONE:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold blanks and brackets
    return Row(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        started=float(fields[19]),
        zombie=fields[0] in (b"Z", b"X"),
        cpu=sum(map(int, fields[11:15])) / _TICK,
    )


def everyone() -> dict[int, Row]:
    """All processes that can be seen."""
    with os.scandir("/proc") as entries:
        rows = [look(int(entry.name)) for entry in entries if entry.name.isdigit()]
    return {row.pid: row for row in rows if row}


def own_children() -> Iterable[int]:
    """Children of our main thread: the kernel gives it every orphan that we adopt."""
    pid = os.getpid()
    try:
        return [int(child) for child in Path(f"/proc/self/task/{pid}/children").read_bytes().split()]
    except _GONE:  # a kernel without CONFIG_PROC_CHILDREN
        return [row.pid for row in everyone().values() if row.parent == pid]


def marker_of(pid: int) -> str:
    """The marker in the environment with which the process was started, or an empty text."""
    try:
        environment = b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except _GONE:
        return ""
    _, _, rest = environment.partition(b"\0" + MARKER_NAME.encode() + b"=")
    return rest.partition(b"\0")[0].decode("utf-8", "replace")


def changing(row: Row) -> bool:
    """Whether the process is in the middle of an exec: then it shows no environment, under load for some 30 ms.

    One of the kernel's own, of session 0, never has any.
    """
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - row.started / _TICK
    if row.zombie or not row.session or age > _YOUNG:
        return False
    try:
        return not Path(f"/proc/{row.pid}/environ").read_bytes()
    except _GONE:
        return False


def set_tag(pid: int, marker: str) -> None:
    """Give the process, and all that it will start, the tag of the marker."""
    try:
        hard = resource.prlimit(pid, _TAG_LIMIT)[1]
        resource.prlimit(pid, _TAG_LIMIT, (tag_of(marker), hard))
    except (OSError, ValueError):
        return  # gone already, not ours to change, or capped: session and environment still tell


@contextmanager
def born_tagged(marker: str) -> Iterator[None]:
    """Let the child that is started meanwhile be born with the tag.

    The limit is the whole process's, so only where no other thread could start a process that must
    not carry it. Elsewhere the child is tagged right after its birth, and may fork earlier.
    """
    soft, hard = resource.getrlimit(_TAG_LIMIT)
    alone = threading.active_count() == 1 and hard == resource.RLIM_INFINITY
    if alone:
        resource.setrlimit(_TAG_LIMIT, (tag_of(marker), hard))
    try:
        yield
    finally:
        if alone:
            resource.setrlimit(_TAG_LIMIT, (soft, hard))


def tag_on(pid: int) -> int:
    """The tag that the process carries; 0 when that cannot be seen."""
    try:
        return resource.prlimit(pid, _TAG_LIMIT)[0]
    except OSError:
        return 0


def send(row: Row, number: signal.Signals) -> bool:
    """Signal exactly this process, never a later one with its pid; False when it is not ours to signal."""
    try:
        handle = os.pidfd_open(row.pid)
    except ProcessLookupError:
        return True
    except OSError:  # no pidfd here (an old kernel, a sandbox)
        return send_by_pid(row, number, look)
    try:
        if row.names(look(row.pid)):
            signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    finally:
        os.close(handle)
    return True


def boot() -> str:
    """Names this boot of the machine: pids and start times mean nothing in another one."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
