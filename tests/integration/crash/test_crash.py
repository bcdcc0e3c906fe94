"""Killed with `kill -9` at any durable operation, shiage goes on at the next start as if nothing had been.

A sample of every kind of operation; all of them, and all of the resume, are killed by `bench/crash.py`.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator

import pytest
from crashing import GONE_SECONDS, Found, Kill, Stage, living
from scenes import doing, responder, story

from shiage.agents import scripted

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]

JOURNAL, HEAD, STATE = "append event-log.jsonl", "rename login", "rename spec.json"

#: An operation, which one of its kind, and the moment: before, in the middle of, after it.
POINTS = [
    ("create event-log.jsonl", 1, "after"),
    ("mkdir r-0001", 1, "after"),
    (JOURNAL, 1, "torn"),
    ("rename *.snapshot", 1, "before"),
    (HEAD, 12, "before"),
    ("start 5", 1, "after"),
    (JOURNAL, 18, "torn"),  # the reply is assessed
    ("write .spec.json", 7, "torn"),
    (STATE, 7, "after"),  # round 1 is closed in the spec, not yet in the journal
    (HEAD, 25, "before"),
    ("start 9", 1, "before"),
    ("start 11", 1, "after"),
    (STATE, 11, "before"),
]
#: Where the first run dies, and at which operation its resume does.
RESUMES = [
    ("start 5", 1, (1, "torn")),  # the loss of the agent is being written down
    (STATE, 7, (7, "after")),
    ("start 9", 1, (9, "torn")),
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("crash")) as made:
        yield made


@pytest.fixture(scope="module")
def operations(stage: Stage) -> tuple[str, ...]:
    """The durable operations of a whole run, in order."""
    stage.restore()
    ran = stage.run()
    found = Found()
    stage.compare(found, [])
    assert (ran.code, found.all) == (0, []), ran.said
    return ran.operations


def number_of(operation: str, nth: int, operations: tuple[str, ...]) -> int:
    start, _, end = operation.partition("*")
    fitting = [at for at, name in enumerate(operations, 1) if name.startswith(start) and name.endswith(end)]
    return fitting[nth - 1]


@pytest.mark.parametrize(("operation", "nth", "moment"), POINTS)
def test_a_run_killed_at_any_operation_goes_on_to_its_end(stage, operations, operation, nth, moment):
    trial = stage.crash(Kill(number_of(operation, nth, operations), moment))
    assert trial.killed, f"{operation} was not reached"
    assert trial.found.all == [], trial.at


@pytest.mark.parametrize(("operation", "nth", "second"), RESUMES)
def test_a_resume_that_is_killed_too_goes_on_to_the_end(stage, operations, operation, nth, second):
    trial = stage.crash(Kill(number_of(operation, nth, operations)), Kill(*second))
    assert trial.killed, "the resume was over before"
    assert trial.found.all == [], trial.at


def test_a_stubborn_agent_of_a_killed_shiage_is_gone_soon_after_the_next_start(tmp_path, operations):
    stubborn = doing("responder", ["ignore-term"], ["child", 90], ["hang", 90], round=1, nth=1)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"speed": 0, "scenes": story(stubborn, responder())}))
    with Stage(tmp_path, scripted.command(sys.executable, str(script))) as stage:
        stage.run(Kill(number_of("start 5", 1, operations)))
        deadline = time.monotonic() + 5
        while len(left := living(stage.root)) < 2:
            assert time.monotonic() < deadline, "the agent is not at work"
        begun = time.monotonic()
        assert stage.run().code == 0
        assert time.monotonic() - begun < GONE_SECONDS
        assert not {*left} & {*living(stage.root)}


def test_an_agent_whose_end_nobody_saw_was_at_work_until_its_last_sign_of_life(stage, operations):
    stage.restore()
    stage.run(Kill(number_of("start 5", 1, operations)))
    seen = time.time() + 1000
    os.utime(stage.root / ".shiage/runs/r-0001/attempt-5.log", (seen, seen))
    assert stage.run().code == 0
    lost = [entry["content"] for entry in stage.journal() if entry["event_type"] == "ATTEMPT_LOST"]
    assert [content["seen"] for content in lost] == [pytest.approx(seen, abs=0.01)]


def test_the_harness_sees_a_round_that_is_begun_again(stage, operations):
    stage.restore()
    stage.run(Kill(number_of(STATE, 7, operations), "after"))
    before = stage.closed()
    assert ("document-review", 1) in before.rounds
    forgotten = stage.state()
    forgotten["documentReview"]["roundDetails"] = []
    (stage.folder / "spec.json").write_text(json.dumps(forgotten))
    shutil.rmtree(stage.root / ".shiage")
    (stage.folder / "event-log.jsonl").unlink()
    found = stage.next_start([before])
    assert "document-review round 1 was begun again" in " ".join(found.doubled)


def test_the_harness_sees_a_lost_round_and_a_changed_reply(stage):
    stage.restore()
    assert stage.run().code == 0
    before, state, found = stage.closed(), stage.state(), Found()
    del state["documentReview"]["roundDetails"][0]
    (stage.folder / "spec.json").write_text(json.dumps(state))
    (stage.folder / "document-review-2-reply.md").write_text("another")
    stage.compare(found, [before])
    assert "document-review round 1 is not in spec.json" in found.lost
    assert "document-review round 2: its file has changed" in found.lost
