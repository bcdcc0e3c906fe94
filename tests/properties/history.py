"""Random histories of a spec: a shell that does what the machine plans, agents that end anyhow, people, crashes."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from trace_of import EXAMPLES, GOOD, Mood, Step, Trace, any_limits

from shiage.domain.errors import IllegalEvent
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
from shiage.domain.run import (
    Action,
    Assess,
    CloseRound,
    EnterPhase,
    Facts,
    FinishPhase,
    Mode,
    Run,
    SealedTask,
    StartAgent,
    Status,
    StopAgent,
)
from shiage.flow import machine
from shiage.flow.history import History, recall
from shiage.flow.legal import LEGAL
from shiage.flow.workflows import WORKFLOWS

SEAL = (SealedTask("1", "build it", 0),)
SURPRISES = (LookupError, AttributeError, TypeError, ValueError, RecursionError)


class Shell:
    """What the engine will be: performs plans, tells facts, keeps the journal; its disk is three fields."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        name = rng.choices(("spec", "bug", "task"), (8, 3, 1))[0]
        self.flow = WORKFLOWS[name]
        self.mood = Mood.any(rng)
        self.trace = Trace(seed, name, any_limits(rng))
        self.history = History()
        self.finished = {row.name for row in self.flow.phases[: rng.randrange(len(self.flow.phases))]}
        self.closed = {row.name: rng.choice((0, 0, 0, 1, 3)) for row in self.flow.phases if row.rounds}
        self.tampered = ""
        self.edits = 0
        self.now = 0.0
        self.alive: dict[str, AttemptStarted] = {}
        self.ids = 0

    # -- telling facts -------------------------------------------------------------------------------------------

    def target(self, event: Event) -> Run:
        if isinstance(event, RunStarted) and event.mode is Mode.STEP:
            return Run()
        step = self.history.step
        return step if step is not None and event.run == step.id else self.history.main

    def fact(self, kind: type[Event], run: Run | None = None, **fields: Any) -> Event:
        self.now += self.rng.choice((1.0, 20.0))
        return kind(**{"run": (run or self.history.main).id or "r0", "at": self.now, **fields})

    def tell(self, event: Event, *, by_person: bool = False) -> bool:
        """Fold a fact as the engine does; a person's wish may be refused, a planned action's fact may not."""
        before = self.target(event)
        if not machine.accepts(before, event):
            return False
        try:
            self.history = self.history.after(event)
        except IllegalEvent as error:
            if not by_person:
                self.trace.surprises.append(f"{type(event).__name__}: {error}")
            return False
        except SURPRISES as error:
            self.trace.surprises.append(f"{type(event).__name__}: {error!r}")
            return False
        if isinstance(event, AttemptStarted):
            self.alive[event.agent_id] = event
        after = self.target(event) if not isinstance(event, RunStarted) else self.begun(event)
        self.trace.histories.append(self.history)
        self.trace.steps.append(
            Step(
                event,
                before,
                after,
                machine.plan(after),
                dict(self.closed),
                frozenset(self.finished),
                self.edits,
                len(self.alive),
            )
        )
        return True

    def begun(self, event: RunStarted) -> Run:
        step = self.history.step
        return step if event.mode is Mode.STEP and step is not None else self.history.main

    def facts(self) -> Facts:
        order = [row.name for row in self.flow.phases if row.name in self.finished]
        return Facts(tuple(order), dict(self.closed), {}, self.tampered)

    def chance(self, likely: float) -> bool:
        return self.rng.random() < likely

    # -- doing what is planned -----------------------------------------------------------------------------------

    def work(self) -> None:
        run = self.history.active
        planned = machine.plan(run)
        if planned:
            _PERFORM[type(planned[0])](self, run, planned[0])
        elif run.in_flight:
            self.end(run, self.outcome())
        elif self.alive:
            self.ghost_ends()
        else:
            self.person()

    def end(self, run: Run, outcome: Outcome) -> None:
        last = run.last
        self.alive.pop(last.agent_id, None)
        self.tell(self.fact(AttemptExited, run, attempt=last.number, agent_id=last.agent_id, outcome=outcome))

    def ghost_ends(self) -> None:
        """An agent that nobody waits for any more ends after all."""
        name, begun = self.alive.popitem()
        event = AttemptExited(run=begun.run, at=self.now, attempt=begun.attempt, agent_id=name, outcome=self.outcome())
        self.tell(event)

    def outcome(self) -> Outcome:
        return self.mood.outcome(self.rng)

    def start_agent(self, run: Run, action: StartAgent) -> None:
        self.ids += 1
        number, agent = len(run.attempts) + 1, f"a{self.ids}"
        self.tell(
            self.fact(
                AttemptStarted,
                run,
                attempt=number,
                agent_id=agent,
                agent=action.order.agent or "claude",
                order=action.order,
            )
        )

    def stop_agent(self, run: Run, action: StopAgent) -> None:
        outcome = Outcome(Ending.STOPPED) if self.chance(0.7) else self.outcome()
        self.end(run, outcome)

    def assess(self, run: Run, action: Assess) -> None:
        if self.chance(self.mood.odd / 2):
            reason = self.rng.choice(("spec-unreadable", "settings-unreadable", "evidence-lost"))
            self.tell(self.fact(RecordFailed, run, reason=reason, path="spec.json", problem="line 3"))
            return
        last = run.last
        found = self.mood.found(self.rng, last.order.role, machine.workflow_of(run).phase(run.phase).seals)
        self.tell(self.fact(AttemptAssessed, run, attempt=last.number, agent_id=last.agent_id, assessment=found))

    def enter(self, run: Run, action: EnterPhase) -> None:
        row = self.flow.phase(action.phase)
        if self.chance(self.mood.odd):
            self.tell(self.fact(RecordFailed, run, reason="spec-unreadable", path="spec.json", problem="line 3"))
        elif self.mood is not GOOD and self.chance(0.7 if row.optional else self.mood.odd):
            reason = "not-permitted" if row.optional else self.rng.choice(("not-permitted", "not-approved"))
            optional = row.optional and run.mode is Mode.AUTO  # whoever takes a step asks for it
            self.tell(self.fact(PhaseRefused, run, phase=row.name, reason=reason, optional=optional))
        else:
            closed = self.closed.get(row.name, 0)
            reviewed = closed + (1 if row.rounds and len(row.records) == 1 and self.chance(0.1) else 0)
            if closed - self.history.main.base.get(row.name, 0) >= self.trace.limits.review_rounds:
                reviewed = closed  # a review made by hand beyond the allowance is another question
            seal = SEAL if row.seals else ()
            self.tell(self.fact(PhaseEntered, run, phase=row.name, closed=closed, reviewed=reviewed, seal=seal))

    def unwritable(self, run: Run) -> bool:
        if not self.chance(self.mood.odd):
            return False
        self.tell(self.fact(RecordFailed, run, reason="spec-not-writable", path="spec.json", problem="full"))
        return True

    def close(self, run: Run, action: CloseRound) -> None:
        if self.unwritable(run):
            return
        number = run.attempts[action.attempt - 1].order.round
        self.closed[run.phase] = max(number, self.closed.get(run.phase, 0))
        self.edits += run.mode is Mode.STEP
        if self.chance(self.mood.disturb / 4):
            self.crash()  # written, but not yet told
        else:
            self.tell(self.fact(RoundClosed, run, phase=run.phase, round=number))

    def finish(self, run: Run, action: FinishPhase) -> None:
        if self.unwritable(run):
            return
        self.finished.add(action.phase)
        self.edits += run.mode is Mode.STEP
        if self.chance(self.mood.disturb / 4):
            self.crash()
        else:
            self.tell(self.fact(PhaseFinished, run, phase=action.phase))

    # -- people --------------------------------------------------------------------------------------------------

    def person(self) -> None:
        run = self.history.active
        if run.status is Status.RUNNING:
            kind = self.rng.choices((self.stop, self.second_start, self.approve), (8, 1, 1))[0]
        elif run.mode is Mode.STEP:
            return self.work() if run.in_flight else None  # its agent is still ending
        elif run.status in (Status.IDLE, Status.COMPLETED):
            kind = self.rng.choices((self.start, self.approve, self.reset, self.step, self.mute), (12, 1, 1, 2, 1))[0]
        else:
            acts = (
                self.resume,
                self.approve,
                self.answer,
                self.reset,
                self.step,
                self.edit,
                self.second_start,
                self.mute,
            )
            kind = self.rng.choices(acts, (20, 5, 3, 2, 3, 2, 1, 2))[0]
        return kind(run)

    def stop(self, run: Run) -> None:
        self.tell(self.fact(StopRequested, run))

    def second_start(self, run: Run) -> None:
        event = self.fact(RunStarted, None, spec="login", workflow=self.flow.name)
        if self.history.main.status in LEGAL[RunStarted] or run.mode is Mode.STEP:
            return
        if self.tell(replace(event, run="second"), by_person=True):
            self.trace.accepted.append("a second start")

    def until(self) -> str:
        return self.rng.choice(self.flow.phases).name if self.mood is not GOOD and self.chance(0.15) else ""

    def start(self, run: Run) -> None:
        self.ids += 1
        fields = {"spec": "login", "workflow": self.flow.name, "limits": self.trace.limits, "facts": self.facts()}
        self.tell(self.fact(RunStarted, None, **fields, until=self.until()) if run.id == "" else replace(
            self.fact(RunStarted, None, **fields, until=self.until()), run=f"r{self.ids}"), by_person=True)  # fmt: skip

    def resume(self, run: Run, by: str = "person") -> None:
        until = run.until if by != "person" else self.until()
        if by == "person":
            self.tampered = "- 2" if self.chance(self.mood.odd) else ""
        fields = {"by": by, "until": until, "limits": self.trace.limits, "facts": self.facts()}
        self.tell(self.fact(ResumeRequested, run, **fields), by_person=by == "person")

    def approve(self, run: Run) -> None:
        step = self.history.step
        idle = step is not None and step.status is Status.PAUSED and not step.in_flight
        if step is not None and idle and run.status is not Status.RUNNING and self.chance(0.3):
            run = step
        own = run.phase or self.flow.phases[0].name
        phase = self.rng.choices((own, "tasks", self.rng.choice(self.flow.phases).name), (6, 2, 1))[0]
        seal = SEAL if phase == "tasks" else ()
        if self.tell(self.fact(Approved, run, phase=phase, seal=seal), by_person=True) and self.chance(0.7):
            approved = self.history.step if run is step else self.history.main
            if approved and isinstance(approved.todo, FinishPhase) and approved.status is Status.PAUSED:
                self.finish(approved, approved.todo)

    def answer(self, run: Run) -> None:
        self.tell(
            self.fact(Answered, run, text="use the other one", allowed=self.rng.choice((None, True, False))),
            by_person=True,
        )

    def mute(self, run: Run) -> None:
        self.tell(self.fact(Muted, None, finding=self.rng.choice(("0a", "1b")), why="meant so"), by_person=True)

    def reset(self, run: Run) -> None:
        self.tell(self.fact(ResetRequested, run), by_person=True)

    def step(self, run: Run) -> None:
        if run.in_flight:
            return
        self.ids += 1
        row = self.rng.choice(self.flow.phases)
        fix = row.rounds and self.chance(0.3)
        fields = {"spec": "login", "workflow": self.flow.name, "limits": self.trace.limits, "facts": self.facts()}
        event = self.fact(RunStarted, None, **fields, mode=Mode.STEP, phase=row.name, fix=fix)
        self.tell(replace(event, run=f"s{self.ids}"), by_person=True)

    def edit(self, run: Run) -> None:
        """Somebody else changes the spec folder while nothing runs."""
        self.edits += 1
        kind = self.rng.randrange(3)
        if kind == 0 and self.closed:
            self.closed[self.rng.choice(list(self.closed))] += 1
        elif kind == 1 and self.finished:
            self.finished.discard(self.rng.choice(sorted(self.finished)))
        elif kind == 2 and self.chance(0.3):
            self.finished = {row.name for row in self.flow.phases}

    # -- crashes and noise ---------------------------------------------------------------------------------------

    def crash(self) -> None:
        recalled = recall(self.trace.events)
        self.trace.replayed.append(recalled == self.history)
        self.history = recalled
        self.alive.clear()  # the sweep at the next start
        for run in (self.history.step, self.history.main):
            if run is not None and run.in_flight:
                flight = run.in_flight
                self.tell(self.fact(AttemptLost, run, attempt=flight.number, agent_id=flight.agent_id))
        run = self.history.active
        if run.status is Status.RUNNING:
            self.resume(run, by="recovery" if self.chance(0.7) else "person")

    def noise(self) -> None:
        run = self.history.active
        kind = self.rng.choice((self.foreign, self.impossible))
        kind(run)

    def foreign(self, run: Run) -> None:
        """A message of another run, another agent or an earlier attempt."""
        last = run.attempts[-1] if run.attempts else None
        number, agent = (last.number, last.agent_id) if last else (1, "a1")
        wrong = self.rng.choice(({"run": "other"}, {"agent_id": "foreign"}, {"attempt": number + 7}))
        fields: dict[str, Any] = {"run": run.id, "at": self.now, "attempt": number, "agent_id": agent, **wrong}
        kind: type[Event] = self.rng.choice((AttemptExited, AttemptLost, AttemptAssessed))
        self.refused(run, kind(**{**EXAMPLES[kind], **fields}))

    def impossible(self, run: Run) -> None:
        """A fact that cannot be true in this status."""
        kinds = [kind for kind in EVENTS if run.status not in LEGAL[kind]]
        kind = self.rng.choice(kinds)
        self.refused(run, kind(run=run.id, at=self.now, **EXAMPLES[kind]))

    def refused(self, run: Run, event: Event) -> None:
        try:
            after = machine.evolve(run, event)
        except IllegalEvent:
            return
        except SURPRISES as error:
            self.trace.accepted.append(f"{type(event).__name__}: {error!r}")
            return
        self.trace.accepted.append(f"{type(event).__name__} in {run.status} led to {after.status}")
        self.tell(event)

    # -- a whole history -----------------------------------------------------------------------------------------

    def turn(self) -> None:
        if not self.chance(self.mood.disturb):
            self.work()
        else:
            self.rng.choices((self.crash, self.person, self.noise, self.ghost), (3, 4, 3, 1))[0]()

    def ghost(self) -> None:
        if self.alive and self.history.active.in_flight is None:
            self.ghost_ends()

    def live(self) -> Trace:
        for _ in range(self.rng.randint(8, 60)):
            self.turn()
            if self.trace.surprises:
                return self.trace
        if self.chance(0.3):
            self.trace.progress = self.go_well()
        return self.trace

    def go_well(self) -> tuple[bool, int]:
        """From here on every agent succeeds and the person does what the run asks for."""
        self.mood, self.tampered, begun = GOOD, "", len(self.trace.steps)
        for _ in range(200):
            run = self.history.active
            if run.mode is Mode.AUTO and run.status is Status.COMPLETED:
                return True, len(self.trace.steps) - begun
            if run.status is Status.RUNNING or run.in_flight:
                self.work()
            elif run.status is Status.IDLE:
                self.start(run)
            elif run.reason == "tasks-incomplete":
                self.reset(run)
            else:
                self.resume(run)
        return False, len(self.trace.steps) - begun


_PERFORM: dict[type[Action], Callable[[Shell, Run, Any], None]] = {
    StartAgent: Shell.start_agent,
    StopAgent: Shell.stop_agent,
    Assess: Shell.assess,
    EnterPhase: Shell.enter,
    CloseRound: Shell.close,
    FinishPhase: Shell.finish,
}


def history(seed: int) -> Trace:
    """The history of this seed, always the same."""
    return Shell(seed).live()
