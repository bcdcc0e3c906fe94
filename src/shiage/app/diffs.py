"""What one attempt changed, as a person reads it: file by file, line by line, secrets masked."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from shiage.app.journals import AttemptRow
from shiage.app.workspace import Workspace
from shiage.engine import traces
from shiage.engine.evidence import unified
from shiage.journal.masking import mask_text
from shiage.specs.folder import Folder

MOST_LINES = 4_000  #: of all files together; a larger change is no reading matter
_NAMING = 2  #: lines at the top of a unified diff that name the file, as its heading does here
_KINDS = {"+": "add", "-": "del", "@": "hunk", "\\": "hunk"}


@dataclass(frozen=True, slots=True)
class FileDiff:
    path: str
    kind: str  #: added, changed, deleted
    plus: int
    minus: int
    lines: tuple[tuple[str, str], ...]  #: kind (add, del, hunk, same) and text
    cut: int = 0  #: lines that are not shown


def diff(workspace: Workspace, folder: Folder, row: AttemptRow) -> tuple[FileDiff, ...] | None:
    """The files that this attempt changed since the one before it; None where nobody kept them."""
    change = traces.own(workspace.places(folder), row.run, row.attempt)
    return None if change is None else tuple(_files(change.before, change.after))


def _files(before: traces.Texts, after: traces.Texts) -> Iterator[FileDiff]:
    room = MOST_LINES
    for path, now in after.items():
        was = before.get(path)
        lines = _lines(path, was, now)
        plus, minus = (sum(kind == wanted for kind, _ in lines) for wanted in ("add", "del"))
        kind = "deleted" if now is None else "added" if was is None else "changed"
        yield FileDiff(path, kind, plus, minus, tuple(lines[:room]), max(0, len(lines) - room))
        room = max(0, room - len(lines))


def _lines(path: str, was: str | None, now: str | None) -> list[tuple[str, str]]:
    text = mask_text("".join(islice(unified(path, was, now), _NAMING, None)))
    return [(_KINDS.get(line[:1], "same"), line) for line in text.split("\n")[:-1]]
