"""Plays the steps of a fake agent in the Agent Client Protocol: its lines are our own events, turned back into messages."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shiage.testing.fake import Step, fake_agent

SESSION = "s-1"


def acp_program(folder: Path, steps: Sequence[Step]) -> tuple[str, ...]:
    return (sys.executable, "-I", __file__, *fake_agent(folder, steps))


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def update(kind: str, /, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": kind, **fields}})


def translate(line: bytes, prompt: int) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        write(line)
        return
    match event["type"]:
        case "tool":
            given = {"command": event["about"]}
            update("tool_call", toolCallId=event["call"], title="run", kind=event["name"], rawInput=given)
        case "tool-end":
            update("tool_call_update", toolCallId=event["call"], status="completed" if event["ok"] else "failed")
        case "text":
            update("agent_message_chunk", content={"type": "text", "text": event["text"]})
        case "cost":
            update("usage_update", used=1, size=2, cost=event["cost"])
        case "end":
            send(id=prompt, result={"stopReason": event["stop"], "usage": event["usage"]})


def main(agent: list[str]) -> int:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["method"] == "initialize":
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
        elif message["method"] == "session/new":
            send(id=message["id"], result={"sessionId": SESSION})
        elif message["method"] == "session/prompt":
            playing = subprocess.Popen(agent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            for said in playing.stdout or ():
                translate(said, message["id"])
            return playing.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
