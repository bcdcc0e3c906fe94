"""The queue as a person uses it: tickets of runs and tasks, workers that come, die and come again."""

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing

import pytest
from scenes import author, doing, inspector, responder, reviewer, story

from shiage.app.tickets import open_queue
from shiage.app.workspace import open_workspace
from shiage.queue.tickets import State

pytestmark = pytest.mark.slow


def listed(project, *arguments):
    told = project.shiage("queue", "list", "--json", *arguments).json
    return {row["spec"]: row for row in reversed([*told["tickets"], *told["ended"]])}


def state(project, name="login"):
    return listed(project)[name]["state"]


def slow(seconds=30.0):
    return {**author("requirements"), "do": [["hang", seconds], *author("requirements")["do"]]}


def database(project):
    return project.root / ".shiage" / "queue" / "tickets.db"


def test_a_run_leaves_a_ticket_with_what_came_of_it(project):
    failing = doing("author", ["exit", 3], phase="requirements", nth=1)
    project.cast(story(failing, responder(discuss=1, round=1)))
    for name, done in (("fine", "inspection"), ("asks", "tasks"), ("broken", "")):
        project.given(name, done)
        project.shiage("run", name)
    rows = listed(project)
    assert {name: row["state"] for name, row in rows.items()} == {
        "fine": "COMPLETE", "asks": "AWAITING_RESPONSE", "broken": "ERROR",
    }  # fmt: skip
    assert (rows["asks"]["reason"], rows["broken"]["reason"]) == ("needs-discussion", "agent-failed")
    assert rows["fine"]["run"] == "r-0001"


def test_a_task_that_ran_out_of_iterations_is_incomplete(project):
    bad = [["write", "flag.py", "def version():\n    # ... rest omitted\n    pass\n"], ["say", "I wrote flag.py."]]
    project.cast([doing("implementer", *bad)], "[review_loop]\nescalate_on_max = false\n")
    assert project.shiage("task", "create flag.py with a constant VERSION").code == 5
    assert state(project, "t-0001") == "INCOMPLETE"


def test_a_person_goes_on_with_the_ticket_that_waits(project):
    project.cast(story(responder(discuss=1, round=1)))
    project.given(until="tasks")
    assert project.shiage("run", "login").code == 4
    waiting = listed(project)["login"]
    assert project.shiage("approve", "login", "document-review").code == 0
    assert project.shiage("run", "login").code == 0
    assert (listed(project)["login"]["ticket"], state(project)) == (waiting["ticket"], "COMPLETE")


def test_a_refused_start_leaves_nothing_open(project):
    project.cast(story())
    project.given()
    assert project.shiage("run", "login", "--until", "nowhere").code == 1
    assert project.shiage("queue", "list", "--json").json["tickets"] == []


def test_a_worker_runs_what_is_queued_by_priority_and_in_chains(project):
    project.cast(story())
    for name in ("first", "second", "urgent"):
        project.given(name, "impl")
    assert project.shiage("queue", "add", "first").code == 0
    assert project.shiage("queue", "add", "second", "--after", "first").code == 0
    assert project.shiage("queue", "add", "urgent", "--priority", "5").code == 0
    assert listed(project)["second"]["waits_for"] == "ticket"
    assert project.shiage("worker", "--drain").code == 0
    rows = listed(project)
    assert {row["state"] for row in rows.values()} == {"COMPLETE"}
    assert sorted(rows, key=lambda name: rows[name]["started_at"]) == ["urgent", "first", "second"]


def test_a_chain_whose_first_failed_waits_for_a_person_and_a_draining_worker_does_not(project):
    project.cast(story(doing("author", ["exit", 3], phase="requirements")))
    for name, *after in (("first",), ("second", "--after", "first"), ("third", "--after", "second")):
        project.given(name, "impl" if after else "")
        assert project.shiage("queue", "add", name, *after).code == 0
    assert project.shiage("worker", "--drain").code == 0
    rows = listed(project)
    assert (rows["first"]["state"], rows["second"]["waits_for"], rows["third"]["waits_for"]) == (
        "ERROR", "broken-chain", "ticket",
    )  # fmt: skip


def test_the_same_spec_is_queued_once(project):
    project.cast(story())
    project.given()
    for _ in range(2):
        assert project.shiage("queue", "add", "login").code == 0
    assert len(project.shiage("queue", "list", "--json").json["tickets"]) == 1


