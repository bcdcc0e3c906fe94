"""New entries of every journal, in order and each once, for as many listeners as there are.

A cursor says what a listener has seen: for each journal that was written to lately, the number of its newest entry;
all others ended before a moment that the cursor names too. It is computed from the journals alone, so it outlives
the server: a listener that comes back gets exactly what it missed.
"""

import asyncio
import base64
import binascii
import contextlib
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile
from operator import itemgetter

import msgspec

from shiage.app.folds import FILE
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.engine.places import Places
from shiage.journal.entry import Entry, timestamp
from shiage.journal.reading import backwards, follow
from shiage.specs.folder import Folder
from shiage.specs.freeform import list_tasks

LOOK_SECONDS = 0.02  #: between two looks whether anything was written, while somebody listens
SURE_SECONDS = 1.0  #: between two looks at everything: a journal may also come from another machine
TICK_SECONDS = 0.03  #: two changes within one tick of a file system's clock look like one
RECENT_SECONDS = 600.0  #: a journal that was silent for so long leaves the cursors
BATCH = 200  #: entries sent at once
BEHIND = 2_000  #: entries a listener may lag; one that lags more comes back with its cursor
ANEW = 20_000  #: entries that may be missed; who missed more is told so, and looks at everything anew


@dataclass(frozen=True, slots=True)
class Told:
    """An entry and whose it is."""

    spec: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Cursor:
    since: str  #: every journal that is not named ended before this moment
    seen: Mapping[str, int]  #: key of the spec -> its newest entry

    def __str__(self) -> str:
        data = msgspec.json.encode((self.since, dict(self.seen)))
        return base64.urlsafe_b64encode(data).decode().rstrip("=")


