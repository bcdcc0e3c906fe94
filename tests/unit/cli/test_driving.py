"""Runs are shown, stopped and counted; the runs themselves are played here."""

import asyncio
import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shiage.agents.adapter import AgentEvent, Text, ToolStart
from shiage.app.runs import Watch
from shiage.app.views import SpecView
from shiage.app.workspace import Workspace, open_workspace
from shiage.cli import front as fronts
from shiage.cli import interrupts
from shiage.cli.context import Context
from shiage.cli.driving import drive, front
from shiage.cli.front import End, Front, JsonLines, Quiet, Sentences
from shiage.cli.live import Live
from shiage.domain.errors import UserError
from shiage.domain.run import Attempt, Order, Role, Run, Status
from shiage.journal.entry import Entry

DONE = Run(status=Status.COMPLETED)
ENTRY = Entry(1, "IMPL_RERUN", "2026-01-02T03:04:05.000Z", "summary", "r-1", {"rerun": 1, "max": 7, "open": ["1"]}, "")
DETAIL = replace(ENTRY, seq=2, event_type="RESET_REQUESTED", visibility="full")
Made = Callable[..., SpecView]


@pytest.fixture
def workspace(spec: Path, project: Path) -> Workspace:
    return open_workspace(project, dict(os.environ))


def playing(run: Run, entries: Sequence[Entry] = ()) -> Callable[[str, Watch], object]:
    async def begin(name: str, watch: Watch) -> Run:
        watch.entries(name, entries)
        return run

    return begin


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (DONE, 0),
        (Run(status=Status.PAUSED, reason="needs-discussion"), 4),
        (Run(status=Status.ERROR, reason="agent-failed"), 5),
        (Run(status=Status.PAUSED, reason="stopped"), 130),
    ],
)
def test_the_end_of_a_run_is_its_exit_code(workspace: Workspace, run: Run, code: int) -> None:
    assert drive(Context(), workspace, ["login"], playing(run)) == code  # type: ignore[arg-type]


