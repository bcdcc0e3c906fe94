"""The first process of an agent: started, awaited, signalled, reaped, each exactly once."""

import asyncio
import os
import select
import signal
import subprocess
import threading
import time

from shiage.agents.sweep import awaited

SLICE = 0.02  #: seconds between two looks while it is being ended


class Leader:
    """Reaped last, where the system lets us: until then its pid, group and session cannot name anybody else."""

    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self._popen = popen
        self._handle = -1
        self.pid = popen.pid
        awaited.add(popen.pid)

    def notice(self) -> "asyncio.Future[None]":
        """Done as soon as it has ended. Learned of this one pid: no SIGCHLD, no waitpid(-1)."""
        loop = asyncio.get_running_loop()
        exited = loop.create_future()
        try:
            self._handle = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # another system, an old kernel, a sandbox
            threading.Thread(target=self._wait, args=(loop, exited), daemon=True).start()
        else:
            loop.add_reader(self._handle, self._ended, loop, exited)
        return exited

    def _ended(self, loop: asyncio.AbstractEventLoop, exited: "asyncio.Future[None]") -> None:
        loop.remove_reader(self._handle)
        _settle(exited)

    def _wait(self, loop: asyncio.AbstractEventLoop, exited: "asyncio.Future[None]") -> None:
        self._popen.wait()
        try:
            loop.call_soon_threadsafe(_settle, exited)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    def gone(self) -> bool:
        """Whether it has ended."""
        if self._handle < 0:
            return self._popen.poll() is not None
        watch = select.poll()
        watch.register(self._handle, select.POLLIN)
        return bool(watch.poll(0))

    def wait(self, seconds: float, hurry: threading.Event) -> bool:
        """Give it time to end; less when there is a hurry. For a thread of its own."""
        deadline = time.monotonic() + seconds
        while not self.gone() and time.monotonic() < deadline:
            if hurry.wait(SLICE):
                break
        return self.gone()

    def tell_group(self, number: signal.Signals) -> None:
        """Signal it and all that stayed in its process group."""
        if self._popen.returncode is None:
            try:
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return  # all gone, or of another user: the sweep finds what is left

    def release(self) -> int | None:
        """Reap it: its exit code, or the negative number of its signal; None if it still lives."""
        code = self._popen.poll()
        if self._handle >= 0:
            asyncio.get_running_loop().remove_reader(self._handle)
            os.close(self._handle)
            self._handle = -1
        awaited.discard(self.pid)
        return code


def _settle(exited: "asyncio.Future[None]") -> None:
    if not exited.done():  # its loop may have cancelled it
        exited.set_result(None)
