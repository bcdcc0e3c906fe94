"""A run in a process of its own, which goes on when the terminal is closed."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine import lock
from shiage.engine.places import Places

#: Until the spec is seen running, or the process has ended and said why.
START_SECONDS = 20.0
_LOOK_SECONDS = 0.03
#: Codes of a run that had so little to do that it has ended already.
_FINE = frozenset({0, 4, 5})


@dataclass(frozen=True, slots=True)
class Background:
    pid: int
    log: Path  #: takes what the run prints


def start(workspace: Workspace, name: str, arguments: Sequence[str], environ: Mapping[str, str]) -> Background:
    """Start `shiage` with these arguments; returns when it runs, so that a stop will find it."""
    workspace.require_trust()
    places = Places(workspace.root, workspace.folder(name).key)
    places.prepare()
    log = places.output
    argv = (sys.executable, "-m", "shiage", "--plain", "--project", str(workspace.root), *arguments)
    begun = Background(spawn(argv, environ, log), log)
    _await(workspace, name, places, begun)
    return begun


def spawn(argv: Sequence[str], environ: Mapping[str, str], log: Path) -> int:
    """In a session of its own: neither Ctrl-C nor the end of the terminal reaches it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawn(argv[0], tuple(argv), dict(environ), file_actions=actions, setsid=True)


def _await(workspace: Workspace, name: str, places: Places, begun: Background) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        ended, code = os.waitpid(begun.pid, os.WNOHANG)
        if ended and os.waitstatus_to_exitcode(code) in _FINE:
            return
        if ended:
            raise _failed(name, begun.log)
        if _runs(workspace, name, places, begun.pid):
            return
        time.sleep(_LOOK_SECONDS)


def _runs(workspace: Workspace, name: str, places: Places, pid: int) -> bool:
    folder, holder = workspace.folder(name), lock.holder(places.lock)
    here = workspace.is_away(folder) or (holder is not None and holder.pid == pid)
    return here and status(workspace, folder).status == "running"


def _failed(name: str, log: Path) -> UserError:
    """The last thing that it said is the reason."""
    said = [
        line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.startswith("error[")
    ]
    return UserError("not-started", f'"{name}" did not start: {"".join(said[-1:])}', help=f"its output is in {log}.")
