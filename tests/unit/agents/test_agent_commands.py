"""How Codex, Gemini CLI, OpenCode and Copilot CLI are called for a role."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from shiage.agents.adapter import WRITERS, AgentSettings, Job
from shiage.agents.table import ADAPTERS, adapter_for

FOLDER = {"SHIAGE_SPEC_DIR": "/p/.kiro/specs/login"}
KINDS = sorted(set(ADAPTERS) - {"command", "acp"})


def call(kind, role="implementer", *, model="", mode="", extra=(), **more):
    settings = AgentSettings(kind, kind, ("x",), model, mode, extra)
    return adapter_for(kind).command(settings, Job("Do it.", role, Path("/p"), environment=FOLDER, **more))


@pytest.mark.parametrize("kind", KINDS)
def test_model_arguments_and_session_reach_the_program(kind):
    argv = call(kind, model="big-1", extra=("--more", "y"), session="s-1").argv
    assert argv[argv.index("--more") + 1] == "y"
    assert "big-1" in argv
    assert any(argument in ("s-1", "--resume=s-1") for argument in argv)


def test_codex_resumes_by_a_command_of_its_own_and_reads_its_prompt_from_standard_input():
    assert call("codex").argv[:4] == ("x", "exec", "--json", "--skip-git-repo-check")
    assert call("codex", extra=("--oss",), session="s-1").argv[-4:] == ("--oss", "resume", "s-1", "-")


def test_a_codex_that_looks_writes_the_folder_of_its_report_alone():
    assert "workspace-write" in call("codex").argv
    assert "danger-full-access" in call("codex", mode="danger-full-access").argv
    looking = call("codex", "reviewer", mode="danger-full-access").argv
    assert 'permissions.shiage.filesystem={":root"="read","/p/.kiro/specs/login"="write"}' in looking
    assert 'default_permissions="shiage"' in looking
    assert "-s" not in looking


def test_a_codex_that_looks_without_a_folder_writes_nothing():
    settings = AgentSettings("codex", "codex")
    assert "read-only" in adapter_for("codex").command(settings, Job("Do it.", "reviewer", Path("/p"))).argv


def test_a_gemini_that_looks_gets_no_shell():
    def mode(role, **more):
        argv = call("gemini", role, **more).argv
        return argv[argv.index("--approval-mode") + 1]

    assert (mode("fixer"), mode("fixer", mode="auto_edit")) == ("yolo", "auto_edit")
    assert mode("inspector", mode="yolo") == "auto_edit"
    assert call("gemini").env["GEMINI_CLI_TRUST_WORKSPACE"] == "true"


def decided(asked, tool, **given):
    """What the policy says of a call: the rule of the highest priority that fits."""
    (policy,) = asked.files.values()
    told = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    fitting = [
        rule
        for rule in tomllib.loads(policy)["rule"]
        if tool in rule["toolName"] and re.search(rule.get("argsPattern", ""), told)
    ]
    return max(fitting, key=lambda rule: rule["priority"])["decision"] if fitting else ""


def test_a_gemini_that_looks_may_write_its_report_and_nothing_else():
    asked = call("gemini", "reviewer", desk=Path("/d/attempt-1"))
    assert "--admin-policy=/d/attempt-1.policy.toml" in asked.argv
    spec = ".kiro/specs/login"
    for path in (f"/p/{spec}/document-review-1.md", f"{spec}/document-review-2.md", f"/p/{spec}/spec.json"):
        assert decided(asked, "write_file", file_path=path, content="x") == "allow"
    trick = f'"file_path":"{spec}/document-review-1.md"'
    for path in ("a.py", f"/p/{spec}/../other/document-review-1.md", f"/q/{spec}/spec.json", f"{spec}/tasks.md", trick):
        assert decided(asked, "replace", file_path=path, new_string=trick) == "deny"
    assert call("gemini", "fixer", desk=Path("/d/attempt-1")).files == {}


def test_a_rule_for_gemini_fits_the_command_that_it_names_and_no_other():
    words = {"allow": ("run_shell_command(npm test)", "run_shell_command(ls *)"), "deny": ("web_fetch",)}
    asked = call("gemini", "reviewer", desk=Path("/d/attempt-1"), **words)
    shell = [
        decided(asked, "run_shell_command", command=c, description="npm test") for c in ("npm test", "ls -l", "rm x")
    ]
    assert shell == ["allow", "allow", ""]
    assert decided(asked, "run_shell_command", command="npm test && rm x") == ""
    assert decided(asked, "web_fetch", prompt="x") == "deny"


def test_an_opencode_that_looks_may_write_its_report_and_nothing_else():
    assert "--auto" in call("opencode").argv
    assert "OPENCODE_PERMISSION" not in call("opencode").env
    looking = call("opencode", "reviewer")
    assert "--auto" not in looking.argv
    assert json.loads(looking.env["OPENCODE_PERMISSION"]) == {
        "bash": {"*": "deny", "git diff": "allow", "git log": "allow", "git status": "allow"},
        "edit": {"*": "deny", "*specs/login/document-review-*.md": "allow", "*specs/login/spec.json": "allow"},
    }


def test_a_qwen_that_looks_gets_no_shell_and_nobody_else_works_after_it():
    def mode(role, **more):
        argv = call("qwen", role, **more).argv
        return argv[argv.index("--approval-mode") + 1]

    assert (mode("fixer"), mode("fixer", mode="auto-edit"), mode("inspector", mode="yolo")) == (
        "yolo",
        *["auto-edit"] * 2,
    )
    asked = call("qwen", desk=Path("/d/attempt-1"))
    (place,) = asked.files
    assert asked.env["QWEN_CODE_SYSTEM_DEFAULTS_PATH"] == str(place) == "/d/attempt-1.defaults.json"
    assert json.loads(asked.files[place])["memory"]["enableManagedAutoMemory"] is False


def test_what_an_administrator_of_qwen_has_laid_is_not_displaced(monkeypatch, tmp_path):
    monkeypatch.setattr("shiage.agents.qwen.OF_THE_SYSTEM", (tmp_path,))
    assert call("qwen", desk=Path("/d/attempt-1")).files == {}


def test_a_copilot_that_looks_may_write_its_report_and_nothing_else():
    assert "--allow-all-tools" in call("copilot").argv
    assert "--allow-all-tools" not in call("copilot", mode="ask").argv
    looking = call("copilot", "inspector").argv
    assert "--allow-all-tools" not in looking
    assert "--allow-tool=write(/p/.kiro/specs/login/inspection-*.md)" in looking
    assert call("copilot").env["COPILOT_ALLOW_ALL"] == "false"


@pytest.mark.parametrize("role", sorted(WRITERS))
def test_rules_reach_every_agent_that_has_them(role):
    rules = {"allow": ("bash(npm test)",), "deny": ("bash(git push *)", "--yolo")}
    claude = call("claude", role, **rules).argv
    assert "bash(npm test)" in claude[claude.index("--allowedTools") : claude.index("--disallowedTools")]
    assert "bash(git push *)" in claude[claude.index("--disallowedTools") :]
    copilot = call("copilot", role, **rules).argv
    assert {"--allow-tool=bash(npm test)", "--deny-tool=bash(git push *)"} <= set(copilot)
    told = json.loads(call("opencode", role, **rules).env["OPENCODE_PERMISSION"])
    assert told["bash"] == {"npm test": "allow", "git push *": "deny"}
    for kind in KINDS:
        asked = call(kind, role, desk=Path("/d/attempt-1"), **rules)
        assert "--yolo" not in asked.argv
        assert ADAPTERS[kind].features.rules == any(
            re.search(r"npm\W+test", str(part)) for part in (asked.argv, asked.env, asked.files)
        )