def test_a_detached_run_is_taken_by_a_worker_in_the_background_and_can_be_stopped(project, until):
    project.cast(story(slow()))
    project.given()
    begun = project.shiage("run", "login", "--detach", "--json").json
    assert (begun["status"], begun["ticket"], begun["waits_for"]) == ("running", 1, "")
    workers = project.shiage("queue", "list", "--json").json["workers"]
    assert [worker["pid"] for worker in workers] == [begun["pid"]]
    for again in ((), ("--detach",)):
        refused = project.shiage("run", "login", *again)
        assert refused.code == 1 and "error[busy]" in refused.err and f"process {begun['pid']}" in refused.err
    assert project.shiage("stop", "login").code == 0
    until(lambda: state(project) == "CANCELLED")
    until(lambda: project.shiage("queue", "list", "--json").json["workers"] == [])


def test_a_detached_run_whose_worker_was_killed_is_taken_by_another_when_it_is_asked_for_again(project, until):
    project.cast(story({**inspector(), "do": [["hang", 30]], "nth": 1}))
    project.given(until="impl")
    begun = project.shiage("run", "login", "--detach", "--json").json
    os.kill(begun["pid"], signal.SIGKILL)
    until(lambda: listed(project)["login"]["waits_for"] == "worker")
    again = project.shiage("run", "login", "--detach", "--json").json
    assert again["pid"] not in (0, begun["pid"]) and again["waits_for"] == ""
    until(lambda: state(project) == "COMPLETE")


def test_what_is_queued_for_later_says_so_and_is_cancelled(project):
    project.cast(story())
    project.given()
    queued = project.shiage("run", "login", "--not-before", "+90m", "--json").json
    assert (queued["status"], queued["waits_for"], queued["pid"]) == ("idle", "time", 0)
    assert "waits for its time 20" in project.shiage("queue", "list").out
    again = project.shiage("queue", "add", "login", "--priority", "9")
    assert "left as it is" in again.err and again.code == 0
    assert project.shiage("stop", "login").code == 0
    assert state(project) == "CANCELLED"
    assert project.shiage("run", "login", "--not-before", "soon").code == 1


def test_a_killed_workers_run_goes_on_at_another_from_its_last_closed_round(project, until):
    hanging = {**responder(), "round": 2, "nth": 1, "do": [["write", "here.txt", "at work"], ["hang", 60]]}
    project.cast(story(responder(fix=1, round=1), hanging, reviewer()))
    project.given(until="tasks")
    project.shiage("queue", "add", "login")
    worker = project.start("worker", "--name", "one")
    until((project.root / "here.txt").exists)
    worker.kill()
    worker.wait()
    before = project.state()["documentReview"]["roundDetails"][0]
    other = project.start("worker", "--name", "two", "--drain")
    assert other.wait(60) == 0
    assert state(project) == "COMPLETE" and project.status()["status"] == "completed"
    assert project.state()["documentReview"]["roundDetails"][0] == before
    rounds = [attempt for attempt in project.attempts() if attempt[1] == "document-review"]
    assert [role for role, _, number in rounds if number == 1] == ["reviewer", "responder"]
    assert [role for role, _, number in rounds if number == 2] == ["reviewer", "responder", "responder"]
    assert project.journal(kind="RESUME_REQUESTED")[-1]["content"]["by"] == "recovery"


def test_an_answer_puts_the_ticket_back_and_a_worker_goes_on(project):
    bad = doing("implementer", ["write", "flag.py", "# TODO: all of it\n"], ["say", "wrote flag.py"], nth=1)
    good = doing("implementer", ["write", "flag.py", "VERSION = '1.0'\n"], ["say", "wrote VERSION to flag.py"])
    project.cast([bad, good], "[review_loop]\nmax_iterations = 1\n")
    assert project.shiage("task", "create flag.py with a constant VERSION").code == 4
    assert state(project, "t-0001") == "AWAITING_RESPONSE"
    assert project.shiage("queue", "answer", "t-0001", "leave nothing open").code == 0
    assert state(project, "t-0001") == "QUEUED"
    assert project.shiage("worker", "--drain").code == 0
    assert state(project, "t-0001") == "COMPLETE"
    assert any("leave nothing open" in prompt for prompt in project.prompts())
    assert project.shiage("queue", "answer", "1", "again").code == 1


