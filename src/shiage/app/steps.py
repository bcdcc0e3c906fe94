"""A manual step beside the run: its result is told once, and is not where the spec stands."""

from dataclasses import replace

from shiage.app.views import SpecView
from shiage.domain.reasons import next_action
from shiage.domain.run import Mode, Run


def ended(view: SpecView, run: Run) -> SpecView:
    """What the person who started this run is told of its end."""
    if run.mode is not Mode.STEP:
        return view
    todo = view.next_action
    if run.reason:
        todo = next_action(run.reason, spec=view.spec, phase=run.phase, path=run.path, cause=run.cause)
    return replace(
        view,
        status=run.status.value,
        phase=run.phase,
        reason=run.reason,
        detail=run.detail,
        path=run.path,
        next_action=todo,
        cause=run.cause,
        run=run.id,
    )
