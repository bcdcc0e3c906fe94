"""Every spec and every bug of a project, at a glance. One that is broken hides no other."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from shiage.app.folds import Folds
from shiage.app.questions import Question, questions_of
from shiage.app.remembered import Memory
from shiage.app.views import SpecView, status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.specs.folder import Folder, list_folders
from shiage.specs.freeform import list_tasks

SAVE_SECONDS = 30.0  #: between two writings of what is remembered: it is only a help
_WAITS = frozenset({"paused", "error"})


@dataclass(frozen=True, slots=True)
class Broken:
    """A folder that cannot even be looked at, and why."""

    spec: str
    error: UserError

    @property
    def question(self) -> Question:
        """Its repair is what is asked of a person."""
        place = str(self.error.where) if self.error.where else ""
        return Question(self.spec, "", "error", self.error.code, "", self.error.message, place, "", self.error.help)

    def as_json(self) -> dict[str, object]:
        return {"spec": self.spec, "status": "error", "reason": self.error.code, "detail": self.error.message}


@dataclass(frozen=True, slots=True)
class Board:
    views: tuple[SpecView, ...]
    broken: tuple[Broken, ...] = ()
    tasks: tuple[SpecView, ...] = ()  #: free-form ones
    trouble: UserError | None = None  #: why what is shown of runs elsewhere may be old

    @property
    def questions(self) -> tuple[Question, ...]:
        """All that waits for a person, the longest first."""
        return (*(row.question for row in self.broken), *questions_of((*self.views, *self.tasks)))

    @property
    def waiting(self) -> int:
        """How many need a person."""
        return sum(view.status in _WAITS for view in (*self.views, *self.tasks)) + len(self.broken)

    def as_json(self) -> dict[str, object]:
        specs = [*(row.as_json() for row in self.views), *(row.as_json() for row in self.broken)]
        trouble = {"code": self.trouble.code, "message": self.trouble.message} if self.trouble else None
        questions = [asdict(question) for question in self.questions]
        return {"v": 1, "specs": specs, "questions": questions, "trouble": trouble}


def names(root: Path) -> list[str]:
    """The specs and bugs, by name."""
    return sorted({folder.name for folder in list_folders(root)})


def board(workspace: Workspace) -> Board:
    memory = Memory(workspace.root, workspace.loaded.values)
    found = _looked(workspace, memory, None)
    memory.save()
    return found


def _looked(workspace: Workspace, memory: Memory, folds: Folds | None) -> Board:
    rows = [_row(workspace, folder, memory, folds) for folder in workspace.folders()]
    tasks = [_row(workspace, folder, memory, folds) for folder in list_tasks(workspace.root)]
    broken = tuple(row for row in (*rows, *tasks) if isinstance(row, Broken))
    views, free = (tuple(row for row in found if isinstance(row, SpecView)) for found in (rows, tasks))
    return Board(views, broken, free, workspace.out_of_touch)


def _row(workspace: Workspace, folder: Folder, memory: Memory, folds: Folds | None) -> SpecView | Broken:
    try:
        if workspace.is_away(folder):
            return status(workspace, folder)
        stamp = memory.stamp(folder)
        known = memory.recall(folder, stamp)
        if known is not None:
            return known
        view = status(workspace, folder, folds.story) if folds else status(workspace, folder)
    except UserError as error:
        return Broken(folder.name, error)
    memory.keep(folder, stamp, view)
    return view


class Boards:
    """The board for whoever looks again and again: what did not change is neither read nor computed again."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._memory = Memory(workspace.root, workspace.loaded.values)
        self.folds = Folds()
        self._lock = Lock()
        self._begun = self._saved = 0.0
        self._board = Board(())

    def now(self) -> Board:
        """One look serves all who asked before it began: an event makes every open page ask at once."""
        asked = time.monotonic()
        with self._lock:
            if self._begun <= asked:
                self._begun = time.monotonic()
                self._board = _looked(self._workspace, self._memory, self.folds)
                self._keep()
                self._memory.turn()
            return self._board

    @property
    def last(self) -> Board:
        """What the last look has seen, without a new one."""
        return self._board

    def some(self, names: Iterable[str]) -> tuple[SpecView | Broken, ...]:
        """Only these, without a look at the others; a name that is none is left out."""
        wanted = set(names)
        with self._lock:
            found = self._board
            known = {*(row.spec for row in (*found.views, *found.tasks)), *(row.spec for row in found.broken)}
            folders = [self._workspace.folder(name) for name in sorted(wanted & known)]
            return tuple(_row(self._workspace, folder, self._memory, self.folds) for folder in folders)

    def _keep(self) -> None:
        if self._begun - self._saved > SAVE_SECONDS:
            self._memory.save()
            self._saved = self._begun


def running(workspace: Workspace) -> list[str]:
    """The specs at which an agent is at work."""
    return [view.spec for view in board(workspace).views if view.status == "running"]
