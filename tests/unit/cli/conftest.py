"""Values that the command line shows, and a project to call it in."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiage.app.views import SpecView
from shiage.cli import main
from shiage.cli.words import speak
from shiage.journal.entry import Entry

IDLE = SpecView(
    spec="login",
    workflow="spec",
    status="idle",
    phase="requirements",
    reason="",
    detail="",
    path="",
    next_action="run `shiage run login`",
    agent_id="",
    agent="",
    role="",
    run="",
    attempt=0,
    round={"closed": 0, "current": 0, "max": 7},
    impl={"retries": 0, "max": 7},
    tasks={"done": 0, "total": 0},
    inspection={"rounds": 0, "verdict": None},
    waits_until=None,
    usage={"input_tokens": None, "output_tokens": None, "cost_usd": None},
    seconds=0.0,
    phases={
        "requirements": "current",
        "design": "todo",
        "tasks": "todo",
        "document-review": "todo",
        "impl": "todo",
        "inspection": "todo",
        "deploy": "todo",
    },
)


@pytest.fixture
def view() -> Callable[..., SpecView]:
    """A spec at the beginning, with whatever differs."""
    return lambda **changes: replace(IDLE, **changes)


@pytest.fixture
def entry() -> Callable[..., Entry]:
    """A line of a journal."""

    def made(event_type: str, at: str = "2026-01-02T03:04:05.000Z", **content: object) -> Entry:
        return Entry(1, event_type, at, "summary", "r-0001", content, "")

    return made


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Every test begins in English, whatever the last one spoke."""
    speak("en")
    yield
    speak("en")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and nothing of the person who runs the tests."""
    root = tmp_path / "project"
    (root / ".kiro").mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith(("SHIAGE_", "LC_", "XDG_")) or name == "LANG"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def shiage(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., "tuple[int, str, str]"]:
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main.run(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def spec(project: Path) -> Path:
    """A spec of the name login at its beginning."""
    folder = project / ".kiro" / "specs" / "login"
    folder.mkdir(parents=True)
    approvals = {phase: {"generated": False, "approved": False} for phase in ("requirements", "design", "tasks")}
    state = {"feature_name": "login", "language": "en", "phase": "initialized", "approvals": approvals}
    (folder / "spec.json").write_text(json.dumps(state))
    return folder
