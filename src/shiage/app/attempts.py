"""One attempt of a spec, found by the numbers that its journal gave it: nothing in a request ever becomes a path."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from shiage.app.folds import FILE
from shiage.app.iterations import iteration_history
from shiage.app.journals import AttemptRow, entries, numbered, told_attempts
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine.record import events_of
from shiage.journal.reading import readable
from shiage.specs import files
from shiage.specs.folder import Folder
from shiage.specs.freeform import list_tasks

_RUN, _AGENT = re.compile(r"r-\d{4,9}", re.ASCII), re.compile(r"r-\d{4,9}-a\d{1,9}-[0-9a-f]{8}", re.ASCII)


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


def spec_of(workspace: Workspace, run: str) -> Folder:
    """The spec that a run belongs to."""
    return _telling(workspace, _RUN, run, "run")


def by_agent(workspace: Workspace, agent: str) -> tuple[Folder, AttemptRow]:
    """The attempt of an agent, by the id that journals and terminals show."""
    folder = _telling(workspace, _AGENT, agent, "agent_id")
    return folder, next(row for row in _all(workspace, folder) if row.agent_id == agent)


def _telling(workspace: Workspace, form: re.Pattern[str], wanted: str, key: str) -> Folder:
    """The folder whose journal has this: bytes are looked for, which takes a thousandth of reading them."""
    mark = f'"{key}":"{wanted}"'.encode()
    folders = (*workspace.folders(), *list_tasks(workspace.root)) if form.fullmatch(wanted) else ()
    found = next((folder for folder in folders if mark in (readable(folder.path / FILE) or b"")), None)
    if found is None:
        raise UserError("run-unknown", f'no journal tells of "{wanted[:40]}"', help="`shiage status` lists the specs.")
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
