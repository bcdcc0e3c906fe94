"""The newest entries of all journals, the newest first. Only the journals that can hold them are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice

from shiage.app.feed import Told
from shiage.app.folds import FILE
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.journal.entry import seconds
from shiage.journal.reading import backwards
from shiage.specs.folder import Folder
from shiage.specs.freeform import list_tasks

MOST = 300
_BLOCK = 16_384  #: bytes read at once: of most journals only the last few entries are new enough


@dataclass(frozen=True, slots=True)
class Wanted:
    spec: str = ""
    full: bool = False  #: also entries whose visibility is full
    words: str = ""  #: part of the type of an entry


def recent(workspace: Workspace, wanted: Wanted) -> tuple[Told, ...]:
    found: list[Told] = []
    for folder, written in _by_time(workspace, wanted.spec):
        oldest = found[-1].entry.timestamp if len(found) == MOST else ""
        if oldest and seconds(oldest) > written + 1:
            break  # this journal, and every one behind it, ended before the oldest of these
        fresh = islice(_fitting(folder, wanted, oldest), MOST)
        found = nlargest(MOST, (*found, *fresh), key=lambda told: (told.entry.timestamp, told.entry.seq))
    return tuple(found)


def _by_time(workspace: Workspace, spec: str) -> list[tuple[Folder, float]]:
    """Every journal with the time of its last write, the newest first."""
    if spec:
        folders: tuple[Folder, ...] = (workspace.folder(spec),)
    else:
        folders = (*workspace.folders(), *list_tasks(workspace.root))
    stamped = [(folder, path.stat().st_mtime) for folder in folders if (path := folder.path / FILE).exists()]
    return sorted(stamped, key=lambda pair: -pair[1])


def _fitting(folder: Folder, wanted: Wanted, oldest: str) -> Iterator[Told]:
    """From the end of the journal back to this moment."""
    words = wanted.words.upper().replace(" ", "_")
    try:
        for entry in backwards(folder.path / FILE, _BLOCK):
            if entry.timestamp < oldest:
                return
            if (wanted.full or entry.visibility == "summary") and words in entry.event_type:
                yield Told(folder.name, entry)
    except UserError:  # one journal that cannot be read hides no other; its spec says so on the board
        return
