"""The judge as shiage itself asks it: with its grammars in a process that can be ended.

There is text on which a grammar never comes back, and it holds the interpreter while it is away:
no thread, timer or signal could end it. A grammar that takes too long has no opinion; brackets decide then.
"""

import atexit
import json
import subprocess
import sys
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO

from shiage.judge import Lexed, TreeErrors
from shiage.judge import check as check_here

PATIENCE = 5.0  #: seconds for one file; the largest that is asked about takes a tenth of a second
COMMAND = (sys.executable, "-m", "shiage.engine.parsing")


class Grammars:
    """A process that parses, started when first asked and again when it had to be ended."""

    def __init__(self, command: tuple[str, ...] = COMMAND, patience: float = PATIENCE) -> None:
        self._command, self._patience = command, patience
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: SimpleQueue[str] = SimpleQueue()

    def __call__(self, lexed: Lexed) -> TreeErrors | None:
        """What the grammar says of this text; None: it has no opinion, or did not come back in time."""
        if not lexed.language.grammar:
            return None
        with self._lock:
            try:
                self._ask(json.dumps([lexed.language.name, lexed.text]))
                said = json.loads(self._answers.get(timeout=self._patience))
            except (Empty, OSError, ValueError):
                self._end()
                return None
        return None if said is None else TreeErrors(*said)

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def _ask(self, question: str) -> None:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._answers = SimpleQueue()
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, encoding="utf-8", start_new_session=True,
            )  # fmt: skip
            Thread(target=_read, args=(self._process.stdout, self._answers), daemon=True).start()
        # From a thread: a process that does not read would hold up whoever writes to it.
        Thread(target=_write, args=(self._process.stdin, question), daemon=True).start()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        with suppress(OSError, ValueError):  # what was still to be written has no reader any more
            if self._process.stdin:
                self._process.stdin.close()
        self._process = None


def _write(questions: IO[str], question: str) -> None:
    with suppress(OSError, ValueError):  # whoever waits for the answer learns that it does not come
        questions.write(question + "\n")
        questions.flush()


def _read(lines: IO[str], answers: SimpleQueue[str]) -> None:
    """Pass the answers on; an empty one says that the process is gone."""
    with lines:
        for line in lines:
            answers.put(line)
    answers.put("")


GRAMMARS = Grammars()
atexit.register(GRAMMARS.close)
check = partial(check_here, ask=GRAMMARS)
