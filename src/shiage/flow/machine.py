"""The whole behaviour of a run: what is true after an event, and what should happen next.

`evolve` folds a fact into the run, `plan` reads off what is to be done. Starting, going on, resuming and
recovering are one path: fold what happened, ask for the plan.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, assert_never

from shiage.domain.details import told
from shiage.domain.errors import IllegalEvent
from shiage.domain.events import (
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
from shiage.domain.reasons import REASONS
from shiage.domain.run import (
    Action,
    Assess,
    Attempt,
    CloseRound,
    EnterPhase,
    FinishPhase,
    Grant,
    Mode,
    Order,
    Run,
    StartAgent,
    Status,
    StopAgent,
)
from shiage.flow.legal import LEGAL
from shiage.flow.moves import go_on, repair, row_of, start, stop, workflow_of
from shiage.flow.resuming import resumed
from shiage.flow.step import ADVANCE, Advance, Again, Fail, Pause, Step
from shiage.flow.workflows import JUDGED


def decide(run: Run, event: Event) -> tuple[Run, tuple[Action, ...]]:
    """Fold one fact into the run, then say what should happen next."""
    run = evolve(run, event)
    return run, plan(run)


def replay(events: Iterable[Event], run: Run | None = None) -> Run:
    run = run or Run()
    for event in events:
        run = evolve(run, event)
    return run


def plan(run: Run) -> tuple[Action, ...]:
    """What is to be done now; asks only the run."""
    flight = run.in_flight
    if run.status is not Status.RUNNING:
        return (StopAgent(flight.number, flight.agent_id),) if flight else ()
    return (run.todo,) if run.todo and not flight else ()


def accepts(run: Run, event: Event) -> bool:
    """Whether a message belongs to what is going on: stale and foreign ones are dropped by whoever asks this."""
    if isinstance(event, AttemptStarted):
        return run.in_flight is None
    if not isinstance(event, AttemptExited | AttemptLost | AttemptAssessed):
        return True
    if event.run != run.id or not run.attempts or run.last.agent_id != event.agent_id:
        return False
    if isinstance(event, AttemptAssessed):
        return run.status is Status.RUNNING and run.todo == Assess(event.attempt)
    return run.last.in_flight and run.last.number == event.attempt


def evolve(run: Run, event: Event) -> Run:
    """What is true after this."""
    legal = LEGAL[type(event)].get(run.status, frozenset())
    if not legal or not accepts(run, event):
        raise IllegalEvent(f"{type(event).__name__} in a run that is {run.status}")
    after = _EVOLVE[type(event)](run, event)
    if after.status not in legal:
        raise IllegalEvent(f"{type(event).__name__} cannot lead from {run.status} to {after.status}")
    return after


def _started(run: Run, event: RunStarted) -> Run:
    base = dict(event.facts.closed) if run.fresh else dict(run.base)
    new = Run(
        spec=event.spec, workflow=event.workflow, id=event.run, mode=event.mode, status=Status.RUNNING,
        until=event.until, limits=event.limits, facts=event.facts, closed=dict(event.facts.closed), base=base,
        approved=run.approved, grants=run.grants, muted=run.muted, started_at=event.at,
    )  # fmt: skip
    if event.mode is Mode.STEP:
        return _manual(new, event)
    return go_on(new, 0)


def _manual(run: Run, event: RunStarted) -> Run:
    run = replace(run, phase=event.phase)
    if not event.fix:
        return replace(run, todo=EnterPhase(event.phase))
    if row_of(run).roles[-1] in JUDGED:  # what it will change is compared with how things stand now
        return replace(run, todo=EnterPhase(event.phase, fix=True))
    return replace(run, todo=StartAgent(repair(run, row_of(run))))


def _entered(run: Run, event: PhaseEntered) -> Run:
    row = workflow_of(run).phase(event.phase)
    closed = {**run.closed, event.phase: event.closed}
    fixes = isinstance(run.todo, EnterPhase) and run.todo.fix
    run = replace(run, phase=event.phase, closed=closed, seal=event.seal or run.seal, snapshot=event.snapshot)
    if not row.roles:
        return replace(run, todo=FinishPhase(event.phase))
    if fixes:
        return start(run, repair(run, row))
    number = event.closed + 1 if row.rounds else 0
    seen = row.rounds and event.reviewed == number
    return start(run, Order(event.phase, row.roles[1 if seen else 0], round=number))


def _refused(run: Run, event: PhaseRefused) -> Run:
    if event.optional and event.phase != run.until:
        flow = workflow_of(run)
        before = flow.phases[flow.index(event.phase) - 1]
        return replace(run, status=Status.COMPLETED, phase=before.name, todo=None)
    return replace(
        run, status=Status.PAUSED, reason=event.reason, detail=event.detail, path=event.path, phase=event.phase
    )


def _begun(run: Run, event: AttemptStarted) -> Run:
    attempt = Attempt(event.attempt, event.agent_id, event.agent, event.order, started_at=event.at)
    return replace(run, attempts=(*run.attempts, attempt), todo=None)


def _with_last(run: Run, **changes: Any) -> Run:
    return replace(run, attempts=(*run.attempts[:-1], replace(run.last, **changes)))


def _exited(run: Run, event: AttemptExited) -> Run:
    run = _with_last(run, outcome=event.outcome, ended_at=event.at)
    if run.last.completed:
        return replace(run, todo=Assess(event.attempt))
    if run.status is not Status.RUNNING:
        return replace(run, todo=StartAgent(replace(run.last.order, not_before=None)))
    return _look(run)


def _lost(run: Run, event: AttemptLost) -> Run:
    run = _with_last(run, lost=True, ended_at=event.seen or event.at)
    return replace(run, todo=StartAgent(replace(run.last.order, not_before=None)))


def _assessed(run: Run, event: AttemptAssessed) -> Run:
    run = _with_last(run, assessment=event.assessment)
    assessment, row, role = event.assessment, row_of(run), run.last.order.role
    answered = assessment.counts is not None or role in row.records[1:]
    settled = assessment.judgment == "PASS" and not assessment.question
    if role in row.records and settled and (answered or assessment.verdict in ("go", "nogo")):
        return replace(run, todo=CloseRound(event.attempt, more=_more(run)))
    return _look(run)


def _more(run: Run) -> bool:
    """Whether another round follows the one that is being closed."""
    counts = run.last.assessment.counts if run.last.assessment else None
    return counts is not None and not counts.clean


def _closed(run: Run, event: RoundClosed) -> Run:
    closed = {**run.closed, event.phase: max(run.closed.get(event.phase, 0), event.round)}
    return _look(replace(run, closed=closed))


def _look(run: Run) -> Run:
    """Ask the phase's gates in order; the first that does not advance decides."""
    row = row_of(run)
    steps = (gate(run, row) for gate in row.gates)
    step: Step = next((step for step in steps if step != ADVANCE), ADVANCE)
    if run.mode is Mode.STEP:
        return _end_pass(run, step)
    return _take(run, step)


