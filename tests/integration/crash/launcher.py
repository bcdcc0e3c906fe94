"""Runs the real command and kills it, as `kill -9` does, at one of its durable operations.

Each line on stdin is an order: `{"tally", "number", "moment", "argv", "cwd", "environ", "said"}`. The command runs in a
process of its own, forked from this one, which has everything loaded; its return code is the answer on stdout. Every
operation is counted and named in the file `tally`. `number` 0 kills never. `moment` is `before`, `after` or `torn`: half
of the bytes are written, then nothing more. Production code knows nothing of this: the plain functions through which
all durable steps go are wrapped from outside.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from shiage.agents import process
from shiage.cli import main
from shiage.journal import durable
from shiage.specs import files

Do = Callable[..., Any]
_MKDIR = os.mkdir
#: What a run loads only when it needs it.
LATER = ("shiage.cli.run", "shiage.app.hands")
#: Seconds; a run that hangs ends by SIGALRM.
PATIENCE = 120


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


def serve() -> None:
    for name in LATER:
        import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            sys.exit(_play(json.loads(line)))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _play(order: Mapping[str, Any]) -> int:
    signal.alarm(PATIENCE)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environ"])
    nothing, said = os.open(os.devnull, os.O_RDONLY), os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for source, target in ((nothing, 0), (said, 1), (said, 2)):
        os.dup2(source, target)
    arm(Killer(order["tally"], order["number"], order["moment"]))
    return main.run(order["argv"])


if __name__ == "__main__":
    serve()
