"""One run per spec: an operating-system lock that dies with its process, and says who holds it."""

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shiage.domain.errors import UserError
from shiage.engine.places import writing

LOOKS, LOOK_SECONDS = 10, 0.005


@dataclass(frozen=True, slots=True)
class Holder:
    pid: int
    host: str
    doing: str


def holder(path: Path) -> Holder | None:
    """Who holds the lock now, if anybody does."""
    try:
        with path.open("r+b") as file:
            try:
                # Shared: two who look at once must not take each other for the holder.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return _read(file.read())
    except FileNotFoundError:
        return None
    return None


def _read(data: bytes) -> Holder:
    try:
        fields = json.loads(data)
        return Holder(int(fields["pid"]), str(fields["host"]), str(fields["doing"]))
    except (ValueError, KeyError, TypeError):
        return Holder(0, "", "")


@contextmanager
def held(path: Path, spec: str, doing: str) -> Iterator[None]:
    """Hold the lock, or refuse with who holds it."""
    with writing(path):
        file = path.open("a+b", buffering=0)
    with file:
        if not _taken(file):
            raise _busy(path, spec)
        with writing(path):
            file.truncate(0)
            file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "doing": doing}).encode())
        yield


def _taken(file: IO[bytes]) -> bool:
    """Several tries: whoever only looks at the lock has it for an instant too."""
    for _ in range(LOOKS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOOK_SECONDS)
        else:
            return True
    return False


def _busy(path: Path, spec: str) -> UserError:
    who = _read(path.read_bytes())
    return UserError(
        "busy",
        f'"{spec}" is held by process {who.pid} on {who.host} ({who.doing})',
        help=f"`shiage status {spec}` shows it, `shiage stop {spec}` ends it.",
    )
