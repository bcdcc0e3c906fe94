"""What goes wrong between machines: said with its remedy, nothing is lost, and it goes on when it is mended."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from machines import Machines, agents_of, attempt_log, listed
from scenes import doing, responder, reviewer, story

pytestmark = pytest.mark.slow
LEASE = 4


@pytest.fixture
def machines(tmp_path):
    made = Machines(tmp_path, lease=LEASE)
    yield made
    for project in made.all:
        for process in project.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def writing(**when):
    return doing("implementer", ["write", "login.py", "LOGIN = 1\n"], ["tick"], ["say", "wrote login.py"], **when)


def queued(machines, *scenes, settings=""):
    """One machine, at which a spec waits for its worker."""
    machines.begin()
    desk = machines.machine("desk", story(*scenes, writing()), settings)
    desk.given(until="tasks")
    said = desk.shiage("queue", "add", "login")
    assert said.code == 0, said
    return desk


def ended(process) -> str:
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    return str(out + err)


def test_a_repository_that_is_gone_is_waited_for_and_said(machines, until):
    desk = queued(machines)
    away = Path(machines.url).rename(machines.root / "away.git")
    worker = desk.start("worker", "--name", "desk")
    until(lambda: machines.ticket("reason") == "fetch-failed", 40)
    assert machines.ticket() == "QUEUED" and "desk: git:" in machines.ticket("detail")
    seen = desk.shiage("status", "login")
    assert seen.code == 0 and "known last" in seen.err, seen
    away.rename(machines.url)
    until(lambda: machines.ticket() == "COMPLETE", 60)
    said = ended(worker)
    assert "error[fetch-failed]" in said and "can be reached" in said
    assert machines.file("login.py") == "LOGIN = 1\n"


def vanishing(machines):
    """The repository goes away while the reviewer works."""
    gone = ["run", "mv", machines.url, str(machines.root / "away.git")]
    return {**reviewer(), "do": [gone, *reviewer()["do"]], "nth": 1}


def reviewers(machines) -> int:
    return [e["content"]["order"]["role"] for e in machines.journal(kind="ATTEMPT_STARTED")].count("reviewer")


def test_a_repository_that_goes_away_in_the_middle_is_waited_for_and_said(machines, until):
    desk = queued(machines, vanishing(machines))
    worker = desk.start("worker", "--name", "desk")
    assert "error[repository-gone]" in worker.stderr.readline()
    assert "nothing is lost" in worker.stderr.readline() and machines.ticket() == "RUNNING"
    (machines.root / "away.git").rename(machines.url)
    until(lambda: machines.ticket() == "COMPLETE", 60)
    assert "the repository is back" in ended(worker)
    assert machines.rounds() == [("document-review", 1), ("inspection", 1)] and reviewers(machines) == 1


def test_a_run_that_waits_for_its_repository_is_stopped_at_once_and_goes_on_later(machines, until):
    desk = queued(machines, vanishing(machines))
    worker = desk.start("worker", "--name", "desk")
    assert "error[repository-gone]" in worker.stderr.readline()
    assert desk.shiage("stop", "login").code == 0
    assert (machines.ticket(), machines.ticket("reason")) == ("CANCELLED", "push-refused")
    (machines.root / "away.git").rename(machines.url)
    ended(worker)
    said = desk.shiage("run", "login")
    assert said.code == 0, said
    assert reviewers(machines) == 1 and machines.file("login.py") == "LOGIN = 1\n"


def test_a_refused_push_pauses_the_run_and_what_was_done_is_pushed_later(machines):
    desk = queued(machines)
    hook = Path(machines.url) / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\n[ -e {machines.root}/open ] || {{ [ -e {machines.root}/one ] && exit 1; touch {machines.root}/one; }}\n"
    )
    hook.chmod(0o755)  # one push is taken: the claim
    assert desk.shiage("worker", "--drain").code == 0
    assert (machines.ticket(), machines.ticket("reason")) == ("AWAITING_RESPONSE", "push-refused")
    assert (
        "push" in listed(desk)["login"]["detail"]
        and not machines.git(Path(machines.url), "branch", "--list", "main").isspace()
    )
    (machines.root / "open").touch()
    assert desk.shiage("run", "login").code == 0
    assert machines.rounds() == [("document-review", 1), ("inspection", 1)] and reviewers(machines) == 1


def test_what_a_person_pushes_onto_the_run_branch_is_kept_and_worked_with(machines, until):
    gate = machines.root / "go"
    slow = doing("reviewer", ["run", "sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done"],
                 ["write", "spec:document-review-{round}.md", "# Review\n\n### C1: a point\n"], ["say", "reviewed"])  # fmt: skip
    desk = queued(machines, slow)
    worker = desk.start("worker", "--name", "desk")
    until(attempt_log(desk, 1), 60)
    clone = machines.root / "clone"
    machines.git(machines.root, "clone", "-q", "-b", "shiage/login", machines.url, str(clone))
    (clone / "HINT.md").write_text("use the old table\n")
    machines.git(clone, "add", "HINT.md")
    machines.git(clone, "commit", "-qm", "A hint")
    machines.git(clone, "push", "-q")
    gate.touch()
    until(lambda: machines.ticket() == "COMPLETE", 90)
    assert "went on elsewhere" in ended(worker)
    assert machines.file("HINT.md") == "use the old table\n" and machines.file("login.py") == "LOGIN = 1\n"
    work = machines.git(Path(machines.url), "log", "--format=%s", "main..shiage/login^1").splitlines()
    assert "A hint" in work and machines.rounds() == [("document-review", 1), ("inspection", 1)]


def test_a_run_branch_that_was_replaced_by_something_else_is_left_alone_and_a_person_is_asked(machines):
    desk = queued(machines)
    machines.git(Path(machines.url), "update-ref", "refs/heads/shiage/login", "refs/heads/main")
    tip = machines.tip()
    assert desk.shiage("worker", "--drain").code == 0
    row = listed(desk)["login"]
    assert (row["state"], row["reason"]) == ("AWAITING_RESPONSE", "branch-foreign") and "holds no run" in row["detail"]
    assert machines.tip() == tip


def test_a_queue_that_is_gone_in_the_middle_of_a_run_ends_the_agent_after_the_lease_and_goes_on_when_it_is_back(
    machines, until
):
    desk = queued(machines, doing("reviewer", ["hang", 90], nth=1))
    worker = desk.start("worker", "--name", "desk")
    until(attempt_log(desk, 1), 60)
    until(lambda: agents_of(worker))
    shutil.move(machines.root / "queue" / "tickets.db", machines.root / "away.db")
    assert "error[queue-gone]" in worker.stderr.readline()
    until(lambda: not agents_of(worker), 40)
    shutil.move(machines.root / "away.db", machines.root / "queue" / "tickets.db")
    until(lambda: machines.ticket() == "COMPLETE", 90)
    assert "the queue is back" in ended(worker)
    assert machines.rounds() == [("document-review", 1), ("inspection", 1)]


def test_a_disk_without_room_for_the_repository_gives_the_run_to_others_and_says_why(machines, until):
    desk = queued(machines)
    small = machines.machine("small", story(writing()))
    place = small.root / ".shiage" / "carried"
    place.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small file system cannot be mounted here: that takes root")
    try:
        worker = small.start("worker", "--name", "small")
        until(lambda: machines.ticket("detail").startswith("small: "), 40)
        assert machines.ticket() == "QUEUED"
        assert "No space left" in ended(worker)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
    desk.start("worker", "--name", "desk")
    until(lambda: machines.ticket() == "COMPLETE", 60)


def test_a_worker_runs_only_settings_that_were_accepted_on_its_machine(machines):
    """The branch brings a command that nobody on this machine has seen."""
    machines.begin()
    desk = machines.machine("desk", story(writing()))
    desk.given(until="tasks")
    (desk.root / "shiage.toml").write_text('[checks]\ntest = "touch proof.log"\n')
    machines.git(desk.root, "add", "shiage.toml")
    machines.git(desk.root, "commit", "-qm", "A command")
    assert desk.shiage("queue", "add", "login").code == 1, "not even the person's own is run unseen"
    assert desk.shiage("trust", "--yes").code == 0 and desk.shiage("queue", "add", "login").code == 0
    north = machines.machine("north", story(writing()))
    assert north.shiage("worker", "--name", "north", "--drain").code == 0
    row = listed(desk)["login"]
    assert (row["state"], row["reason"], row["detail"][:6]) == ("AWAITING_RESPONSE", "not-trusted", "north:")
    assert not [*north.root.rglob("proof.log")]
    accepted = north.shiage("trust", "login", "--yes")
    assert accepted.code == 0 and "touch proof.log" in accepted.out, accepted
    assert north.shiage("queue", "add", "login").code == 0
    assert north.shiage("worker", "--name", "north", "--drain").code == 0
    assert machines.ticket() == "COMPLETE" and [*north.root.rglob("proof.log")]


def test_without_a_commit_a_remote_or_with_a_password_in_its_address_nothing_is_queued(machines):
    desk = machines.machine("desk", story())
    desk.given(until="tasks")
    codes = [_refused(desk)]
    machines.git(desk.root, "remote", "set-url", "origin", "https://ada:secret@localhost/origin.git")
    codes.append(_refused(desk))
    machines.git(desk.root, "remote", "remove", "origin")
    codes.append(_refused(desk))
    assert codes == ["no-commit", "remote-secret", "no-remote"]
    assert machines.ticket() == ""


def _refused(desk) -> str:
    said = desk.shiage("queue", "add", "login", "--json")
    assert said.code == 1 and "secret@" not in said.out + said.err
    return str(said.json["error"]["code"])


def test_submodules_and_large_files_are_left_as_they_are(machines):
    """Neither is fetched: the branch keeps the submodule's commit and the pointer, whatever git-lfs is set to do."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    machines.begin({".gitattributes": "*.bin filter=lfs -text\n", "big.bin": pointer})
    seed = machines.root / "seed"
    commit = machines.git(seed, "rev-parse", "HEAD").strip()
    (seed / ".gitmodules").write_text(f'[submodule "lib"]\n\tpath = lib\n\turl = {machines.url}.nowhere\n')
    machines.git(seed, "add", ".gitmodules")
    machines.git(seed, "update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
    machines.git(seed, "commit", "-qm", "A submodule")
    machines.git(seed, "push", "-q", machines.url, "main")
    desk = machines.machine("desk", story(writing()))
    desk.given(until="document-review")
    assert desk.shiage("run", "login").code == 0
    rows = machines.git(Path(machines.url), "ls-tree", "shiage/login^1", "lib", "big.bin").splitlines()
    assert [row.split()[1] for row in rows] == ["blob", "commit"] and commit in rows[1]
    assert machines.file("big.bin") == pointer


def test_a_project_that_is_a_folder_of_its_repository_travels_too(machines):
    machines.begin({"apps/shop/.kiro/steering/product.md": "# Shop\n"})
    desk = machines.machine("desk", story(responder(), writing()))
    desk.root = desk.root / "apps" / "shop"
    desk.given(until="tasks")
    assert desk.shiage("run", "login").code == 0
    assert machines.file("apps/shop/login.py") == "LOGIN = 1\n"
    tip = machines.git(Path(machines.url), "ls-tree", "-r", "--name-only", "shiage/login").splitlines()
    assert "apps/shop/.kiro/specs/login/event-log.jsonl" in tip and ".shiage/owner" not in tip
    assert desk.status()["status"] == "completed"
    assert json.loads(desk.shiage("land", "login", "--json").out)["worktree"]["path"].endswith("login/apps/shop")
