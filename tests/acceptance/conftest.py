"""The installed command as a person uses it, in a project of its own with a scripted agent."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scenes import DOCUMENTS, Scene, reply

from shiage.agents import scripted

DONE_IN_ORDER = (*DOCUMENTS, "document-review", "impl", "inspection")


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Project:
    patience = 90.0  #: seconds that a command may take

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.started: list[subprocess.Popen[str]] = []

    @property
    def environ(self) -> Mapping[str, str]:
        handed_on = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_START")
        kept = {name: os.environ[name] for name in handed_on if name in os.environ}
        return {**kept, "HOME": str(self.home), "LANG": "C.UTF-8", "PYTHONWARNINGS": "error"}

    def shiage(
        self, *arguments: str, stdin: str = "", cwd: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> Said:
        done = subprocess.run(
            [sys.executable, "-m", "shiage", *arguments],
            cwd=cwd or self.root, env={**self.environ, **(variables or {})}, input=stdin, capture_output=True,
            text=True, timeout=self.patience, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return Said(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command and leave it running; it is ended with the test."""
        process = subprocess.Popen(
            [sys.executable, "-m", "shiage", *arguments],
            cwd=self.root, env=dict(self.environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.started.append(process)
        return process

    def play(self, scenes: list[Scene], settings: str = "") -> None:
        """From now on the agent plays these scenes."""
        script = self.home / "script.json"
        script.write_text(json.dumps({"speed": 0, "scenes": scenes}))
        argv = json.dumps(list(scripted.command(sys.executable, str(script))))
        text = f'agent = "actor"\n{settings}\n[agents.actor]\ncommand = {argv}\n\n[notify]\ndesktop = false\n'
        (self.root / "shiage.toml").write_text(text)
        assert self.shiage("trust", "--yes").code == 0

    def cast(self, scenes: list[Scene], settings: str = "") -> None:
        """The same as the person's own settings, which need no trust: no command is needed."""
        script = self.home / "script.json"
        script.write_text(json.dumps({"speed": 0, "scenes": scenes}))
        argv = json.dumps(list(scripted.command(sys.executable, str(script))))
        place = self.home / ".config" / "shiage" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        quiet = "" if "[notify]" in settings else "[notify]\ndesktop = false\n"
        place.write_text(f'agent = "actor"\n{settings}\n[agents.actor]\ncommand = {argv}\n\n{quiet}')

    def given(self, name: str = "login", until: str = "", **state: Any) -> Path:
        """A spec folder made by hand, finished up to and with this phase; no command is needed."""
        done = DONE_IN_ORDER[: DONE_IN_ORDER.index(until) + 1] if until else ()
        return self.by_hand(name, _files(done), {**_state(name, done), **state})

    def by_hand(self, name: str, files: Mapping[str, str], state: Any) -> Path:
        spec = self.spec(name)
        spec.mkdir(parents=True)
        for file, text in files.items():
            (spec / file).write_text(text)
        (spec / "spec.json").write_text(state if isinstance(state, str) else json.dumps(state, indent=2) + "\n")
        return spec

    def ran(self, *arguments: str) -> Any:
        """Run to its end and give the result line; it names the exit code that the command had."""
        said = self.shiage("run", *arguments, "--json")
        assert said.lines[-1]["type"] == "result" and said.lines[-1]["exit_code"] == said.code, said
        return said.lines[-1]

    def prompts(self, run: str = "r-0001") -> list[str]:
        """What the agents of a run were told, in order."""
        places = (self.root / ".shiage" / "runs" / run).glob("attempt-*.prompt.md")
        return [place.read_text() for place in sorted(places, key=lambda place: int(place.name.split(".")[0][8:]))]

    def new(self, name: str = "login", scenes: list[Scene] | None = None, settings: str = "") -> Path:
        self.play(scenes or [], settings)
        assert self.shiage("new", name, "greet the user").code == 0
        return self.spec(name)

    def spec(self, name: str = "login") -> Path:
        return self.root / ".kiro" / "specs" / name

    def state(self, name: str = "login") -> Any:
        return json.loads((self.spec(name) / "spec.json").read_text())

    def status(self, name: str = "login") -> Any:
        return self.shiage("status", name, "--json").json

    def journal(self, name: str = "login", kind: str = "") -> list[Any]:
        lines = (self.spec(name) / "event-log.jsonl").read_text().splitlines()
        return [entry for entry in map(json.loads, lines) if kind in ("", entry["event_type"])]

    def attempts(self, name: str = "login") -> list[tuple[str, str, int]]:
        """Who was asked, in order: role, phase, round."""
        orders = [entry["content"]["order"] for entry in self.journal(name, "ATTEMPT_STARTED")]
        return [(order["role"], order["phase"], order["round"]) for order in orders]


def _files(done: Iterable[str]) -> dict[str, str]:
    """What finished phases leave behind."""
    files = {f"{phase}.md": DOCUMENTS[phase] for phase in done if phase in DOCUMENTS}
    if "document-review" in done:
        files |= {"document-review-1.md": "# Review 1\n", "document-review-1-reply.md": reply(0, 0)}
    if "impl" in done:
        files["tasks.md"] = DOCUMENTS["tasks"].replace("[ ]", "[x]")
    if "inspection" in done:
        files["inspection-1.md"] = "# Inspection\n\n- Judgment: GO\n"
    return files


_REACHED = {"impl": "implementation-complete", "inspection": "inspection-complete"}


def _state(name: str, done: Iterable[str]) -> dict[str, Any]:
    """A spec.json as cc-sdd and people write it."""
    reached = [_REACHED.get(phase, f"{phase}-generated") for phase in done if phase != "document-review"]
    approvals = {phase: {"generated": phase in done, "approved": phase in done} for phase in DOCUMENTS}
    at = "2026-01-02T03:04:05Z"
    state: dict[str, Any] = {
        "feature_name": name, "created_at": at, "updated_at": at, "language": "en",
        "phase": reached[-1] if reached else "initialized", "approvals": approvals,
    }  # fmt: skip
    if "document-review" in done:
        row = {"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 0, "needsDiscussionCount": 0}
        state["documentReview"] = {"status": "approved", "roundDetails": [row]}
    return state


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=person", "-c", "user.email=person@localhost"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    made = Project(root, home)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait for something that another process does."""

    def wait(is_so: Callable[[], bool], seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < deadline, "it never became so"
            time.sleep(0.02)

    return wait
