"""What a person who tries the corners expects, and no surprise: closed streams, odd folders, things that have ended."""

import subprocess
import sys

import pytest
from scenes import inspector, responder, story


def piped(project, line: str) -> subprocess.CompletedProcess[str]:
    """A command line of the shell; `shiage` is this one."""
    shell = f'shiage() {{ "{sys.executable}" -m shiage "$@"; }}; {line}'
    done = subprocess.run(
        ["bash", "-c", shell], cwd=project.root, env=dict(project.environ), capture_output=True, text=True,
        timeout=project.patience, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("line", ["shiage status >&-", "shiage --version >&-", "shiage status <&- 2>&-"])
def test_a_stream_that_was_closed_before_the_start_is_no_trouble(project, line):
    project.given()
    assert piped(project, line).returncode == 0


@pytest.mark.parametrize("line", ["shiage status >/dev/full", "shiage schema >/dev/full", "shiage --help >/dev/full"])
def test_output_that_finds_no_room_is_told_in_a_sentence(project, line):
    project.given()
    said = piped(project, line)
    assert said.returncode == 1 and said.stderr.startswith("error[not-written]: ")


def test_a_failed_check_is_named_where_the_run_stops_although_the_report_says_go(project):
    project.cast(story(inspector()), '[checks]\nlint = "no-such-linter ."\n[limits]\ninspection_rounds = 1\n')
    project.given(until="impl")
    result = project.ran("login")
    assert (result["reason"], result["exit_code"]) == ("inspection-nogo", 4)
    assert result["detail"].startswith("NOGO in round 1: CHECK `no-such-linter .` failed: ")


@pytest.mark.parametrize("until", ["tasks", "inspection"])
def test_an_approval_without_a_phase_approves_nothing_where_nothing_waits(project, until):
    spec = project.given(until=until)
    before = (spec / "spec.json").read_bytes()
    said = project.shiage("approve", "login", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "nothing-to-approve")
    assert (spec / "spec.json").read_bytes() == before


def test_the_times_of_the_queue_are_rfc_3339_and_what_has_ended_is_not_cancelled(project):
    project.cast([])
    project.given()
    row = project.shiage("queue", "add", "login", "--not-before", "2040-01-02T03:04:05Z", "--json").json["tickets"][0]
    assert (row["not_before"], row["started_at"]) == ("2040-01-02T03:04:05.000Z", None)
    assert row["added_at"].endswith("Z")
    assert project.shiage("queue", "cancel", "1").code == 0
    said = project.shiage("queue", "cancel", "1", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "ticket-ended")


def test_the_gate_judges_a_folder_that_is_no_project(project, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    return 1  # TODO: count\n")
    said = project.shiage("check", cwd=folder)
    assert said.code == 5 and said.out.startswith("a.py:2  Q2 ")
    assert [place.name for place in folder.iterdir()] == ["a.py"]


def test_a_journal_whose_head_was_overwritten_is_not_what_was_written(project):
    project.cast(story())
    project.given()
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    (project.root / ".shiage" / "heads" / "login").write_text("0" * 64 + "\n")
    said = project.shiage("verify", "login", "--json")
    assert (said.code, said.json["problems"][0]["code"]) == (5, "head")
    japanese = project.shiage("verify", "login", "--lang", "ja").out
    assert "書かれたものではありません" in japanese and "head" not in japanese


def test_the_next_action_of_an_idle_spec_is_told_in_the_persons_language(project):
    project.given()
    assert project.shiage("reset", "login", "--lang", "ja").out.startswith(
        "login: 待機。次の操作: `shiage run login` を"
    )


def test_settings_that_cannot_be_read_when_a_phase_begins_pause_the_run_and_are_named(project):
    broken = ["write", "shiage.toml", "[limits\n"]
    project.cast(story({**responder(), "do": [*responder()["do"], broken]}))
    project.given(until="tasks")
    result = project.ran("login")
    assert (result["reason"], result["path"], result["exit_code"]) == ("settings-unreadable", "shiage.toml", 4)
    (project.root / "shiage.toml").unlink()
    assert project.ran("login")["status"] == "completed"
