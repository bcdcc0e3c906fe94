"""What an agent needs from outside never blocks a run: a limit is waited for, a permission or an answer is asked for."""

import json
import sys
import time

import pytest
from scenes import DOCUMENTS, doing, story
from talker import WRITTEN, calls, limited, talking


def test_a_usage_limit_is_waited_for_and_counts_neither_as_attempt_nor_as_failure(project):
    talking(project, limited(time.time() + 1.5), WRITTEN, settings="[limits]\nretries = 0\n")
    ended = project.ran("login", "--until", "requirements")
    assert (ended["exit_code"], ended["phases"]["requirements"]) == (0, "done")
    exits = project.journal(kind="ATTEMPT_EXITED")
    assert exits[0]["content"]["outcome"]["cause"] == "usage-limit"
    waits = project.journal(kind="ATTEMPT_WAITS")[0]["content"]
    begun = project.journal(kind="ATTEMPT_STARTED")[1]["timestamp"]
    assert waits["cause"] == "usage-limit" and begun >= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(waits["until"]))
    assert project.journal(kind="QUALITY_JUDGMENT")[0]["content"]["iteration"] == 1
    assert "--resume" in calls(project)[1][0], "what it had begun is not lost"


def test_while_it_waits_status_says_until_when(project, until):
    talking(project, limited(time.time() + 60), WRITTEN)
    process = project.start("run", "login", "--until", "requirements")
    until(lambda: bool(project.status().get("waits_until")))
    seen = project.status()
    assert (seen["status"], seen["cause"]) == ("running", "usage-limit")
    for view in (("status", "login"), ("status",), ("status", "login", "--quiet"), ("show", "login")):
        assert "for the agent's limit to reset" in project.shiage(*view).out, view
    assert project.shiage("stop", "login").code == 0
    assert process.wait(20) == 130


def test_a_usage_limit_that_lasts_too_long_pauses_and_waiting_can_be_switched_off(project):
    talking(project, limited(time.time() + 60), WRITTEN, settings="[limits]\nusage_wait_minutes = 0\n")
    ended = project.ran("login", "--until", "requirements")
    assert (ended["exit_code"], ended["reason"]) == (4, "usage-limit")
    assert "--agent" in ended["next_action"]
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0


def test_another_agent_takes_over_where_the_settings_say_so(project):
    talking(project, limited(time.time() + 60), more='takeover = "actor"')
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    assert [entry["content"]["agent"] for entry in project.journal(kind="ATTEMPT_STARTED")] == ["talker", "actor"]
    assert project.journal(kind="AGENT_TAKES_OVER")[0]["content"]["agent"] == "actor"


