"""Several machines, one repository, one queue: what is begun on one is seen, decided and finished from every other."""

import os
import signal

import pytest
from machines import Machines, agents_of, attempt_log, kill_tree, listed
from private_postgres import HASTY, NoPostgres, Server
from scenes import doing, responder, story
from starlette.testclient import TestClient

from shiage.app import abroad
from shiage.app.workspace import open_workspace
from shiage.web.server import application
from shiage.web.site import Address, open_site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server():
    try:
        made = Server(HASTY)
    except NoPostgres as error:
        pytest.skip(str(error))
    made.start()
    yield made
    made.stop("immediate")
    made.remove()


@pytest.fixture
def queue(request):
    """A file that all of them open; with `server` a database, where the death of a process shows by its lease alone."""
    kind = getattr(request, "param", "file")
    return "" if kind == "file" else f"{request.getfixturevalue('server').url}&"


@pytest.fixture
def machines(tmp_path, queue):
    made = Machines(tmp_path, lease=4, queue=queue)
    made.begin()
    yield made
    for project in made.all:
        for process in project.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def writing(**when):
    return doing("implementer", ["write", "login.py", "LOGIN = 1\n"], ["tick"], ["say", "wrote login.py"], **when)


def queued(machines, *scenes, spec="login"):
    """A desk at which a person has written a spec and queued it."""
    desk = machines.machine("desk", story(*scenes))
    desk.given(spec, until="tasks")
    said = desk.shiage("queue", "add", spec)
    assert said.code == 0, said
    return desk


def test_a_spec_is_queued_on_one_machine_run_on_another_and_seen_from_a_third(machines):
    desk = queued(machines)
    (desk.root / "README.md").write_text("# edited, not committed\n")
    north, third = machines.machine("north", story(writing())), machines.machine("third", story())
    assert listed(desk)["login"]["waits_for"] == "worker"
    worked = north.shiage("worker", "--name", "north", "--drain")
    assert worked.code == 0, worked
    for machine in (desk, third):
        seen = machine.status()
        assert (seen["status"], seen["tasks"]) == ("completed", {"done": 3, "total": 3}), seen
        assert [row["spec"] for row in machine.shiage("status", "--json").json["specs"]] == ["login"]
        assert listed(machine)["login"]["state"] == "COMPLETE"
        assert "completed" in machine.shiage("log", "login").out
        rounds = machine.shiage("show", "login", "--json").json["rounds"]
        assert [(row["phase"], row["round"]) for row in rounds] == [("document-review", 1), ("inspection", 1)]
        assert machine.shiage("verify", "login").code == 0
    logs = [row["log"] for row in north.shiage("show", "login", "--json").json["attempts"]]
    assert logs and all((north.root / log).stat().st_size and not (third.root / log).exists() for log in logs)
    assert machines.file("login.py") == "LOGIN = 1\n" and machines.file("README.md") == "# A project\n"
    assert (desk.root / "README.md").read_text() == "# edited, not committed\n"
    assert not (desk.spec() / "event-log.jsonl").exists() and not third.spec().exists()


@pytest.mark.parametrize("queue", ["file", "server"], indirect=True)
def test_a_run_whose_machine_lost_its_power_goes_on_on_another_and_no_closed_round_is_lost_or_repeated(machines, until):
    first = responder(fix=1, round=1)
    queued(machines)
    north = machines.machine("north", story(first, doing("implementer", ["hang", 90])))
    south = machines.machine("south", story(first, writing()))
    dying = north.start("worker", "--name", "north")
    until(attempt_log(north, 5), 60)
    until(lambda: agents_of(dying))
    other = south.start("worker", "--name", "south")
    until(lambda: machines.workers() == {"north", "south"}, 30)
    before, closed = machines.rounds(), machines.file(".kiro/specs/login/document-review-1-reply.md")
    assert before == [("document-review", 1), ("document-review", 2)]
    kill_tree(dying)
    until(lambda: machines.ticket() == "COMPLETE", 60)
    assert other.poll() is None
    assert machines.rounds() == [*before, ("inspection", 1)]
    assert machines.file(".kiro/specs/login/document-review-1-reply.md") == closed
    assert machines.file("login.py") == "LOGIN = 1\n"
    assert len(machines.journal(kind="RUN_STARTED")) == 1
    orders = [entry["content"]["order"] for entry in machines.journal(kind="ATTEMPT_STARTED")]
    looks = [(order["role"], order["round"]) for order in orders if order["phase"] == "document-review"]
    assert looks == [(role, number) for number in (1, 2) for role in ("reviewer", "responder")]


