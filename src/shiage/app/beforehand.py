"""Journals that nobody has read yet: a few are read at once, many by a thread while whoever looks sees what is there."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from threading import Thread

from shiage.app.folds import FILE
from shiage.specs.folder import Folder

AT_ONCE = 4_000_000  #: bytes of journals that a look reads by itself: about a quarter of a second
EACH = 60_000  #: what a folder costs beside its journal, in bytes of one
_BREATH = 0.002  #: seconds between two: whoever asks for something meanwhile comes first


class Reader:
    """At most one thread, which ends with the process; what it leaves is found by the next look."""

    def __init__(self) -> None:
        self._thread: Thread | None = None

    def later(self, folders: Iterable[Folder], each: Callable[[Folder], object]) -> Mapping[str, float]:
        """Those that `each` is done to by the thread, and when they were written to; the rest is for now.

        The one that was at work last comes first.
        """
        found = sorted(((*_file(folder), folder) for folder in folders), key=lambda row: (-row[0], row[2].key))
        room = 0 if self._reads else AT_ONCE
        costs = accumulate(EACH + size for _, size, _ in found)
        left = [(at, folder) for cost, (at, _, folder) in zip(costs, found, strict=True) if cost > room]
        if left and not self._reads:
            self._thread = Thread(target=_read, args=([folder for _, folder in left], each), daemon=True)
            self._thread.start()
        return {folder.key: at for at, folder in left}

    @property
    def _reads(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> None:
        """Until what was left has been read."""
        if self._thread is not None:
            self._thread.join()


def _file(folder: Folder) -> tuple[float, int]:
    """When its journal was written to, and its size."""
    try:
        found = (folder.path / FILE).stat()
    except OSError:
        return 0.0, 0
    return found.st_mtime, found.st_size


def _read(folders: Sequence[Folder], each: Callable[[Folder], object]) -> None:
    for folder in folders:
        time.sleep(_BREATH)
        with suppress(OSError):  # gone meanwhile, which the next look sees
            each(folder)
