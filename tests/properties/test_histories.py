"""Ten thousand random histories of the core against its promises, and planted faults that the promises must catch."""

from dataclasses import dataclass, field
from itertools import islice

import pytest
from faults import FAULTS, Fault
from history import history
from promises import PROMISES, broken
from trace_of import Trace

from shiage.domain.events import EVENTS
from shiage.domain.reasons import REASONS
from shiage.domain.run import Role, Status
from shiage.flow.legal import LEGAL
from shiage.flow.workflows import WORKFLOWS

HISTORIES, PARTS = 10_000, 20
#: Within how many histories a promise must catch a planted fault.
SOON = 2_000
#: Stops that only the shell can tell of.
NOT_OF_THE_CORE = {
    "interrupted",
    "journal-not-writable",
    "evidence-lost",
    "merge-conflict",
    "merge-blocked",
    "worktree-broken",
    "push-refused",
}


@dataclass
class Seen:
    """What was seen in histories taken together."""

    count: int = 0
    edges: set[tuple[type, Status, Status]] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    roles: set[Role] = field(default_factory=set)
    workflows: set[str] = field(default_factory=set)
    completed: int = 0

    def add(self, trace: Trace) -> None:
        self.count += 1
        self.workflows.add(trace.workflow)
        self.completed += bool(trace.progress)
        for step in trace.steps:
            self.edges.add((type(step.event), step.before.status, step.after.status))
            self.reasons.add(step.after.reason)
            if step.after.attempts:
                self.roles.add(step.after.attempts[-1].order.role)

    @property
    def missing(self) -> set[object]:
        """Whatever could happen and was not seen."""
        table = {(kind, a, b) for kind, row in LEGAL.items() for a, targets in row.items() for b in targets}
        possible = {*table, *(set(REASONS) - NOT_OF_THE_CORE), *Role, *WORKFLOWS}
        return possible - {*self.edges, *self.reasons, *self.roles, *self.workflows}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_history_keeps_every_promise(part: int) -> None:
    for seed in range(part, HISTORIES, PARTS):
        found = list(broken(history(seed)))
        assert not found, f"seed {seed}: {found[:3]}"


@pytest.mark.slow
def test_the_histories_hold_every_fact_status_way_of_the_table_reason_role_and_workflow() -> None:
    seen = Seen()
    for seed in range(HISTORIES):
        seen.add(history(seed))
        if not seen.missing:
            break
    assert seen.missing == set()
    assert {kind for kind, _, _ in seen.edges} == set(EVENTS)
    assert {after for _, _, after in seen.edges} == set(Status)
    assert seen.completed > seen.count / 10


def test_a_history_is_always_the_same() -> None:
    assert [history(seed).events for seed in range(20)] == [history(seed).events for seed in range(20)]


def caught(promise: str) -> int | None:
    """How many histories it took to break this promise."""
    only = frozenset({promise})
    for seed in range(SOON):
        if next(islice(broken(history(seed), only), 1), None):
            return seed + 1
    return None


@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.name)
def test_a_planted_fault_is_caught(planted: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.plant(monkeypatch)
    assert caught(planted.promise) is not None


def test_every_promise_has_a_fault_that_breaks_it() -> None:
    assert {planted.promise for planted in FAULTS} == set(PROMISES)
