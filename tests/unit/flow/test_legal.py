"""The table of what can happen when, and the diagram drawn from it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from shiage.domain.errors import IllegalEvent, OurBug
from shiage.domain.events import (
    EVENTS,
    Answered,
    Approved,
    AttemptAssessed,
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    Event,
    Muted,
    PhaseEntered,
    PhaseFinished,
    PhaseRefused,
    RecordFailed,
    ResetRequested,
    ResumeRequested,
    RoundClosed,
    RunStarted,
    StopRequested,
)
from shiage.domain.outcome import Ending, Outcome
from shiage.domain.run import Assessment, Order, Role, Run, Status
from shiage.flow.diagram import mermaid
from shiage.flow.legal import LEGAL
from shiage.flow.machine import decide, evolve, plan

OF_LAST: dict[str, Any] = {"attempt": 1, "agent_id": "a1"}
EXAMPLES: dict[type[Event], dict[str, Any]] = {
    RunStarted: {"spec": "login"},
    ResumeRequested: {},
    PhaseEntered: {"phase": "design"},
    PhaseRefused: {"phase": "design", "reason": "not-permitted"},
    AttemptStarted: {**OF_LAST, "agent": "claude", "order": Order("design", Role.AUTHOR)},
    AttemptExited: {**OF_LAST, "outcome": Outcome(Ending.COMPLETED)},
    AttemptLost: OF_LAST,
    AttemptAssessed: {**OF_LAST, "assessment": Assessment()},
    RoundClosed: {"phase": "document-review", "round": 1},
    PhaseFinished: {"phase": "design"},
    RecordFailed: {"reason": "spec-unreadable", "path": "spec.json", "problem": "line 3"},
    StopRequested: {},
    ResetRequested: {},
    Approved: {"phase": "design"},
    Answered: {"text": "yes"},
    Muted: {"finding": "0a1b2c3d", "why": "meant so"},
}
ILLEGAL = [(kind, status) for kind in EVENTS for status in Status if status not in LEGAL[kind]]
LEGAL_ROWS = [(kind, status) for kind in EVENTS for status in LEGAL[kind]]


def in_status(at: Any, status: Status) -> Run:
    """A run of that status that came there by itself."""
    play = at("design")
    if status is Status.IDLE:
        play.stop()
        play.reset()
    if status is Status.PAUSED:
        play.begin()
        play.stop()
    if status is Status.ERROR:
        play.fail()
    if status is Status.COMPLETED:
        play.stop()
        play.resume(until="requirements")
    run: Run = play.run
    assert run.status is status
    return run


def test_every_fact_has_a_row() -> None:
    assert set(LEGAL) == set(EVENTS) == set(EXAMPLES)


@pytest.mark.parametrize(("kind", "status"), ILLEGAL)
def test_a_fact_that_cannot_be_true_in_a_status_is_our_bug_and_changes_nothing(
    at: Any, kind: type[Event], status: Status
) -> None:
    run = in_status(at, status)
    planned = plan(run)
    with pytest.raises(IllegalEvent, match=f"{kind.__name__} in a run that is {status}") as raised:
        evolve(run, kind(run=run.id, at=1.0, **EXAMPLES[kind]))
    assert isinstance(raised.value, OurBug)
    assert plan(run) == planned


#: What needs a certain moment within its status; elsewhere in the suite each of them is reached.
_MOMENT = {AttemptExited, AttemptLost, AttemptAssessed, RoundClosed, ResumeRequested, Answered, ResetRequested}
_MOMENT |= {PhaseEntered, PhaseRefused, PhaseFinished, Approved}


@pytest.mark.parametrize(("kind", "status"), [row for row in LEGAL_ROWS if row[0] not in _MOMENT])
def test_a_legal_fact_leads_where_its_row_says(at: Any, kind: type[Event], status: Status) -> None:
    run = in_status(at, status)
    after, planned = decide(run, kind(run=run.id, at=1.0, **EXAMPLES[kind]))
    assert after.status in LEGAL[kind][status]
    assert planned == plan(after)


def test_a_fact_that_leads_where_its_row_does_not_is_our_bug(at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEGAL, StopRequested, {Status.RUNNING: frozenset({Status.ERROR})})
    with pytest.raises(IllegalEvent, match="cannot lead from running to paused"):
        evolve(in_status(at, Status.RUNNING), StopRequested(run="r1", at=1.0))


def test_a_status_that_is_not_running_plans_nothing_but_the_end_of_its_agent(at: Any) -> None:
    for status in Status:
        run = in_status(at, status)
        if status is Status.PAUSED:
            run = replace(run, attempts=())
        assert (plan(run) == ()) == (status is not Status.RUNNING)


def test_the_state_diagram_is_drawn_from_the_table() -> None:
    drawn = mermaid()
    edges = {
        (source, target): set(names.split(", "))
        for source, target, names in re.findall(r"^    (\w+) --> (\w+): (.+)$", drawn, re.MULTILINE)
    }
    expected: dict[tuple[str, str], set[str]] = {}
    for kind, row in LEGAL.items():
        for source, targets in row.items():
            for target in targets - {source}:
                expected.setdefault((source.value, target.value), set()).add(kind.__name__)
    assert edges == expected
    assert drawn.startswith("stateDiagram-v2\n    [*] --> idle\n")


def test_the_diagram_follows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEGAL, Answered, {Status.IDLE: frozenset({Status.ERROR})})
    assert "    idle --> error: Answered\n" in mermaid()
