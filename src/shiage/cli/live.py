"""The view of a run that moves: what is finished scrolls away as a report, only the last block is drawn again."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import click
from rich.console import Console
from rich.live import Live as Region
from rich.text import Text

from shiage.agents.adapter import AgentEvent, ToolStart
from shiage.agents.adapter import Text as Said
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.block import Block
from shiage.cli.context import Context
from shiage.cli.front import End, Sentences
from shiage.cli.keys import Keys
from shiage.cli.leash import Leash
from shiage.cli.open import url_of
from shiage.cli.paint import STYLES
from shiage.cli.reel import Reel
from shiage.cli.text import clean, plain_glyphs
from shiage.cli.words import language, speak, t
from shiage.domain.errors import UserError
from shiage.domain.run import Attempt
from shiage.journal.entry import Entry

FRAMES = 4  #: redraws in a second: more would cost and show nothing new
_PUSH_TITLE, _POP_TITLE = "\x1b[22;2t", "\x1b[23;2t"
#: Without one of them a browser for terminals might take this one.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
#: Ends that a person who looks elsewhere is told of by the terminal.
_NOTES = frozenset({"paused", "error", "completed"})


def console(context: Context) -> Console:
    """Text is shown as it is: what an agent says is no markup."""
    return Console(highlight=False, markup=False, emoji=False, color_system="auto" if context.colored else None)


class Live(Sentences):
    def __init__(self, context: Context, project: Callable[[], Workspace]) -> None:
        super().__init__(context)
        self._project = project  #: asked when there is something to show: the demo makes its project first
        self._console = console(context)
        self._block = Block()
        self._reel = Reel()
        self._region: Region | None = None
        self._held = ExitStack()
        self._left = False  #: nobody looks any more
        self._language = language()
        self._actions = {"s": self._stop, "l": self._log, "o": self._open, "?": self._keys}

    def __enter__(self) -> "Live":
        self._held.enter_context(Keys(self._actions))
        self._terminal(_PUSH_TITLE)
        self._held.callback(self._terminal, _POP_TITLE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._rest()
        self._held.close()

    def may_leave(self, leash: Leash, log: Path) -> None:
        self._actions["d"] = lambda: self._leave(leash, log)

    def began(self, spec: str) -> None:
        self._block, self._reel = Block(spec=spec, began=time.monotonic()), Reel()
        if "d" in self._actions:
            self._block.keys = ("stop", "detach", "log", "open", "keys")
        self._region = Region(
            get_renderable=self._drawn, console=self._console, refresh_per_second=FRAMES, transient=True
        )
        self._region.start()

    def tell(self, spec: str, entries: Sequence[Entry]) -> None:
        if self._left:
            super().tell(spec, entries)
            return
        for entry in entries:
            for line, style in self._reel.lines(spec, entry):
                self._console.print(self._text(line, style))
        project = self._project()
        self._block.look(status(project, project.folder(spec)), time.monotonic())
        self._terminal(f"\x1b]2;{self._block.title()}\x07")

    def agent(self, spec: str, attempt: Attempt, event: AgentEvent) -> None:  # noqa: ARG002  the attempt tells
        match event:
            case Said(text):
                self._block.said(attempt, text)
            case ToolStart(name, summary):
                self._block.called(attempt, f"{name} {summary}")

    def stopping(self) -> None:
        self._block.notice = t("live.stopping")

    def close(self, end: End) -> None:
        self._rest()
        super().close(end)
        view = end.view
        if view.status in _NOTES and not self._left:
            self._terminal(f"\x1b]9;{t(f'end.{view.status}', spec=view.spec, why=view.reason)}\x07")

    def _stop(self) -> None:
        self.on_stop()  # set after this view was made

    def _keys(self) -> None:
        self._say([t(f"live_help.{name}") for name in (*self._block.keys[:-1], "kill")])

    def _log(self) -> None:
        self._say(self._block.told())

    def _open(self) -> None:
        """The page in a browser; where none can be shown, its address is still told."""
        try:
            url = url_of(self._project(), self._block.spec)
        except UserError as error:
            self._say([f"{error.message}. {error.help}"])
            return
        self._say([url])
        if sys.platform == "darwin" or any(os.environ.get(name) for name in _DISPLAYS):
            click.launch(url)

    def _leave(self, leash: Leash, log: Path) -> None:
        """Give the terminal back; the run goes on, and is told as sentences to its log."""
        self._rest()
        self._held.close()
        self._say([t("cli.detached", spec=self._block.spec, pid=os.getpid())])
        self._left = True
        leash.cut(log)

    def _say(self, lines: Sequence[str]) -> None:
        """Lines that stay."""
        for line in lines:
            self._console.print(self._text(clean(line), "dim"))

    def _rest(self) -> None:
        if self._region is not None:
            self._region.stop()
            self._region = None

    def _drawn(self) -> Text:
        speak(self._language)  # the thread that draws knows nothing of ours
        lines = self._block.lines(self._console.width, time.monotonic())
        return Text("\n", no_wrap=True, overflow="crop").join(self._text(line, style) for line, style in lines)

    def _text(self, line: str, style: str) -> Text:
        shown = plain_glyphs(line) if self.context.ascii else line
        return Text(shown, style=STYLES.get(style, style), no_wrap=True, overflow="crop")

    def _terminal(self, sequence: str) -> None:
        """Talk to the terminal itself; these sequences neither move the cursor nor leave a mark."""
        self._console.file.write(sequence)
        self._console.file.flush()
