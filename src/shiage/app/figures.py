"""What one journal says, as far as charts are made of it: sums alone, so that a thousand of them are small."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from shiage.app.beforehand import Reader
from shiage.app.folds import FILE
from shiage.app.journals import REVIEW, AttemptRow, RoundRow, entries, told_attempts, told_rounds
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine.record import events_of
from shiage.journal.entry import Entry, seconds
from shiage.specs.files import write_atomic
from shiage.specs.folder import Folder
from shiage.version import VERSION

Stamp = tuple[int, int, int]  #: number, size and time of a file
#: Reports that a run waits for a person, and entries by which it goes on.
_STOPS = frozenset({"RUN_PAUSED", "RUN_FAILED"})
_GOES_ON = frozenset({"RUN_STARTED", "RESUME_REQUESTED"})


@dataclass(frozen=True, slots=True)
class Figures:
    spec: str
    found: Mapping[int, tuple[int, int]]  #: round of the reviews -> left to fix, to discuss
    implementations: int  #: attempts of implementers
    #: Chart -> day and kind -> sum, in hundredths where it is no count: whole numbers add up exactly.
    days: Mapping[str, Mapping[tuple[str, str], int]]


class Kept(msgspec.Struct):
    """The figures of one journal, and what the file was when they were made."""

    stamp: Stamp
    figures: Figures


class Summed:
    """Reads a journal again only when it has changed; the sums outlive the server, as a help that may be deleted."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._path = workspace.root / ".shiage" / "figures.msgpack"
        self._known: dict[str, Kept] | None = None
        self._written: Mapping[str, Kept] = {}
        self._reader = Reader()

    def of(self, spec: str = "") -> list[Figures]:
        """Of one spec, or of all, for whoever waits until everything was read."""
        while (found := self.soon(spec))[1]:
            self._reader.wait()
        return found[0]

    def soon(self, spec: str = "") -> tuple[list[Figures], int]:
        """As far as they were read, and how many journals nobody has read yet."""
        if self._known is None:
            self._known = self._load()
            self._written = dict(self._known)
        folders = (self._workspace.folder(spec),) if spec else self._workspace.folders()
        later = self._reader.later([folder for folder in folders if self._changed(folder)], self._read)
        for folder in folders:
            if folder.key not in later and self._changed(folder):
                self._read(folder)
        if not (spec or later):
            self._save({folder.key for folder in folders})
        found = [kept.figures for folder in folders if (kept := self._known.get(folder.key))]
        return found, len(folders) - len(found)

    def _changed(self, folder: Folder) -> bool:
        kept = (self._known or {}).get(folder.key)
        return kept is None or kept.stamp != _stamp(folder)

    def _load(self) -> dict[str, Kept]:
        try:
            version, found = msgspec.msgpack.decode(self._path.read_bytes(), type=tuple[str, dict[str, Kept]])
        except (OSError, ValueError):  # msgspec's errors are ValueErrors
            return {}
        return found if version == VERSION else {}

    def _save(self, keys: Set[str]) -> None:
        self._known = {key: kept for key, kept in (self._known or {}).items() if key in keys}
        if self._known != self._written:
            self._written = self._known.copy()
            with suppress(UserError):  # a project that cannot be written to is only slower
                write_atomic(self._workspace.root, self._path, msgspec.msgpack.encode((VERSION, self._known)))

    def _read(self, folder: Folder) -> None:
        """A journal that cannot be read has no figures; its spec says on the board what is wrong."""
        stamp = _stamp(folder)
        try:
            found = self._figures(folder)
        except (OSError, UserError):
            found = Figures(folder.name, {}, 0, {})
        if self._known is not None:
            self._known[folder.key] = Kept(stamp, found)

    def _figures(self, folder: Folder) -> Figures:
        lines = entries(folder)
        events = tuple(events_of(lines))
        attempts = told_attempts(events, self._workspace.places(folder), self._workspace.root)
        return summed(folder.name, attempts, told_rounds(events, attempts), waits(lines))


def _stamp(folder: Folder) -> Stamp:
    try:
        file = (folder.path / FILE).stat()
    except OSError:  # it has no history yet
        return 0, 0, 0
    return file.st_ino, file.st_size, file.st_mtime_ns


def summed(
    spec: str, attempts: Sequence[AttemptRow], rounds: Iterable[RoundRow], waited: Iterable[tuple[float, float]]
) -> Figures:
    left: dict[int, tuple[int, int]] = {}
    for closed in (each for each in rounds if each.phase == REVIEW):
        fix, discuss = left.get(closed.round, (0, 0))
        left[closed.round] = (fix + (closed.fix or 0), discuss + (closed.discuss or 0))
    days: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in attempts:
        day, minutes = _day(row.started_at), _hundredths((row.seconds or 0.0) / 60)
        days["waiting"][day, "agent"] += minutes
        days["time"][day, row.phase] += minutes
        days["cost"][day, row.phase] += _hundredths(row.cost_usd or 0.0)
        days["tokens"][day, row.phase] += _hundredths((row.tokens or 0) / 1000)
        days["rejected"].update((day, name) for name in _failed(row))
    for at, length in waited:
        days["waiting"][_day(at), "person"] += _hundredths(length / 60)
    for row in _firsts(attempts):
        days["firstpass"].update([(_day(row.started_at), row.judgment)])
    return Figures(spec, left, sum(row.role == "implementer" for row in attempts), days)


def _failed(row: AttemptRow) -> set[str]:
    """The criteria for which it was rejected."""
    return {each.criteria_id for each in row.criteria if not each.passed} if row.judgment == "REJECT" else set()


def _firsts(attempts: Iterable[AttemptRow]) -> Iterator[AttemptRow]:
    """The first attempt at each piece of work that was judged."""
    seen = set[tuple[str, str, str]]()
    for row in attempts:
        work = (row.run, row.phase, row.role)
        if row.judgment and work not in seen:
            seen.add(work)
            yield row


def waits(lines: Iterable[Entry]) -> Iterator[tuple[float, float]]:
    """When a person began to be waited for, and how long that took; what still waits has no length yet."""
    since = 0.0
    for entry in lines:
        if entry.event_type in _STOPS:
            since = since or seconds(entry.timestamp)
        elif entry.event_type in _GOES_ON and since:
            yield since, seconds(entry.timestamp) - since
            since = 0.0


def _hundredths(value: float) -> int:
    return round(value * 100)


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
