"""The tools of the MCP server: each calls one use case and answers with the object that `--json` prints.

The server keeps no state: a run goes on in a process of its own, and `status` or `log` tell how far it is.
"""

import asyncio
import json
import os
import re
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from shiage.app import acts, background, checks, journals, stopping
from shiage.app.board import board
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.errors import as_object
from shiage.domain.errors import UserError
from shiage.version import VERSION

P = ParamSpec("P")
Answer = dict[str, Any]
Call = Callable[P, Coroutine[Any, Any, Answer]]

INSTRUCTIONS = (
    "shiage drives specs through their phases with coding agents and judges every attempt by evidence. "
    "A paused or failed spec names its reason and next_action. `run` and `answer` return at once; ask `status`."
)
LOOK = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ACT = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
END = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
_FILE = re.compile(r"[\w.-]+\.(md|json)")


def serve(workspace: Workspace) -> None:
    """Answer until the client closes standard input."""
    server(workspace).run("stdio")


def server(workspace: Workspace) -> MCPServer:
    made = MCPServer("shiage", instructions=INSTRUCTIONS, version=VERSION, log_level="WARNING")
    desk = Desk(workspace)
    for annotations, names in _TOOLS:
        for name in names:
            made.tool(name=name, annotations=annotations, structured_output=True)(told(getattr(desk, name)))
    made.resource("spec://{spec}/{file}", mime_type="text/plain", description="A file of a spec's folder.")(desk.file)
    return made


def told(call: Call[P]) -> Callable[P, Coroutine[Any, Any, Answer | CallToolResult]]:
    """Trouble that a person must settle is an answer too, in the shape of every other error."""

    @wraps(call)
    async def asked(*args: P.args, **kwargs: P.kwargs) -> Answer | CallToolResult:
        try:
            return await call(*args, **kwargs)
        except UserError as error:
            text = json.dumps(as_object(error), ensure_ascii=False)
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    return asked


class Desk:
    """What can be asked of one project; settings are read anew for each question."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _project(self) -> Workspace:
        return self._workspace.reloaded()

    def _state(self, spec: str) -> Answer:
        project = self._project
        return status(project, project.folder(spec)).as_json()

    async def list_specs(self) -> Answer:
        """Every spec and bug with its phase, state, reason and next action."""
        return board(self._project).as_json()

    async def status(self, spec: str) -> Answer:
        """Where one spec stands: phase, reason, next action, rounds, tasks, usage."""
        return self._state(spec)

    async def show(self, spec: str) -> Answer:
        """Everything about a spec: its status, closed rounds, and each attempt with what was found."""
        project = self._project
        return {**journals.page(project, project.folder(spec)).as_json(), "v": 1}

    async def log(self, spec: str, after: int = 0, limit: int = 200, full: bool = False) -> Answer:
        """What happened: journal entries behind number `after`, at most `limit`; `full` adds the details."""
        entries = [e for e in journals.entries(self._project.folder(spec)) if e.seq > after]
        shown = [e for e in entries if full or e.visibility == "summary"][: max(0, limit)]
        return {"v": 1, "spec": spec, "entries": [json.loads(journals.line(entry)) for entry in shown]}

    async def check(self, paths: list[str] | None = None, base: str = "") -> Answer:
        """The gate alone on what changed since `base` (a revision or folder; default HEAD)."""
        asked = checks.Asked(tuple(paths or ()), base)
        return checks.as_report(await asyncio.to_thread(checks.judge, self._project, asked))

    async def run(self, spec: str, until: str = "", agent: str = "") -> Answer:
        """Start a spec or go on where it stopped, in the background; returns its status with the run's id."""
        chosen = [f"--{name}={value}" for name, value in (("until", until), ("agent", agent)) if value]
        return await self._begun(spec, ["run", *chosen, "--", spec])

    async def answer(self, spec: str, text: str) -> Answer:
        """Tell the waiting agent what to do; the run goes on in the background."""
        return await self._begun(spec, ["answer", "--", spec, text])

    async def _begun(self, spec: str, arguments: list[str]) -> Answer:
        begun = await asyncio.to_thread(background.start, self._project, spec, arguments, os.environ)
        return {**self._state(spec), "pid": begun.pid}

    async def approve(self, spec: str, phase: str = "") -> Answer:
        """A person's yes to a phase (default: the one that waits). Ask the person first."""
        acts.approve(self._project, spec, phase)
        return self._state(spec)

    async def stop(self, spec: str) -> Answer:
        """End the run and everything it started; returns when all is gone."""
        await stopping.stop(self._project, spec)
        return self._state(spec)

    async def file(self, spec: str, file: str) -> str:
        """The text of one file of a spec."""
        try:
            text = self._project.folder(spec).text(file) if _FILE.fullmatch(file) else None
        except UserError as error:
            raise ResourceError(error.message) from error
        if text is None:
            raise ResourceError(f"{spec} has no file {file}")
        return text


_TOOLS = (
    (LOOK, ("list_specs", "status", "show", "log", "check")),
    (ACT, ("run", "answer", "approve")),
    (END, ("stop",)),
)
