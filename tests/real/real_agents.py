"""How each real agent program is led to the scripted model, and how a model calls its tools."""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from model_script import Call, Fail
from real_clis import CLIS

KEY = "scripted-key-0123456789"
PATIENT = pytest.mark.skipif(
    "SHIAGE_REAL_PATIENCE" not in os.environ, reason="it takes minutes; with SHIAGE_REAL_PATIENCE=1 it is tried"
)


@dataclass(frozen=True)
class Agent:
    """How one program is led to the endpoint, and how a model calls its tools."""

    kind: str
    cli: str
    write: Callable[[Path, str], Call]
    shell: Callable[[str], Call]
    exhausted: Callable[[int], Fail]  #: how its provider says that a quota comes back at this time
    settle: Callable[[Path, str], Mapping[str, str]]  #: writes its configuration; its part of the environment
    section: str = ""  #: of our settings, for one that is not built in
    create: Callable[[Path, str], Call] | None = None  #: its tool for files, where `write` is its shell


def _claude(home: Path, url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_MODEL": "claude-sonnet-4-5",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }  # fmt: skip


def _codex(home: Path, url: str) -> Mapping[str, str]:
    place = home / ".codex" / "config.toml"
    place.parent.mkdir()
    place.write_text(
        'model = "gpt-5"\nmodel_provider = "local"\n\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n'
        "request_max_retries = 1\nstream_max_retries = 1\n\n[analytics]\nenabled = false\n"
    )
    return {"OPENAI_API_KEY": KEY}


def _gemini(home: Path, url: str) -> Mapping[str, str]:
    place = home / ".gemini" / "settings.json"
    place.parent.mkdir()
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    place.write_text(json.dumps({**chosen, "general": {"disableAutoUpdate": True}}))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_TELEMETRY_ENABLED": "false"}


def _qwen(home: Path, url: str) -> Mapping[str, str]:
    place = home / ".qwen" / "settings.json"
    place.parent.mkdir()
    chosen = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
    place.write_text(json.dumps({**chosen, "general": {"disableAutoUpdate": True}}))
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}


def _opencode(home: Path, url: str) -> Mapping[str, str]:
    limit = {"context": 100_000, "output": 8_000}
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "local", "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {"scripted": {"name": "scripted", "tool_call": True, "limit": limit}},
    }  # fmt: skip
    model = {"model": "local/scripted", "small_model": "local/scripted"}
    place = home / ".config" / "opencode" / "opencode.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"provider": {"local": provider}, **model, "autoupdate": False, "share": "disabled"}))
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def _copilot(home: Path, url: str) -> Mapping[str, str]:
    (home / ".cache").mkdir()
    (home / ".cache" / "copilot").symlink_to(CLIS["copilot"].cache)
    provider = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": KEY}
    given = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    return {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "scripted", **given}


def _here(path: Path, text: str) -> str:
    return f"cat > '{path}' <<'END'\n{text}END\n"


def _exec(command: str) -> Call:
    return Call("exec_command", {"cmd": command, "yield_time_ms": 30_000})


def _bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "work"})


def _five_hours(at: int) -> Fail:
    status = {"status": "rejected", "reset": str(at), "representative-claim": "five_hour"}
    return Fail(
        429, "rate_limit_error", "slow down", {f"anthropic-ratelimit-unified-{k}": v for k, v in status.items()}
    )


def _plan(at: int) -> Fail:
    return Fail(
        429, "usage_limit_reached", "The usage limit has been reached", more={"plan_type": "plus", "resets_at": at}
    )


def _retry_after(at: int) -> Fail:
    seconds = max(1, at - int(time.time()))
    return Fail(429, "rate_limit_error", "You exceeded your current quota", {"retry-after": str(seconds)})


def _opencode_bash(command: str) -> Call:
    return Call("bash", {"command": command, "description": "work"})


def _opencode_write(path: Path, text: str) -> Call:
    return Call("write", {"filePath": str(path), "content": text})


def _gemini_write(path: Path, text: str) -> Call:
    return Call("write_file", {"file_path": str(path), "content": text})


def _gemini_shell(command: str) -> Call:
    return Call("run_shell_command", {"command": command})


def _qwen_shell(command: str) -> Call:
    return Call("run_shell_command", {"command": command, "is_background": False})


def _copilot_create(path: Path, text: str) -> Call:
    return Call("create", {"path": str(path), "file_text": text})


def _claude_write(path: Path, text: str) -> Call:
    return Call("Write", {"file_path": str(path), "content": text})


#: A model by name: the program would ask another one first which to take.
GEMINI = """
[agents.gemini]
model = "gemini-2.5-flash"
"""
OVER_ACP = """
[agents.over-acp]
kind = "acp"
command = ["opencode", "acp"]
env = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE"]
"""
GEMINI_OVER_ACP = """
[agents.gemini-over-acp]
kind = "acp"
command = ["gemini", "--model", "gemini-2.5-flash", "--acp"]
env = ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_TELEMETRY_ENABLED"]
"""
COPILOT_OVER_ACP = """
[agents.copilot-over-acp]
kind = "acp"
command = ["copilot", "--acp"]
env = [
  "COPILOT_OFFLINE", "COPILOT_MODEL", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE", "COPILOT_PROVIDER_API_KEY",
]
"""

AGENTS = {
    agent.kind: agent
    for agent in (
        Agent("claude", "claude", _claude_write, _bash, _five_hours, _claude),
        Agent("codex", "codex", lambda p, t: _exec(_here(p, t)), _exec, _plan, _codex),
        Agent("opencode", "opencode", _opencode_write, _opencode_bash, _retry_after, _opencode),
        Agent("gemini", "gemini", _gemini_write, _gemini_shell, _retry_after, _gemini, GEMINI),
        # It writes over no file that it has not read: a shell does.
        Agent(
            "qwen",
            "qwen",
            lambda p, t: _qwen_shell(_here(p, t)),
            _qwen_shell,
            _retry_after,
            _qwen,
            create=_gemini_write,
        ),
        Agent(
            "copilot",
            "copilot",
            lambda p, t: _opencode_bash(_here(p, t)),
            _opencode_bash,
            _retry_after,
            _copilot,
            create=_copilot_create,
        ),
        Agent(
            "copilot-over-acp",
            "copilot",
            lambda p, t: _opencode_bash(_here(p, t)),
            _opencode_bash,
            _retry_after,
            _copilot,
            COPILOT_OVER_ACP,
        ),
        Agent("gemini-over-acp", "gemini", _gemini_write, _gemini_shell, _retry_after, _gemini, GEMINI_OVER_ACP),
        Agent("over-acp", "opencode", _opencode_write, _opencode_bash, _retry_after, _opencode, OVER_ACP),
    )
}