@pytest.mark.parametrize("queue", ["file", "server"], indirect=True)
def test_a_frozen_worker_that_thaws_ends_its_agent_and_neither_its_push_nor_its_result_is_taken(machines, until):
    desk = queued(machines)
    slow = doing("reviewer", ["hang", 90], ["write", "late.txt", "late"], ["say", "late"])
    north = machines.machine("north", story(slow))
    south = machines.machine("south", story(writing()))
    frozen = north.start("worker", "--name", "north")
    until(attempt_log(north, 1), 60)
    until(lambda: agents_of(frozen))
    agents = agents_of(frozen)
    os.kill(frozen.pid, signal.SIGSTOP)
    south.start("worker", "--name", "south")
    until(lambda: machines.ticket() == "COMPLETE", 60)
    tip, status = machines.tip(), desk.status()["status"]
    os.kill(frozen.pid, signal.SIGCONT)
    until(lambda: not any(each.is_running() for each in agents), 40)
    frozen.send_signal(signal.SIGTERM)
    out, _ = frozen.communicate(timeout=60)
    assert "our result was not taken" in out, out
    assert (machines.tip(), status) == (tip, "completed")
    assert listed(desk)["login"]["state"] == "COMPLETE"


def test_a_third_machine_sees_who_runs_what_and_stops_it(machines, until):
    queued(machines)
    north = machines.machine("north", story(doing("reviewer", ["hang", 90])))
    third = machines.machine("third", story())
    worker = north.start("worker", "--name", "north")
    until(attempt_log(north, 1), 60)
    seen = third.status()
    assert (seen["status"], seen["worker"]) == ("running", "north"), seen
    assert "running north" in third.shiage("status").out
    assert third.shiage("approve", "login").code == 1, "it is at work"
    stopped = third.shiage("stop", "login", "--json")
    assert stopped.code == 0 and (stopped.json["status"], stopped.json["reason"]) == ("paused", "stopped"), stopped
    assert listed(third)["login"]["state"] == "CANCELLED" and worker.poll() is None
    assert not agents_of(worker)


def test_a_third_machine_approves_and_answers_and_whoever_is_free_goes_on(machines):
    discuss = responder(discuss=1, round=1)
    bad = doing("implementer", ["write", "flag.py", "# TODO: all of it\n"], ["tick"], ["say", "wrote flag.py"], nth=1)
    queued(machines)
    good = doing("implementer", ["write", "flag.py", "VERSION = 1\n"], ["tick"], ["say", "wrote VERSION to flag.py"])
    north = machines.machine("north", story(discuss, bad, good), "[review_loop]\nmax_iterations = 1\n")
    third = machines.machine("third", story(writing()))
    work = ("worker", "--name", "north", "--drain")
    assert north.shiage(*work).code == 0
    assert (third.status()["reason"], listed(third)["login"]["state"]) == ("needs-discussion", "AWAITING_RESPONSE")
    assert third.shiage("approve", "login", "document-review").code == 0
    assert third.status()["phases"]["document-review"] == "done"
    assert third.shiage("queue", "add", "login").code == 0 and listed(third)["login"]["state"] == "QUEUED"
    assert north.shiage(*work).code == 0
    assert third.status()["reason"] == "awaiting-response"
    assert third.shiage("queue", "answer", "login", "leave nothing open").code == 0
    assert north.shiage(*work).code == 0
    assert third.status()["status"] == "completed"
    answered = machines.journal(kind="ANSWERED")
    assert [entry["content"]["text"] for entry in answered] == ["leave nothing open"]


def test_a_run_at_the_terminal_travels_too(machines):
    """Begun by hand on one machine, paused, and gone on with by hand on another that never had the spec."""
    desk = machines.machine("desk", story(responder(discuss=1, round=1)))
    desk.given(until="tasks")
    assert desk.shiage("run", "login").code == 4
    other = machines.machine("other", story(writing()))
    assert other.shiage("approve", "login", "document-review").code == 0
    said = other.shiage("run", "login")
    assert said.code == 0, said
    assert desk.status()["status"] == "completed" and machines.file("login.py") == "LOGIN = 1\n"
    assert [row["state"] for row in desk.shiage("queue", "list", "--json").json["ended"]] == ["COMPLETE"]


