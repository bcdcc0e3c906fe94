"""How agents are called, what they get to see, and the table of them."""

from pathlib import Path

import pytest

from shiage.agents.adapter import AgentSettings, Job, Text, explained, last_line, plain
from shiage.agents.claude import Claude
from shiage.agents.command import Command
from shiage.agents.environment import environment, inherited
from shiage.agents.launch import Ended
from shiage.agents.table import ADAPTERS, adapter_for, register
from shiage.domain.errors import UserError
from shiage.domain.outcome import Cause, Ending


def job(role="implementer", prompt="Do it.", **more):
    return Job(prompt, role, Path("/work"), **more)


def claude(role="implementer", settings=None, **more):
    return Claude().command(settings or AgentSettings("claude", "claude"), job(role, **more)).argv


def after(argv, option):
    """The values of an option, up to the next option."""
    rest = argv[argv.index(option) + 1 :]
    return rest[: next((n for n, value in enumerate(rest) if value.startswith("-")), len(rest))]


@pytest.mark.parametrize("kind", ADAPTERS)
@pytest.mark.parametrize("prompt", ["-p --help", "/clear", "x" * 300_000, "日本語\u2028\0", "\ud800"])
def test_no_prompt_ever_becomes_an_argument_by_itself(kind, prompt):
    invocation = adapter_for(kind).command(AgentSettings("a", kind, ("agent",)), job(prompt=prompt))
    assert all(prompt not in argument for argument in invocation.argv)
    assert invocation.stdin == prompt.encode("utf-8", "replace")


def test_claude_runs_headless_with_events():
    argv = claude()
    assert argv[:5] == ("claude", "-p", "--output-format", "stream-json", "--verbose")
    assert "--resume" not in argv
    assert "--model" not in argv


def test_claude_takes_its_settings():
    settings = AgentSettings("c", "claude", ("npx", "claude"), "opus", "plan", ("--add-dir", "/x"))
    argv = claude(settings=settings, session="s-1")
    assert argv[:3] == ("npx", "claude", "-p")
    assert after(argv, "--model") == ("opus",)
    assert after(argv, "--permission-mode") == ("plan",)
    assert after(argv, "--resume") == ("s-1",)
    assert argv[-2:] == ("--add-dir", "/x")


@pytest.mark.parametrize("session", ["--dangerously-skip-permissions", "-p", "", "a b", "x" * 200, "s\n"])
def test_a_session_id_out_of_an_agents_mouth_never_becomes_an_option(session):
    assert "--resume" not in claude(session=session)
    assert session not in claude(session=session)[5:]


@pytest.mark.parametrize("role", ["author", "responder", "implementer", "fixer"])
def test_who_changes_the_work_may_edit_and_run_commands(role):
    argv = claude(role)
    assert after(argv, "--permission-mode") == ("acceptEdits",)
    assert {"Bash", "Edit", "Write"} <= set(after(argv, "--allowedTools"))


@pytest.mark.parametrize(("role", "report"), [("reviewer", "document-review-*.md"), ("inspector", "inspection-*.md")])
def test_who_looks_may_write_a_report_and_nothing_else(role, report):
    bypass = AgentSettings("c", "claude", permission_mode="bypassPermissions")
    argv = claude(role, bypass, environment={"SHIAGE_SPEC_DIR": "/p/.kiro/specs/login"})
    assert after(argv, "--permission-mode") == ("default",)
    tools = after(argv, "--allowedTools")
    assert f"Edit(//p/.kiro/specs/login/{report})" in tools
    assert all(
        tool.startswith("Edit(//p/.kiro/specs/login/") for tool in tools if "Edit" in tool or tool.startswith("Write")
    )
    assert not any("Bash" in tool for tool in tools)


@pytest.mark.parametrize("folder", ["", "relative/path"])
def test_a_reviewer_without_a_folder_of_its_own_may_write_nothing(folder):
    tools = after(claude("reviewer", environment={"SHIAGE_SPEC_DIR": folder}), "--allowedTools")
    assert not any("Edit" in tool or tool.startswith("Write") for tool in tools)


def test_a_command_gets_its_prompt_on_standard_input():
    invocation = Command().command(AgentSettings("x", "command", ("my-agent", "go"), extra_args=("-v",)), job())
    assert invocation.argv == ("my-agent", "go", "-v")
    assert invocation.stdin == b"Do it."


def test_a_command_may_take_its_prompt_within_an_argument():
    invocation = Command().command(AgentSettings("x", "command", ("my-agent", "--task={prompt}", "{other}")), job())
    assert invocation.argv == ("my-agent", "--task=Do it.", "{other}")
    assert invocation.stdin == b""


def concluded(ended, out=b"", err=b""):
    return Command().reader().conclude(ended, out, err)


def test_a_command_that_exits_with_0_completed_and_its_words_are_the_end_of_its_output():
    report = concluded(Ended(Ending.COMPLETED, exit_code=0), "終わり\xff\0".encode() + b"\xff", b"warning")
    assert (report.outcome.ending, report.outcome.detail) == (Ending.COMPLETED, "")
    assert report.words == "終わり\xff\0\ufffd"
    assert len(concluded(Ended(Ending.COMPLETED), b"x" * 300_000).words) == 256 * 1024


