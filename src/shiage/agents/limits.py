"""When an agent has had enough time: silence, the whole, and leaving after its result."""

from collections.abc import Callable, Mapping

from shiage.agents.launch import Launch
from shiage.domain.details import told
from shiage.domain.outcome import Cause

#: An agent that uses less of one core than this does nothing: its runtime merely ticks while it waits.
BUSY = 0.02
#: Bounds of the pause between two looks for signs of life, in seconds. A look at the processes takes milliseconds.
SHORTEST, LONGEST = 0.05, 15.0


class Watch:
    """Holds no clock: each question brings the time."""

    def __init__(
        self, launch: Launch, now: float, written: Callable[[], int], used: Callable[[], Mapping[int, float]]
    ) -> None:
        self._launch = launch
        self._written = written  # bytes of output so far
        self._used = used  # processor seconds of each process of the agent
        self._begun = self._alive = self._looked = now
        self._final: float | None = None
        self._spoke = False
        self._size = 0
        self._seconds: Mapping[int, float] = {}

    def heard(self, now: float, *, final: bool) -> None:
        """Output was read; `final` when the last of it says that the work is over."""
        self._alive, self._spoke = now, True
        self._final = now if final else None

    def next(self) -> float:
        """When to ask `over` again."""
        times = [self._begun + self._launch.total_seconds, self._next_look()]
        if self._final is not None:
            times.append(self._final + self._launch.grace_seconds)
        return min(times)

    def over(self, now: float) -> Cause | None:
        """The limit that was reached, if one was."""
        if now >= self._begun + self._launch.total_seconds:
            return Cause.TOTAL
        if self._final is not None and now >= self._final + self._launch.grace_seconds:
            return Cause.HUNG
        if now >= self._next_look():
            self._look(now)
            if now >= self._alive + self._patience:
                return Cause.IDLE
        return None

    @property
    def _patience(self) -> float:
        """How long silence may last: an agent that has yet to say its first word has less."""
        idle, start = self._launch.idle_seconds, self._launch.start_seconds
        return idle if self._spoke else min(idle, start)

    def _next_look(self) -> float:
        pause = min(max(self._patience / 8, SHORTEST), LONGEST)
        return min(self._looked + pause, max(self._alive + self._patience, self._looked + SHORTEST / 10))

    def sentence(self, cause: Cause) -> str:
        """What a person reads of the limit that was reached."""
        launch = self._launch
        return {
            Cause.IDLE: told("silent", seconds=f"{self._patience:g}"),
            Cause.TOTAL: told("too-long", seconds=f"{launch.total_seconds:g}"),
            Cause.HUNG: told("hung", seconds=f"{launch.grace_seconds:g}"),
        }[cause]

    def _look(self, now: float) -> None:
        size, seconds = self._written(), self._used()
        work = sum(max(0.0, used - self._seconds.get(pid, 0.0)) for pid, used in seconds.items())
        if size != self._size or work > BUSY * (now - self._looked):
            self._alive = now
        self._size, self._seconds, self._looked = size, seconds, now
