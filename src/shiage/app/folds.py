"""Journals as far as they were folded: what is appended is folded on, what was changed is folded anew.

Only a help for speed, in memory alone: a fold is thrown away as soon as any byte differs of what it was made of.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any, Protocol, Self, TypeVar

from shiage.domain.errors import IllegalEvent, UserError, Where
from shiage.engine.record import events_of
from shiage.flow.history import History
from shiage.journal.entry import Entry
from shiage.journal.reading import entries_in, read, readable
from shiage.specs.folder import Folder

MOST = 64  #: folds at once: those of runs that go on
FILE = "event-log.jsonl"
#: The reports that a run waits for a person from now on.
_STOPS = frozenset({"RUN_PAUSED", "RUN_FAILED"})


class Fold(Protocol):
    """What is made of a journal's entries, and can be made further of those that come after them."""

    def after(self, told: Sequence[Entry]) -> Self: ...


Folded = TypeVar("Folded", bound=Fold)


@dataclass(frozen=True, slots=True)
class Story:
    """What the state of a spec follows from."""

    history: History = field(default_factory=History)
    stops: Mapping[str, str] = field(default_factory=dict)  #: run -> when it began to wait for a person
    newest: str = ""  #: when the newest entry was written

    def after(self, told: Sequence[Entry]) -> "Story":
        history = self.history
        for event in events_of(told):
            history = history.after(event)
        stops = {entry.run: entry.timestamp for entry in told if entry.event_type in _STOPS}
        return Story(history, {**self.stops, **stops}, told[-1].timestamp if told else self.newest)


def story(folder: Folder) -> Story:
    """The whole journal, folded."""
    return _told(folder, Story(), read(folder.path / FILE))


def _told(folder: Folder, before: Folded, entries: Sequence[Entry]) -> Folded:
    """A journal lies within an agent's reach: one that tells what cannot be must not end what looks at it."""
    try:
        return before.after(entries)
    except (IllegalEvent, LookupError, ValueError) as error:  # or a phase or a role that no workflow has
        raise UserError(
            "journal-entry-unreadable",
            f"the journal tells what cannot have happened: {error}",
            where=Where(folder.shown(FILE)),
            help=f"`shiage verify {folder.name}` says whether it was changed; restore it, or move it aside",
        ) from error


@dataclass(frozen=True, slots=True)
class _Known:
    fold: Any  #: of the kind that the key names
    size: int = 0  #: bytes that it was made of
    mark: bytes = b""  #: what they were


class Folds:
    """What the journals of one project tell, for a process that looks again and again."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, type[Fold]], _Known] = OrderedDict()
        self._lock = Lock()

    def story(self, folder: Folder) -> Story:
        return self.told(folder, Story())

    def told(self, folder: Folder, begin: Folded) -> Folded:
        """The whole journal, folded from this beginning; only what is new is decoded."""
        read_now = readable(folder.path / FILE) or b""
        data = memoryview(read_now)[: read_now.rfind(b"\n") + 1]
        key = (folder.key, type(begin))
        known = self._known.get(key, _Known(begin))
        at = known.size
        mark = blake2b(data[:at], digest_size=16)  # every byte counts, and a thousandth of what decoding them costs
        if mark.digest() != known.mark:
            known = _Known(begin)
        told: Folded = _told(folder, known.fold, entries_in(bytes(data[known.size :])))
        mark.update(data[at:])
        with self._lock:  # not while it is folded: one long journal would hold up the look at every other
            self._known[key] = _Known(told, len(data), mark.digest())
            self._known.move_to_end(key)
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return told
