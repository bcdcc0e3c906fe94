"""Several specs at once: each in a worktree of its own, the worst exit code counts, and no checkout is shared."""

import subprocess
import time

import pytest
from scenes import author, doing, story

pytestmark = pytest.mark.slow


def committed(project, *names, until=""):
    for name in names:
        project.given(name, until)
    git = ["git", "-C", str(project.root), "-c", "user.name=person", "-c", "user.email=person@localhost"]
    for words in (["config", "user.name", "person"], ["config", "user.email", "person@localhost"]):
        subprocess.run([*git[:3], *words], check=True)
    subprocess.run([*git, "add", ".kiro"], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "specs"], check=True)


def test_several_specs_run_at_once_each_in_its_own_worktree(project):
    wait = {**author("requirements"), "do": [["hang", 2.0], *author("requirements")["do"]]}
    project.cast(story(wait))
    committed(project, "one", "two", "three")
    began = time.monotonic()
    said = project.shiage("run", "one", "two", "three", "--until", "requirements")
    assert said.code == 0, said
    overlap = [project.journal(name, "ATTEMPT_STARTED")[0]["timestamp"] for name in ("one", "two", "three")]
    ended = [project.journal(name, "ATTEMPT_EXITED")[0]["timestamp"] for name in ("one", "two", "three")]
    assert max(overlap) < min(ended), (overlap, ended, time.monotonic() - began)
    trees = {project.status(name)["worktree"]["path"] for name in ("one", "two", "three")}
    assert len(trees) == 3


def test_a_run_that_begins_while_another_is_at_work_gets_a_worktree_too(project, until):
    wait = {**author("requirements"), "do": [["hang", 60], *author("requirements")["do"]], "nth": 1}
    project.cast(story(wait))
    committed(project, "one", "two")
    first = project.start("run", "one")
    until(lambda: project.status("one")["agent_id"] != "")
    assert project.shiage("run", "two", "--until", "requirements").code == 0
    assert project.status("one")["worktree"] == {} and project.status("two")["worktree"]["path"]
    assert project.shiage("stop", "one").code == 0
    assert first.wait(30) == 130


def test_the_worst_exit_code_counts_and_one_failure_ends_no_other(project):
    project.cast([doing("author", ["exit", 3], phase="requirements", nth=1), *story()])
    committed(project, "fine", until="inspection")
    project.given("broken")
    committed(project, "other", until="inspection")
    said = project.shiage("run", "fine", "broken", "other", "nowhere")
    assert said.code == 1 and "error[spec-unknown]" in said.err
    assert project.shiage("run", "fine", "other").code == 0


def test_no_more_run_at_once_than_allowed(project):
    wait = {**author("requirements"), "do": [["hang", 0.5], *author("requirements")["do"]]}
    project.cast(story(wait), "max_parallel = 1\n")
    committed(project, "one", "two")
    said = project.shiage("run", "one", "two", "--until", "requirements")
    assert said.code == 0 and "max_parallel" in said.err
    first, second = sorted(
        (project.journal(name, "ATTEMPT_STARTED")[0]["timestamp"], project.journal(name)[-1]["timestamp"])
        for name in ("one", "two")
    )
    assert first[1] <= second[0]


def test_without_a_commit_they_take_turns_in_the_main_checkout(project):
    project.cast(story())
    project.given("one")
    project.given("two")
    said = project.shiage("run", "one", "two", "--until", "requirements")
    assert said.code == 0 and "one works in the main checkout: " in said.err
    assert [project.status(name)["worktree"] for name in ("one", "two")] == [{}, {}]


def test_a_worker_runs_several_at_once_and_all_beside_the_first_in_worktrees(project):
    wait = {**author("requirements"), "do": [["hang", 2.0], *author("requirements")["do"]]}
    project.cast(story(wait))
    committed(project, "one", "two")
    for name in ("one", "two"):
        project.shiage("queue", "add", name, "--until", "requirements")
    assert project.shiage("worker", "--drain").code == 0
    assert project.status("one")["worktree"] == {} and project.status("two")["worktree"]["path"]
    starts = [project.journal(name, "ATTEMPT_STARTED")[0]["timestamp"] for name in ("one", "two")]
    ends = [project.journal(name, "ATTEMPT_EXITED")[0]["timestamp"] for name in ("one", "two")]
    assert max(starts) < min(ends)