DENIED = {
    "result": {"permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "make"}}]}
}


def test_a_permission_that_nobody_could_give_parks_the_run_and_a_yes_resumes_the_session_with_it(project):
    talking(project, DENIED, WRITTEN)
    ended = project.ran("login", "--until", "requirements")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (4, "paused", "awaiting-response")
    assert "Bash(make)" in ended["detail"] and "shiage answer login" in ended["next_action"]
    project.shiage("answer", "login", "allow")
    argv, prompt = calls(project)[1]
    assert argv[argv.index("--resume") + 1] == "s-1"
    assert "Bash(make)" in argv[argv.index("--allowedTools") : argv.index("--disallowedTools")]
    assert "May it use Bash(make)?" in prompt and "allow" in prompt


def test_a_session_that_the_agent_does_not_know_any_more_is_begun_anew_with_all_that_was_said(project):
    talking(project, DENIED, {"lost": "No conversation found with session ID: s-1"}, WRITTEN)
    assert project.ran("login", "--until", "requirements")["exit_code"] == 4
    said = project.shiage("answer", "login", "allow")
    assert said.code == 0, said
    (lost, _), (argv, prompt) = calls(project)[1:]
    assert "--resume" in lost and "--resume" not in argv
    assert "Bash(make)" in argv and "May it use Bash(make)?" in prompt


def test_an_agent_that_cannot_start_is_not_tried_for_ever(project):
    talking(project, DENIED, {"lost": "segmentation fault"})
    assert project.ran("login", "--until", "requirements")["exit_code"] == 4
    assert project.shiage("answer", "login", "allow").code == 5
    assert len(calls(project)) == 3


def test_no_agent_is_given_the_session_of_another(project):
    other = json.dumps([sys.executable, "-I", "-S", str(project.home / "talker.py"), "talker"])
    settings = "[limits]\nusage_wait_minutes = 0\n"
    talking(
        project,
        limited(time.time() + 60),
        WRITTEN,
        settings=settings,
        more=f'[agents.other]\nkind = "claude"\ncommand = {other}',
    )
    assert project.ran("login", "--until", "requirements")["exit_code"] == 4
    assert project.ran("login", "--until", "requirements", "--agent", "other")["exit_code"] == 0
    assert "--resume" not in calls(project)[1][0]


def test_a_tool_that_the_settings_deny_is_refused_to_the_agent_and_asked_of_nobody(project):
    talking(project, {**DENIED, **WRITTEN}, settings='[tools.deny]\nauthor = ["Bash(make)"]\n')
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    argv, _ = calls(project)[0]
    assert "Bash(make)" in argv[argv.index("--disallowedTools") :]


def test_a_question_of_the_agent_parks_the_run_and_its_answer_resumes_the_session(project):
    talking(project, {"say": "I read all of it.\n\n**QUESTION:** Greet in which language?"}, WRITTEN)
    ended = project.ran("login", "--until", "requirements")
    assert (ended["reason"], ended["detail"]) == ("awaiting-response", "Greet in which language?")
    project.shiage("answer", "login", "in French")
    argv, prompt = calls(project)[1]
    assert argv[argv.index("--resume") + 1] == "s-1"
    assert "Greet in which language?" in prompt and "in French" in prompt


def test_a_role_may_have_a_limit_of_its_own(project):
    hanging = doing("author", ["hang", 30], phase="requirements")
    project.cast(story(hanging), "[limits.idle]\nauthor = 0.005\n")
    project.given()
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"]) == (5, "timed-out")


#: A second and a half of work, without a word.
BUSY = "import time\nwhile time.process_time() < 1.5: pass"


def test_a_child_that_works_in_silence_is_no_hang(project):
    written = ["write", "spec:requirements.md", DOCUMENTS["requirements"]]
    busy = doing(
        "author",
        ["run", "setsid", "--wait", sys.executable, "-c", BUSY],
        written,
        ["say", "wrote it"],
        phase="requirements",
    )
    project.cast(story(busy), "[limits]\nidle_minutes = 0.012\n")
    project.given()
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0


def test_an_agent_that_never_begins_is_ended_before_its_patience_for_work_is_over(project):
    talking(project, {"silent": 60}, settings="[limits]\nstart_minutes = 0.01\nidle_minutes = 5\n")
    ended = project.ran("login", "--until", "requirements")
    assert (ended["exit_code"], ended["reason"]) == (5, "timed-out")
    assert "0.6 s" in ended["detail"]


def test_a_slash_command_that_the_agent_does_not_know_is_no_success(project):
    talking(project, {**WRITTEN, "init": {"slash_commands": ["clear"]}})
    place = project.root / ".claude" / "commands" / "kiro" / "spec-requirements.md"
    place.parent.mkdir(parents=True)
    place.write_text("Write them.\n")
    ended = project.ran("login", "--until", "requirements")
    assert calls(project)[0][1] == "/kiro:spec-requirements login"
    assert (ended["exit_code"], ended["reason"]) == (5, "agent-failed")
    assert "does not know the command /kiro:spec-requirements" in ended["detail"]


LOGGED_OUT = {"result": {"is_error": True, "result": "Not logged in · Please run /login"}, "exit": 1}
OVERFLOW = {
    "result": {"is_error": True, "terminal_reason": "prompt_too_long", "result": "Prompt is too long"},
    "exit": 1,
}


@pytest.mark.parametrize(
    ("act", "cause", "remedy"),
    [
        (LOGGED_OUT, "not-logged-in", "log in to the agent"),
        (OVERFLOW, "context-overflow", "model with a larger window"),
    ],
)
def test_what_only_a_person_can_mend_stops_at_once_with_its_remedy(project, act, cause, remedy):
    talking(project, act)
    said = project.shiage("run", "login")
    assert said.code == 5 and remedy in " ".join(said.out.split())
    seen = project.status()
    assert (seen["reason"], seen["cause"]) == ("agent-failed", cause)
    assert remedy in seen["next_action"]
    assert len(calls(project)) == 1
    assert ("run `claude` and /login" in seen["detail"]) == (cause == "not-logged-in")
    assert "エージェント" not in said.out
    japanese = project.shiage("status", "login", variables={"SHIAGE_LANGUAGE": "ja"}).out
    assert ("ログイン" if cause == "not-logged-in" else "長い文脈") in japanese


def test_doctor_names_settings_that_the_agent_would_ignore_without_a_word(project):
    project.cast(story(), f'[agents.mine]\nkind = "claude"\ncommand = ["{sys.executable}"]\n[roles]\nfixer = "mine"\n')
    place = project.root / ".claude" / "settings.json"
    place.parent.mkdir()
    for text, found in (('{"hooks": {}}', False), ('{"hooks": {}', True)):
        place.write_text(text)
        told = project.shiage("doctor").out
        assert (".claude/settings.json is not valid JSON" in told) is found


def test_a_program_that_is_not_there_is_named_with_its_remedy(project):
    project.cast(story(), '[agents.gone]\nkind = "claude"\ncommand = ["claude-that-is-not-there"]\n')
    project.given()
    ended = project.ran("login", "--agent", "gone")
    assert (ended["exit_code"], ended["cause"]) == (5, "not-installed")
    assert "claude-that-is-not-there" in ended["detail"] and "--agent" in ended["next_action"]


def test_what_was_used_is_told_for_each_attempt_phase_and_run_and_what_is_unknown_is_null(project):
    used = {"usage": {"input_tokens": 900, "output_tokens": 30}, "total_cost_usd": 0.25}
    talking(project, {"result": used}, {**WRITTEN, "result": used})
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    told = project.shiage("show", "login", "--json").json
    assert [(row["input_tokens"], row["cost_usd"]) for row in told["attempts"]] == [(900, 0.25), (900, 0.25)]
    (phase,) = told["used"]
    assert (phase["phase"], phase["attempts"], phase["output_tokens"], phase["cost_usd"]) == (
        "requirements",
        2,
        60,
        0.5,
    )
    assert told["usage"] == {"input_tokens": 1800, "output_tokens": 60, "cost_usd": 0.5}
    assert "1800 in, 60 out  $0.50" in project.shiage("show", "login").out
    project.cast(story())
    assert project.ran("login", "--until", "design")["exit_code"] == 0
    silent = project.shiage("show", "login", "--json").json["used"][1]
    assert (silent["phase"], silent["input_tokens"], silent["cost_usd"]) == ("design", None, None)