def test_a_run_that_travelled_comes_home_to_be_merged_or_offered(machines):
    north = machines.machine("north", story(writing()))
    for name in ("login", "logout"):
        north.given(name, until="document-review")
    assert north.shiage("run", "login", "logout").code == 0
    (north.root / "README.md").write_text("# edited, not committed\n")
    merged = north.shiage("step", "login", "deploy")
    assert merged.code == 0, merged
    assert machines.git(north.root, "show", "main:login.py") == "LOGIN = 1\n"
    tracked = machines.git(north.root, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert not [name for name in tracked if ".shiage" in name or name.endswith("event-log.jsonl")]
    assert machines.git(north.root, "status", "--porcelain", "--untracked-files=no") == " M README.md\n"
    assert (north.status()["phases"]["deploy"], north.shiage("verify", "login").code) == ("done", 0)
    assert len(north.journal(kind="RUN_STARTED")) == 2, "the run, and the step that merged it"
    other = machines.machine("other", story())
    landed = other.shiage("land", "logout", "--json")
    assert landed.code == 0 and landed.json["worktree"]["branch"] == "shiage/logout", landed
    assert "login.py" in other.shiage("show", "logout", "--pr").out
    assert machines.git(machines.root, "ls-remote", machines.url, "refs/heads/shiage/*") == ""


def test_what_a_person_edits_in_the_own_checkout_travels_with_the_next_run(machines):
    desk = machines.machine("desk", story(responder(discuss=1, round=1), writing()))
    spec = desk.given(until="tasks")
    assert desk.shiage("run", "login").code == 4
    (spec / "design.md").write_text("# Design\n\nDecided: the old table stays.\n")
    said = desk.shiage("run", "login")
    assert said.code == 0, said
    assert "Decided" in machines.file(".kiro/specs/login/design.md") and machines.file("login.py")
    work = machines.git(machines.root / "origin.git", "log", "--format=%s", "main..shiage/login^1").splitlines()
    assert "login: design.md edited by a person" in work


def test_the_dashboard_of_any_machine_shows_and_decides_what_runs_elsewhere(machines, until):
    gate = machines.root / "go"
    waiting = ["run", "sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done"]
    discuss = responder(discuss=1, round=1)
    queued(machines)
    north = machines.machine("north", story({**discuss, "do": [waiting, *discuss["do"]]}, writing()))
    third = machines.machine("third", story())
    north.start("worker", "--name", "north")
    until(attempt_log(north, 2), 60)
    site = open_site(open_workspace(third.root, third.environ), Address())
    here = "http://127.0.0.1:7420"
    with TestClient(application(site), base_url=here, headers={"Origin": here, "Accept": "application/json"}) as client:
        client.post("/door", data={"code": site.devices.invite("control")})
        (seen,) = client.get("/api/status").json()["specs"]
        assert (seen["status"], seen["worker"]) == ("running", "north")
        for page in ("/", "/specs/login"):
            assert "on north" in client.get(page, headers={"Accept": "text/html"}).text
        gate.touch()
        until(lambda: machines.ticket() == "AWAITING_RESPONSE", 60)
        until(lambda: client.get("/api/specs/login").json()["reason"] == "needs-discussion")
        for page in ("/", "/questions", "/activity", "/specs/login/files/document-review-1-reply.md"):
            assert "login" in client.get(page, headers={"Accept": "text/html"}).text
        assert client.post("/specs/login/approve", data={"phase": "document-review"}).status_code == 200
        client.post("/specs/login/run")
        until(lambda: machines.ticket() == "COMPLETE", 60)
    site.audit.close()
    assert third.status()["status"] == "completed"


def test_the_dashboard_says_that_the_shared_repository_does_not_answer(machines):
    desk = queued(machines)
    page = {"Accept": "text/html", "Accept-Language": "ja"}
    site = open_site(open_workspace(desk.root, desk.environ), Address())
    here = "http://127.0.0.1:7420"
    with TestClient(application(site), base_url=here, headers={"Origin": here}) as client:
        client.post("/door", data={"code": site.devices.invite("look")})
        assert client.get("/api/status").json()["trouble"] is None
        assert 'class="next error trouble"' not in client.get("/", headers=page).text
        away = machines.root / "away.git"
        (machines.root / "origin.git").rename(away)
        abroad.forget(abroad.required(desk.root, site.workspace.settings.queue))
        shown = client.get("/", headers=page).text
        assert 'class="next error trouble"' in shown and "共有リポジトリ" in shown
        assert client.get("/api/status").json()["trouble"]["code"] in shown
        assert [row["spec"] for row in client.get("/api/status").json()["specs"]] == ["login"]
        away.rename(machines.root / "origin.git")
        abroad.forget(abroad.required(desk.root, site.workspace.settings.queue))
        assert 'class="next error trouble"' not in client.get("/", headers=page).text
    site.audit.close()


def test_a_bug_travels_and_a_chain_holds_over_machines(machines):
    analysis = doing(
        "author", ["write", "spec:analysis.md", "# Analysis\n\nNot trimmed.\n"], ["say", "analysed"], phase="analyze"
    )
    trim = ["write", "greet.py", "def greet(name: str) -> str:\n    return name.strip()\n"]
    fix = doing(
        "implementer",
        trim,
        ["write", "spec:fix.md", "# Fix\n\nTrims.\n"],
        ["say", "trimmed it in greet.py"],
        phase="fix",
    )
    verify = doing(
        "inspector", ["write", "spec:verification.md", "# V\n\n- Judgment: GO\n"], ["say", "verified"], phase="verify"
    )
    desk = machines.machine("desk", story())
    desk.given(until="document-review")
    assert desk.shiage("new", "crash", "it crashes on blank names", "--bug").code == 0
    assert desk.shiage("queue", "add", "crash").code == 0
    assert desk.shiage("queue", "add", "login", "--after", "crash").code == 0
    north = machines.machine("north", story(analysis, fix, verify, writing()))
    assert north.shiage("worker", "--name", "north", "--drain").code == 0
    rows = listed(desk)
    assert {name: row["state"] for name, row in rows.items()} == {"crash": "COMPLETE", "login": "COMPLETE"}
    assert rows["crash"]["ended_at"] <= rows["login"]["started_at"]
    seen = desk.status("crash")
    assert (seen["workflow"], seen["status"]) == ("bug", "completed")
    assert "strip()" in machines.file("greet.py", "bug-crash")
