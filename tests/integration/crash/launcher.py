"""Runs the real command and kills it, as `kill -9` does, at one of its durable operations.

    python launcher.py TALLY NUMBER MOMENT run login

Every operation is counted and named in the file TALLY. NUMBER 0 kills never. MOMENT is `before`, `after` or `torn`:
half of the bytes are written, then nothing more. Production code knows nothing of this: the plain functions through
which all durable steps go are wrapped from outside.
"""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from shiage.agents import process
from shiage.cli import main
from shiage.journal import durable
from shiage.specs import files

Do = Callable[..., Any]
_MKDIR = os.mkdir


class Killer:
    def __init__(self, tally: str, number: int, moment: str) -> None:
        self._tally = os.open(tally, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._number, self._moment = number, moment
        self._numbers = itertools.count(1)

    def wrap(self, owner: object, name: str, label: Callable[..., str], tear: Do | None = None) -> None:
        """Count the calls of this function, and die at the one that was asked for."""
        do: Do = getattr(owner, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            if do is _MKDIR and os.path.isdir(arguments[0]):
                return do(*arguments, **options)  # asks for a folder that is there: nothing happens
            due = next(self._numbers) == self._number
            os.write(self._tally, f"{label(*arguments)}\n".encode())
            if due and self._moment == "torn" and tear is not None:
                tear(do, *arguments)
            if due and self._moment in ("before", "torn"):
                _die()
            result = do(*arguments, **options)
            if due:
                _die()
            return result

        setattr(owner, name, counted)


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process went on")


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _of(descriptor: int) -> str:
    return Path(os.readlink(f"/proc/self/fd/{descriptor}")).name


def _plain(path: object) -> str:
    return os.path.basename(os.fspath(path)) if isinstance(path, str | os.PathLike) else "?"


def arm(killer: Killer) -> None:
    """Everything that can be cut short: appends, new files, names, folders, starts of processes."""
    killer.wrap(durable, "append", lambda at, data: f"append {_of(at)}", lambda do, at, data: do(at, _half(data)))
    killer.wrap(durable, "truncate", lambda at, size: f"truncate {_of(at)}")
    killer.wrap(durable, "create", lambda path: f"create {path.name}")
    killer.wrap(
        files, "write_durably", lambda path, *_: f"write {path.name[:12]}",
        lambda do, path, data, mode: do(path, _half(data), mode),
    )  # fmt: skip
    killer.wrap(os, "replace", lambda source, target, **_: f"rename {_plain(target)}")
    killer.wrap(os, "mkdir", lambda path, *_, **__: f"mkdir {_plain(path)}")
    killer.wrap(process, "spawn", lambda launch: f"start {launch.marker.partition('-a')[2].partition('-')[0]}")
    killer.wrap(subprocess, "run", lambda argv, *_, **__: f"run {_plain(argv[0])}")


if __name__ == "__main__":
    arm(Killer(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    sys.exit(main.run(sys.argv[4:]))
