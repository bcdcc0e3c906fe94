"""The command line as it is called: what goes in, what comes out, and the exit code."""

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from shiage.app.schemas import SCHEMAS
from shiage.cli.context import Context, chosen_language, language_from
from shiage.cli.main import COMMANDS, command_table
from shiage.cli.params import PhaseName, SpecName
from shiage.cli.text import cells
from shiage.version import VERSION

Shiage = Callable[..., tuple[int, str, str]]


def test_without_arguments_the_commands_are_listed(shiage: Shiage) -> None:
    code, out, _ = shiage()
    assert code == 0
    assert all(f" {row.name}" in out for row in COMMANDS)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_overview_is_one_screen(shiage: Shiage, language: str) -> None:
    code, out, _ = shiage("--lang", language, "--help")
    assert code == 0
    assert len(out.splitlines()) <= 24
    assert max(map(cells, out.splitlines())) <= 88


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", [row.name for row in COMMANDS])
def test_the_help_of_every_command_is_one_screen_with_an_example(shiage: Shiage, name: str, language: str) -> None:
    code, out, _ = shiage(name, "--help", "--lang", language)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith(f"shiage {name}")
    assert any(line.startswith(f"  $ shiage {name}") for line in lines)
    assert len(lines) <= 24
    assert max(map(cells, lines)) <= 80


@pytest.mark.parametrize("name", [row.name for row in COMMANDS])
def test_the_example_of_every_command_can_be_parsed(name: str) -> None:
    command = command_table().get_command(click.Context(click.Command("shiage")), name)
    words = command.example.replace('"', "").split()  # type: ignore[union-attr]
    assert words[:2] == ["shiage", name]


def test_the_version_is_said(shiage: Shiage) -> None:
    assert shiage("--version", "--plain") == (0, f"shiage {VERSION}\n", "")


def test_a_misspelt_command_is_a_usage_error_with_a_suggestion(shiage: Shiage) -> None:
    code, out, err = shiage("statsu")
    assert (code, out) == (2, "")
    assert err.startswith('error[usage]: there is no command "statsu". Did you mean "status"?')


def test_errors_for_programs_are_objects_on_stdout(shiage: Shiage) -> None:
    code, out, err = shiage("run", "nope", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out)["error"]["code"] == "spec-unknown"
    assert json.loads(out)["v"] == 1


@pytest.mark.parametrize("arguments", [("run",), ("log",), ("step", "login"), ("run", "login", "--agnet", "x")])
def test_a_wrong_call_is_a_usage_error(shiage: Shiage, arguments: tuple[str, ...]) -> None:
    assert shiage(*arguments)[0] == 2


@pytest.mark.parametrize("name", ["../x", "Login", "a b", "-x", ""])
def test_a_name_that_is_none_is_refused(shiage: Shiage, name: str) -> None:
    code, _, err = shiage("status", "--", name)
    assert (code, err.partition("]")[0]) == (1, "error[spec-name-invalid") or (name == "" and code == 0)


def test_flags_may_stand_before_and_behind_the_command(shiage: Shiage, spec: Path) -> None:
    assert shiage("--json", "status", "login") == shiage("status", "login", "--json")


def test_a_new_spec_is_made_and_shown(shiage: Shiage, project: Path) -> None:
    code, out, err = shiage("new", "login", "people sign in")
    assert (code, out) == (0, "made .kiro/specs/login\n")
    assert "shiage run login" in err
    assert "people sign in" in (project / ".kiro/specs/login/requirements.md").read_text()


def test_a_bug_is_made_in_its_own_folder(shiage: Shiage, project: Path) -> None:
    code, out, err = shiage("new", "crash", "it crashes", "--bug", "--json")
    assert (code, json.loads(out)["workflow"], err) == (0, "bug", "")
    assert (project / ".kiro/bugs/crash/report.md").exists()


def test_status_for_a_program_has_the_agreed_keys(shiage: Shiage, spec: Path) -> None:
    code, out, _ = shiage("status", "login", "--json")
    told = json.loads(out)
    agreed = "v spec status phase reason next_action agent_id run round impl tasks inspection usage"
    assert code == 0
    assert set(agreed.split()) <= told.keys()
    assert set(told["round"]) == {"closed", "current", "max"}


def test_status_of_all_specs_is_one_object(shiage: Shiage, spec: Path) -> None:
    told = json.loads(shiage("status", "--json")[1])
    assert (told["v"], [row["spec"] for row in told["specs"]]) == (1, ["login"])


def test_status_for_a_person_is_a_table_or_a_page(shiage: Shiage, spec: Path) -> None:
    assert shiage("status")[1].splitlines()[0].startswith("SPEC")
    assert shiage("status", "login")[1].startswith("login   idle   requirements")
    assert shiage("status", "login", "-q")[1] == "login: idle. next: run `shiage run login`\n"


