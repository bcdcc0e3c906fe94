"""Ctrl-C is a stop; a second one takes away the agent's patience."""

import asyncio
import signal
from types import TracebackType

from shiage.app.runs import Stoppable
from shiage.cli.front import Front

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Listens while a run goes on. A signal that the caller wants ignored (nohup, background jobs) stays ignored."""

    def __init__(self, shown: Front) -> None:
        self.asked = False
        self._shown = shown
        self._runners: list[Stoppable] = []
        self._main = asyncio.current_task()
        shown.on_stop = self.ask

    def __enter__(self) -> "Interrupts":
        loop = asyncio.get_running_loop()
        self._heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        for number in self._heard:
            loop.add_signal_handler(number, self._signalled)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number in self._heard:
            asyncio.get_running_loop().remove_signal_handler(number)

    def started(self, runner: Stoppable) -> None:
        """A run that a stop is meant for; one that was asked for earlier counts too."""
        self._runners.append(runner)
        if self.asked:
            runner.request_stop()

    def ask(self) -> None:
        """Stop the run as `shiage stop` does; once is enough."""
        if not self.asked:
            self.asked = True
            self._shown.stopping()
            for runner in self._runners:
                runner.request_stop()

    def _signalled(self) -> None:
        if not self.asked:
            self.ask()
            return
        for task in asyncio.all_tasks():  # whoever waits for the agent's end is told to hurry, and kills it
            if task is not self._main:
                task.cancel()
