"""The folder of a free-form task: what was asked, and its journal. It has no state of its own: the journal says all."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from shiage.domain.errors import UserError
from shiage.specs import files
from shiage.specs.base import Asked, Folder
from shiage.specs.jsonedit import JsonObject

REQUEST = "request.md"
LANGUAGE = "language"
_NUMBERED = re.compile(r"t-(\d{4,})")
_MARKER = re.compile(r"\A<!-- language: (\w+) -->\n")


class TaskFolder(Folder):
    """A folder of `.shiage/tasks`."""

    workflow = "task"
    parent = ".shiage/tasks"
    state_name = "task.json"
    known = (REQUEST,)

    @property
    def key(self) -> str:
        return f"task-{self.name}"

    def _without_state(self) -> JsonObject:
        said = _MARKER.match(self.text(REQUEST) or "")
        return {LANGUAGE: said[1] if said else "en"}

    def request(self) -> str:
        return _MARKER.sub("", self.text(REQUEST) or "").strip()

    def _rules(self) -> Mapping[str, Callable[[Asked], bool]]:
        return {"task": lambda asked: False}


def create_task(root: Path, request: str, language: str) -> TaskFolder:
    """A new folder with the next free number; making it is what claims the number."""
    if not request.strip():
        raise UserError("task-empty", "a task needs words", help='say what is wanted: `shiage task "…"`.')
    parent = root / TaskFolder.parent
    files.inside(root, parent)
    parent.mkdir(parents=True, exist_ok=True)
    number = max((int(m[1]) for p in parent.iterdir() if (m := _NUMBERED.fullmatch(p.name))), default=0)
    while True:
        number += 1
        folder = TaskFolder(root, f"t-{number:04d}")
        try:
            folder.path.mkdir()
        except FileExistsError:
            continue
        text = f"<!-- language: {language} -->\n{request.strip()}\n"
        files.write_atomic(root, folder.path / REQUEST, text.encode("utf-8", "replace"))
        return folder


def list_tasks(root: Path) -> tuple[TaskFolder, ...]:
    """Every free-form task of the project, in the order they were asked for."""
    names = [entry.name for entry in files.scanned(root, root / TaskFolder.parent) if _NUMBERED.fullmatch(entry.name)]
    found = (find_task(root, name) for name in sorted(names, key=lambda name: int(name[2:])))
    return tuple(task for task in found if task)


def find_task(root: Path, name: str) -> TaskFolder | None:
    """The task of this name, if there is one."""
    if not _NUMBERED.fullmatch(name) or not (root / TaskFolder.parent / name / REQUEST).exists():
        return None
    return TaskFolder(root, name)
