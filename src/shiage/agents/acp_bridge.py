"""Talks with one agent in the Agent Client Protocol, for one turn; a program of its own.

An attempt is one process that reads a prompt and writes a log. A conversation is neither, so this stands in
between: it reads the prompt from its standard input, starts the agent that its argument describes, and writes what
happens as one JSON event per line. Supervision, logs and recovery need to know nothing about it.

It is started by its path with `-I -S` and imports only the standard library: nothing that lies in the project's
folder can come in by an import. The dozen messages it needs are written by hand. The protocol's own package
takes half a second to import, and refuses what does not fit its schema where we want to be lenient.
"""

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

Json = dict[str, Any]

CHUNK = 256 * 1024
LONGEST = 64 * 1024 * 1024  #: an agent whose line is longer is broken
LONGEST_RULE = 200  #: characters of a call that is allowed by its own words
FLUSH = 200  #: characters of an answer that are held back until its line ends
TO_CANCEL, TO_LEAVE, TO_DIE = 2.0, 5.0, 1.0  #: seconds; a stop has five in all
NO_METHOD, LOGIN = -32601, -32000
ENDS = {"completed": True, "failed": False}


def say(kind: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"type": kind, **fields}) + "\n")
    sys.stdout.flush()


def part(value: object, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


class Refused(Exception):
    """The agent answered a request with an error."""

    def __init__(self, message: str, code: object = "", data: object = None) -> None:
        super().__init__(message)
        self.fields = {"message": message, "code": code, "data": data}


class Peer:
    """JSON-RPC over the pipes of the agent's process."""

    def __init__(
        self, process: Process, on_update: Callable[[Json], None], on_permission: Callable[[Json], Json]
    ) -> None:
        self._process, self._on_update, self._on_permission = process, on_update, on_permission
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._last = 0

    async def call(self, method: str, **params: Any) -> Json:
        self._last += 1
        answer = self._waiting[self._last] = asyncio.get_running_loop().create_future()
        self._send({"id": self._last, "method": method, "params": params})
        result: Json = await answer
        return result

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None  # noqa: S101  it was started with a pipe
        with suppress(ConnectionError, RuntimeError):  # it has gone; `listen` says so
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def listen(self) -> None:
        """Until the agent closes its output. Not readline(): it loses the head of a line that is too long for it."""
        assert self._process.stdout is not None  # noqa: S101
        held = bytearray()
        while chunk := await self._process.stdout.read(CHUNK):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                self._heard(bytes(held + line))
                held.clear()
            held += rest
            if len(held) > LONGEST:
                break
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Refused("The agent ended in the middle of the conversation.", "gone"))

    def _heard(self, line: bytes) -> None:
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            if line.strip():
                say("stray", text=line[:300].decode("utf-8", "replace"))
        elif "method" in message:
            self._asked(message)
        else:
            self._answered(message)

    def _answered(self, message: Json) -> None:
        number = message.get("id")
        answer = self._waiting.pop(number, None) if isinstance(number, int) else None
        if answer is None or answer.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            answer.set_exception(Refused(text(error.get("message")), error.get("code"), error.get("data")))
        else:
            answer.set_result(part(message, "result"))

    def _asked(self, message: Json) -> None:
        params = part(message, "params")
        if message["method"] == "session/update":
            self._on_update(part(params, "update"))
        elif "id" not in message:
            return  # a notification that we need not know
        elif message["method"] == "session/request_permission":
            self._send({"id": message["id"], "result": {"outcome": self._on_permission(params)}})
        else:
            # We offered neither files nor terminals: an agent has its own, and they are supervised.
            self._send({"id": message["id"], "error": {"code": NO_METHOD, "message": "not offered"}})


