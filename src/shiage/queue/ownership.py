"""Who is alive, and who is woken: an operating-system lock and a named pipe for each owner of one machine."""

import errno
import fcntl
import os
import select
from contextlib import suppress
from pathlib import Path

_BYTES = 65_536


class Ownership:
    """Held from the first claim to the end of the process, however that comes about."""

    def __init__(self, folder: Path, id: str) -> None:
        self._locks, self._pipes, self._id = folder / "owners", folder / "wake", id
        self._lock, self._pipe = -1, -1

    @property
    def held(self) -> bool:
        return self._pipe >= 0

    def hold(self) -> None:
        for place in (self._locks, self._pipes):
            place.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._locks / self._id, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # nobody knows the name yet
        os.mkfifo(self._pipes / self._id, 0o600)
        # Open for writing too: without a writer the pipe would be at its end for ever.
        self._pipe = os.open(self._pipes / self._id, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def is_alive(self, id: str) -> bool:
        """Whether the process of this owner still has its lock. Looking is shared, so that lookers see no lookers."""
        if id == self._id:
            return self.held
        try:
            seen = os.open(self._locks / id, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError:  # whoever cannot be looked at is taken for alive
            return True
        try:
            fcntl.flock(seen, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(seen)
        return False

    def forget(self, id: str) -> None:
        """Remove what a dead owner left."""
        for place in (self._locks, self._pipes):
            with suppress(OSError):
                (place / id).unlink()

    def wake_all(self) -> None:
        with suppress(OSError):
            for name in os.listdir(self._pipes):  # noqa: PTH208  names only, and at every change
                self._wake(name)

    def wake(self) -> None:
        """End the own wait."""
        self._wake(self._id)

    def _wake(self, name: str) -> None:
        try:
            pipe = os.open(self._pipes / name, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno == errno.ENXIO and not self.is_alive(name):  # nobody reads
                self.forget(name)
            return
        try:
            os.write(pipe, b"!")
        except OSError:
            pass  # full: it will wake anyway
        finally:
            os.close(pipe)

    def wait(self, seconds: float, *others: int) -> bool:
        """Until somebody wakes this owner, or another of these descriptors has something to say, or so long."""
        if self._pipe not in select.select([self._pipe, *others], [], [], max(0.0, seconds))[0]:
            return False
        with suppress(BlockingIOError):
            os.read(self._pipe, _BYTES)
        return True

    def close(self) -> None:
        self.forget(self._id)
        for descriptor in (self._pipe, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._lock, self._pipe = -1, -1
