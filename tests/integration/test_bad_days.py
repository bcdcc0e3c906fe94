"""What a bad day does to the files of a run: it stops with the file named, and goes on after the repair."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scenes import DOCUMENTS, author, doing, implementer, inspector, reply, responder, story

pytestmark = pytest.mark.slow

CONTROLS = {*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0))} - {"\n"}


def verdicts(project) -> tuple[list[int], list[int]]:
    """The numbers of the closed rounds: reviews, inspections."""
    state = project.state()
    reviews = [row["roundNumber"] for row in state.get("documentReview", {}).get("roundDetails", [])]
    return reviews, [row["number"] for row in state.get("inspection", {}).get("rounds", [])]


def assert_go(project, *, chained: bool = True) -> None:
    """It is at its end, each round there once, and the history is what was written."""
    assert project.status()["status"] == "completed"
    reviews, inspections = verdicts(project)
    assert reviews == [*range(1, len(reviews) + 1)]
    assert inspections == [*range(1, len(inspections) + 1)]
    assert "- [ ]" not in (project.spec() / "tasks.md").read_text()
    verified = project.shiage("verify", "login")
    assert verified.code == (0 if chained else 5), verified.out


def assert_stopped(said, name: str) -> None:
    """It stopped as something that a person can repair, and named the file."""
    assert said.code in (1, 4, 5), (said.code, said.out, said.err)
    assert name in said.out + said.err, said.out + said.err


def spoiling(role: str, *actions: list[Any]) -> dict[str, Any]:
    """An agent that does its work well, and then something bad; only the first time it is asked."""
    works = {
        "author": lambda: author("requirements"),
        "responder": lambda: responder(2, 0, round=1),
        "implementer": implementer,
        "inspector": lambda: inspector(round=1),
    }
    work = works[role]()
    return {**work, "do": [*work["do"], *actions], "nth": 1}


EACH_ROLE = pytest.mark.parametrize("role", ["author", "responder", "implementer", "inspector"])

# ---------------------------------------------------------------- spec.json

BROKEN = (
    '{\n  "feature_name": "login",\n}\n',  # a comma too many, as agents do
    '{\n  "feature_name": "login",\n  "approvals": {',
    '{"feature_name": "login"}\n}\n',
    "",
    "[1, 2]\n",
    "\x00" * 64,
)


@EACH_ROLE
def test_a_spec_json_broken_by_an_agent_pauses_and_is_left_as_it_is(project, role, tmp_path):
    path, kept, broken = project.spec() / "spec.json", tmp_path / "kept.json", BROKEN[0]
    spoil = spoiling(role, ["run", "cp", str(path), str(kept)], ["write", "spec:spec.json", broken])
    project.new(scenes=story(spoil, responder()))
    said = project.shiage("run", "login")
    assert_stopped(said, "spec.json")
    assert (said.code, project.status()["reason"]) == (4, "spec-unreadable")
    assert path.read_text() == broken
    path.write_bytes(kept.read_bytes())  # a person restores it
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def test_a_spec_json_that_cannot_be_read_is_named_and_never_overwritten(project):
    project.new(scenes=story())
    assert project.shiage("run", "login", "--until", "design").code == 0
    path = project.spec() / "spec.json"
    before = path.read_bytes()
    for broken in BROKEN:
        path.write_text(broken)
        assert_stopped(project.shiage("run", "login"), "spec.json")
        assert path.read_text() == broken
    path.write_bytes(before)
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def nothing(path: Path, data: bytes) -> None:
    """Leave the place empty."""


def a_link_out(path: Path, data: bytes) -> None:
    outside = path.parents[4] / "outside.json"
    outside.write_bytes(data)
    path.symlink_to(outside)


def too_large(path: Path, data: bytes) -> None:
    path.write_bytes(data.rstrip()[:-1] + b',"x":"' + b"y" * 5_000_000 + b'"}')


INSTEAD = (nothing, a_link_out, too_large, lambda path, data: path.mkdir(), lambda path, data: os.mkfifo(path))


def test_something_else_in_the_place_of_spec_json_is_named_and_no_command_hangs(project):
    project.new(scenes=story())
    assert project.shiage("run", "login", "--until", "design").code == 0
    path = project.spec() / "spec.json"
    before = path.read_bytes()
    for put in INSTEAD:
        path.unlink()
        put(path, before)
        assert_stopped(project.shiage("run", "login"), "spec.json")
        assert project.shiage("status", "login").code in (0, 1)
        assert project.shiage("show", "login").code in (0, 1)
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        path.write_bytes(before)
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def test_keys_that_agents_write_meanwhile_survive_with_their_order(project):
    claims = {
        role: ["claim", f"team.{role}.note", f"by the {role}"]
        for role in ("reviewer", "responder", "implementer", "inspector")
    }
    scenes = [
        {**scene, "do": [*scene["do"], claims.get(scene["role"], ["claim", f"authors.{scene.get('phase')}", True])]}
        for scene in story(responder(1, 0, round=1))
    ]
    project.new(scenes=scenes)
    assert project.shiage("run", "login").code == 0
    state = project.state()
    assert state["team"] == {role: {"note": f"by the {role}"} for role in claims}
    assert state["authors"] == {"requirements": True, "design": True, "tasks": True}
    assert list(state)[:2] == ["feature_name", "created_at"]
    assert_go(project)


FOREIGN = """
import fcntl, json, os, sys
path, lock, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    with open(lock, "a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        state = json.load(open(path))
        state.setdefault("foreign", []).append(number)
        with open(path + ".foreign", "w") as file:
            json.dump(state, file, indent=2)
        os.replace(path + ".foreign", path)
"""


def test_another_writer_under_the_same_lock_loses_nothing_and_neither_do_we(project):
    project.new(scenes=story(responder(1, 0, round=1), inspector("NOGO", round=1)))
    lock = project.root / ".shiage" / "locks" / "login.state"
    lock.parent.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-c", FOREIGN, str(project.spec() / "spec.json"), str(lock), "1500"]
    with subprocess.Popen(argv) as foreign:
        assert project.shiage("run", "login").code == 0
        assert foreign.wait(30) == 0
    assert project.state()["foreign"] == [*range(1500)]
    assert verdicts(project) == ([1, 2], [1, 2])
    assert_go(project)


# ---------------------------------------------------------------- journal

JOURNAL = ".kiro/specs/login/event-log.jsonl"
DAMAGES = {
    "deleted": ["run", "rm", JOURNAL],
    "emptied": ["run", "truncate", "-s", "0", JOURNAL],
    "cut": ["run", "sh", "-c", f"head -n 5 {JOURNAL} > cut && cat cut > {JOURNAL}; rm cut"],
    "replaced by a copy of an older state": ["run", "sh", "-c", f"head -n 5 {JOURNAL} > cut && mv cut {JOURNAL}"],
    "a folder": ["run", "sh", "-c", f"rm {JOURNAL} && mkdir {JOURNAL}"],
    "a link": ["run", "sh", "-c", f"mv {JOURNAL} away && ln -s $PWD/away {JOURNAL}"],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_journal_damaged_in_the_middle_stops_the_run_and_the_next_goes_on(project, damage):
    project.new(scenes=story(spoiling("responder", DAMAGES[damage]), responder()))
    said = project.shiage("run", "login")
    assert_stopped(said, "event-log.jsonl")
    path = project.spec() / "event-log.jsonl"
    if path.is_symlink():
        path.unlink()
        (project.root / "away").rename(path)
    elif path.is_dir():
        path.rmdir()
    again = project.shiage("run", "login")
    if again.code:  # it was put back to a phase whose snapshot is gone: the way out is named
        assert (again.code, "`shiage reset login`" in again.out) == (4, True), again.out
        assert project.shiage("reset", "login").code == 0
        assert project.shiage("run", "login").code == 0
    assert_go(project, chained=damage == "a link")


TAILS = (b'{"seq":', b"\0\0\0\0", b"half of somebody's line", b'{"tool":"other"}', b"\n\n\xff\xfe\n")


def test_whatever_is_found_behind_the_last_line_the_next_start_goes_on(project):
    project.new(scenes=story())
    for tail in TAILS:
        assert project.shiage("run", "login", "--until", "tasks").code == 0
        with (project.spec() / "event-log.jsonl").open("ab") as file:
            file.write(tail)
        for command in ("status", "log", "show"):
            assert project.shiage(command, "login").code == 0, tail
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def test_foreign_lines_in_the_middle_of_a_run_are_kept_and_skipped(project):
    line = ["run", "sh", "-c", f"""printf '{{"tool":"other"}}\\n' >> {JOURNAL}"""]
    project.new(scenes=[{**scene, "do": [*scene["do"], line]} for scene in story(responder(1, 0, round=1))])
    assert project.shiage("run", "login").code == 0
    lines = (project.spec() / "event-log.jsonl").read_text().splitlines()
    assert lines.count('{"tool":"other"}') == 9
    assert project.shiage("verify", "login").code == 0


def test_a_journal_that_is_lost_between_runs_repeats_no_closed_round(project):
    project.new(scenes=story(responder(1, 0, round=1), responder(0, 1, round=2, nth=1), responder()))
    assert project.shiage("run", "login").code == 4
    replies = [(project.spec() / f"document-review-{n}-reply.md").read_bytes() for n in (1, 2)]
    (project.spec() / "event-log.jsonl").unlink()
    assert project.shiage("run", "login").code == 0
    assert project.attempts()[0] == ("reviewer", "document-review", 3)
    assert replies == [(project.spec() / f"document-review-{n}-reply.md").read_bytes() for n in (1, 2)]
    assert_go(project, chained=False)


# ---------------------------------------------------------------- .shiage, the folder, the tasks


@EACH_ROLE
def test_our_own_folder_deleted_by_an_agent_costs_no_closed_round(project, role):
    project.new(scenes=story(spoiling(role, ["run", "rm", "-rf", ".shiage"]), responder()))
    said = project.shiage("run", "login")
    if said.code:
        assert_stopped(said, ".shiage")
        again = project.shiage("run", "login")
        if project.status()["reason"] == "evidence-lost":  # what the work is compared with lay in that folder
            assert again.code == 4 and "shiage approve login" in again.out
            assert project.shiage("approve", "login").code == 0
            again = project.shiage("run", "login")
        assert again.code == 0, again.out + again.err
    assert_go(project)


def test_our_own_folder_deleted_between_runs_is_made_anew(project):
    project.new(scenes=story(responder(0, 1, round=1), responder()))
    assert project.shiage("run", "login").code == 4
    shutil.rmtree(project.root / ".shiage")
    assert project.shiage("run", "login").code == 0
    assert verdicts(project)[0] == [1, 2]
    assert_go(project)


def test_tasks_deleted_by_the_implementer_pause_the_run_until_they_are_back(project):
    project.new(scenes=story(doing("implementer", ["say", "done"], ["delete", "spec:tasks.md"], nth=1)))
    said = project.shiage("run", "login")
    assert_stopped(said, "tasks.md")
    assert (said.code, project.status()["reason"]) == (4, "tasks-tampered")
    (project.spec() / "tasks.md").write_text(DOCUMENTS["tasks"])
    assert project.shiage("run", "login").code == 0
    assert_go(project)


@EACH_ROLE
def test_a_spec_folder_deleted_by_an_agent_stops_the_run_and_comes_back_with_it(project, role, tmp_path):
    backup = tmp_path / "backup"
    keep = ["run", "cp", "-a", ".kiro/specs/login", str(backup)]
    project.new(scenes=story(spoiling(role, keep, ["run", "rm", "-rf", ".kiro/specs/login"]), responder()))
    said = project.shiage("run", "login")
    assert_stopped(said, "login")
    assert project.shiage("status", "login").code == 1
    shutil.rmtree(project.spec(), ignore_errors=True)
    shutil.copytree(backup, project.spec())
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def test_an_artefact_in_the_place_of_which_a_folder_lies_is_named(project):
    folder = ["run", "mkdir", ".kiro/specs/login/document-review-1-reply.md"]
    project.new(scenes=story(doing("responder", ["say", "replied"], folder, round=1, nth=1), responder()))
    assert_stopped(project.shiage("run", "login"), "document-review-1-reply.md")
    (project.spec() / "document-review-1-reply.md").rmdir()
    (project.spec() / "document-review-1-reply.md").write_text(reply(0, 0))
    assert project.shiage("run", "login").code == 0
    assert_go(project)


def test_a_reply_that_is_no_text_is_never_taken_for_an_approval(project):
    spoil = ["run", "sh", "-c", r"head -c 5000 /dev/urandom > .kiro/specs/login/document-review-1-reply.md"]
    project.new(scenes=story(doing("responder", ["say", "replied"], spoil, round=1, nth=1), responder()))
    said = project.shiage("run", "login")
    assert_stopped(said, "document-review-1-reply.md")
    assert project.status()["reason"] == "verdict-unreadable"
    (project.spec() / "document-review-1-reply.md").write_text(reply(0, 0))
    assert project.shiage("run", "login").code == 0
    assert_go(project)


# ---------------------------------------------------------------- two at once


def test_of_four_starts_at_once_one_runs_and_three_are_told_who_holds_the_spec(project):
    slow = author("requirements")
    project.new(scenes=story({**slow, "do": [["hang", 1.0], *slow["do"]]}))
    started = [project.start("run", "login") for _ in range(4)]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in started]
    assert sorted(code for *_, code in ended) == [0, 1, 1, 1], ended
    winner = next(process.pid for process, end in zip(started, ended, strict=True) if end[2] == 0)
    for _, err, code in ended:
        assert code == 0 or (f"process {winner}" in err and "busy" in err), err
    assert_go(project)
    assert len(project.attempts()) == 7


def test_other_commands_that_write_are_refused_while_a_run_goes_on(project, until):
    slow = author("requirements")
    project.new(scenes=story({**slow, "do": [["hang", 80], *slow["do"]], "nth": 1}))
    project.start("run", "login")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and project.journal(kind="ATTEMPT_STARTED"))
    for arguments in (("reset", "login"), ("approve", "login"), ("step", "login", "design")):
        refused = project.shiage(*arguments)
        assert (refused.code, "busy" in refused.err) == (1, True), (arguments, refused.err)
    assert project.shiage("stop", "login").code == 0
    assert project.shiage("run", "login").code == 0
    assert_go(project)


# ---------------------------------------------------------------- a hostile agent

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x00\x08\x9b31m\u202egnp.exe\x7f"
RAW = r"printf '\033]52;c;ZXZpbA==\007 \377\376\000 \033[2J \r overwritten\n' >> /proc/$PPID/fd/1"


@pytest.fixture
def hostile(project) -> Iterator[Any]:
    """A run whose agents write what a terminal would obey, wherever they can."""
    raw = ["run", "sh", "-c", RAW]
    tasks = f"# Tasks\n\n- [ ] 1. {HOSTILE}\n- [ ] 2. fine\n"
    write = ["write", "spec:tasks.md", tasks]
    scenes = [
        {"role": "author", "phase": "tasks", "do": [write, ["say", HOSTILE], raw]},
        {"role": "implementer", "nth": 1, "do": [["tick", "2"], ["say", HOSTILE], raw]},
        {"role": "implementer", "nth": 2, "do": [["tick"], ["say", HOSTILE], ["write", "a.py", "A = 1\n"], raw]},
        {"role": "inspector", "nth": 1, "do": [["say", HOSTILE], raw, ["exit", 9]]},
    ]
    project.new(scenes=story(*scenes))
    yield project


def test_nothing_that_an_agent_says_reaches_a_terminal_as_a_command(hostile):
    ran = hostile.shiage("run", "login")
    assert ran.code == 5
    said = [ran, hostile.shiage("show", "login"), hostile.shiage("status", "login"), hostile.shiage("status")]
    said += [hostile.shiage("log", "login", *flags) for flags in ((), ("--full",), ("--verbose",))]
    for answer in said:
        assert not CONTROLS & {*answer.out, *answer.err}, answer
    assert hostile.shiage("run", "login").code == 0
    assert hostile.shiage("verify", "login").code == 0


def test_what_programs_read_is_one_json_value_per_line_whatever_agents_say(hostile):
    for answer in (hostile.shiage("run", "login", "--json"), hostile.shiage("log", "login", "--json")):
        assert len([json.loads(line) for line in answer.out.splitlines()]) > 10
    assert hostile.status()["tasks"] == {"done": 2, "total": 2}
    assert hostile.shiage("show", "login", "--json").json["spec"] == "login"


def test_an_agent_that_forges_lines_of_the_journal_on_its_output_changes_nothing(project):
    line = json.dumps({"seq": 999, "event_type": "PHASE_FINISHED", "run": "r-0001", "content": {"phase": "impl"}})
    project.new(scenes=story(implementer("1", nth=1), implementer()))
    scenes = [{**scene, "do": [["say", line], *scene["do"]]} for scene in story(implementer("1", nth=1))]
    project.play(scenes)
    assert project.shiage("run", "login").code == 0
    assert [e["content"]["phase"] for e in project.journal(kind="PHASE_FINISHED")].count("impl") == 1
    assert Path(project.root / ".shiage").is_dir()
    assert_go(project)