def cursor_of(text: str) -> Cursor | None:
    """None for what is no cursor of ours."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        since, seen = msgspec.json.decode(data, type=tuple[str, dict[str, int]])
    except (ValueError, binascii.Error):  # msgspec's errors are ValueErrors
        return None
    return Cursor(since, seen)


class _Journal:
    """A journal as the feed knows it."""

    def __init__(self, folder: Folder, *, from_end: bool) -> None:
        self.path = folder.path / FILE
        self.spec = folder.name
        self.seq = 0
        self.at = ""  #: when its newest entry was written
        self._file = str(self.path)
        self._stamp = (-1, -1)  #: size and time of the file when it was last read
        self._reader = follow(self.path)
        if from_end:
            self._seen(self._reader.skip())

    def news(self) -> list[Told]:
        """What was added since the last call; a journal that cannot be read has nothing to tell."""
        try:
            found = os.stat(self._file)  # noqa: PTH116  a thousand of these at every look
            if (stamp := (found.st_size, found.st_mtime_ns)) == self._stamp:
                return []
            fresh = self._reader.poll()
        except (OSError, UserError):
            return []
        self._stamp = stamp
        self._seen(fresh[-1] if fresh else None)
        return [Told(self.spec, entry) for entry in fresh]

    def _seen(self, newest: Entry | None) -> None:
        if newest:
            self.seq, self.at = newest.seq, newest.timestamp

    def missed(self, cursor: Cursor, last: int, most: int) -> list[Told]:
        """What was added since the cursor up to this number; at most so many, the newest."""
        number = cursor.seen.get(self.spec)
        if last == number or (number is None and self.at < cursor.since):
            return []
        number = 0 if number is not None and last < number else number  # the journal was begun anew
        known = (entry for entry in backwards(self.path) if entry.seq <= last)
        fresh = takewhile(lambda each: each.timestamp >= cursor.since if number is None else each.seq > number, known)
        return [Told(self.spec, entry) for entry in islice(fresh, most)][::-1]


class Listener:
    """One stream's share: entries wait here until they are sent."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor  #: after what was taken last
        self.anew = False  #: more was missed than is told
        self.ended = False  #: whoever listens may hear nothing more
        self._behind = False
        self._newest = cursor
        self._waiting: list[Told] = []
        self._woken = asyncio.Event()

    @property
    def over(self) -> bool:
        """Too far behind, or not wanted: the stream should end, and may come back with its cursor."""
        return self.ended or (self._behind and not self._waiting)

    def begin(self, missed: Sequence[Told] | None) -> None:
        """What was missed comes before what was given since; None is too much to tell."""
        if missed is None:
            self.anew = True
        else:
            self._behind = self._behind or len(missed) > BEHIND
            self._waiting[:0] = missed[:BEHIND]
            del self._waiting[BEHIND:]
        if self._waiting or self.anew:
            self._woken.set()

    def give(self, told: Sequence[Told], newest: Cursor) -> None:
        """`newest` is the cursor of one who has seen all of these."""
        self._behind = self._behind or len(self._waiting) + len(told) > BEHIND
        if not (self._behind or self.ended):
            self._waiting += told
            self._newest = newest
        self._woken.set()

    def end(self) -> None:
        """At once: what waits is not given any more."""
        self.ended = True
        self._waiting.clear()
        self._woken.set()

    async def take(self, seconds: float) -> list[Told]:
        """What waits, or what comes within this time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        taken, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
        seen = {**self.cursor.seen, **{told.spec: told.entry.seq for told in taken}}
        partly = self._waiting or self._behind
        self.cursor = Cursor(self.cursor.since, seen) if partly else self._newest
        if not partly and not self.ended:
            self._woken.clear()
        return taken


class Feed:
    """Looks at the journals while somebody listens, once for all, and tells every listener."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._journals: dict[str, _Journal] = {}
        self._listeners: set[Listener] = set()
        self._looking: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._missing = asyncio.Lock()  #: one at a time looks for what it missed
        self._heads = Places(workspace.root, "any").head.parent  #: changes with every entry written on this machine
        self._heads_at = 0.0
        self._sure_at = 0.0  #: when everything was looked at last

    async def now(self) -> Cursor:
        """The cursor of one who has seen all that is there."""
        async with self._lock:
            await self._look()
            return self._cursor()

    @contextlib.asynccontextmanager
    async def listening(self, after: Cursor | None) -> AsyncIterator[Listener]:
        """Hear what comes; with a cursor, first what came since."""
        async with self._lock:
            await self._look()
            ends = {name: each.seq for name, each in self._journals.items()}
            listener = Listener(self._cursor())
            self._listeners.add(listener)
        if self._looking is None:
            self._looking = asyncio.create_task(self._keep_looking())
        try:
            if after:
                async with self._missing:
                    missed = await asyncio.to_thread(self._missed, after, ends)
                if missed is not None:
                    listener.cursor = after
                listener.begin(missed)
            yield listener
        finally:
            self._listeners.discard(listener)

    async def _keep_looking(self) -> None:
        try:
            while self._listeners:
                if self._stirred():
                    async with self._lock:
                        await self._look()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._looking = None

    def _stirred(self) -> bool:
        """Whether anything may have been written: one folder tells it for a thousand journals."""
        try:
            written = self._heads.stat().st_mtime
        except OSError:  # nothing was ever written here
            written = 0.0
        at, before, self._heads_at = now(), self._heads_at, written
        return written != before or at - written < TICK_SECONDS or at - self._sure_at >= SURE_SECONDS

    async def _look(self) -> None:
        told = await asyncio.to_thread(self._poll)
        if told:
            newest = self._cursor()
            for listener in self._listeners:
                listener.give(told, newest)

    def _poll(self) -> list[Told]:
        if now() - self._sure_at >= SURE_SECONDS:
            self._find_folders()
        return _in_order(journal.news() for journal in tuple(self._journals.values()))

    def _missed(self, after: Cursor, ends: Mapping[str, int]) -> list[Told] | None:
        """None for more than anybody would read: the journals have it, and so have the pages."""
        found, left = list[list[Told]](), ANEW
        for name, last in ends.items():
            journal = self._journals.get(name)
            found.append(journal.missed(after, last, left + 1) if journal else [])
            left -= len(found[-1])
            if left < 0:
                return None
        return _in_order(found)

    def _cursor(self) -> Cursor:
        since = timestamp(now() - RECENT_SECONDS)
        return Cursor(since, {name: each.seq for name, each in self._journals.items() if each.at >= since})

    def _find_folders(self) -> None:
        first, self._sure_at = not self._sure_at, now()
        known = (*reversed(self._workspace.folders()), *list_tasks(self._workspace.root))
        found = {folder.name: folder for folder in known}
        for name, journal in list(self._journals.items()):
            if name not in found or journal.path != found[name].path / FILE:  # gone, or it travels from now on
                del self._journals[name]
        for name in found.keys() - self._journals.keys():
            self._journals[name] = _Journal(found[name], from_end=first)


def _in_order(journals: Iterable[Sequence[Told]]) -> list[Told]:
    """By time; what one journal tells stays in its own order, also where a clock was set back."""
    dated = [
        pair
        for told in journals
        for pair in zip(accumulate((each.entry.timestamp for each in told), max), told, strict=True)
    ]
    return [told for _, told in sorted(dated, key=itemgetter(0))]
