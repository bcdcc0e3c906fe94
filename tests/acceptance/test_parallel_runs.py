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
    assert said.code == 0 and "waits until nobody works in the main checkout" in said.err
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


def at_work(project, until, name="one"):
    """A run at another terminal, and what it waits for."""
    gate = project.root.parent / "go"
    waiting = ["run", "sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done"]
    project.cast(story({**author("requirements"), "do": [waiting, *author("requirements")["do"]], "nth": 1}))
    run = project.start("run", name, "--until", "requirements")
    until(lambda: (project.spec(name) / "event-log.jsonl").exists() and project.attempts(name))
    return run, gate


def test_a_run_at_another_terminal_keeps_the_main_checkout_to_itself(project, until):
    committed(project, "one", "two")
    run, gate = at_work(project, until)
    said = project.shiage("run", "two", "--until", "requirements")
    assert said.code == 0 and '"one" is at work in the main checkout' in said.err, said
    assert project.status("two")["worktree"]["path"] and project.status("one")["worktree"] == {}
    gate.touch()
    assert run.wait(60) == 0


def test_what_cannot_have_a_worktree_waits_for_the_main_checkout_and_can_be_stopped_meanwhile(project, until):
    for name in ("one", "two"):
        project.given(name)
    run, gate = at_work(project, until)
    refused = project.shiage("step", "two", "requirements", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "checkout-busy")
    waiting = project.start("run", "two", "--until", "requirements")
    assert "goes into a worktree" in waiting.stderr.readline()
    assert "no commit yet" in waiting.stderr.readline()
    other = project.start("task", "say hello in hello.txt")
    assert "goes into a worktree" in other.stderr.readline() and "waits until nobody works" in other.stderr.readline()
    assert project.shiage("stop", "t-0001").code == 0 and other.wait(60) == 130
    gate.touch()
    assert (run.wait(60), waiting.wait(60)) == (0, 0)
    (first, *_), ended = (project.journal("two"), project.journal("one", "RUN_COMPLETED")[0])
    assert first["timestamp"] >= ended["timestamp"] and project.status("two")["worktree"] == {}