class Turn:
    """What the agent tells while it works, written as our events."""

    def __init__(self, job: Json) -> None:
        self.job = job
        self.replaying = True  #: a session that is being loaded tells its past first
        self._said = ""
        self._calls: dict[str, Json] = {}  # all that is known of the calls so far
        self._told: set[str] = set()
        self._over: set[str] = set()

    def update(self, update: Json) -> None:
        kind = update.get("sessionUpdate")
        if kind == "usage_update":
            say("cost", cost=part(update, "cost"), before=self.replaying)
        elif self.replaying:
            return
        elif kind == "agent_message_chunk":
            self._said += text(part(update, "content").get("text"))
            if len(self._said) > FLUSH and "\n" in self._said:
                self.flush()
        elif kind in ("tool_call", "tool_call_update"):
            self._tool(update)

    def flush(self) -> None:
        if self._said:
            say("text", text=self._said)
        self._said = ""

    def _tool(self, update: Json) -> Json:
        """All that is known of the call by now. It is told when its input is known, and when it ends."""
        self.flush()
        number = text(update.get("toolCallId"))
        call = self._calls.setdefault(number, {})
        call.update({name: value for name, value in update.items() if value and name != "title"})
        call.setdefault("title", update.get("title"))  # the first is its name; later ones say what it does
        ended = ENDS.get(text(update.get("status")))
        if number not in self._told and (call.get("rawInput") or call.get("status") != "pending"):
            self._told.add(number)
            say("tool", call=number, name=name_of(call), about=about(call))
        if ended is not None and number not in self._over:
            self._over.add(number)
            say("tool-end", call=number, ok=ended)
        return call

    def permission(self, params: Json) -> Json:
        call = self._tool(part(params, "toolCall"))
        allowed = permitted(self.job, call)
        say("permission", call=text(call.get("toolCallId")), rule=rule_of(call), allowed=allowed)
        kinds = ("allow_once", "allow_always") if allowed else ("reject_once", "reject_always")
        options = {option.get("kind"): option.get("optionId") for option in reversed(objects(params.get("options")))}
        chosen = next((options[kind] for kind in kinds if kind in options), None)
        return {"outcome": "selected", "optionId": chosen} if chosen is not None else {"outcome": "cancelled"}


def name_of(call: Mapping[str, Any]) -> str:
    """The kind of tool is the one name that agents share; where it says nothing, the call's title."""
    kind = text(call.get("kind"))
    return kind if kind not in ("", "other") else text(call.get("title")) or "tool"


def about(call: Mapping[str, Any]) -> str:
    """The command, else the file, else the first words of its input."""
    given = part(call, "rawInput")
    command = given.get("command")
    line = " ".join(map(str, command)) if isinstance(command, list) else text(command)
    words = (value for value in given.values() if isinstance(value, str))
    return line or next(iter(paths(call)), "") or next(words, "") or text(call.get("title"))


def rule_of(call: Mapping[str, Any]) -> str:
    """The words that allow exactly this call another time, if a person can read them all in a line."""
    words = about(call)
    return f"{name_of(call)}({words})" if words.isprintable() and len(words) <= LONGEST_RULE else name_of(call)


def paths(call: Mapping[str, Any]) -> list[str]:
    """The files that a call names, wherever agents name them."""
    given = part(call, "rawInput")
    named = [place.get("path") for place in (*objects(call.get("locations")), *objects(call.get("content")))]
    named += [given.get(name) for name in ("path", "file_path", "filePath", "abs_path", "notebook_path")]
    return [os.path.abspath(name) for name in named if isinstance(name, str) and name]  # noqa: PTH100


def permitted(job: Json, call: Mapping[str, Any]) -> bool:
    """Nobody is there to ask: what is denied is refused, what is allowed is done, everything else is refused."""
    words = (name_of(call), text(call.get("title")), rule_of(call))

    def named(rules: object) -> bool:
        return any(word == rule or fnmatchcase(word, text(rule)) for rule in rules or () for word in words if word)  # type: ignore[attr-defined]

    if named(job.get("deny")):
        return False
    files = paths(call)
    reports = name_of(call) == "edit" and bool(files) and all(is_report(job, file) for file in files)
    return reports or named(job.get("allow"))


def is_report(job: Json, file: str) -> bool:
    """A looking role may write its own report in the spec's folder, and nothing else."""
    folder, name = os.path.split(file)
    patterns = (os.path.split(text(each)) for each in job.get("reports") or ())
    return any(folder == place and fnmatchcase(name, pattern) for place, pattern in patterns)


async def opened(job: Json, peer: Peer, hello: Json) -> tuple[str, Json]:
    """The session: the one to go on with if the agent can, else a new one; the prompt holds all that is needed."""
    place = {"cwd": job["cwd"], "mcpServers": []}
    can, old = part(hello, "agentCapabilities"), text(job.get("session"))
    way = "session/resume" if "resume" in part(can, "sessionCapabilities") else "session/load"
    if old and (way == "session/resume" or can.get("loadSession")):
        try:
            return old, await peer.call(way, sessionId=old, **place)
        except Refused as refusal:
            if refusal.fields["code"] in ("gone", LOGIN):
                raise
            say("stray", text=f"The session {old} cannot be resumed: {refusal}")
    new = await peer.call("session/new", **place)
    return text(new.get("sessionId")), new