def test_a_command_that_fails_says_why_in_its_last_words_of_error():
    failed = Ended(Ending.FAILED, Cause.CRASHED, exit_code=3, detail="Ended with exit code 3.")
    outcome = concluded(failed, err=b"trace\n\x1b[1mno such model\x1b[0m\r\n\n").outcome
    assert (outcome.ending, outcome.cause, outcome.exit_code) == (Ending.FAILED, Cause.CRASHED, 3)
    assert outcome.detail == "Ended with exit code 3. no such model"


def test_a_command_can_ask_for_another_try():
    assert concluded(Ended(Ending.FAILED, Cause.CRASHED, exit_code=75)).outcome.cause is Cause.TRANSIENT
    assert concluded(Ended(Ending.STOPPED, exit_code=75)).outcome.cause is Cause.NONE


def test_lines_of_a_command_are_shown_as_text_within_bounds():
    reader = Command().reader()
    assert reader.feed("見える\xff".encode()) == (Text("見える\xff"),)
    assert reader.feed(b" ") == ()
    assert len(reader.feed(b"x" * 100_000)[0].text) == 4096
    assert not reader.final


def test_an_agent_sees_only_what_is_on_the_list():
    base = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/c",
        "https_proxy": "p",
        "ANTHROPIC_API_KEY": "k",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GITHUB_TOKEN": "secret",
        "SHIAGE_AGENT_ID": "outer",
        "GIT_DIR": "/elsewhere",
    }
    work = job(environment={"SHIAGE_SPEC": "login"})

    def seen(kind, env):
        settings = AgentSettings("a", kind, ("x",), env=env)
        adapter = adapter_for(kind)
        return environment(base, adapter, settings, work, adapter.command(settings, work))

    plain_view = {"PATH": "/bin", "LC_ALL": "C", "XDG_CONFIG_HOME": "/c", "https_proxy": "p", "SHIAGE_SPEC": "login"}
    assert seen("command", {}) == plain_view
    of_claude = seen("claude", {"CLAUDE_CODE_MAX_RETRIES": "9"})
    assert of_claude["ANTHROPIC_API_KEY"] == "k"
    assert of_claude["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] == "1"
    assert of_claude["CLAUDE_CODE_MAX_RETRIES"] == "9"
    chosen = seen("command", {"TOKEN": "$GITHUB_TOKEN", "MISSING": "$NOT_THERE", "MODE": "fast", "SHIAGE_SPEC": "x"})
    assert chosen == plain_view | {"TOKEN": "secret", "MODE": "fast"}


#: What people have set for their own terminal, and without which their agent would not work here.
SET_UP = {
    "claude": ("CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "API_TIMEOUT_MS", "IS_SANDBOX"),
    "codex": ("CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"),
    "opencode": ("OPENCODE_CONFIG", "GROQ_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY"),
    "copilot": ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "COPILOT_HOME"),
    "command": (
        "HOME", "PATH", "LANG", "LC_CTYPE", "HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS",
        "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "NVM_BIN", "ASDF_DATA_DIR", "MISE_SHELL",
        "npm_config_registry", "PIP_INDEX_URL",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SET_UP)
def test_what_a_person_has_set_up_for_an_agent_reaches_it(kind):
    base = dict.fromkeys(SET_UP[kind], "x")
    assert inherited(base, adapter_for(kind).features) == base


def test_a_clouds_login_reaches_the_agent_only_where_it_goes_through_that_cloud():
    base = {"AWS_PROFILE": "x", "AZURE_CLIENT_ID": "x", "CLOUD_ML_REGION": "x"}

    def seen(**switch):
        return set(inherited(base | switch, adapter_for("claude").features)) - set(switch)

    assert seen() == set()
    assert seen(CLAUDE_CODE_USE_BEDROCK="1") == {"AWS_PROFILE"}
    assert seen(CLAUDE_CODE_USE_VERTEX="1") == {"CLOUD_ML_REGION"}


def test_an_unknown_kind_names_those_that_exist():
    with pytest.raises(UserError) as error:
        adapter_for("clod")
    assert error.value.code == "agent-kind-unknown"
    assert "claude, codex, command" in error.value.help


def test_whoever_is_not_logged_in_is_told_how():
    assert [
        kind for kind, adapter in ADAPTERS.items() if adapter.features.protocol and not adapter.features.login
    ] == []


def test_a_kind_means_one_adapter():
    register("claude", ADAPTERS["claude"])
    with pytest.raises(UserError) as error:
        register("claude", Command())
    assert error.value.code == "agent-kind-taken"


def test_a_line_for_a_person_has_no_controls_and_an_end():
    assert plain("\x1b]0;title\x07a\x1b[31mb\x1b[0m\0\u2028c\x9b\x1b") == "ab c"
    assert plain("x" * 400) == "x" * 299 + "…"
    assert last_line(b"one\n \n\x1b[0m\n") == "one"
    assert last_line(b"") == ""
    assert explained("It failed.", b"") == "It failed."
