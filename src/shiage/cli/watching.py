"""`status --watch` on a terminal: the board, read again every second, and keys that act on the chosen spec."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from rich.live import Live
from rich.text import Text

from shiage.app import acts, ordering, stopping
from shiage.app.board import Board, board
from shiage.app.workspace import Workspace
from shiage.cli.context import Context
from shiage.cli.desk import Deed, Desk, Mode
from shiage.cli.keys import Keys
from shiage.cli.live import console
from shiage.cli.text import plain_glyphs
from shiage.cli.words import t
from shiage.domain.errors import UserError

#: What a person does, in a thread of its own.
_DEEDS: Mapping[str, Callable[[Workspace, str], object]] = {
    "stop": lambda project, spec: asyncio.run(stopping.stop(project, spec)),
    "run": ordering.run,
    "approve": acts.approve,
}


def watch(context: Context, project: Workspace, spec: str, seconds: float) -> None:
    """Until q or Ctrl-C. With a spec its page is shown first."""
    asyncio.run(_Watch(context, project, spec).go(seconds))


class _Watch:
    def __init__(self, context: Context, project: Workspace, spec: str) -> None:
        self._context, self._project = context, project
        self._desk = Desk(Board(()), chosen=spec, mode=Mode.PAGE if spec else Mode.LIST)
        self._changed = asyncio.Event()
        self._work: set[asyncio.Task[None]] = set()

    async def go(self, seconds: float) -> None:
        screen = console(self._context)
        with Keys({}, self._press), Live(console=screen, auto_refresh=False, screen=True) as region:
            while self._desk.mode is not Mode.GONE:
                self._desk = replace(self._desk, board=await asyncio.to_thread(board, self._project))
                await self._shown(region, seconds)

    async def _shown(self, region: Live, seconds: float) -> None:
        """Keys are answered at once; the files are looked at again after a while, or when something was done."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self._desk.mode is not Mode.GONE:
            width, height = region.console.size
            lines = self._desk.lines(width, height, colored=self._context.colored)
            text = "\n".join(plain_glyphs(line) if self._context.ascii else line for line in lines)
            region.update(Text.from_ansi(text, no_wrap=True, overflow="crop"), refresh=True)
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError:
                return
            self._changed.clear()

    def _press(self, key: str) -> None:
        self._desk, deed = self._desk.press(key)
        self._changed.set()
        if deed:
            task = asyncio.get_running_loop().create_task(self._do(deed))
            self._work.add(task)
            task.add_done_callback(self._work.discard)

    async def _do(self, deed: Deed) -> None:
        self._say(t("watch.doing", spec=deed.spec))
        try:
            await asyncio.to_thread(_DEEDS[deed.action], self._project.reloaded(), deed.spec)
        except UserError as error:
            self._say(f"{error.message}. {error.help}")
            return
        self._say(t(f"done.{deed.action}", spec=deed.spec))

    def _say(self, text: str) -> None:
        self._desk = replace(self._desk, notice=text)
        self._changed.set()
