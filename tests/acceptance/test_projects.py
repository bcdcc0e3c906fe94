"""A project is made ready, looked at and trusted; names, settings and journals are checked at the door."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scenes import story

AGENT = "claude"
MARK = "\x1b["


def japanese(text: str) -> bool:
    return any("\u3040" <= letter <= "\u30ff" for letter in text)


# ---------------------------------------------------------------- init and new


def test_init_shows_its_plan_writes_what_is_new_and_keeps_what_is_there(project):
    own = project.root / ".claude" / "commands" / "kiro" / "spec-impl.md"
    own.parent.mkdir(parents=True)
    own.write_text("my own command\n")
    (project.root / ".gitignore").write_text("build/")
    made = project.shiage("init", "--agent", AGENT)
    assert made.code == 0
    assert '+agent = "claude"' in made.out and "+.shiage/" in made.out
    assert "-my own command" in made.out and own.read_text() == "my own command\n"
    assert (project.root / ".gitignore").read_text() == "build/\n.shiage/\n"
    names = {path.name for path in own.parent.iterdir()}
    assert names == {
        "spec-requirements.md", "spec-design.md", "spec-tasks.md", "document-review.md", "document-review-reply.md",
        "spec-impl.md", "spec-inspection.md",
    }  # fmt: skip
    before = {
        path: path.read_bytes() for path in project.root.rglob("*") if path.is_file() and ".git" not in path.parts
    }
    again = project.shiage("init", "--agent", AGENT, "--json")
    assert (again.code, again.json["v"], again.json["written"]) == (0, 1, [])
    assert before == {path: path.read_bytes() for path in before}


def test_init_trusts_what_it_wrote_itself_and_takes_no_agent_that_nobody_knows(project):
    refused = project.shiage("init", "--agent", "clod", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "agent-unknown")
    assert not (project.root / "shiage.toml").exists()
    assert project.shiage("init", "--agent", AGENT, "--json").json["written"]
    items = {item["item"]: item["ok"] for item in project.shiage("doctor", "--json").json["items"]}
    assert items["trusted"] and items["settings"] and items["project"]


@pytest.mark.parametrize("name", ["../x", "A", "a" * 65, "", "仕様", "a/b", "-x"])
def test_a_name_that_is_none_is_refused_before_it_reaches_a_path(project, name):
    refused = project.shiage("new", "--json", "--", name, "x")
    assert (refused.code, refused.json["error"]["code"]) == (1, "spec-name-invalid")
    assert "lower-case" in refused.json["error"]["help"]
    assert not (project.root / ".kiro").exists() and not (project.root.parent / "x").exists()


def test_a_leading_hyphen_is_taken_for_an_option_and_refused(project):
    assert project.shiage("new", "-x").code == 2
    assert project.shiage("run", "../x", "--json").json["error"]["code"] == "spec-name-invalid"


def test_a_spec_that_exists_is_not_made_again(project):
    spec = project.given(until="design")
    before = {path.name: path.read_bytes() for path in spec.iterdir()}
    refused = project.shiage("new", "login", "again", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "spec-exists")
    assert before == {path.name: path.read_bytes() for path in spec.iterdir()}


def test_a_new_spec_takes_the_longest_name_and_keeps_the_words(project):
    name = "a" * 64
    assert project.shiage("new", name, "greet — 挨拶する").code == 0
    state = json.loads((project.spec(name) / "spec.json").read_text())
    assert (state["feature_name"], state["phase"], state["language"]) == (name, "initialized", "en")
    assert "greet — 挨拶する" in (project.spec(name) / "requirements.md").read_text()


# ---------------------------------------------------------------- doctor, settings, trust


def test_doctor_says_what_is_here_and_a_remedy_for_what_is_not(project):
    project.cast([])
    assert project.shiage("doctor", "--json").json["ok"] is True
    config = project.home / ".config" / "shiage" / "config.toml"
    config.write_text('agent = "gone"\n[agents.gone]\ncommand = ["no-such-program"]\n')
    told = project.shiage("doctor")
    assert told.code == 1
    assert len(told.out.splitlines()) <= 12
    wrong = [line for line in told.out.splitlines() if line.startswith("✗")]
    assert len(wrong) == 1 and "gone" in wrong[0] and "→" in wrong[0]


def test_config_show_names_every_layer_that_a_value_came_from(project):
    project.cast([], "[limits]\nreview_rounds = 3\n")
    (project.root / "shiage.toml").write_text(
        'language = "en"\n\n[limits]\nimpl_reruns = 2\n[notify]\nwebhook = "https://me:hunter2@example.org/topic-7"\n'
    )
    shown = project.shiage(
        "config", "show", "--json", variables={"SHIAGE_LIMITS__RETRIES": "5", "SHIAGE_AGENT": "codex"}
    )
    rows = {row["key"]: (row["value"], row["origin"]) for row in shown.json["settings"]}
    assert rows["limits.impl_reruns"] == (2, "shiage.toml:4")
    assert rows["limits.retries"] == (5, "SHIAGE_LIMITS__RETRIES")
    assert rows["limits.review_rounds"][0] == 3 and rows["limits.review_rounds"][1].endswith("config.toml:3")
    assert rows["limits.inspection_rounds"] == (3, "default")
    assert rows["agent"] == ("codex", "SHIAGE_AGENT")
    assert "hunter2" not in shown.out and "topic-7" not in shown.out
    said = project.shiage("config", "show", "limts")
    assert said.code == 1 and "limits" in said.err


def test_a_wrong_setting_is_named_with_file_line_and_column(project):
    (project.root / "shiage.toml").write_text('[review_loop]\nmax_iterations = "three"\nunknwon = 1\n')
    refused = project.shiage("status")
    assert refused.code == 1 and refused.out == ""
    assert "error[setting-invalid]: review_loop.max_iterations must be a whole number" in refused.err
    assert "--> shiage.toml:2:18" in refused.err and "help:" in refused.err


def test_a_project_that_names_commands_is_run_only_after_trust_and_a_change_asks_again(project):
    project.cast(story())
    project.given()
    settings = project.root / "shiage.toml"
    settings.write_text('[checks]\ntest = "touch ran"\n')
    refused = project.shiage("run", "login", "--until", "requirements")
    assert refused.code == 1
    assert "error[not-trusted]" in refused.err and "checks.test" in refused.err and "`shiage trust`" in refused.err
    assert not (project.spec() / "event-log.jsonl").exists() or not project.attempts()
    asked = project.shiage("trust")
    assert asked.code == 0 and "touch ran" in asked.out
    settings.write_text('# only a comment more\n[permissions]\ndeploy = false\n[checks]\ntest = "touch ran"\n')
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    settings.write_text('[checks]\ntest = "touch ran && rm -rf x"\n')
    again = project.shiage("run", "login", "--json")
    assert (again.code, again.lines[-1]["error"]["code"]) == (1, "not-trusted")
    assert not (project.root / "ran").exists()


def test_a_step_and_an_answer_need_trust_too(project):
    project.cast(story())
    project.given()
    (project.root / "shiage.toml").write_text('[agents.evil]\ncommand = ["touch", "ran"]\n[roles]\nauthor = "evil"\n')
    for arguments in (("step", "login", "requirements"), ("answer", "login", "x"), ("run", "login", "--detach")):
        refused = project.shiage(*arguments, "--json")
        assert (refused.code, refused.lines[-1]["error"]["code"]) == (1, "not-trusted"), arguments
    assert not (project.root / "ran").exists()


# ---------------------------------------------------------------- where and how


def test_a_project_is_found_from_a_folder_below_and_by_its_name(project):
    project.given()
    below = project.root / "src" / "deep"
    below.mkdir(parents=True)
    assert project.shiage("status", "login", "--json", cwd=below).json["spec"] == "login"
    assert project.shiage("--project", str(project.root), "status", "login", "--json", cwd=project.home).code == 0
    lost = project.shiage("status", "--json", cwd=project.home)
    assert (lost.code, lost.json["error"]["code"]) == (1, "no-project")
    assert "--project" in lost.json["error"]["help"]


def test_an_unknown_spec_and_a_misspelt_command_are_answered_with_what_was_meant(project):
    project.given("login")
    unknown = project.shiage("status", "logn", "--json").json["error"]
    assert unknown["code"] == "spec-unknown" and '"login"' in unknown["help"]
    misspelt = project.shiage("statsu", "--json")
    assert (misspelt.code, misspelt.json["error"]["code"]) == (2, "usage")
    assert '"status"' in misspelt.json["error"]["message"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_each_shell(project, shell):
    told = project.shiage("completion", shell)
    assert told.code == 0 and "_SHIAGE_COMPLETE" in told.out and "shiage" in told.out


def test_completion_knows_commands_specs_and_phases(project):
    project.given("login")

    def completed(line: str) -> str:
        words = line.split(" ")
        variables = {"_SHIAGE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return project.shiage(variables=variables).out

    assert {"status", "step", "stop"} <= {row.partition(",")[2] for row in completed("shiage st").splitlines()}
    assert "login" in completed("shiage run lo")
    assert "document-review" in completed("shiage step login do")


def test_help_fits_on_a_screen_and_colour_is_only_where_it_was_asked_for(project):
    overview = project.shiage("--help")
    assert overview.code == 0 and len(overview.out.splitlines()) <= 24
    project.given("login")
    assert MARK in project.shiage("status", variables={"FORCE_COLOR": "1"}).out
    assert MARK not in project.shiage("status", variables={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    assert MARK not in project.shiage("status").out


def test_japanese_is_complete_and_codes_and_keys_stay(project):
    project.given("login")
    assert japanese(project.shiage("status", "login", "--lang", "ja").out)
    assert japanese(project.shiage("--help", variables={"SHIAGE_LANG": "ja"}).out)
    refused = project.shiage("status", "logn", "--lang", "ja")
    assert japanese(refused.err) and "error[spec-unknown]" in refused.err and "login" in refused.err
    assert project.shiage("status", "login", "--json", "--lang", "ja").json["next_action"] == "run `shiage run login`"


# ---------------------------------------------------------------- journal


def journalled(project) -> Path:
    project.cast(story())
    project.given()
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    return project.spec() / "event-log.jsonl"


def test_a_journal_that_was_tampered_with_or_cut_is_found_out(project):
    journal = journalled(project)
    text = journal.read_text()
    assert project.shiage("verify", "login").code == 0
    lines = text.splitlines(keepends=True)
    journal.write_text(
        "".join([*lines[:2], lines[2].replace("login", "logon").replace("author", "nobody"), *lines[3:]])
    )
    found = project.shiage("verify", "login", "--json")
    assert (found.code, found.json["v"], found.json["ok"]) == (5, 1, False)
    assert found.json["problems"][0]["line"] == 3
    journal.write_text("".join(lines[:-2]))
    assert project.shiage("verify", "login").code == 5


def test_log_gives_the_lines_as_they_are_and_a_closed_pipe_ends_quietly(project):
    journal = journalled(project)
    assert project.shiage("log", "login", "--json").out == journal.read_text()
    assert project.shiage("log", "login").out.count("\n") < project.shiage("log", "login", "--full").out.count("\n")
    many = journal.read_text() + '{"seq": 0}\n' * 20_000
    journal.write_text(many)
    command = '"$0" -m shiage log login --json --full | head -1; echo "${PIPESTATUS[0]}"'
    piped = subprocess.run(["bash", "-c", command, sys.executable], cwd=project.root, env=dict(project.environ),
                           capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert piped.stderr == ""
    assert piped.stdout.splitlines() == [many.splitlines()[0], "0"]


def test_log_follows_what_is_written_until_it_is_interrupted(project):
    journal = journalled(project)
    following = project.start("log", "login", "-f", "--json")
    before = journal.read_text().splitlines()
    seen = [following.stdout.readline().rstrip("\n") for _ in before]
    assert seen == before
    assert project.ran("login", "--until", "design")["exit_code"] == 0
    new = journal.read_text().splitlines()[len(before) :]
    assert [following.stdout.readline().rstrip("\n") for _ in new] == new
    following.send_signal(2)
    assert following.wait(60) == 130
    assert "Traceback" not in following.stderr.read()


def test_several_specs_are_run_and_the_worst_exit_code_counts(project):
    project.cast(story())
    project.given("one", until="impl")
    project.given("two", until="impl")
    began = time.monotonic()
    said = project.shiage("run", "one", "nowhere", "two", "--json")
    assert said.code == 1 and time.monotonic() - began < 60
    assert [line["spec"] for line in said.lines if line.get("type") == "result"] == ["one", "two"]
    assert [line["error"]["code"] for line in said.lines if "error" in line] == ["spec-unknown"]
