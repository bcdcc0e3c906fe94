"""The real programs, inside real runs, before a scripted model."""

import json
import time
from pathlib import Path

import pytest
from model_dialects import READ, WRITTEN
from model_script import Drop, Fail, Overflow, Reply, Say, Scene
from real_agents import AGENTS, PATIENT

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(400)]

PROMPT = "create flag.py with a constant VERSION"
BAD = 'VERSION = "1.0"  # TODO: read it from the package\n'
GOOD = 'VERSION = "1.0"\n'
DRIVEN = ("claude", "codex", "opencode", "gemini", "copilot", "qwen", "over-acp")
EVERY = pytest.mark.parametrize("stage", DRIVEN, indirect=True)
#: Tried again in silence for one minute or four before it is told, or told by a program that takes its time to start.
SLOW = {
    "opencode": {"500", "529", "dropped stream"},
    "gemini": {"429", "500", "529", "dropped stream"},
    "copilot": {"429", "500", "529", "dropped stream"},
    "qwen": {"401", "429", "500", "529", "dropped stream", "context overflow"},
}
HOUR = 3600
#: How many of a turn's two requests are in what it tells of its usage: over ACP the last step alone, Copilot none.
TOLD = {"over-acp": 1, "copilot": 0}


@EVERY
def test_rejected_work_is_repaired_in_the_same_session_with_the_agents_own_tools(stage):
    repair = Scene("flag.py:1", (stage.write("flag.py", GOOD), Say("flag.py has the constant and nothing is open.")))
    stage.model.scenes = (repair, Scene(PROMPT, (stage.write("flag.py", BAD), Say("I wrote flag.py."))))
    said = stage.shiage("task", PROMPT)
    assert said.code == 0, said
    assert (stage.root / "flag.py").read_text() == GOOD
    first, second = stage.outcomes()
    assert first["session"] and first["session"] == second["session"]
    assert stage.model.work[-1].said("# TODO"), "the second attempt does not remember the first"
    assert len(stage.model.work) == 4
    told = TOLD.get(stage.agent.kind, 2)
    for outcome in (first, second):
        usage = outcome["usage"]["input_tokens"], outcome["usage"]["output_tokens"]
        assert usage == ((told * READ, told * WRITTEN) if told else (None, None))
    if stage.agent.kind == "claude":  # whose own total grows over its resumes
        assert 0 < first["usage"]["cost_usd"] == pytest.approx(second["usage"]["cost_usd"], rel=0.01)


#: In the words of the providers: over ACP they are all that is left of an error.
LOGIN = Fail(401, "authentication_error", "invalid x-api-key")
TOO_FAST = Fail(429, "rate_limit_error", "This request would exceed your rate limit", {"retry-after": "1"})
ERRORS: tuple[tuple[str, Reply, str], ...] = (
    ("401", LOGIN, "not-logged-in"),
    ("429", TOO_FAST, "transient"),
    ("500", Fail(500, "api_error", "Internal server error"), "transient"),
    ("529", Fail(529, "overloaded_error", "Overloaded"), "transient"),
    ("dropped stream", Drop(), "transient"),
    ("context overflow", Overflow(), "context-overflow"),
)


def _patient(agent: str, name: str) -> tuple[pytest.MarkDecorator, ...]:
    return (PATIENT,) if name in SLOW.get(AGENTS[agent].cli, ()) else ()


@pytest.mark.parametrize(
    ("stage", "reply", "cause"),
    [
        pytest.param(agent, reply, cause, id=f"{agent}-{name}", marks=_patient(agent, name))
        for agent in DRIVEN
        for name, reply, cause in ERRORS
    ],
    indirect=["stage"],
)
def test_what_the_model_refuses_has_its_cause_in_the_journal(stage, reply, cause):
    stage.model.scenes = (Scene(PROMPT, (reply,)),)
    assert stage.shiage("task", PROMPT).code in (4, 5)
    (outcome,) = stage.outcomes()
    assert (outcome["ending"], outcome["cause"]) == ("failed", cause)


@pytest.mark.parametrize("stage", ["copilot-over-acp"], indirect=True)
def test_an_error_that_is_told_as_an_answer_is_no_success(stage):
    stage.model.scenes = (Scene(PROMPT, (LOGIN,)),)
    assert stage.shiage("task", PROMPT).code == 5
    (outcome,) = stage.outcomes()
    assert (outcome["ending"], outcome["cause"]) == ("failed", "not-logged-in")


