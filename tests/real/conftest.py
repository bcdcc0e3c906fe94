"""A project of its own, a scripted model, and a real agent program that has nothing but those two."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from model_endpoint import Endpoint, serving
from model_script import Call
from real_agents import AGENTS, KEY, Agent
from real_clis import CLIS, Unavailable, had

found = spec_from_file_location("acceptance_project_real", Path(__file__).parent.parent / "acceptance" / "conftest.py")
assert found and found.loader
acceptance = module_from_spec(found)
sys.modules[found.name] = acceptance
found.loader.exec_module(acceptance)
until = acceptance.until

NOWHERE = "http://127.0.0.1:9"  #: a proxy that is not there: whatever calls home fails at once


class Stage(acceptance.Project):  # type: ignore[name-defined,misc]
    """A project whose agent is a real program before a scripted model."""

    patience = 380.0

    def __init__(self, root: Path, home: Path, agent: Agent, model: Endpoint, programs: Path) -> None:
        super().__init__(root, home)
        self.agent, self.model = agent, model
        self._more = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE),
            "NO_PROXY": "127.0.0.1",
            **agent.settle(home, model.url),
        }
        if agent.cli == "gemini":  # it sends everything through a proxy, its own endpoint too
            self._more = {name: value for name, value in self._more.items() if not name.endswith("_PROXY")}
        self.settings()

    @property
    def environ(self) -> Mapping[str, str]:
        return {**super().environ, **self._more}

    def settings(self, more: str = "") -> None:
        place = self.home / ".config" / "shiage" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f'agent = "{self.agent.kind}"\n[notify]\ndesktop = false\n[limits]\nretries = 0\n{more}{self.agent.section}'
        )

    def write(self, name: str, text: str) -> Call:
        return self.agent.write(self.root / name, text)

    def create(self, name: str, text: str) -> Call:
        return (self.agent.create or self.agent.write)(self.root / name, text)

    def shell(self, command: str) -> Call:
        return self.agent.shell(command)

    def with_account(self) -> None:
        """Log in with a subscription where the program makes a difference: only those have quotas."""
        if self.agent.kind == "claude":
            del self._more["ANTHROPIC_API_KEY"]
            self._more["CLAUDE_CODE_OAUTH_TOKEN"] = KEY

    def alive(self) -> list[str]:
        """The command lines of all agent processes of this project."""
        mine = f"HOME={self.home}\0".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environ, line = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
            except OSError:  # it has just ended
                continue
            if mine in environ + b"\0" and b"SHIAGE_AGENT_ID=" in environ:
                found.append(line.replace(b"\0", b" ").decode())
        return found

    def outcomes(self, place: str = ".shiage/tasks/t-0001") -> list[Any]:
        """How the attempts ended, as the journal has it."""
        journal = self.root / place / "event-log.jsonl"
        lines = journal.read_text().splitlines() if journal.exists() else []
        events = [json.loads(line) for line in lines if '"ATTEMPT_EXITED"' in line]
        return [event["content"]["outcome"] for event in events]


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path, model: Endpoint) -> Iterator[Stage]:
    agent = AGENTS[getattr(request, "param", "claude")]
    try:
        programs = had(CLIS[agent.cli])
    except Unavailable as problem:
        pytest.skip(str(problem))
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    acceptance.subprocess.run(["git", "-C", str(root), "init", "--quiet"], check=True)
    made = Stage(root, home, agent, model, programs)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()