def _take(run: Run, step: Step) -> Run:
    match step:
        case Advance():
            return replace(run, todo=FinishPhase(run.phase))
        case Again(order):
            return start(run, order)
        case Pause() | Fail():
            return stop(run, step)
        case _:
            assert_never(step)


def _end_pass(run: Run, step: Step) -> Run:
    """A manual pass ends after its last role, whatever it found; rejected work is an error."""
    row, role = row_of(run), run.last.order.role
    if isinstance(step, Advance):
        return replace(run, todo=FinishPhase(run.phase))
    answers = row.rounds and role is row.roles[0] and role not in row.records
    if isinstance(step, Again) and answers:
        return replace(run, todo=StartAgent(step.order))
    if not run.last.completed and not isinstance(step, Fail):
        outcome = run.last.outcome
        step = Fail("agent-failed", run.last.order, outcome.detail if outcome else "")
    if isinstance(step, Fail) or _is_rejected(run):
        reason = step.reason if isinstance(step, Fail) and step.reason != "tasks-incomplete" else "rejected"
        detail = "" if isinstance(step, Again) else step.detail
        return replace(run, status=Status.ERROR, reason=reason, detail=detail, todo=StartAgent(run.last.order))
    if isinstance(step, Pause) and step.reason in ("verdict-unreadable", "tasks-tampered", "inspection-manual"):
        return stop(run, step)
    return replace(run, status=Status.COMPLETED, todo=None)