def test_a_worker_that_is_asked_to_end_gives_its_run_back(project, until):
    project.cast(story({**slow(), "nth": 1}))
    project.given(until="")
    project.shiage("queue", "add", "login")
    worker = project.start("worker")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and project.attempts())
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert state(project) == "QUEUED"
    assert project.shiage("worker", "--drain").code == 0
    assert state(project) == "COMPLETE"


def test_a_stop_is_not_undone_by_a_worker(project, until):
    """The run's process was killed, then a person stopped what it left: no worker may go on with that."""
    project.cast(story({**slow(), "nth": 1}))
    project.given()
    running = project.start("run", "login")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and project.attempts())
    running.kill()
    running.wait()
    assert state(project) == "RUNNING"
    assert project.shiage("stop", "login").code == 0
    assert state(project) == "CANCELLED"
    assert project.shiage("worker", "--drain").code == 0
    assert project.status()["reason"] == "stopped"


def test_a_stop_holds_when_its_worker_gives_the_ticket_back_at_that_moment(project, until):
    project.cast(story())
    project.given()
    with closing(open_queue(open_workspace(project.root, project.environ), worker=True)) as store:
        assert project.shiage("queue", "add", "login").code == 0
        held = store.claim(most=5)
        stopping = project.start("stop", "login")
        until(lambda: store.renew([held]) == {held.id: True})
        store.finish(held, State.QUEUED)
        stopping.wait(60)
        assert store.get(held.id).state is State.CANCELLED
        assert store.claim(most=5) is None


def test_two_workers_of_one_name_are_told_apart(project, until):
    project.cast(story())
    project.given()
    project.start("worker", "--name", "anna")
    until(lambda: project.shiage("queue", "list", "--json").json["workers"])
    refused = project.shiage("worker", "--name", "anna", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "worker-name-taken")
    assert "--name" in refused.json["error"]["help"]


def test_a_queue_of_another_schema_is_refused_with_the_remedy_and_left_alone(project):
    project.cast(story())
    project.given(until="inspection")
    assert project.shiage("run", "login").code == 0
    with closing(sqlite3.connect(database(project))) as db:
        db.execute("PRAGMA user_version = 99")
    for command in (("run", "login"), ("worker",), ("queue", "list")):
        refused = project.shiage(*command, "--json").json["error"]
        assert (refused["code"], "move the file away" in refused["help"]) == ("queue-version", True)
    with closing(sqlite3.connect(database(project))) as db:
        assert db.execute("SELECT state FROM ticket").fetchall() == [("COMPLETE",)]
    assert project.shiage("status", "login").code == 0


def test_a_queue_that_is_no_database_is_named_with_its_place(project):
    project.cast(story())
    project.given(until="inspection")
    database(project).parent.mkdir(parents=True)
    database(project).write_text("this is no database, and it is long enough to be looked at as one\n" * 20)
    refused = project.shiage("run", "login", "--json").json["error"]
    assert refused["code"] == "queue-damaged" and refused["where"].endswith("tickets.db") and refused["help"]


def test_a_worker_waits_while_the_queue_is_gone_and_goes_on_when_it_is_back(project, until):
    project.cast(story())
    for name in ("login", "later"):
        project.given(name, until="impl")
    project.shiage("queue", "add", "later", "--not-before", "+90m")
    worker = project.start("worker", "--name", "patient")
    until(lambda: project.shiage("queue", "list", "--json").json["workers"])
    away = project.root / "away.db"
    shutil.move(database(project), away)
    assert "error[queue-gone]" in worker.stderr.readline()
    assert worker.poll() is None
    shutil.move(away, database(project))
    assert project.shiage("queue", "add", "login").code == 0
    until(lambda: state(project) == "COMPLETE")
    assert state(project, "later") == "QUEUED"
    worker.send_signal(signal.SIGTERM)
    out, _ = worker.communicate(timeout=30)
    assert "the queue is back" in out and worker.returncode == 0


def test_the_list_fits_its_schema(project):
    project.cast(story())
    project.given()
    project.shiage("queue", "add", "login")
    told = project.shiage("queue", "list", "--json").json
    schema = json.loads(project.shiage("schema", "queue").out)
    assert set(schema["required"]) == set(told)
    assert set(schema["properties"]["tickets"]["items"]["required"]) == set(told["tickets"][0])
