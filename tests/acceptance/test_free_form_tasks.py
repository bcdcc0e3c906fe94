"""A task in one's own words goes through the review loop like a spec's work."""

import subprocess

from criteria import criterion
from scenes import doing

GOOD = [["write", "flag.py", "VERSION = '1.0'\n"], ["say", "I added flag.py with VERSION and looked at it."]]
BAD = [["write", "flag.py", "def version():\n    # ... rest omitted\n    pass\n"], ["say", "I wrote flag.py."]]
PROMPT = "create flag.py with a constant VERSION"


@criterion("003-2.2.1", "003-8.2.1")
def test_a_task_that_is_done_is_complete(project):
    project.play([doing("implementer", *GOOD)])
    assert project.shiage("task", PROMPT).code == 0
    journal = (project.root / ".shiage/tasks/t-0001/event-log.jsonl").read_text()
    for event in (
        "REVIEW_LOOP_START",
        "REVIEW_ITERATION_START",
        "QUALITY_JUDGMENT",
        "REVIEW_ITERATION_END",
        "REVIEW_LOOP_END",
    ):
        assert f'"event_type":"{event}"' in journal


@criterion("003-2.2.2")
def test_rejected_work_goes_back_with_what_was_found_and_the_original_task(project):
    project.play([doing("implementer", *BAD, nth=1), doing("implementer", *GOOD)])
    assert project.shiage("task", PROMPT).code == 0
    prompt = (project.root / ".shiage/runs/r-0001/attempt-2.prompt.md").read_text()
    assert "flag.py:2" in prompt and PROMPT in prompt
    assert project.shiage("verify", "t-0001").code == 0


def test_the_same_rejection_twice_asks_a_person_whose_answer_goes_on(project):
    project.play([doing("implementer", *BAD, nth=1), doing("implementer", *BAD, nth=2), doing("implementer", *GOOD)])
    assert project.shiage("task", PROMPT).code == 4
    status = project.status("t-0001")
    assert (status["status"], status["reason"]) == ("paused", "awaiting-response")
    assert project.shiage("answer", "t-0001", "leave nothing out").code == 0
    assert "leave nothing out" in (project.root / ".shiage/runs/r-0001/attempt-3.prompt.md").read_text()


def test_without_escalation_the_task_ends_incomplete(project):
    project.play([doing("implementer", *BAD)], settings="[review_loop]\nescalate_on_max = false\n")
    assert project.shiage("task", PROMPT).code == 5


def test_a_change_is_judged_by_the_gate_alone(project):
    project.play([])
    (project.root / "bad.py").write_text("def f():\n    # TODO: the rest\n    return 1\n")
    said = project.shiage("check", "bad.py", "--json")
    assert said.code == 5
    assert [(f["criteria_id"], f["path"], f["line"]) for f in said.json["findings"]] == [("Q2", "bad.py", 2)]
    (project.root / "bad.py").write_text("def f():\n    return 1\n")
    assert project.shiage("check", "bad.py").code == 0


def test_the_gate_lets_files_pass_that_are_rightly_empty_and_new_line_ends(project, tmp_path):
    project.play([])
    (project.root / "pkg").mkdir()
    for name in ("pkg/__init__.py", "pkg/py.typed", ".gitkeep", "empty.toml"):
        (project.root / name).write_text("")
        assert project.shiage("check", name).code == 0, name
    (project.root / "empty.py").write_text("")
    assert project.shiage("check", "empty.py").code == 5
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.py").write_bytes(b"x = 1\r\ny = 2  # TODO: b\r\n")
    (project.root / "a.py").write_bytes(b"x = 1\ny = 2  # TODO: b\n")
    assert project.shiage("check", "a.py", "--base", str(tmp_path / "base")).code == 0


def test_a_base_that_is_nowhere_is_named_with_the_remedy(project):
    project.play([])
    said = project.shiage("check", "--base", "no-such-branch", "--json")
    error = said.json["error"]
    assert (said.code, error["code"]) == (1, "base-unknown")
    assert '"no-such-branch"' in error["message"] and "revision" in error["help"]


def git(project, *arguments):
    named = ("-c", "user.name=person", "-c", "user.email=person@localhost")
    subprocess.run(["git", *named, *arguments], cwd=project.root, env=dict(project.environ), check=True)


def test_the_gate_knows_renamed_files_and_refuses_paths_that_are_nowhere(project):
    project.play([])
    old = "def f():\n    # TODO: an old mark\n    return 1\n"
    (project.root / "old.py").write_text(old)
    git(project, "add", "-A")
    git(project, "commit", "-qm", "old")
    git(project, "mv", "old.py", "new.py")
    assert project.shiage("check").code == 0
    (project.root / "new.py").write_text(old + "\n\ndef g():\n    # FIXME: a new one\n    return 2\n")
    said = project.shiage("check", "--json")
    assert [(f["path"], f["line"]) for f in said.json["findings"]] == [("new.py", 7)]
    assert project.shiage("check", "old.py").code == 0  # it was there before
    missing = project.shiage("check", "nowhere.py", "--json")
    assert (missing.code, missing.json["error"]["code"]) == (1, "path-missing")
