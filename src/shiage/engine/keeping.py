"""After every closed step the work is committed in its worktree, so that no crash and no agent can lose it."""

from collections.abc import Callable

from shiage.domain.events import AttemptAssessed, Event, PhaseFinished, RoundClosed
from shiage.domain.run import Run
from shiage.engine.worktrees import Tree, commit_all


def committing(tree: Tree) -> Callable[[Run, Event], None]:
    """What a run in this worktree calls after every closed step."""

    def keep(run: Run, event: Event) -> None:
        if not (isinstance(event, PhaseFinished) and event.phase == "deploy"):  # merged, and gone
            commit_all(tree, message(run, event))

    return keep


def message(run: Run, event: Event) -> str:
    """What the step was, in one line of the branch's history."""
    match event:
        case AttemptAssessed():
            order, found = run.last.order, event.assessment
            verdict = "" if found.judgment == "PASS" else f", {found.judgment}"
            return f"{run.spec}: {order.phase}, {order.role} {event.attempt}{verdict}"
        case RoundClosed():
            return f"{run.spec}: {event.phase}, round {event.round} closed"
        case PhaseFinished():
            return f"{run.spec}: {event.phase} finished"
        case _:
            return f"{run.spec}: {type(event).__name__}"