def _is_rejected(run: Run) -> bool:
    assessment = run.last.assessment
    if assessment is None or assessment.question:
        return True
    return assessment.judgment != "PASS" or assessment.verdict == "nogo"


def _finished(run: Run, event: PhaseFinished) -> Run:
    finished = tuple(dict.fromkeys((*run.facts.finished, event.phase)))
    run = replace(run, facts=replace(run.facts, finished=finished))
    if run.mode is Mode.STEP:
        return replace(run, status=Status.COMPLETED, reason="", detail="", path="", todo=None)
    flow = workflow_of(run)
    following = flow.index(event.phase) + 1
    if run.status is Status.PAUSED:
        phase = flow.first_open(finished, following)
        return replace(run, todo=EnterPhase(phase.name) if phase else None)
    return go_on(run, following)


def _record_failed(run: Run, event: RecordFailed) -> Run:
    return replace(run, status=Status.PAUSED, reason=event.reason, detail=event.problem, path=event.path)


def _stop_requested(run: Run, event: StopRequested) -> Run:
    return replace(run, status=Status.PAUSED, reason="stopped", detail=told("stopped-by", by=event.by), path="")


def _reset(run: Run, event: ResetRequested) -> Run:
    if run.in_flight:
        raise IllegalEvent("a run cannot be reset while an agent is at work")
    return Run(
        spec=run.spec, workflow=run.workflow, id=run.id, closed=run.closed, approved=run.approved, grants=run.grants,
        muted=run.muted, fresh=True,
    )  # fmt: skip


def _approved(run: Run, event: Approved) -> Run:
    if run.in_flight:
        raise IllegalEvent("nothing can be approved while an agent is at work")
    run = replace(run, approved={**run.approved, event.phase: run.closed.get(event.phase, 0)})
    if run.status not in (Status.PAUSED, Status.ERROR) or (run.reason in REASONS and REASONS[run.reason].needs_reset):
        return run
    if event.seal and run.reason == "tasks-tampered":
        last = run.attempts[-1] if run.attempts else None
        looked = last is not None and last.completed and last.order.phase == run.phase
        todo = Assess(last.number) if last is not None and looked else run.todo
        return _paused_with(replace(run, seal=event.seal), todo)
    if run.reason == "not-approved" and isinstance(run.todo, EnterPhase):
        return _paused_with(run, run.todo)
    if event.phase != run.phase:
        return run
    return _paused_with(run, FinishPhase(event.phase, by_person=True))


def _paused_with(run: Run, todo: Action | None) -> Run:
    return replace(run, status=Status.PAUSED, reason="approved", detail="", path="", todo=todo)


def _answered(run: Run, event: Answered) -> Run:
    if run.in_flight or not isinstance(run.todo, StartAgent):
        raise IllegalEvent("nothing was asked")
    order = run.todo.order
    asked = run.last.outcome.asked if run.attempts and run.last.outcome else ()
    grants = tuple(Grant(order.role, tool, event.allowed) for tool in asked) if event.allowed is not None else ()
    return replace(run, todo=StartAgent(replace(order, answer=event.text)), grants=(*run.grants, *grants))


def _muted(run: Run, event: Muted) -> Run:
    """What was rejected because of it is looked at once more before an agent is asked again."""
    run = replace(run, muted={**run.muted, event.finding: event.why})
    last = run.attempts[-1] if run.attempts else None
    asked = run.todo.order.correcting if isinstance(run.todo, StartAgent) else None
    if run.status is not Status.PAUSED or last is None or asked != last.number:
        return run
    return replace(run, reason="muted", detail="", path="", todo=Assess(last.number))


_EVOLVE: dict[type[Event], Callable[[Run, Any], Run]] = {
    RunStarted: _started,
    ResumeRequested: resumed,
    PhaseEntered: _entered,
    PhaseRefused: _refused,
    AttemptStarted: _begun,
    AttemptExited: _exited,
    AttemptLost: _lost,
    AttemptAssessed: _assessed,
    RoundClosed: _closed,
    PhaseFinished: _finished,
    RecordFailed: _record_failed,
    StopRequested: _stop_requested,
    ResetRequested: _reset,
    Approved: _approved,
    Answered: _answered,
    Muted: _muted,
}
