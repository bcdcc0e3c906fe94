"""A spec travels between machines: two folders and a bare repository stand in for them, killed in the middle."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from scenes import doing, responder, reviewer, story

#: What a worker does with a ticket, as far as the carrier is concerned.
WORKER = """
import asyncio, os, sys
from pathlib import Path
from shiage.app import runs
from shiage.app.workspace import open_workspace
from shiage.domain.errors import UserError
from shiage.engine import carrier
from shiage.engine.carrier import Route, carried

url, place, spec = sys.argv[1:4]
carrier.PATIENCE = 2
try:
    with carried(Route(url, Path(place)), spec) as held:
        held.over = lambda: False
        workspace = open_workspace(held.tree.root, os.environ)
        run = asyncio.run(runs.run(workspace, spec, by="recovery", keep=held.keep))
        held.push(f"{spec}: {run.status}")
        print(run.status, run.reason)
except UserError as error:
    print("error", error.code)
"""
GIT = "[user]\nname = Ada\nemail = ada@localhost\n[init]\ndefaultBranch = main\n"


class Machines:
    """A bare repository, and machines that know each other only by it."""

    def __init__(self, project, root: Path) -> None:
        self.project, self.root, self.url = project, root, str(root / "origin.git")
        (project.home / ".gitconfig").write_text(GIT)
        (root / "worker.py").write_text(textwrap.dedent(WORKER))
        self.git(root, "init", "-q", "--bare", self.url)
        self.git(project.root, "symbolic-ref", "HEAD", "refs/heads/main")

    def git(self, where: Path, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=where, env=dict(self.project.environ), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self) -> None:
        self.git(self.project.root, "add", "-A")
        self.git(self.project.root, "commit", "-qm", "begin")
        self.git(self.project.root, "push", "-q", self.url, "main")

    def start(self, machine: str) -> "subprocess.Popen[str]":
        (self.root / machine).mkdir(exist_ok=True)
        process = subprocess.Popen(
            [sys.executable, str(self.root / "worker.py"), self.url, str(self.root / machine), "login"],
            cwd=self.root, env=dict(self.project.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.project.started.append(process)
        return process

    def run(self, machine: str) -> str:
        out, err = self.start(machine).communicate(timeout=80)
        assert "Traceback" not in err, err
        return out.strip()

    def tip(self) -> str:
        return self.git(Path(self.url), "rev-parse", "refs/heads/shiage/login").strip()

    def journal(self) -> list[dict]:
        """The events that the branch holds."""
        text = self.git(Path(self.url), "show", "shiage/login:.kiro/specs/login/event-log.jsonl")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def machines(project, tmp_path):
    made = Machines(project, tmp_path)
    project.given(until="tasks")
    made.commit()
    return made


def writing(**when):
    return doing("implementer", ["write", "login.py", "LOGIN = 1\n"], ["tick"], ["say", "wrote login.py"], **when)


def rounds(journal) -> list[tuple[str, int]]:
    return [(e["content"]["phase"], e["content"]["round"]) for e in journal if e["event_type"] == "ROUND_CLOSED"]


@pytest.mark.slow
def test_a_spec_runs_on_a_machine_that_has_only_the_repository(machines, project):
    project.cast(story(writing()))
    assert machines.run("a") == "completed"
    work = machines.git(Path(machines.url), "log", "--format=%s", "main..shiage/login^1").splitlines()
    assert "login: impl, implementer 3" in work
    files = machines.git(Path(machines.url), "ls-tree", "-r", "--name-only", "shiage/login^1").splitlines()
    assert "login.py" in files and not [name for name in files if name.endswith("event-log.jsonl") or ".shiage" in name]


@pytest.mark.slow
def test_a_run_whose_machine_died_goes_on_elsewhere_from_its_last_closed_step(machines, project, until):
    project.cast(story(responder(fix=1, round=1), doing("implementer", ["hang", 60], nth=1), writing()))
    dying = machines.start("a")
    begun = machines.root / "a" / "login" / ".shiage" / "runs" / "r-0001" / "attempt-5.log"
    until(begun.exists, 40)
    os.kill(dying.pid, signal.SIGKILL)
    dying.wait()
    before = rounds(machines.journal())
    assert before == [("document-review", 1), ("document-review", 2)]
    closed = machines.git(Path(machines.url), "show", "shiage/login:.kiro/specs/login/document-review-1-reply.md")
    assert machines.run("b") == "completed"
    journal = machines.journal()
    assert rounds(journal) == [*before, ("inspection", 1)]
    assert len([e for e in journal if e["event_type"] == "RUN_STARTED"]) == 1
    assert (
        machines.git(Path(machines.url), "show", "shiage/login:.kiro/specs/login/document-review-1-reply.md") == closed
    )
    # The machine that died comes back: it takes up what the other one has done, and leaves no agent of its own at work.
    assert machines.run("a") == "completed"
    assert subprocess.run(["pgrep", "-f", f"{machines.root}.*script.json"], capture_output=True).stdout == b""


@pytest.mark.slow
def test_an_owner_that_was_overtaken_is_ended_and_its_work_is_not_carried_on(machines, project, until):
    project.cast(
        story(doing("reviewer", ["hang", 12], ["write", "spec:document-review-1.md", "# late\n"], nth=1), writing())
    )
    late = machines.start("a")
    until((machines.root / "a/login/.shiage/runs/r-0001/attempt-1.log").exists, 40)
    assert machines.run("b") == "completed"
    tip = machines.tip()
    out, _ = late.communicate(timeout=60)
    assert out.strip() == "error fenced"
    assert machines.tip() == tip


@pytest.mark.slow
def test_a_push_that_the_server_refuses_pauses_the_run_until_it_takes_it(machines, project):
    project.cast(story(writing()))
    hook = Path(machines.url) / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho quota >&2\nexit 1\n")
    hook.chmod(0o755)
    assert machines.run("a") == "error push-refused"
    hook.unlink()
    assert machines.run("a") == "completed"
    assert rounds(machines.journal()) == [("document-review", 1), ("inspection", 1)]


@pytest.mark.slow
def test_a_repository_that_stays_away_is_not_waited_for_for_ever_and_the_run_goes_on_when_it_is_back(machines, project):
    away = machines.url + ".away"
    gone = ["run", "mv", machines.url, away]
    project.cast(story({**reviewer(), "do": [gone, *reviewer()["do"]], "nth": 1}, writing()))
    assert machines.run("a") == "error repository-gone"
    assert machines.run("a") == "error fetch-failed"
    Path(away).rename(machines.url)
    assert machines.run("a") == "completed"
    assert rounds(machines.journal()) == [("document-review", 1), ("inspection", 1)]
    orders = [e["content"]["order"]["role"] for e in machines.journal() if e["event_type"] == "ATTEMPT_STARTED"]
    assert orders.count("reviewer") == 1, "what was done before is not done again"


def test_a_repository_that_cannot_be_reached_is_told(machines, project):
    project.cast(story(writing()))
    machines.url += ".gone"
    assert machines.run("a") == "error fetch-failed"


def test_a_spec_that_nobody_has_committed_is_published_as_it_lies_there(project, tmp_path):
    project.cast(story(writing()), "[permissions]\ndeploy = true\n")
    (project.root / "README.md").write_text("# A project\n")
    machines = Machines(project, tmp_path)
    machines.commit()
    spec = project.given(until="document-review")
    (project.root / "README.md").write_text("# edited, not committed\n")
    status = machines.git(project.root, "status", "--porcelain")
    code = "import sys; from shiage.engine.carrier import publish; from shiage.specs.folder import SpecFolder; from pathlib import Path; "
    code += "publish(sys.argv[1], SpecFolder(Path(sys.argv[2]), 'login'))"
    asked = [sys.executable, "-c", code, machines.url, str(project.root)]
    assert subprocess.run(asked, env=dict(project.environ), cwd=tmp_path, check=False).returncode == 0
    assert machines.git(project.root, "status", "--porcelain") == status
    assert machines.run("a") == "completed"
    work = machines.git(Path(machines.url), "show", "shiage/login^1:.kiro/specs/login/spec.json")
    assert json.loads(work)["phase"] == "inspection-complete", "what nobody has merged is not deployed"
    assert machines.git(Path(machines.url), "show", "shiage/login^1:README.md") == "# A project\n"
    assert json.loads((spec / "spec.json").read_text())["phase"] == "tasks-generated"
