"""What is put to the test: an adapter, with samples of what its agent writes."""

import asyncio
import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shiage.agents.adapter import Adapter, AgentSettings, Job, Report
from shiage.agents.attempt import Limits, attempt
from shiage.agents.launch import Ended
from shiage.agents.tail import Tail
from shiage.domain.outcome import Cause, Ending, Usage
from shiage.testing.fake import Step, fake_agent

Line = Mapping[str, Any] | bytes
EXIT_0 = Ended(Ending.COMPLETED, exit_code=0)
PATIENT = Limits(idle_seconds=20, total_seconds=30, grace_seconds=10)


@dataclass(frozen=True)
class Subject:
    """An adapter and two recorded or scripted runs of its agent, as lines: JSON objects, or bytes as they are."""

    kind: str
    adapter: Adapter
    done: tuple[Line, ...]  #: a run that ended well; a tool call and text outside ASCII in it, its result last
    words: str  #: the agent's final words in it
    session: str = ""  #: the session that it names, where the agent can resume
    failed: tuple[Line, ...] = ()  #: a run whose own result says that it failed
    cause: Cause = Cause.CRASHED  #: of that failure
    used: Usage | None = None  #: what the run that ended well says it used; None: nobody compares
    program: Callable[[Path, Sequence[Step]], tuple[str, ...]] = field(default=fake_agent)
    #: ^ plays steps as a process; an agent that converses instead of printing brings a program of its own

    def settings(self, command: tuple[str, ...] = ("the-agent",)) -> AgentSettings:
        return AgentSettings("under-test", self.kind, command)

    def job(self, folder: Path, **more: Any) -> Job:
        return Job("Do it. 仕上げ", "implementer", folder, **more)

    def read(self, folder: Path, pieces: Sequence[bytes], ended: Ended = EXIT_0, err: bytes = b"") -> Report:
        """The report on output that came in these pieces, each read before the next was written."""
        log = folder / "read.log"
        log.write_bytes(b"")
        reader = self.adapter.reader()
        with log.open("ab", buffering=0) as file, Tail(log) as tail:
            for piece in pieces:
                file.write(piece)
                tail.behind = True
                while tail.behind:
                    for line in tail.lines():
                        reader.feed(line)
            for line in tail.rest():
                reader.feed(line)
        return reader.conclude(ended, b"".join(pieces), err)

    def run(
        self, folder: Path, steps: Sequence[Step], limits: Limits = PATIENT, stop_after: bytes = b""
    ) -> tuple[Report, str]:
        """The report on a real process that plays the steps, and the mark that its processes carry."""
        marker = f"contract-{self.kind}-{folder.name}"
        log = folder / "attempt.log"
        stop = asyncio.Event()
        log.unlink(missing_ok=True)

        async def play() -> Report:
            watching = asyncio.ensure_future(_stop_when(log, stop_after, stop)) if stop_after else None
            try:
                return await attempt(
                    self.adapter, self.settings(self.program(folder, steps)), self.job(folder),
                    marker=marker, log=log, err=folder / "attempt.err", limits=limits, stop=stop,
                )  # fmt: skip
            finally:
                if watching:
                    watching.cancel()

        return asyncio.run(play()), marker


async def _stop_when(log: Path, words: bytes, stop: asyncio.Event) -> None:
    while not (log.exists() and words in log.read_bytes()):
        await asyncio.sleep(0.02)
    stop.set()


def raw(lines: Sequence[Line]) -> bytes:
    """The bytes that the agent would have written."""
    return b"".join(_bytes(line) + b"\n" for line in lines)


def _bytes(line: Line) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()


def put(data: bytes) -> Step:
    """The step that writes these bytes."""
    return "put", base64.b64encode(data).decode()