def test_a_broken_spec_json_shows_and_is_not_touched(shiage: Shiage, spec: Path) -> None:
    (spec / "spec.json").write_text('{"a": 1,}')
    code, out, _ = shiage("status", "login")
    assert code == 0
    assert "spec-unreadable" in out
    assert (spec / "spec.json").read_text() == '{"a": 1,}'


def test_show_and_log_of_a_spec_without_history(shiage: Shiage, spec: Path) -> None:
    assert shiage("log", "login") == (0, "", "nothing has happened yet.\n")
    assert shiage("log", "login", "--json") == shiage("log", "login", "--quiet") == (0, "", "")
    assert shiage("show", "login")[1].rstrip().endswith("nothing yet")
    told = json.loads(shiage("show", "login", "--json")[1])
    assert (told["rounds"], told["attempts"]) == ([], [])
    assert shiage("show", "login", "-q")[1].startswith("login: idle")


def line(seq: int, event_type: str, **content: object) -> str:
    entry = {"seq": seq, "event_type": event_type, "timestamp": "2026-01-02T03:04:05.000Z"}
    return json.dumps(
        {**entry, "visibility": "summary", "run": "r-0001", "content": content, "prev": ""}, separators=(",", ":")
    )


def test_the_log_is_sentences_for_a_person_and_lines_for_a_program(shiage: Shiage, spec: Path) -> None:
    written = line(1, "IMPL_RERUN", rerun=1, max=7, open=["1"])
    detail = line(2, "ATTEMPT_ASSESSED", attempt=1).replace("summary", "full")
    (spec / "event-log.jsonl").write_text(f"{written}\n{detail}\n")
    assert shiage("log", "login")[1] == "2026-01-02T03:04:05Z  login  impl runs again (1/7): open tasks 1\n"
    assert len(shiage("log", "login", "--full")[1].splitlines()) == 2
    assert shiage("log", "login", "--json")[1] == f"{written}\n{detail}\n"


def test_a_changed_journal_is_exit_5(shiage: Shiage, spec: Path) -> None:
    assert shiage("verify", "login")[0] == 0
    (spec / "event-log.jsonl").write_text(line(3, "RESET_REQUESTED") + "\n")
    code, out, _ = shiage("verify", "login")
    assert (code, out.splitlines()[0]) == (5, "login: the journal is not what was written")
    assert out.splitlines()[1].startswith("  line 1: ")
    assert json.loads(shiage("verify", "login", "--json")[1])["ok"] is False


