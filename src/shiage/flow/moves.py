"""The few ways in which a run moves on: the next phase, the next attempt, or a stop."""

from dataclasses import replace

from shiage.domain.run import EnterPhase, Mode, Order, Run, StartAgent, Status
from shiage.flow.gates import may_look, within_budget
from shiage.flow.step import Fail, Pause, Phase, Workflow
from shiage.flow.workflows import WORKFLOWS


def workflow_of(run: Run) -> Workflow:
    return WORKFLOWS[run.workflow]


def row_of(run: Run) -> Phase:
    return workflow_of(run).phase(run.phase)


def go_on(run: Run, index: int) -> Run:
    """Enter the first phase from this one on that is not finished, or end."""
    flow = workflow_of(run)
    phase = flow.first_open(run.facts.finished, index)
    if phase is None or (run.until and flow.index(phase.name) > flow.index(run.until)):
        return replace(run, status=Status.COMPLETED, todo=None, reason="", detail="", path="")
    return replace(run, phase=phase.name, todo=EnterPhase(phase.name))


def repair(run: Run, row: Phase) -> Order:
    """The answering role once more, on the newest round that is there."""
    return Order(row.name, row.roles[-1], round=run.closed.get(row.name, 0) or 1, fix=True)


def start(run: Run, order: Order) -> Run:
    """An attempt is begun only within its rounds and the budget; a manual pass has no such limits."""
    if run.mode is Mode.STEP:
        return replace(run, todo=StartAgent(order))
    for step in (may_look(run, row_of(run), order), within_budget(run, order)):
        if isinstance(step, Pause):
            return stop(run, step)
    return replace(run, todo=StartAgent(order))


def stop(run: Run, step: Pause | Fail) -> Run:
    """Nothing goes on by itself; a resume begins with the step's order."""
    status = Status.PAUSED if isinstance(step, Pause) else Status.ERROR
    path = step.path if isinstance(step, Pause) else ""
    todo = StartAgent(step.order)
    return replace(run, status=status, reason=step.reason, detail=step.detail, path=path, todo=todo)
