"""One attempt of a spec, found by the numbers that its journal gave it: nothing in a request ever becomes a path."""

from collections.abc import Sequence
from typing import NamedTuple

from shiage.app.iterations import iteration_history
from shiage.app.journals import AttemptRow, entries, numbered, told_attempts
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine.record import events_of
from shiage.specs import files
from shiage.specs.folder import Folder


class Beside(NamedTuple):
    """The attempts before and after one."""

    before: AttemptRow | None
    after: AttemptRow | None


def attempt(workspace: Workspace, folder: Folder, run: str, number: int) -> AttemptRow:
    found = next((row for row in _all(workspace, folder) if (row.run, row.attempt) == (run, number)), None)
    if found is None:
        remedy = f"`shiage show {folder.name}` lists those that there were."
        raise UserError("attempt-unknown", f'"{folder.name}" has no such attempt', help=remedy)
    return found


def beside(workspace: Workspace, folder: Folder, row: AttemptRow) -> Beside:
    rows = _all(workspace, folder)
    at = next(at for at, each in enumerate(rows) if (each.run, each.attempt) == (row.run, row.attempt))
    return Beside(rows[at - 1] if at else None, rows[at + 1] if at + 1 < len(rows) else None)


def _all(workspace: Workspace, folder: Folder) -> Sequence[AttemptRow]:
    lines = entries(folder)
    return numbered(told_attempts(events_of(lines), workspace.places(folder), workspace.root), iteration_history(lines))


def prompt(workspace: Workspace, row: AttemptRow) -> str:
    """What the agent was told; empty where that was not kept."""
    path = (workspace.root / row.log).with_suffix(".prompt.md")
    return files.read_text(workspace.root, path) or ""
