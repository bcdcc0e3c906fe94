"""One attempt of an agent, from the job to the report. This is what the engine calls."""

import asyncio
import math
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shiage.agents import scratch
from shiage.agents.adapter import Adapter, AgentEvent, AgentSettings, Job, Reader, Report
from shiage.agents.environment import environment
from shiage.agents.launch import Ended, Launch
from shiage.agents.process import run, uninterrupted
from shiage.agents.tail import Tail, end_of
from shiage.domain.outcome import Cause, Ending

OnEvent = Callable[[AgentEvent], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an attempt may take, in seconds; fractions are fine."""

    idle_seconds: float
    total_seconds: float
    grace_seconds: float = 60.0
    start_seconds: float = math.inf  #: to the first line of an agent that announces itself


async def attempt(
    adapter: Adapter,
    settings: AgentSettings,
    job: Job,
    *,
    marker: str,
    log: Path,
    err: Path,
    limits: Limits,
    stop: asyncio.Event,
    on_event: OnEvent | None = None,
    base: Mapping[str, str] | None = None,
) -> Report:
    """Run the agent to its end; nothing of it is left running when this returns or is cancelled.

    `marker` is unique to the attempt, `log` and `err` are files of its own. `base` is the environment
    that the allowed names are taken from, by default ours.
    """
    invocation = adapter.command(settings, replace(job, desk=log.with_suffix("")))
    room = scratch.make(marker)
    launch = Launch(
        argv=invocation.argv,
        env=environment(os.environ if base is None else base, adapter, settings, job, invocation, room),
        cwd=job.cwd,
        stdin=invocation.stdin,
        log=log,
        err=err,
        marker=marker,
        idle_seconds=limits.idle_seconds,
        total_seconds=limits.total_seconds,
        start_seconds=limits.start_seconds if adapter.features.announces else math.inf,
        grace_seconds=limits.grace_seconds,
        files=invocation.files,
    )
    reader = adapter.reader()
    needed = adapter.features.protocol or on_event is not None
    feeding = _feeding(reader, on_event) if needed else None
    try:
        ended = await run(launch, stop=stop, on_lines=feeding, skim=not adapter.features.protocol)
    finally:
        await uninterrupted(lambda: scratch.remove(scratch.folder_of(marker)), threading.Event())
    return _understood(reader.conclude(ended, end_of(log), end_of(err)), job.prompt)


def _understood(report: Report, prompt: str) -> Report:
    """A slash command that the agent does not know is answered as plain text, or swallowed, with success."""
    name = prompt.split(maxsplit=1)[0][1:] if prompt.startswith("/") else ""
    if not name or report.commands is None or name in report.commands:
        return report
    if report.outcome.ending is not Ending.COMPLETED:
        return report
    detail = f"It does not know the command /{name} and took it for plain text."
    return replace(report, outcome=replace(report.outcome, ending=Ending.FAILED, cause=Cause.CRASHED, detail=detail))


def _feeding(reader: Reader, on_event: OnEvent | None) -> Callable[[list[bytes]], bool]:
    def feed(lines: list[bytes]) -> bool:
        for line in lines:
            for event in reader.feed(line):
                if on_event is not None:
                    on_event(event)
        return reader.final

    return feed


def read_log(adapter: Adapter, log: Path, ended: Ended, *, err: Path | None = None) -> Report:
    """The same report from the files alone, as after a crash; a missing log reads as an empty one."""
    reader = adapter.reader()
    if adapter.features.protocol and log.is_file():
        with Tail(log) as tail:
            tail.behind = True
            while tail.behind:
                for line in tail.lines():
                    reader.feed(line)
            for line in tail.rest():
                reader.feed(line)
    return reader.conclude(ended, end_of(log), end_of(err) if err else b"")
