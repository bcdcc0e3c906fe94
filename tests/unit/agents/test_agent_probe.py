"""Whether an agent is there."""

import sys

import pytest

from shiage.agents import probe as probes
from shiage.agents.adapter import AgentSettings
from shiage.agents.probe import probe
from shiage.agents.table import adapter_for


@pytest.fixture
def agent(tmp_path):
    """Make a program that stands for an agent."""

    def make(script, name="claude"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return make


def asked(kind, tmp_path, command=()):
    return probe(adapter_for(kind), AgentSettings("a", kind, command), {"PATH": f"{tmp_path}:/usr/bin:/bin"})


def test_a_program_says_its_version(agent, tmp_path):
    path = agent('[ "$1" = --version ] && printf "\\033[1m2.1.327\\033[0m (Claude Code)\\nmore\\n"')
    found = asked("claude", tmp_path)
    assert (found.installed, found.path, found.version) == (True, str(path), "2.1.327 (Claude Code)")


def test_a_warning_is_no_version(agent, tmp_path):
    agent("echo WARNING: no helpers in /tmp >&2; echo codex-cli 0.169.0", "codex")
    assert asked("codex", tmp_path).version == "codex-cli 0.169.0"


def test_a_version_that_lacks_an_option_says_which(agent, tmp_path):
    agent("echo 1.0 --output-format --permission-mode --allowedTools --resume-all")
    assert asked("claude", tmp_path).missing == ("--resume",)


def test_a_login_is_looked_for_and_never_read(agent, tmp_path):
    agent("echo 1.0", "codex")

    def login(**variables):
        base = {"PATH": f"{tmp_path}:/usr/bin:/bin", **variables}
        return probe(adapter_for("codex"), AgentSettings("a", "codex"), base).login

    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").touch(mode=0)
    assert (login(HOME="/nowhere"), login(HOME=str(tmp_path))) == (False, True)
    assert login(HOME="/nowhere", CODEX_HOME=str(tmp_path / ".codex"))
    assert login(HOME="/nowhere", OPENAI_API_KEY="k")


def test_a_missing_program_is_not_installed(tmp_path):
    found = asked("claude", tmp_path)
    assert (found.installed, found.detail) == (False, "claude was not found.")
    assert asked("command", tmp_path).detail == "No program is named."


def test_a_stranger_is_never_run_for_its_version(agent, tmp_path):
    agent(f"touch {tmp_path}/was-run", "mine")
    assert asked("command", tmp_path, ("mine",)).installed
    assert not (tmp_path / "was-run").exists()


def test_a_program_that_fails_is_told_with_its_last_words(agent, tmp_path):
    agent("echo needs node 22 >&2; exit 9")
    found = asked("claude", tmp_path)
    assert (found.installed, found.version) == (True, "")
    assert "exit code 9: needs node 22" in found.detail


def test_a_program_that_never_answers_is_ended(agent, tmp_path, monkeypatch):
    monkeypatch.setattr(probes, "PATIENCE", 0.1)
    agent("sleep 60 & sleep 60")
    assert "did not say its version" in asked("claude", tmp_path).detail


def test_a_program_that_cannot_be_executed_is_told(tmp_path):
    (tmp_path / "claude").write_bytes(b"\x7fELF broken")
    (tmp_path / "claude").chmod(0o755)
    found = asked("claude", tmp_path)
    assert not found.installed
    assert "cannot be started" in found.detail


def test_an_agent_may_be_a_program_with_arguments(tmp_path):
    command = (sys.executable, "-c", "import sys; print(sys.argv[1:])")
    assert asked("claude", tmp_path, command).version == "['--version']"
