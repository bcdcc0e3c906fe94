"""Every spec and every bug of a project, at a glance. One that is broken hides no other."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from shiage.app.beforehand import Reader
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
class Unread:
    """A folder whose journal is still being read: nothing is said of it before that."""

    spec: str
    at: float  #: when its journal was written to last; 0 where it has none


@dataclass(frozen=True, slots=True)
class Board:
    views: tuple[SpecView, ...]
    broken: tuple[Broken, ...] = ()
    tasks: tuple[SpecView, ...] = ()  #: free-form ones
    trouble: UserError | None = None  #: why what is shown of runs elsewhere may be old
    unread: tuple[Unread, ...] = ()  #: only before whoever does not wait for them

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
    found = _board(workspace, [_row(workspace, folder, memory, None) for folder in _folders(workspace)])
    memory.save()
    return found


def _folders(workspace: Workspace) -> tuple[Folder, ...]:
    return (*workspace.folders(), *list_tasks(workspace.root))


def _board(workspace: Workspace, rows: Sequence[SpecView | Broken | Unread]) -> Board:
    views = tuple(row for row in rows if isinstance(row, SpecView))
    return Board(
        views=tuple(view for view in views if view.workflow != "task"),
        broken=tuple(row for row in rows if isinstance(row, Broken)),
        tasks=tuple(view for view in views if view.workflow == "task"),
        trouble=workspace.out_of_touch,
        unread=tuple(row for row in rows if isinstance(row, Unread)),
    )


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
        self._read = set[str]()  #: the folders that were looked into: what they tell further is told at once
        self._reader = Reader()

    def now(self) -> Board:
        """All of it, for whoever waits until everything was read."""
        while (found := self.soon()).unread:
            self._reader.wait()
        return found

    def soon(self) -> Board:
        """What can be said at once. One look serves all who asked before it began: an event makes every page ask."""
        asked = time.monotonic()
        with self._lock:
            if self._begun <= asked:
                self._begun = time.monotonic()
                before, self._board = self._board, self._looked()
                self._keep(at_once=bool(before.unread) and not self._board.unread)
                self._memory.turn()
            return self._board

    def _looked(self) -> Board:
        folders = _folders(self._workspace)
        self._read &= {folder.key for folder in folders}
        new = [folder for folder in folders if not (folder.key in self._read or self._known(folder))]
        later = self._reader.later(new, self._look_into)
        self._read |= {folder.key for folder in folders} - later.keys()
        rows = [Unread(each.name, later[each.key]) if each.key in later else self._row(each) for each in folders]
        return _board(self._workspace, rows)

    def _known(self, folder: Folder) -> bool:
        """Whether its view is remembered; where it can only be looked at here, there is no file to measure."""
        if self._workspace.is_away(folder):
            return True
        return self._memory.recall(folder, self._memory.stamp(folder)) is not None

    def _look_into(self, folder: Folder) -> None:
        try:
            self._row(folder)
        finally:
            self._read.add(folder.key)

    def _row(self, folder: Folder) -> SpecView | Broken:
        return _row(self._workspace, folder, self._memory, self.folds)

    @property
    def last(self) -> Board:
        """What the last look has seen, without a new one."""
        return self._board

    def some(self, names: Iterable[str]) -> tuple[SpecView | Broken, ...]:
        """Only these, without a look at the others; a name that is none is left out."""
        wanted = set(names)
        with self._lock:
            found = self._board
            rows: tuple[SpecView | Broken | Unread, ...] = (*found.views, *found.tasks, *found.broken, *found.unread)
            known = {row.spec for row in rows}
            return tuple(self._row(self._workspace.folder(name)) for name in sorted(wanted & known))

    def _keep(self, *, at_once: bool) -> None:
        if at_once or self._begun - self._saved > SAVE_SECONDS:
            self._memory.save()
            self._saved = self._begun


def running(workspace: Workspace) -> list[str]:
    """The specs at which an agent is at work."""
    return [view.spec for view in board(workspace).views if view.status == "running"]
