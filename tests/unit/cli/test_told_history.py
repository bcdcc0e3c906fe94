"""What a journal tells of attempts and rounds, whichever run they belong to."""

from dataclasses import replace
from pathlib import Path

import pytest

from shiage.app.journals import Telling, line, told_attempts, told_rounds
from shiage.app.steps import ended
from shiage.domain.events import AttemptAssessed, AttemptExited, AttemptLost, AttemptStarted, Event, RoundClosed
from shiage.domain.outcome import Cause, Ending, Outcome, Usage
from shiage.domain.run import Assessment, Counts, Mode, Order, Role, Run, Status
from shiage.domain.verdict import Finding, Judgment
from shiage.engine.places import Places
from shiage.journal.codec import to_draft
from shiage.journal.entry import Draft, Entry, decode, encode

TIME = "2026-01-02T03:04:05.000Z"
PLACES = Places(Path("/project"), "login")
REVIEW, REPLY = (Order("document-review", role, round=1) for role in (Role.REVIEWER, Role.RESPONDER))


def started(number: int, order: Order, run: str = "r-0001") -> AttemptStarted:
    return AttemptStarted(
        run=run, at=100.0 * number, attempt=number, agent_id=f"a{number}", agent="claude", order=order
    )


def exited(number: int, outcome: Outcome, seconds: float = 10.0, run: str = "r-0001") -> AttemptExited:
    at = 100.0 * number + seconds
    return AttemptExited(run=run, at=at, attempt=number, agent_id=f"a{number}", outcome=outcome)


def assessed(number: int, found: Assessment) -> AttemptAssessed:
    return AttemptAssessed(run="r-0001", at=0.0, attempt=number, agent_id=f"a{number}", assessment=found)


DONE = Outcome(Ending.COMPLETED, usage=Usage(cost_usd=0.5))
ROUND: tuple[Event, ...] = (
    started(1, REVIEW),
    exited(1, DONE, 60.0),
    assessed(1, Assessment()),
    started(2, REPLY),
    exited(2, DONE, 30.0),
    assessed(2, Assessment(counts=Counts(3, 1))),
    RoundClosed(run="r-0001", at=300.0, phase="document-review", round=1),
)


def test_an_attempt_is_told_from_its_start_to_what_was_found() -> None:
    finding = Finding("Q3", "omission", "a.py", 3)
    found = Assessment(judgment=Judgment.REJECT, findings=(finding,), problem="")
    [row] = told_attempts((started(1, Order("impl", Role.IMPLEMENTER)), exited(1, DONE), assessed(1, found)), PLACES)
    assert (row.run, row.attempt, row.phase, row.role, row.seconds) == ("r-0001", 1, "impl", "implementer", 10.0)
    assert (row.ending, row.cause, row.cost_usd, row.judgment, row.findings) == (
        "completed",
        "",
        0.5,
        "REJECT",
        (finding,),
    )
    assert row.log == ".shiage/runs/r-0001/attempt-1.log"


def test_a_failure_keeps_its_cause_and_its_sentence() -> None:
    failed = Outcome(Ending.FAILED, Cause.CRASHED, exit_code=2, detail="Ended with exit code 2.")
    [row] = told_attempts((started(1, REVIEW), exited(1, failed)), PLACES)
    assert (row.ending, row.cause, row.detail) == ("failed", "crashed", "Ended with exit code 2.")


def test_an_attempt_whose_end_was_never_seen_is_lost_and_one_without_end_runs() -> None:
    lost = AttemptLost(run="r-0001", at=1.0, attempt=1, agent_id="a1")
    rows = told_attempts((started(1, REVIEW), lost, started(2, REVIEW)), PLACES)
    assert [row.ending for row in rows] == ["lost", "running"]


def test_attempts_of_two_runs_with_one_number_are_two() -> None:
    rows = told_attempts((started(1, REVIEW), started(1, REVIEW, "r-0002")), PLACES)
    assert [row.run for row in rows] == ["r-0001", "r-0002"]


def test_an_end_without_a_beginning_is_passed_over() -> None:
    assert told_attempts((exited(1, DONE),), PLACES) == ()


def test_roles_that_are_not_judged_have_no_judgment() -> None:
    assert [row.judgment for row in told_attempts(ROUND, PLACES)] == ["", ""]


def test_a_round_has_the_counts_of_its_reply_and_the_time_of_both_attempts() -> None:
    [row] = told_rounds(ROUND, told_attempts(ROUND, PLACES))
    assert (row.phase, row.round, row.fix, row.discuss, row.seconds) == ("document-review", 1, 3, 1, 90.0)
    assert row.path == "document-review-1-reply.md"


def test_an_inspection_has_its_verdict_and_is_told_once() -> None:
    look = Order("inspection", Role.INSPECTOR, round=1)
    closed = RoundClosed(run="r-0001", at=3.0, phase="inspection", round=1)
    events = (started(1, look), exited(1, DONE), assessed(1, Assessment(verdict="nogo")), closed, closed)
    [row] = told_rounds(events, told_attempts(events, PLACES))
    assert (row.verdict, row.fix, row.path) == ("nogo", None, "inspection-1.md")


def told(*events: Event) -> list[Entry]:
    return [Entry(0, draft.event_type, TIME, "summary", "r-0001", draft.content, "") for draft in drafts_of(*events)]


def drafts_of(*events: Event) -> list[Draft]:
    return [to_draft(event, event.run, "summary") for event in events]


def test_what_is_told_entry_by_entry_is_what_is_told_at_once() -> None:
    """A loop of two iterations; at whatever entry a look ended, the next one goes on from there."""
    work = Order("impl", Role.IMPLEMENTER)
    loop = [
        Entry(0, kind, TIME, "summary", "r-0001", content, "")
        for kind, content in (
            ("REVIEW_ITERATION_START", {"iteration": 1}),
            ("QUALITY_JUDGMENT", {"judgment": "REJECT"}),
            ("REJECTION_DETAILS", {"modification_prompt": "again"}),
            ("REVIEW_ITERATION_END", {}),
        )
    ]
    entries = [*told(*ROUND), *told(started(3, work)), *loop, *told(started(4, work)), loop[0]]
    whole = Telling(PLACES, PLACES.root).after(entries)
    assert [row.judgment for row in whole.iterations.records] == ["REJECT", ""]
    assert [row.attempt for row in whole.iterations.records] == [3, 4]
    for at in range(len(entries)):
        assert Telling(PLACES, PLACES.root).after(entries[:at]).after(entries[at:]) == whole


@pytest.mark.parametrize("text", ["plain", "日本語\u2028\x85", '"\\\n'])
def test_an_entry_is_printed_as_it_stands_in_the_journal(text: str) -> None:
    written = encode(Entry(1, "ANSWERED", "2026-01-02T03:04:05.000Z", "summary", "r-1", {"text": text}, ""))
    entry = decode(written)
    assert entry is not None
    assert line(entry).encode("utf-8", "surrogateescape") == written


def test_the_end_of_a_step_is_that_of_the_step(view: object) -> None:
    made = view()  # type: ignore[operator]
    step = Run(mode=Mode.STEP, status=Status.ERROR, phase="design", reason="rejected", id="r-0002")
    told = ended(made, step)
    assert (told.status, told.reason, told.run) == ("error", "rejected", "r-0002")
    assert "shiage step login design" in told.next_action
    assert ended(made, replace(step, status=Status.COMPLETED, reason="")).next_action == "run `shiage run login`"
    assert ended(made, Run(status=Status.PAUSED, reason="stopped")) == made