def test_each_entry_is_a_sentence_with_its_time_and_then_comes_the_end(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    drive(Context(), workspace, ["login"], playing(DONE, [ENTRY, DETAIL]))  # type: ignore[arg-type]
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["2026-01-02T03:04:05Z  login  impl runs again (1/7): open tasks 1", ""]
    assert told[2].startswith("login idle")


def test_details_are_told_when_asked_for(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    drive(Context(verbose=True), workspace, ["login"], playing(DONE, [DETAIL]))  # type: ignore[arg-type]
    assert "login  reset" in capsys.readouterr().out


def test_a_program_gets_the_journal_and_a_result(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    drive(Context(json=True), workspace, ["login"], playing(DONE, [ENTRY, DETAIL]))  # type: ignore[arg-type]
    *entries, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [entry["seq"] for entry in entries] == [1, 2]
    assert (last["v"], last["type"], last["spec"], last["exit_code"]) == (1, "result", "login", 0)


def test_quiet_is_the_last_line_only(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    drive(Context(quiet=True), workspace, ["login"], playing(DONE, [ENTRY]))  # type: ignore[arg-type]
    assert capsys.readouterr().out == "login: idle. next: run `shiage run login`\n"


def test_the_worst_of_several_runs_counts_and_one_that_cannot_start_stops_no_other(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    async def begin(name: str, watch: Watch) -> Run:
        seen.append(name)
        if len(seen) == 1:
            raise UserError("busy", "held by somebody")
        return Run(status=Status.ERROR) if len(seen) == 2 else DONE

    assert drive(Context(), workspace, ["login", "login", "login"], begin) == 1
    assert len(seen) == 3
    assert "error[busy]" in capsys.readouterr().err


def test_one_run_that_cannot_start_is_an_error_of_the_command(workspace: Workspace) -> None:
    async def begin(name: str, watch: Watch) -> Run:
        raise UserError("busy", "held by somebody")

    with pytest.raises(UserError):
        drive(Context(), workspace, ["login"], begin)


class Stoppable:
    """As much of a runner as a stop needs."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.times = 0

    def request_stop(self) -> None:
        self.times += 1
        self.asked.set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_a_stop_and_no_further_spec_begins(workspace: Workspace, number: signal.Signals) -> None:
    begun: list[str] = []

    async def begin(name: str, watch: Watch) -> Run:
        begun.append(name)
        runner = Stoppable()
        watch.started(runner)  # type: ignore[arg-type]
        os.kill(os.getpid(), number)
        await runner.asked.wait()
        return Run(status=Status.PAUSED, reason="stopped")

    assert drive(Context(), workspace, ["login", "other"], begin) == 130
    assert begun == ["login"]


def test_a_second_signal_cancels_whoever_waits_for_the_agent(workspace: Workspace) -> None:
    async def begin(name: str, watch: Watch) -> Run:
        runner = Stoppable()
        watch.started(runner)  # type: ignore[arg-type]
        work = asyncio.create_task(asyncio.sleep(3600))
        os.kill(os.getpid(), signal.SIGINT)
        await runner.asked.wait()
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.wait({work})
        hurried.append(work.cancelled())
        raise asyncio.CancelledError

    hurried: list[bool] = []
    assert drive(Context(), workspace, ["login"], begin) == 130
    assert hurried == [True]


def test_a_stop_that_comes_before_the_run_counts_too() -> None:
    async def play() -> int:
        with interrupts.Interrupts(Front(Context())) as heard:
            heard.ask()
            heard.ask()
            runner = Stoppable()
            heard.started(runner)  # type: ignore[arg-type]
            return runner.times

    assert asyncio.run(play()) == 1


def test_a_signal_that_the_caller_wants_ignored_stays_ignored() -> None:
    async def play() -> object:
        with interrupts.Interrupts(Front(Context())):
            return signal.getsignal(signal.SIGHUP)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert asyncio.run(play()) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


class Broken(Front):
    def __init__(self, number: int) -> None:
        super().__init__(Context())
        self.number = number

    def tell(self, spec: str, entries: Sequence[Entry]) -> None:
        raise OSError(self.number, "gone")


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EIO])
def test_when_nobody_reads_any_more_the_run_is_stopped(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(fronts, "silence", lambda: None)
    shown = Broken(number)
    shown.on_stop = lambda: asked.append(True)
    shown.entries("login", [ENTRY])
    assert asked == [True]


def test_another_trouble_with_the_output_is_not_hidden() -> None:
    with pytest.raises(OSError, match="gone"):
        Broken(errno.ENOSPC).entries("login", [ENTRY])


def test_who_looks_decides_how_it_is_shown(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [
        type(front(context, lambda: workspace)) for context in (Context(json=True), Context(quiet=True), Context())
    ]
    assert kinds == [JsonLines, Quiet, Sentences]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert type(front(Context(), lambda: workspace)) is Live
    assert type(front(Context(plain=True), lambda: workspace)) is Sentences
    monkeypatch.setenv("TERM", "dumb")
    assert type(front(Context(), lambda: workspace)) is Sentences
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("ACCESSIBLE", "1")
    assert type(front(Context(), lambda: workspace)) is Sentences


def test_the_live_view_leaves_a_report_and_the_end(
    workspace: Workspace, view: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    attempt = Attempt(1, "r-1-a1", "claude", Order("impl", Role.IMPLEMENTER), 0.0)
    said: tuple[AgentEvent, ...] = (Text("hello"), ToolStart("Read", "a.py"))
    shown = Live(Context(), lambda: workspace)
    with shown:
        shown.began("login")
        for event in said:
            shown.agent("login", attempt, event)
        shown.entries("login", [ENTRY])
        shown.stopping()
        shown._keys()
        shown.ended(End(view(status="paused", reason="stopped"), 3.0, 130))
    told = capsys.readouterr().out
    assert "  impl runs again (1/7): open tasks 1" in told
    assert "login paused: on request (stopped)" in told
    assert "\x1b]9;" in told
    assert "Ctrl-C twice" in told


def test_a_key_stops_the_run(workspace: Workspace) -> None:
    asked: list[bool] = []
    shown = Live(Context(), lambda: workspace)
    shown.on_stop = lambda: asked.append(True)
    shown._stop()
    assert asked == [True]


def test_what_an_agent_says_is_no_markup(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    with Live(Context(ascii=True), lambda: workspace) as shown:
        shown.began("login")
        answered = replace(ENTRY, event_type="CLAIM_DIFFERS", content={"claim": "[bold]:smile: ✓", "path": ""})
        shown.entries("login", [answered])
    assert "the agent claims otherwise: [bold]:smile: ok" in capsys.readouterr().out