@pytest.mark.parametrize("stage", ["claude", "codex"], indirect=True)
def test_an_exhausted_quota_is_told_with_the_time_of_its_reset(stage, until):
    at = int(time.time()) + HOUR
    stage.model.scenes = (Scene(PROMPT, (stage.agent.exhausted(at),)),)
    stage.with_account()
    stage.start("task", PROMPT)
    until(lambda: stage.outcomes(), 180)
    (outcome,) = stage.outcomes()
    assert outcome["cause"] == "usage-limit"
    assert 0 <= outcome["until"] - at <= 60, "too early is the same refusal again; Codex tells the minute alone"


@PATIENT
@pytest.mark.parametrize("stage", ["opencode"], indirect=True)
def test_a_program_that_waits_in_silence_for_its_quota_is_ended_and_the_run_waits_instead(stage, until):
    stage.settings("idle_minutes = 0.5\n")
    stage.model.scenes = (Scene(PROMPT, (stage.agent.exhausted(int(time.time()) + HOUR),)),)
    running = stage.start("task", PROMPT)
    until(lambda: stage.outcomes(), 180)
    (outcome,) = stage.outcomes()
    assert (outcome["ending"], outcome["cause"]) == ("timed-out", "usage-limit")
    assert "exceeded your current quota" in outcome["detail"]
    assert running.poll() is None and stage.alive() == []


@EVERY
def test_a_stop_in_mid_turn_leaves_no_process(stage, until):
    stage.model.scenes = (Scene(PROMPT, (stage.shell("setsid tail -f /dev/null & tail -f /dev/null"), Say("done"))),)
    running = stage.start("task", PROMPT)
    until(lambda: sum("tail" in name for name in stage.alive()) >= 2, 180)
    assert stage.shiage("stop", "t-0001").code == 0
    assert running.wait(60) == 130
    assert stage.alive() == []
    assert stage.outcomes()[0]["ending"] == "stopped"


def test_an_end_that_a_hook_of_the_project_would_not_allow_is_no_success(stage):
    block = {"type": "command", "command": """echo '{"decision": "block", "reason": "the tests fail"}'"""}
    place = stage.root / ".claude" / "settings.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [block]}]}}))
    stage.model.scenes = (Scene(PROMPT, (stage.write("flag.py", GOOD), Say("flag.py is written."))),)
    assert stage.shiage("task", PROMPT).code == 5
    (outcome,) = stage.outcomes()
    assert outcome["cause"] == "max-turns" and "hook" in outcome["detail"]


def test_a_slash_command_that_the_program_does_not_read_is_no_success(stage):
    stage.given()
    assert stage.shiage("init", "--agent", "claude", "--yes").code == 0
    stage.settings('[agents.claude]\nextra_args = ["--disable-slash-commands"]\n')
    stage.model.scenes = (Scene("/kiro:spec-requirements", (Say("I wrote what I think was meant."),)),)
    assert stage.shiage("run", "login", "--until", "requirements").code == 5
    (outcome,) = stage.outcomes(".kiro/specs/login")
    assert (outcome["ending"], outcome["cause"]) == ("failed", "crashed")
    assert "does not know the command /kiro:spec-requirements" in outcome["detail"]


def test_a_missing_program_is_told_with_its_name(stage):
    (stage.home / ".config" / "shiage" / "config.toml").write_text(
        'agent = "mine"\n[agents.mine]\nkind = "claude"\ncommand = ["claude-that-is-not-there"]\n[notify]\ndesktop = false\n'
    )
    assert stage.shiage("task", PROMPT).code == 5
    (outcome,) = stage.outcomes()
    assert outcome["cause"] == "not-installed" and "claude-that-is-not-there" in outcome["detail"]


def test_only_the_endpoint_was_spoken_to(stage):
    stage.model.scenes = (Scene(PROMPT, (stage.write("flag.py", GOOD), Say("flag.py is written."))),)
    assert stage.shiage("task", PROMPT).code == 0
    assert set(stage.model.paths) == {"/v1/messages"}
    assert not Path(stage.root / ".claude").exists()
