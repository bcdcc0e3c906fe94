"""How a run goes on that had stopped: what is granted again, and with what it begins."""

from dataclasses import replace

from shiage.domain.errors import IllegalEvent
from shiage.domain.events import ResumeRequested
from shiage.domain.reasons import REASONS
from shiage.domain.run import Assess, CloseRound, EnterPhase, Mode, Order, Run, StartAgent, Status
from shiage.flow.gates import next_round
from shiage.flow.moves import go_on, row_of, start, stop, workflow_of
from shiage.flow.step import Pause


def resumed(run: Run, event: ResumeRequested) -> Run:
    if run.in_flight or (run.reason in REASONS and REASONS[run.reason].needs_reset):
        raise IllegalEvent(f"a run cannot be resumed while {run.reason or 'an agent is at work'}")
    reason, limits, until = run.reason, event.limits, event.until
    run = replace(run, facts=event.facts, closed=dict(event.facts.closed), limits=limits, until=until)
    if event.by == "person":
        run = _refill(run, reason)
    run = replace(run, status=Status.RUNNING, reason="", detail="", path="")
    if _begins_anew(run):
        return go_on(run, 0)
    if event.facts.tampered and row_of(run).seals and isinstance(run.todo, StartAgent):
        return stop(run, Pause("tasks-tampered", _order_of(run), event.facts.tampered, _artefact(run)))
    if (isinstance(run.todo, Assess) or reason == "verdict-unreadable") and _is_behind(run, run.last.order):
        return start(run, next_round(run, row_of(run)))
    if reason == "verdict-unreadable" and run.attempts:
        look = replace(run.last, second_look=True, assessment=None)
        return replace(run, attempts=(*run.attempts[:-1], look), todo=Assess(run.last.number))
    return _renumber(run)


def _begins_anew(run: Run) -> bool:
    """Whether the disk says where to go on: nothing was in the middle, or an earlier phase is open again."""
    if run.mode is Mode.STEP:
        return False
    flow = workflow_of(run)
    first = flow.first_open(run.facts.finished)
    if run.phase in run.facts.finished and isinstance(run.todo, StartAgent | Assess | CloseRound):
        return True
    if first is None or run.todo is None or isinstance(run.todo, EnterPhase):
        return True
    here = flow.index(run.phase)
    return flow.index(first.name) < here or bool(run.until and here > flow.index(run.until))


def _refill(run: Run, reason: str) -> Run:
    """A person's resume begins a session: re-runs begin at 0, and what had run out is granted again."""
    new = (run.attempts[-1].number + 1) if run.attempts else 0
    since = replace(run.since, reruns=new)
    if reason in ("awaiting-response", "incomplete"):
        since = replace(since, rejections=new)
    if reason == "agent-failed":
        since = replace(since, retries=new)
    if reason == "budget":
        since = replace(since, spend=new)
    base = dict(run.base)
    if reason in ("max-rounds", "inspection-nogo"):
        base[run.phase] = run.closed.get(run.phase, 0)
    return replace(run, since=since, base=base)


def _renumber(run: Run) -> Run:
    """A round's number comes from the disk: closed rounds + 1, whatever was closed by hand meanwhile."""
    if not isinstance(run.todo, StartAgent):
        return run
    order, row = run.todo.order, row_of(run)
    if row.rounds and (order.role is row.roles[0] or _is_behind(run, order)):
        order = replace(order, role=row.roles[0], round=next_round(run, row).round)
    return start(run, order)


def _is_behind(run: Run, order: Order) -> bool:
    """Whether this order's round was closed by somebody else; a fixer works in a round that is closed already."""
    row = row_of(run)
    is_late = order.round <= run.closed.get(run.phase, 0)
    return row.rounds and is_late and not order.fix and order.role not in row.records[1:]


def _order_of(run: Run) -> Order:
    if isinstance(run.todo, StartAgent):
        return run.todo.order
    return run.last.order if run.attempts else Order(run.phase, row_of(run).roles[0])


def _artefact(run: Run) -> str:
    """The phase's file, as it was named when it was last looked at."""
    seen = (a.assessment.path for a in reversed(run.attempts) if a.order.phase == run.phase and a.assessment)
    return next(seen, "") or row_of(run).artefact
