"""The board of `status --watch`: which row is chosen, what a key means, and the lines to show. It touches nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from shiage.app.board import Board, Broken
from shiage.app.offers import offers
from shiage.app.views import SpecView
from shiage.cli.pages import page, table
from shiage.cli.paint import paint
from shiage.cli.text import clean, fit
from shiage.cli.words import t

_URGENCY = {"error": 0, "paused": 0, "running": 1, "idle": 2, "completed": 3}
_FRAME = 3  #: lines around the rows: the head, a blank, the totals
DOWN, UP, ENTER, ESCAPE, ERASE = ("j", "\x1b[B"), ("k", "\x1b[A"), ("\r", "\n"), ("\x1b", "\x1b[D"), ("\x7f", "\b")


class Mode(Enum):
    LIST = "list"
    PAGE = "page"  #: one spec
    FILTER = "filter"  #: letters are what is looked for
    SURE = "sure"  #: an action waits for a yes
    KEYS = "keys"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Deed:
    """What a person wants done."""

    action: str  #: stop, run, approve
    spec: str


_DEEDS = {"s": "stop", "r": "run", "a": "approve"}
#: What cannot be undone, and how it is asked.
_ASKS = {"stop": "watch.sure_stop", "approve": "watch.sure_approve"}


@dataclass(frozen=True, slots=True)
class Desk:
    board: Board
    chosen: str = ""  #: name of the spec
    words: str = ""  #: of the filter
    mode: Mode = Mode.LIST
    notice: str = ""
    asked: Deed | None = None

    @property
    def shown(self) -> Board:
        """Those that fit the filter; what needs a person first."""
        fitting = [row for row in self.board.views if self.words.casefold() in f"{row.spec} {row.status} {row.phase}"]
        views = sorted(fitting, key=lambda row: (_URGENCY[row.status], row.spec))
        return replace(self.board, views=tuple(views))

    @property
    def rows(self) -> Sequence[SpecView | Broken]:
        """In the order of the table."""
        return (*self.shown.views, *self.shown.broken)

    @property
    def at(self) -> int:
        names = [row.spec for row in self.rows]
        return names.index(self.chosen) if self.chosen in names else 0

    @property
    def view(self) -> SpecView | None:
        row = self.rows[self.at] if self.rows else None
        return row if isinstance(row, SpecView) else None

    def press(self, key: str) -> "tuple[Desk, Deed | None]":
        """The desk after this key, and what is to be done now."""
        return _MODES[self.mode](replace(self, notice=""), key)

    def lines(self, width: int, height: int, *, colored: bool) -> list[str]:
        room = max(height - 2, 1)
        found = self._body(width, room, colored=colored)[:room]
        notice = paint(fit(self.notice, width), "yellow", on=colored)
        return [*found, *[""] * (room - len(found)), notice, fit(self._keys(), width)]

    def _body(self, width: int, room: int, *, colored: bool) -> list[str]:
        if self.mode is Mode.KEYS:
            return t("watch.all_keys").split("\n")
        if self.mode is Mode.PAGE:
            return page(self.view, colored=colored) if self.view else []
        return self._list(width, room - _FRAME, colored=colored)

    def _list(self, width: int, room: int, *, colored: bool) -> list[str]:
        lines, many = table(self.shown, colored=colored, width=width - 2), len(self.rows)
        if not many:
            return lines
        room = max(room, 1)
        first = min(max(self.at - room // 2, 0), max(many - room, 0))
        rows = [_marked(line, number == self.at) for number, line in enumerate(lines[1 : many + 1])]
        return [f"  {lines[0]}", *rows[first : first + room], *lines[many + 1 :]]

    def _keys(self) -> str:
        if self.mode is Mode.FILTER:
            return f"/{self.words}_"
        if self.mode is Mode.SURE and self.asked:
            return t(_ASKS[self.asked.action], spec=self.asked.spec)
        return t("watch.page_keys" if self.mode is Mode.PAGE else "watch.keys")


def _marked(line: str, chosen: bool) -> str:
    """The mark stands in a column of its own, so that it is seen without colour."""
    return f"{'>' if chosen else ' '} {line}"


# ---------------------------------------------------------------- keys

Pressed = tuple[Desk, Deed | None]


def _in_list(desk: Desk, key: str) -> Pressed:
    if key in DOWN or key in UP:
        step = 1 if key in DOWN else -1
        at = min(max(desk.at + step, 0), max(len(desk.rows) - 1, 0))
        return replace(desk, chosen=desk.rows[at].spec if desk.rows else ""), None
    if key in ENTER and desk.view:
        return replace(desk, mode=Mode.PAGE, chosen=desk.view.spec), None
    if key in ESCAPE:
        return replace(desk, words=""), None
    return _anywhere(desk, key)


def _in_page(desk: Desk, key: str) -> Pressed:
    return (replace(desk, mode=Mode.LIST), None) if key in (*ESCAPE, *ERASE, "q") else _anywhere(desk, key)


def _anywhere(desk: Desk, key: str) -> Pressed:
    if key in _DEEDS:
        return _deed(desk, _DEEDS[key])
    modes = {"/": Mode.FILTER, "?": Mode.KEYS, "q": Mode.GONE}
    return (replace(desk, mode=modes[key]), None) if key in modes else (desk, None)


def _deed(desk: Desk, action: str) -> Pressed:
    view = desk.view
    if view is None:
        return desk, None
    obstacle = next((offer.obstacle for offer in offers(view) if offer.action == action), "")
    if obstacle:
        return replace(desk, notice=f"{clean(view.spec)}: {t(f'obstacle.{obstacle}')}"), None
    deed = Deed(action, view.spec)
    return (replace(desk, mode=Mode.SURE, asked=deed), None) if action in _ASKS else (desk, deed)


def _sure(desk: Desk, key: str) -> Pressed:
    yes = key in ("y", "Y")
    return replace(desk, mode=Mode.LIST, asked=None), desk.asked if yes else None


def _filtering(desk: Desk, key: str) -> Pressed:
    if key in ENTER or key in ESCAPE:
        return replace(desk, mode=Mode.LIST, words="" if key in ESCAPE else desk.words), None
    if key in ERASE:
        return replace(desk, words=desk.words[:-1]), None
    return (replace(desk, words=desk.words + key) if key.isprintable() else desk), None


def _reading(desk: Desk, key: str) -> Pressed:
    return replace(desk, mode=Mode.LIST), None


_MODES: Mapping[Mode, Callable[[Desk, str], Pressed]] = {
    Mode.LIST: _in_list,
    Mode.PAGE: _in_page,
    Mode.FILTER: _filtering,
    Mode.SURE: _sure,
    Mode.KEYS: _reading,
    Mode.GONE: lambda desk, key: (desk, None),
}
