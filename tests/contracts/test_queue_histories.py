"""Random histories of a queue beside a model of it: processes die, clocks jump, results come late."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from queue_worlds import World

from shiage.queue.store import ClaimLost, Store, Taken
from shiage.queue.tickets import FINAL, MOVES, OPEN, Hold, State, Ticket, Wish

DAY = 86_400.0
MOST = 3
SUBJECTS = st.sampled_from(["a", "b", "c", "d"])
AGENTS = ("claude", "codex")


@dataclass
class Row:
    """What the model knows of a ticket."""

    id: int
    wish: Wish
    state: State = State.QUEUED
    owner: str = ""
    token: int = 0
    reserved: str = ""
    not_before: float = 0.0
    finished: int = 0  #: how often a final result was accepted
    renewed: float = 0.0  #: on the steady clock


@dataclass
class Model:
    """The queue as a list and ten lines of rules."""

    rows: dict[int, Row] = field(default_factory=dict)
    living: set[str] = field(default_factory=set)
    held: dict[str, float] = field(default_factory=dict)

    def of(self, *states: State) -> list[Row]:
        return [row for row in self.rows.values() if row.state in states]

    def orphans(self) -> list[Row]:
        return [row for row in self.of(State.RUNNING) if row.owner not in self.living]

    def ready(self, me: str, now: float) -> list[Row]:
        busy = {row.wish.subject for row in self.of(State.RUNNING)}
        if len(self.of(State.RUNNING)) >= MOST:
            return []
        found = [row for row in self.of(State.QUEUED) if row.wish.subject not in busy and self._may(row, me, now)]
        return sorted(found, key=lambda row: (-row.wish.priority, row.id))

    def _may(self, row: Row, me: str, now: float) -> bool:
        free = row.reserved in ("", me) or row.reserved not in self.living
        held = any(self.held.get(agent, 0) > now for agent in row.wish.agents)
        return free and not held and row.not_before <= now and self._reached(row.wish.after)

    def _reached(self, after: int | None) -> bool:
        if after is None:
            return True
        subject = self.rows[after].wish.subject
        return any(row.wish.subject == subject and row.id >= after for row in self.of(State.COMPLETE))


class Histories(RuleBasedStateMachine):
    kind: Callable[[Path], World]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.world = type(self).kind(Path(self.folder.name))
        self.model = Model()
        self.stores: list[Store] = []
        self.claims: list[tuple[Store, Ticket]] = []  #: every one that was ever given
        self.steady = 0.0
        for _ in range(3):
            self.comes()

    def teardown(self) -> None:
        store = self.stores[0]
        assert {ticket.id: ticket.state for ticket in (*store.open(), *store.ended(10_000))} == self.world.states()
        self.world.close()
        self.folder.cleanup()

    def comes(self) -> None:
        self.stores.append(self.world.owner())
        self.model.living.add(self.stores[-1].me.id)

    def of(self, index: int) -> Store:
        return self.stores[index % len(self.stores)]

    @rule(index=st.integers(0, 9), subject=SUBJECTS, priority=st.integers(-1, 1), agents=st.sets(st.sampled_from(AGENTS)),
          delay=st.sampled_from([0.0, 0.0, 10.0]), chain=st.integers(0, 3))  # fmt: skip
    def add(self, index, subject, priority, agents, delay, chain):
        after = max(self.model.rows, default=None) if chain == 0 else None
        wish = Wish(subject, "", {}, tuple(sorted(agents)), priority, self.world.now() + delay, after)
        self._entered(self.of(index).add(wish), wish)

    def _entered(self, ticket: Ticket, wish: Wish) -> None:
        known = [row.id for row in self.model.of(*OPEN) if row.wish.dedup == wish.dedup]
        assert [ticket.id] == known or (known == [] and ticket.id not in self.model.rows)
        self.model.rows.setdefault(ticket.id, Row(ticket.id, wish, not_before=wish.not_before))

    @rule(index=st.integers(0, 9), subject=SUBJECTS)
    def reserve(self, index, subject):
        store, wish = self.of(index), Wish(subject)
        row = next((row for row in self.model.of(*OPEN) if row.wish.dedup == subject), None)
        holder = "" if row is None else row.owner if row.state is State.RUNNING else row.reserved
        try:
            ticket = store.reserve(wish)
        except Taken:
            assert holder in self.model.living - {store.me.id}
            return
        assert holder not in self.model.living - {store.me.id}
        self._entered(ticket, wish)
        row = self.model.rows[ticket.id]
        if row.state is not State.RUNNING:
            row.wish = replace(wish, priority=row.wish.priority)
            row.state, row.reserved, row.not_before = State.QUEUED, store.me.id, 0.0

    @rule(index=st.integers(0, 9))
    def claim(self, index):
        store = self.of(index)
        orphans, ready = self.model.orphans(), self.model.ready(store.me.id, self.world.now())
        ticket = store.claim(most=MOST)
        if ticket is None:
            assert not orphans and not ready
            return
        row = self.model.rows[ticket.id]
        if row.state is State.RUNNING and row.owner in self.model.living:
            assert self.steady - row.renewed > self.world.lease, "taken from an owner that is well"
        elif orphans:
            assert row in orphans
        else:
            assert row is ready[0]
        assert ticket.token == row.token + 1
        row.state, row.owner, row.token, row.reserved = State.RUNNING, store.me.id, ticket.token, ""
        row.renewed = self.steady
        self.claims.append((store, ticket))

    @precondition(lambda self: self.claims)
    @rule(which=st.integers(0, 99), state=st.sampled_from([*FINAL, State.QUEUED, State.AWAITING_RESPONSE]))
    def finish(self, which, state):
        """Also from owners that have lost the ticket, and twice."""
        store, ticket = self.claims[-1 - which % len(self.claims)]
        if store not in self.stores:
            return
        row = self.model.rows[ticket.id]
        valid = (row.state, row.token) == (State.RUNNING, ticket.token)
        try:
            store.finish(ticket, state)
        except ClaimLost:
            assert not valid
            return
        assert valid, "a late result was accepted"
        row.state, row.not_before = state, 0.0 if state is State.QUEUED else row.not_before
        row.finished += state in FINAL

    @rule(index=st.integers(0, 9))
    def renew(self, index):
        store = self.of(index)
        mine = [row for row in self.model.of(State.RUNNING) if row.owner == store.me.id]
        held = [ticket for owner, ticket in self.claims if owner is store]
        assert set(store.renew(held)) == {row.id for row in mine}
        for row in mine:
            row.renewed = self.steady

    @precondition(lambda self: self.model.rows)
    @rule(index=st.integers(0, 9), which=st.integers(0, 99))
    def cancel(self, index, which):
        row = self.model.rows[sorted(self.model.rows)[which % len(self.model.rows)]]
        if row.state in (State.QUEUED, State.AWAITING_RESPONSE):
            row.state, row.finished = State.CANCELLED, 1
        assert self.of(index).cancel(row.id).state is row.state

    @precondition(lambda self: self.model.of(State.AWAITING_RESPONSE))
    @rule(index=st.integers(0, 9))
    def answer(self, index):
        row = self.model.of(State.AWAITING_RESPONSE)[0]
        assert self.of(index).answer(row.id, "go on").state is State.QUEUED
        row.state, row.reserved, row.not_before = State.QUEUED, "", 0.0

    @rule(index=st.integers(0, 9), agent=st.sampled_from(AGENTS), seconds=st.sampled_from([5.0, 50.0]))
    def hold(self, index, agent, seconds):
        until = self.world.now() + seconds
        self.of(index).hold(Hold(agent, until, "limit"))
        self.model.held[agent] = max(self.model.held.get(agent, 0.0), until)

    @rule(index=st.integers(0, 9))
    def crash(self, index):
        store = self.of(index)
        self.stores.remove(store)
        self.model.living.remove(store.me.id)
        self.world.kill(store)
        self.comes()

    @rule(seconds=st.sampled_from([1.0, 12.0, 40.0]))
    def time_passes(self, seconds):
        self.world.pass_time(seconds)
        self.steady += seconds

    @rule(seconds=st.sampled_from([-DAY, -3600.0, 3600.0, DAY]))
    def clock_jumps(self, seconds):
        self.world.jump(seconds)

    @invariant()
    def nothing_is_lost_and_every_state_is_the_models(self):
        assert self.world.states() == {row.id: row.state for row in self.model.rows.values()}

    @invariant()
    def each_ends_once_and_each_subject_runs_once(self):
        assert all(row.finished == (row.state in FINAL) for row in self.model.rows.values())
        running = [row.wish.subject for row in self.model.of(State.RUNNING)]
        assert len(running) == len(set(running))


@pytest.mark.slow
def test_random_histories_keep_every_promise(kind):
    """Nothing lost, nothing at two owners, no illegal move, each ends once; and what may run is found."""
    chosen = type("Chosen", (Histories,), {"kind": staticmethod(kind)})
    limits = settings(
        max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(chosen, settings=limits)


def test_the_table_of_moves_leads_everywhere_and_out_of_no_end():
    reached = {State.QUEUED}
    for _ in State:
        reached |= {after for before in reached for after in MOVES[before]}
    assert reached == set(State) and {state for state in State if not MOVES[state]} == FINAL