def test_settings_are_listed_with_where_they_come_from(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text("[limits]\nimpl_reruns = 2\n")
    _, out, _ = shiage("config", "show", "limits.impl_reruns")
    assert out.splitlines()[1].split() == ["limits.impl_reruns", "2", "shiage.toml:2"]
    told = json.loads(shiage("config", "show", "limits.impl_reruns", "--json")[1])
    assert told["settings"][0]["origin"] == "shiage.toml:2"


def test_a_wrong_setting_is_shown_with_its_line(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text("[limits]\nimpl_reruns = -2\n")
    code, _, err = shiage("status")
    assert code == 1
    assert "  --> shiage.toml:2:" in err
    assert err.splitlines()[4].strip(" |") == "^"


def test_a_doubtful_setting_is_a_warning_on_stderr(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text("max_paralel = 2\n")
    assert shiage("status")[2].startswith("warning: ")
    assert shiage("status", "--quiet")[2] == ""


def test_the_language_of_the_settings_is_spoken_unless_another_is_asked_for(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text('language = "ja"\n')
    assert shiage("status")[1].startswith("まだ spec がありません")
    assert shiage("status", "--lang", "en")[1].startswith("there is no spec yet")


def test_trust_shows_what_would_be_used_and_accepts_it(shiage: Shiage, project: Path) -> None:
    assert shiage("trust")[1] == "nothing here needs trust\n" or "accepted" in shiage("trust")[1]
    (project / "shiage.toml").write_text('[checks]\ntest = "pytest -q"\n')
    _, out, _ = shiage("trust")
    assert "checks.test" in out
    assert f"accepted for {project}" in out
    assert "accepted already" in shiage("trust")[1]
    assert json.loads(shiage("trust", "--json")[1])["trusted"] is True


def test_init_writes_what_is_missing_and_keeps_what_is_there(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text('agent = "codex"\n')
    code, out, _ = shiage("init", "--agent", "claude")
    assert code == 0
    assert "kept as it is" in out
    assert "+.shiage/" in out.splitlines()
    assert (project / "shiage.toml").read_text() == 'agent = "codex"\n'
    assert (project / ".gitignore").read_text() == ".shiage/\n"
    assert json.loads(shiage("init", "--agent", "claude", "--json")[1])["written"] == []


def test_init_refuses_an_agent_that_it_does_not_know(shiage: Shiage) -> None:
    code, _, err = shiage("init", "--agent", "clod")
    assert (code, err.partition("]")[0]) == (1, "error[agent-unknown")


def test_init_makes_a_project_of_a_folder_that_was_none(
    shiage: Shiage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.chdir(bare)
    assert shiage("init", "-q")[0] == 0
    assert (bare / "shiage.toml").exists()


def test_doctor_has_a_remedy_for_everything_that_is_missing(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text('agent = "mine"\n[agents.mine]\ncommand = ["no-such-program-anywhere"]\n')
    code, out, _ = shiage("doctor")
    assert code == 1
    assert len(out.splitlines()) <= 12
    missing = [line for line in out.splitlines() if line.startswith(("✗", "!"))]
    assert {line.partition("`")[2].partition("`")[0] for line in missing} >= {"git init", "shiage trust"}
    assert all(" → " in line for line in missing)
    told = json.loads(shiage("doctor", "--json")[1])
    assert (told["ok"], {item["item"] for item in told["items"]} >= {"python", "git", "agent"}) == (False, True)


def test_doctor_is_content_when_everything_needed_is_here(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text('agent = "mine"\n[agents.mine]\ncommand = ["true"]\n')
    shiage("trust")
    code, out, err = shiage("doctor", "--fix")
    assert code == 0, out
    assert "fixed: .shiage/.gitignore" in err
    assert (project / ".shiage" / ".gitignore").read_text() == "*\n"


def test_doctor_outside_a_project_says_how_to_make_one(
    shiage: Shiage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = shiage("doctor")
    assert (code, out.splitlines()[-1]) == (1, "✗ no project here → `shiage init` in the project's folder")


def test_doctor_names_the_line_of_a_wrong_setting(shiage: Shiage, project: Path) -> None:
    (project / "shiage.toml").write_text("agent = 3\n")
    code, out, _ = shiage("doctor")
    assert code == 1
    assert "✗ settings: shiage.toml:1:9: " in out


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_each_schema_is_complete_by_itself(shiage: Shiage, name: str) -> None:
    told = json.loads(shiage("schema", name)[1])
    assert told["$schema"].startswith("https://json-schema.org/")
    assert told["required"]
    assert json.loads(shiage("schema")[1])[name] == told


def test_the_status_object_has_exactly_the_keys_of_its_schema(shiage: Shiage, spec: Path) -> None:
    schema = json.loads(shiage("schema", "status")[1])
    told = json.loads(shiage("status", "login", "--json")[1])
    assert set(schema["required"]) == set(schema["properties"]) == set(told)
    assert told["status"] in schema["properties"]["status"]["enum"]
    assert set(told["usage"]) == set(schema["properties"]["usage"]["properties"])


def test_the_check_report_has_exactly_the_keys_of_its_schema(shiage: Shiage, spec: Path) -> None:
    (spec / "rest.py").write_text("def rest():\n    ...  # TODO: the rest\n")
    schema = json.loads(shiage("schema", "check")[1])["properties"]
    told = json.loads(shiage("check", "--json")[1])
    assert set(told) == set(schema)
    for name in ("criteria_results", "findings"):
        assert told[name] and all(set(row) == set(schema[name]["items"]["properties"]) for row in told[name])


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_completion_script_calls_back(shiage: Shiage, shell: str) -> None:
    assert "_SHIAGE_COMPLETE" in shiage("completion", shell)[1]


def test_specs_and_phases_can_be_completed(spec: Path) -> None:
    ctx, param = click.Context(click.Command("run")), click.Argument(["spec"])
    assert [item.value for item in SpecName().shell_complete(ctx, param, "lo")] == ["login"]
    assert [item.value for item in PhaseName().shell_complete(ctx, param, "de")] == ["design", "deploy"]


def test_outside_a_project_nothing_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert SpecName().shell_complete(click.Context(click.Command("run")), click.Argument(["spec"]), "") == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("stop", "login"), "not-running"),
        (("answer", "login", "yes"), "no-question"),
        (("approve", "login"), "nothing-to-approve"),
        (("step", "login", "desing"), "phase-unknown"),
        (("run", "login", "--until", "desing"), "phase-unknown"),
        (("new", "login"), "spec-exists"),
    ],
)
def test_what_cannot_be_done_is_exit_1_with_a_reason(
    shiage: Shiage, spec: Path, arguments: tuple[str, ...], code: str
) -> None:
    found = shiage(*arguments)
    assert (found[0], found[2].partition("]")[0]) == (1, f"error[{code}")


def test_stop_wants_one_spec_or_all(shiage: Shiage, spec: Path) -> None:
    assert shiage("stop")[0] == 2
    assert shiage("stop", "login", "--all")[0] == 2
    assert shiage("stop", "--all") == (0, "nothing runs\n", "")
    assert json.loads(shiage("stop", "--all", "--json")[1]) == {"v": 1, "specs": []}


def test_reset_tells_the_new_state(shiage: Shiage, spec: Path) -> None:
    assert shiage("reset", "login")[1] == "login: idle. next: run `shiage run login`\n"
    assert json.loads(shiage("reset", "login", "--json")[1])["status"] == "idle"


def test_an_untrusted_project_runs_nothing(shiage: Shiage, project: Path, spec: Path) -> None:
    (project / "shiage.toml").write_text('agent = "mine"\n[agents.mine]\ncommand = ["touch", "ran"]\n')
    for arguments in (("run", "login"), ("step", "login", "design"), ("run", "login", "--detach")):
        code, _, err = shiage(*arguments)
        assert (code, err.partition("]")[0]) == (1, "error[not-trusted")
    assert not (project / "ran").exists()


def test_ascii_only_means_ascii_only(shiage: Shiage, spec: Path) -> None:
    assert shiage("status", "login", "--ascii")[1].isascii()
    assert not shiage("status", "login")[1].isascii()


@pytest.mark.parametrize(
    ("context", "environ", "colored"),
    [
        (Context(), {}, False),
        (Context(color="always"), {"NO_COLOR": "1"}, True),
        (Context(color="never"), {"FORCE_COLOR": "1"}, False),
        (Context(), {"FORCE_COLOR": "1"}, True),
        (Context(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_decided_by_flag_then_environment_then_terminal(
    context: Context, environ: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert context.colored is colored


def test_the_language_is_that_of_the_flag_then_of_the_environment() -> None:
    assert language_from(["run", "--lang", "ja"], {}) == "ja"
    assert language_from(["run", "--lang=ja"], {"SHIAGE_LANG": "en"}) == "ja"
    assert language_from(["run"], {"SHIAGE_LANG": "ja"}) == "ja"
    assert chosen_language(["answer", "a", "--", "--lang=ja"], {}) is None
    assert chosen_language(["--lang"], {}) is None


def test_our_own_mistake_is_exit_3(shiage: Shiage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shiage.cli.main.command_table", lambda: 1 / 0)
    code, _, err = shiage("status")
    assert (code, err.partition(":")[0]) == (3, "error[our-bug]")


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (click.Abort(), 130), (click.exceptions.Exit(7), 7)]
)
def test_an_interruption_leaves_by_its_own_code(
    shiage: Shiage, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    def interrupted() -> None:
        raise error

    monkeypatch.setattr("shiage.cli.main.command_table", interrupted)
    assert shiage("status") == (code, "", "")


def test_a_completion_asks_for_names(shiage: Shiage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SHIAGE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "shiage sta")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        shiage()


def test_approving_a_document_tells_the_new_state(shiage: Shiage, spec: Path) -> None:
    (spec / "requirements.md").write_text("# Requirements\n\nPeople sign in.\n")
    code, out, _ = shiage("approve", "login", "requirements", "--json")
    assert (code, json.loads(out)["phases"]["requirements"]) == (0, "done")


def test_a_short_file_is_shown_as_a_diff_and_a_long_one_by_name(shiage: Shiage, project: Path) -> None:
    _, out, _ = shiage("init", "--agent", "claude")
    assert '+agent = "claude"' in out.splitlines()
    assert any(line.startswith("new: .claude/commands/kiro/") for line in out.splitlines())
    other = project / ".claude" / "commands" / "kiro" / "spec-impl.md"
    other.write_text("mine\n")
    assert "kept as it is, though it differs" in shiage("init", "--agent", "claude")[1]
    assert other.read_text() == "mine\n"


def test_the_gate_alone_names_file_line_rule_and_quote(shiage: Shiage, project: Path) -> None:
    (project / "pay.py").write_text("def pay(amount):\n    return amount  # TODO: check the limit\n")
    code, out, _ = shiage("check", "pay.py")
    assert code == 5
    assert out.splitlines()[0].startswith("pay.py:2  Q2 ")
    assert out.splitlines()[-1] == "REJECT: 1 finding"
    assert shiage("check", "pay.py", "-q")[1] == "REJECT: 1 finding\n"
    assert json.loads(shiage("check", "pay.py", "--json")[1])["v"] == 1


def test_the_gate_passes_good_work(shiage: Shiage, project: Path) -> None:
    (project / "pay.py").write_text("def pay(amount):\n    return amount\n")
    assert shiage("check", "pay.py") == (0, "PASS: 0 findings\n", "")


def test_what_the_gate_quotes_cannot_command_the_terminal(shiage: Shiage, project: Path) -> None:
    (project / "pay.py").write_text('x = 1  # TODO "\x1b[2J"\n')
    assert "\x1b" not in shiage("check", "pay.py")[1]
