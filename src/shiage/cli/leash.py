"""A run with a moving view works in a child of the program that the shell waits for: so it can go on without the shell.

The parent does nothing but wait. Its end without a word is a stop, as if the terminal were gone; a signal from the
child is the end of waiting, and the run goes on in a session of its own.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

_FREE = signal.SIGUSR1  #: the child goes on alone
_HEARD_BY_BOTH = (signal.SIGINT, signal.SIGHUP)  #: the terminal tells the child itself


class Leash:
    """The child's end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor  #: at its end when the parent is gone

    def watch(self, gone: Callable[[], None]) -> None:
        """Hear of the parent's end."""

        def heard() -> None:
            self._drop()
            gone()

        asyncio.get_running_loop().add_reader(self._descriptor, heard)

    def cut(self, log: Path) -> None:
        """Go on without terminal and parent; what is still told goes to the log."""
        self._drop()
        parent = os.getppid()
        os.setsid()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        _becomes(os.open(os.devnull, os.O_RDONLY), 0)
        _becomes(os.open(log, flags, 0o600), 1, 2)
        os.kill(parent, _FREE)

    def _drop(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)


def _becomes(descriptor: int, *places: int) -> None:
    for place in places:
        os.dup2(descriptor, place)
    os.close(descriptor)


def split() -> Leash:
    """Returns in the child alone. The parent ends as the child does, or at once when it is let go."""
    ours, theirs = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (_FREE, signal.SIGTERM))  # none may come before it is awaited
    child = os.fork()
    if child == 0:
        os.close(theirs)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return Leash(ours)
    os.close(ours)
    for number in _HEARD_BY_BOTH:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(_FREE, _let_go)
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _let_go(number: int, frame: FrameType | None) -> None:
    os._exit(0)
