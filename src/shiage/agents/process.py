"""Runs one process of an agent to its end. The end is the return value of `run`."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from shiage.agents import sidecar
from shiage.agents.kin import Kin, family, seconds_used
from shiage.agents.launch import Ended, Launch, not_started, open_log, spawn
from shiage.agents.leader import Leader
from shiage.agents.limits import Watch
from shiage.agents.proc import system
from shiage.agents.sweep import Sweep, bury_dead, everywhere, finder
from shiage.agents.tail import Tail
from shiage.domain.details import told
from shiage.domain.outcome import Cause, Ending

OnLines = Callable[[list[bytes]], bool]
T = TypeVar("T")

GLANCE = 0.05  #: seconds between two looks at the output of a running agent
MOUTHFUL = 8  #: chunks read at one look: the event loop must turn though an agent floods
AFTER_KILL = 2.0  #: seconds for the kernel to end what was killed; a process stuck in a dead disk takes longer


async def run(launch: Launch, *, stop: asyncio.Event, on_lines: OnLines | None = None, skim: bool = False) -> Ended:
    """Start it, wait for its end, and leave nothing of it running: also when this task is cancelled.

    `on_lines` gets the lines of its output and says whether the last of them is a final result; with
    `skim` it may miss some of a flood. `stop` ends the agent for a person. A cancellation while it
    is being ended takes away its patience, nothing more.
    """
    if stop.is_set():
        return Ended(Ending.STOPPED, detail="Stopped before it was started.")
    system.adopts()
    with ExitStack() as held:
        try:
            tail = held.enter_context(open_log(launch, skim=skim))
            leader = Leader(spawn(launch))
        except (OSError, ValueError) as error:
            return not_started(launch, error)
        return await Process(launch, leader, tail, on_lines).to_its_end(stop)


class Process:
    """A started agent and everything that it starts."""

    def __init__(self, launch: Launch, leader: Leader, tail: Tail, on_lines: OnLines | None) -> None:
        self._launch, self._leader, self._tail, self._on_lines = launch, leader, tail, on_lines
        self._kin = Kin(frozenset({launch.marker}), frozenset({leader.pid}))
        self._begun = time.monotonic()
        self._watch = Watch(launch, self._begun, self._written, self._used)
        self._hurry = threading.Event()

    async def to_its_end(self, stop: asyncio.Event) -> Ended:
        """Wait, end it if need be, sweep, read the rest of its output."""
        why: Cause | Ending | None = None
        code, left = None, 0
        try:
            self._note()
            why = await self._over(stop)
        finally:
            try:
                left = await self._clear()
            finally:
                code = self._leader.release()
                sidecar.remove(self._launch.log)
        await self._drain()
        return self._ended(code, why, left)

    def _note(self) -> None:
        row = system.look(self._leader.pid)
        if row is not None:
            sidecar.write(self._launch.log, row, self._launch.marker)

    async def _over(self, stop: asyncio.Event) -> Cause | Ending | None:
        """Why it must be ended; None when it ended by itself."""
        exited = self._leader.notice()
        stopped = asyncio.ensure_future(stop.wait())
        both: set[asyncio.Future[Any]] = {exited, stopped}
        try:
            while True:
                await asyncio.wait(both, timeout=self._pause(), return_when=asyncio.FIRST_COMPLETED)
                if exited.done():
                    return None
                if stopped.done():
                    return Ending.STOPPED
                self._read()
                if cause := self._watch.over(time.monotonic()):
                    return cause
        finally:
            stopped.cancel()

    def _pause(self) -> float:
        now = time.monotonic()
        if self._on_lines is None:
            return max(0.0, self._watch.next() - now)
        return 0.0 if self._tail.behind else max(0.0, min(self._watch.next() - now, GLANCE))

    def _read(self) -> None:
        for _ in range(MOUTHFUL if self._on_lines else 0):
            self._pass_on(self._tail.lines())
            if not self._tail.behind:
                return

    def _pass_on(self, lines: list[bytes]) -> None:
        if lines and self._on_lines:
            final = self._on_lines(lines)
            self._watch.heard(time.monotonic(), final=final)

    async def _drain(self) -> None:
        """Read what is left, once, after the last writer is gone."""
        self._tail.behind = self._on_lines is not None
        while self._tail.behind:
            self._pass_on(self._tail.lines())
            await asyncio.sleep(0)
        self._pass_on(self._tail.rest())

    def _written(self) -> int:
        try:
            errors = self._launch.err.stat().st_size
        except OSError:  # the agent removed it
            errors = 0
        return self._tail.size() + errors

    def _used(self) -> Mapping[int, float]:
        bury_dead(self._kin)
        return seconds_used(self._kin, self._leader.pid)

    async def _clear(self) -> int:
        """Leave nothing of it running; returns how many processes beside the first had to be ended."""
        if not self._leader.gone():
            return await uninterrupted(self._end, self._hurry)
        sweep = Sweep(finder(self._kin), hurry=self._hurry)
        return 0 if sweep.quiet() else await uninterrupted(sweep.finish, self._hurry)

    def _end(self) -> int:
        """Ask the group, kill the group, then look for those who left it."""
        # Taken now: as soon as parents die, orphans without marker and tag have nothing that ties them to us.
        known = [row for row in family(system.everyone(), {self._leader.pid}) if row.pid != self._leader.pid]
        self._leader.tell_group(signal.SIGTERM)
        if not self._leader.wait(self._launch.patience_seconds, self._hurry):
            self._leader.tell_group(signal.SIGKILL)
            self._leader.wait(AFTER_KILL, threading.Event())
        return Sweep(lambda: everywhere(self._kin), known=known, hurry=self._hurry).finish()

    def _ended(self, code: int | None, why: Cause | Ending | None, left: int) -> Ended:
        ending, cause, detail = self._reading(code, why)
        return Ended(
            ending,
            cause,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            detail=detail if code is not None else f"{detail} It could not be ended.",
            seconds=time.monotonic() - self._begun,
            left_behind=left,
        )

    def _reading(self, code: int | None, why: Cause | Ending | None) -> tuple[Ending, Cause, str]:
        if why is Ending.STOPPED:
            return Ending.STOPPED, Cause.NONE, told("stopped")
        if isinstance(why, Cause):
            return Ending.TIMED_OUT, why, self._watch.sentence(why)
        if code == 0:
            return Ending.COMPLETED, Cause.NONE, ""
        return Ending.FAILED, Cause.CRASHED, how_it_failed(code)


def how_it_failed(code: int | None) -> str:
    """An exit status in words."""
    if code is None or code >= 0:
        return told("exit-code", code=code)
    try:
        name = f" ({signal.Signals(-code).name})"
    except ValueError:  # a real-time signal
        name = ""
    return told("signal", signal=f"{-code}{name}")


async def uninterrupted(work: Callable[[], T], hurry: threading.Event) -> T:
    """Do it in a thread of its own and wait for it whatever is cancelled meanwhile; a cancellation says hurry.

    Not in the loop's shared threads: those may be taken, and a stop must not queue.
    """
    cancelled = False
    with ThreadPoolExecutor(1, thread_name_prefix="end-agent") as pool:
        future = asyncio.wrap_future(pool.submit(work))
        while not future.done():
            try:
                await asyncio.wait({future})
            except asyncio.CancelledError:
                cancelled = True
                hurry.set()
    if cancelled:
        raise asyncio.CancelledError
    return future.result()
