"""The same use cases for an agent: a real client starts `shiage mcp` and talks to it over its standard streams."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from scenes import doing, responder, story

mcp = pytest.importorskip("mcp")
pytestmark = pytest.mark.slow


def talk(project, say: Callable[[Any], Awaitable[Any]]) -> Any:
    """One conversation with a server of its own."""

    async def conversation() -> Any:
        how = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "shiage", "mcp"], env=dict(project.environ), cwd=project.root
        )
        async with mcp.stdio_client(how) as streams, mcp.ClientSession(*streams) as client:
            await client.initialize()
            return await say(client)

    return asyncio.run(conversation())


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    return json.loads(answer.content[0].text)


async def ended(client: Any, spec: str = "login") -> Any:
    for _ in range(600):
        state = await call(client, "status", spec=spec)
        if state["status"] != "running":
            return state
        await asyncio.sleep(0.05)
    raise AssertionError(f"it never ended: {state}")


def test_the_tools_say_what_they_do_and_which_of_them_change_something(project):
    project.cast(story())
    tools = talk(project, lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        "list_specs", "status", "run", "stop", "approve", "answer", "log", "check", "show",
    }  # fmt: skip
    assert all(tool.description for tool in tools)
    reading = {tool.name for tool in tools if tool.annotations.read_only_hint}
    assert reading == {"list_specs", "status", "show", "log", "check"}
    assert {tool.name for tool in tools if tool.annotations.destructive_hint} == {"stop"}


def test_an_agent_runs_a_spec_to_a_question_answers_for_the_person_and_reads_what_happened(project):
    project.cast(story(responder(discuss=1, round=1)))
    project.given(until="tasks")

    async def say(client: Any) -> Any:
        listed = await call(client, "list_specs")
        begun = await call(client, "run", spec="login")
        paused = await ended(client)
        approved = await call(client, "approve", spec="login")
        await call(client, "run", spec="login")
        done = await ended(client)
        log = await call(client, "log", spec="login", after=2, limit=3)
        reply = await client.read_resource("spec://login/document-review-1-reply.md")
        return listed, begun, paused, approved, done, log, reply

    listed, begun, paused, approved, done, log, reply = talk(project, say)
    assert [row["spec"] for row in listed["specs"]] == ["login"]
    assert begun["run"] == "r-0001" and begun["v"] == 1
    assert (paused["status"], paused["reason"]) == ("paused", "needs-discussion")
    assert approved["reason"] == "approved"
    assert {key: done[key] for key in ("status", "phase")} == {"status": "completed", "phase": "inspection"}
    assert done == project.status()
    assert log["entries"][0]["seq"] == 3 and len(log["entries"]) == 3
    assert "Summary" in reply.contents[0].text


def test_a_run_is_stopped_and_an_answer_reaches_the_agent(project, until):
    silent = doing("author", ["say", "I wrote it."], phase="requirements", nth=1)
    hang = doing("author", ["hang", 60], phase="requirements", nth=2)
    project.cast(story(silent, hang), "[review_loop]\nmax_iterations = 1\n")
    project.given()

    async def say(client: Any) -> Any:
        await call(client, "run", spec="login", until="requirements")
        asked = await ended(client)
        running = await call(client, "answer", spec="login", text="greet in French")
        until(lambda: len(project.attempts()) == 2)
        return asked, running, await call(client, "stop", spec="login")

    asked, running, stopped = talk(project, say)
    assert asked["reason"] == "awaiting-response"
    assert running["status"] == "running"
    assert (stopped["status"], stopped["reason"], stopped["agent_id"]) == ("paused", "stopped", "")
    assert "greet in French" in project.prompts()[1]


def test_trouble_has_the_shape_of_every_other_error_and_nothing_outside_a_spec_is_read(project):
    project.cast(story())
    project.given(until="tasks")
    (project.root / "secret.md").write_text("secret")

    async def say(client: Any) -> Any:
        unknown = await client.call_tool("status", {"spec": "logn"})
        idle = await client.call_tool("stop", {"spec": "login"})
        texts = []
        for file in ("..%2F..%2F..%2Fsecret.md", "nothing.md", "event-log.jsonl"):
            try:
                texts.append(await client.read_resource(f"spec://login/{file}"))
            except mcp.MCPError as error:
                texts.append(str(error))
        return unknown, idle, texts

    unknown, idle, texts = talk(project, say)
    error = json.loads(unknown.content[0].text)["error"]
    assert unknown.is_error and error["code"] == "spec-unknown" and '"login"' in error["help"]
    assert json.loads(idle.content[0].text)["error"]["code"] == "not-running"
    assert all(isinstance(text, str) and "secret" not in text.replace("secret.md", "") for text in texts), texts
