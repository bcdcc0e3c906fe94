"""Single keys on a terminal, without Enter."""

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any


class Keys:
    """Calls what a key stands for; leaves the terminal as it was found, whatever happens."""

    def __init__(self, actions: Mapping[str, Callable[[], None]], other: Callable[[str], None] | None = None) -> None:
        self._actions = actions
        self._other = other or _nothing  #: hears every other key; an arrow is one
        self._before: Any = None  #: the terminal's own words for its settings

    def __enter__(self) -> "Keys":
        if _ours():
            descriptor = sys.stdin.fileno()
            self._before = termios.tcgetattr(descriptor)
            tty.setcbreak(descriptor, termios.TCSADRAIN)
            asyncio.get_running_loop().add_reader(descriptor, self._read)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def _read(self) -> None:
        pressed = os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace")
        if not pressed:  # the terminal is gone
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        for key in [pressed] if pressed.startswith("\x1b[") else pressed:
            if key in self._actions:
                self._actions[key]()
            else:
                self._other(key)


def _nothing(key: str) -> None:
    """A key without a meaning."""


def _ours() -> bool:
    """A job in the background that touches the terminal's settings would be halted by it."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # a terminal that controls nobody
        return False
