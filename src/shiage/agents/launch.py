"""What is started, how it ended, and the start itself."""

import errno
import math
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from shiage.agents.proc import system
from shiage.agents.rows import MARKER_NAME
from shiage.agents.tail import Tail
from shiage.domain.outcome import Cause, Ending


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything about one process of an agent, decided before it exists."""

    argv: tuple[str, ...]
    env: Mapping[str, str]  #: complete: nothing is inherited
    cwd: Path
    stdin: bytes
    log: Path  #: takes the standard output; one log belongs to one attempt
    err: Path  #: takes the standard error
    marker: str  #: unique for this attempt; told to the agent as SHIAGE_AGENT_ID
    idle_seconds: float  #: no output and no processor time for longer: ended
    total_seconds: float  #: on a clock that stands still while the machine sleeps
    start_seconds: float = math.inf  #: no first line and no processor time for longer: ended
    grace_seconds: float = 60.0  #: for leaving after the final result
    patience_seconds: float = 5.0  #: between asking and killing
    files: Mapping[Path, str] = field(default_factory=dict)  #: what it is to read, written before it starts


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended. COMPLETED says only: by itself, with exit code 0."""

    ending: Ending
    cause: Cause = Cause.NONE
    exit_code: int | None = None
    signal: int | None = None
    detail: str = ""
    seconds: float = 0.0
    left_behind: int = 0  #: processes that had to be ended after it


class Newborn(subprocess.Popen[bytes]):
    """Tagged in the instant in which its pid is known, not when Popen is done: it may fork meanwhile."""

    def __init__(self, launch: Launch, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self._marker = launch.marker
        with system.born_tagged(launch.marker):
            super().__init__(
                launch.argv,
                cwd=launch.cwd,
                env={**launch.env, MARKER_NAME: launch.marker},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._pid

    @pid.setter
    def pid(self, pid: int | None) -> None:  # Popen says None until there is one
        self._pid = pid or 0
        if pid:
            system.set_tag(pid, self._marker)


def spawn(launch: Launch) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own. No pipes: they fill, and a grandchild can hold them open."""
    if not launch.argv:
        raise ValueError("no program is named")
    for path, content in launch.files.items():
        _lay(path, content)
    with _holding(launch.stdin) as stdin, _appending(launch.log) as stdout, _appending(launch.err) as stderr:
        return Newborn(launch, stdin, stdout, stderr)


def _holding(content: bytes) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(content)
    file.seek(0)  # flushes too
    return file


def _appending(path: Path) -> IO[bytes]:
    # O_APPEND: an agent whose child truncates /dev/stdout leaves no hole. O_NOFOLLOW: no link that an
    # earlier agent laid at this name leads our writing elsewhere.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0)


def _lay(path: Path, content: str) -> None:
    """One that lies there is written over, and no link is followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        file.write(content)


def open_log(launch: Launch, *, skim: bool) -> Tail:
    """The reader of the output, opened before the agent can put something else at its name."""
    _appending(launch.log).close()
    return Tail(launch.log, skim=skim)


def not_started(launch: Launch, error: OSError | ValueError) -> Ended:
    """Why there is no process, in a sentence for a person."""
    cause, detail = _reason(launch, error)
    return Ended(Ending.NOT_STARTED, cause, detail=detail)


def _reason(launch: Launch, error: OSError | ValueError) -> tuple[Cause, str]:
    if isinstance(error, ValueError):  # NUL in an argument, "=" in a variable's name, nothing to start
        return Cause.CRASHED, f"The agent's command line cannot be used: {error}."
    if error.filename == launch.cwd:
        return Cause.CRASHED, f"The folder {launch.cwd} cannot be entered: {error.strerror}."
    if error.errno in _SYSTEM:
        return _SYSTEM[error.errno]
    if error.filename == launch.argv[0]:
        because = _REFUSALS.get(error.errno or 0, f"cannot be started: {error.strerror}")
        return Cause.NOT_INSTALLED, f"The program {launch.argv[0]} {because}."
    return Cause.CRASHED, f"{error.filename or 'The agent'} cannot be used: {error.strerror}."


#: Not the program's fault. What lacks at this moment only is worth another try.
_SYSTEM = {
    errno.E2BIG: (
        Cause.CRASHED,
        "The command line is too large for the system (one argument may have 128 KiB); "
        "let the agent read its prompt from standard input.",
    ),
    errno.EAGAIN: (Cause.TRANSIENT, "The system has no room for another process."),
    errno.ENOMEM: (Cause.TRANSIENT, "The system has no memory for another process."),
    errno.EMFILE: (Cause.TRANSIENT, "Too many files are open."),
    errno.ENFILE: (Cause.TRANSIENT, "Too many files are open."),
    errno.ETXTBSY: (Cause.TRANSIENT, "The agent's program is being written at this moment."),
}
_REFUSALS = {
    errno.ENOENT: "was not found, or the interpreter that its first line names",
    errno.ENOTDIR: "was not found",
    errno.EACCES: "may not be executed",
    errno.ENOEXEC: "has no form that this system can execute",
}