async def configure(job: Json, peer: Peer, session: str, offer: Json) -> None:
    """Model and mode, by whichever way the agent offers; a wish that it cannot fulfil is an error, not a shrug."""
    older = {"model": ("models", "session/set_model", "modelId"), "mode": ("modes", "session/set_mode", "modeId")}
    for wish, (name, method, field) in older.items():
        value = text(job.get(wish))
        option = next((o for o in objects(offer.get("configOptions")) if o.get("category") == wish), None)
        if not value:
            continue
        if option:
            await peer.call("session/set_config_option", sessionId=session, configId=option.get("id"), value=value)
        elif offer.get(name):
            await peer.call(method, sessionId=session, **{field: value})
        else:
            raise Refused(f"The agent offers no choice of {wish}, so {value!r} cannot be set.", "no-choice")


class Conversation:
    """One prompt to one agent."""

    def __init__(self, job: Json, process: Process) -> None:
        self._job, self._process = job, process
        self._turn = Turn(job)
        self._peer = Peer(process, self._turn.update, self._turn.permission)
        self._session = ""

    async def whole(self) -> bool:
        """From the greeting to the answer; whether it was one."""
        listening = asyncio.ensure_future(self._peer.listen())
        try:
            answer = await self._prompted()
        except Refused as refusal:
            self._turn.flush()
            say("end", stop="", error=refusal.fields)
            return False
        finally:
            listening.cancel()
        self._turn.flush()
        say("end", stop=text(answer.get("stopReason")), usage=answer.get("usage"), meta=answer.get("_meta"))
        return answer.get("stopReason") == "end_turn"

    async def _prompted(self) -> Json:
        ours = {"name": "shiage", "title": "shiage", "version": "1"}
        nothing = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        hello = await self._peer.call("initialize", protocolVersion=1, clientCapabilities=nothing, clientInfo=ours)
        if hello.get("protocolVersion") != 1:
            raise Refused(f"The agent speaks version {hello.get('protocolVersion')} of the protocol, not 1.", "version")
        self._session, offer = await opened(self._job, self._peer, hello)
        say("session", id=self._session, resumed=self._session == self._job.get("session"))
        await configure(self._job, self._peer, self._session, offer)
        self._turn.replaying = False
        prompt = [{"type": "text", "text": self._job["prompt"]}]
        return await self._peer.call("session/prompt", sessionId=self._session, prompt=prompt)

    def cancel(self) -> None:
        if self._session:
            self._peer.notify("session/cancel", sessionId=self._session)


async def leave(process: Process, stop: asyncio.Event) -> bool:
    """Close its input, which asks every agent to leave; then ask, then kill its group. Whether it left by itself."""
    if process.stdin is not None:
        process.stdin.close()
    for ask, seconds in ((0, TO_LEAVE), (signal.SIGTERM, TO_DIE), (signal.SIGKILL, TO_DIE)):
        with suppress(ProcessLookupError):
            if ask:
                os.killpg(process.pid, ask)
        # Not process.wait(): that returns only when nobody holds the pipes any more, and a tool's child may.
        deadline = time.monotonic() + seconds
        while process.returncode is None and time.monotonic() < deadline and (ask or not stop.is_set()):
            await asyncio.sleep(0.02)
        if process.returncode is not None:
            return not ask
    return False


async def run(job: Json) -> int:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    try:
        # A session of its own: the agent is told to cancel before it is told to die.
        process = await asyncio.create_subprocess_exec(
            *job["command"], stdin=PIPE, stdout=PIPE, cwd=job["cwd"], start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        program = next(iter(job["command"]), "The agent")
        say("end", stop="", error={"code": "not-installed", "message": f"{program} cannot be started: {why}."})
        return 1
    conversation = Conversation(job, process)
    talking, stopping = asyncio.ensure_future(conversation.whole()), asyncio.ensure_future(stop.wait())
    await asyncio.wait({talking, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopped = not talking.done()
    if stopped:
        conversation.cancel()
        await asyncio.wait({talking}, timeout=TO_CANCEL)
        talking.cancel()
    stopping.cancel()
    alone = await leave(process, stop)
    if stopped:
        return 128 + signal.SIGTERM
    if alone and process.returncode:
        return process.returncode if process.returncode > 0 else 1
    return 0 if talking.result() else 1


if __name__ == "__main__":
    told = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.exit(asyncio.run(run({**json.loads(sys.argv[1]), "prompt": told})))
