"""An agent that speaks the Agent Client Protocol by the protocol's own package; its first argument says how it behaves."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import acp
from acp import schema

BAD, GOOD = 'VERSION = "1.0"  # TODO: read it\n', 'VERSION = "1.0"\n'
OPTIONS = [
    schema.PermissionOption(kind="reject_once", name="No", option_id="no"),
    schema.PermissionOption(kind="allow_once", name="Yes", option_id="yes"),
]


class Played(acp.Agent):
    def __init__(self, part: str) -> None:
        self.part = part
        self.sessions = Path.home() / "sessions"
        self.sessions.mkdir(exist_ok=True)
        self.cancelled = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **more: Any) -> schema.InitializeResponse:
        can = schema.AgentCapabilities(load_session=True)
        return schema.InitializeResponse(protocol_version=protocol_version, agent_capabilities=can)

    async def new_session(self, cwd: str, **more: Any) -> schema.NewSessionResponse:
        if self.part == "needs-login":
            raise acp.RequestError.auth_required()
        name = f"s-{len(list(self.sessions.iterdir())) + 1}"
        (self.sessions / name).write_text("")
        return schema.NewSessionResponse(session_id=name)

    async def load_session(self, cwd: str, session_id: str, **more: Any) -> schema.LoadSessionResponse:
        if not (self.sessions / session_id).exists():
            raise acp.RequestError.resource_not_found(session_id)
        await self.say(session_id, "what was said before, told again")
        return schema.LoadSessionResponse()

    async def say(self, session: str, text: str) -> None:
        await self.client.session_update(session, acp.update_agent_message_text(text))

    async def prompt(self, session_id: str, prompt: list[Any], **more: Any) -> schema.PromptResponse:
        usage = schema.Usage(input_tokens=100, output_tokens=10, total_tokens=110)
        stop = await getattr(self, self.part.replace("-", "_"))(session_id, prompt[0].text)
        return schema.PromptResponse(stop_reason=stop or "end_turn", usage=usage)

    async def cancel(self, session_id: str, **more: Any) -> None:
        Path("cancelled").write_text(session_id)
        self.cancelled.set()

    async def tool(self, session: str, kind: str, path: str, content: str) -> bool:
        """Ask, and write only what was allowed."""
        file = Path.cwd() / path
        call = {"title": f"write {path}", "kind": kind, "raw_input": {"file_path": str(file)}}
        await self.client.session_update(session, acp.start_tool_call("call-1", status="pending", **call))
        update = schema.ToolCallUpdate(tool_call_id="call-1", **call)
        answer = await self.client.request_permission(session_id=session, tool_call=update, options=OPTIONS)
        allowed = getattr(answer.outcome, "option_id", "") == "yes"
        if allowed:
            file.write_text(content)
        status = "completed" if allowed else "failed"
        await self.client.session_update(session, acp.update_tool_call("call-1", status=status))
        return allowed

    async def works(self, session: str, prompt: str) -> None:
        await self.tool(session, "edit", "flag.py", GOOD if "flag.py:1" in prompt else BAD)
        await self.say(session, "flag.py has the constant.")

    async def deploys(self, session: str, prompt: str) -> None:
        allowed = await self.tool(session, "switch_mode", "flag.py", GOOD)
        await self.say(session, "flag.py has the constant." if allowed else "I was not allowed to.")

    async def looks_only(self, session: str, prompt: str) -> None:
        await self.tool(session, "edit", os.environ["TARGET"], "x\n")

    async def says_nothing(self, session: str, prompt: str) -> None:
        return None

    async def tells_an_error_as_text(self, session: str, prompt: str) -> None:
        await self.say(session, "Error: 401 Invalid API key")

    async def stops_early(self, session: str, prompt: str) -> str:
        await self.tool(session, "edit", "flag.py", GOOD)
        return "max_turn_requests"

    async def fails(self, session: str, prompt: str) -> str:
        raise acp.RequestError.internal_error({"details": "429 Too Many Requests"})

    async def dies(self, session: str, prompt: str) -> None:
        os._exit(3)

    async def hangs(self, session: str, prompt: str) -> str:
        await self.say(session, "I think about it.\n" * 20)
        await self.cancelled.wait()
        return "cancelled"


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Played(sys.argv[1])))
