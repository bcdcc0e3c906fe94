"""Faults that are planted one at a time, to see a promise catch each."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from shiage.domain.events import (
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    Event,
    ResumeRequested,
    RoundClosed,
    StopRequested,
)
from shiage.domain.run import Attempt, Mode, Order, Role, Run, StartAgent, Status
from shiage.flow import gates, machine, moves, resuming
from shiage.flow.legal import LEGAL
from shiage.flow.step import ADVANCE, Again, Phase, Step
from shiage.flow.workflows import WORKFLOWS

Plant = Callable[[pytest.MonkeyPatch], None]
Gate = Callable[[Run, Phase], Step]


@dataclass(frozen=True)
class Fault:
    name: str
    promise: str  #: the promise that must catch it
    plant: Plant


FAULTS: list[Fault] = []


def fault(promise: str) -> Callable[[Plant], Plant]:
    def keep(plant: Plant) -> Plant:
        FAULTS.append(Fault(plant.__name__.replace("_", " "), promise, plant))
        return plant

    return keep


def swap(patch: pytest.MonkeyPatch, old: Gate, new: Gate) -> None:
    """The rows of the workflows hold the gates themselves, so the rows are replaced."""
    for name, flow in list(WORKFLOWS.items()):
        rows = tuple(replace(row, gates=tuple(new if g is old else g for g in row.gates)) for row in flow.phases)
        patch.setitem(WORKFLOWS, name, replace(flow, phases=rows))


def fold(patch: pytest.MonkeyPatch, kind: type[Event], new: Callable[[Run, Any], Run]) -> None:
    patch.setitem(machine._EVOLVE, kind, new)


LEFT = "no phase is left on a failed exit open findings or open tasks"
ROUNDS = "no allowance of rounds is exceeded"
STOP = "a stop never counts as failure and nothing follows it"
RERUNS = "impl is re run up to its limit and no more"


@fault(LEFT)
def a_review_with_points_to_discuss_is_approved(patch: pytest.MonkeyPatch) -> None:
    true = gates._rounds_clean

    def wrong(run: Run, phase: Phase) -> Step:
        found = run.last.assessment
        return ADVANCE if found and found.counts and found.counts.fix == 0 else true(run, phase)

    patch.setattr(gates, "_rounds_clean", wrong)


@fault(LEFT)
def an_unreadable_reply_is_approved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gates, "_unreadable", lambda run: ADVANCE)


@fault(LEFT)
def nogo_is_taken_as_go(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(gates._VERDICTS, "nogo", lambda run, phase: ADVANCE)


@fault(LEFT)
def tampered_tasks_are_accepted(patch: pytest.MonkeyPatch) -> None:
    swap(patch, gates.tasks_sealed, lambda run, phase: ADVANCE)


@fault(LEFT)
def open_tasks_are_ignored_after_a_re_run(patch: pytest.MonkeyPatch) -> None:
    true = gates.tasks_all_checked

    def wrong(run: Run, phase: Phase) -> Step:
        return ADVANCE if gates.reruns(run, phase) > 1 else true(run, phase)

    swap(patch, true, wrong)


@fault(LEFT)
def a_rejection_is_ignored(patch: pytest.MonkeyPatch) -> None:
    swap(patch, gates.judged, lambda run, phase: ADVANCE)


@fault(LEFT)
def a_failed_exit_advances(patch: pytest.MonkeyPatch) -> None:
    swap(patch, gates.exited_cleanly, lambda run, phase: ADVANCE)


@fault(ROUNDS)
def the_cap_of_rounds_is_off_by_one(patch: pytest.MonkeyPatch) -> None:
    true = Run.used
    patch.setattr(Run, "used", lambda run, phase: true(run, phase) - 1)


@fault(ROUNDS)
def every_resume_refills_the_rounds(patch: pytest.MonkeyPatch) -> None:
    true = resuming._refill
    patch.setattr(resuming, "_refill", lambda run, reason: replace(true(run, reason), base=dict(run.closed)))


@fault("a round has the number of closed rounds plus one")
def a_closed_round_is_not_counted(patch: pytest.MonkeyPatch) -> None:
    fold(patch, RoundClosed, lambda run, event: machine._look(run))


@fault(RERUNS)
def the_cap_of_re_runs_is_off_by_one(patch: pytest.MonkeyPatch) -> None:
    true = gates.reruns
    patch.setattr(gates, "reruns", lambda run, phase: true(run, phase) - 1)


@fault(RERUNS)
def a_recovery_refills_the_re_runs(patch: pytest.MonkeyPatch) -> None:
    fold(patch, ResumeRequested, lambda run, event: resuming.resumed(run, replace(event, by="person")))


@fault("rejections stay within the iterations")
def rejections_have_no_limit(patch: pytest.MonkeyPatch) -> None:
    true = gates.judged
    swap(patch, true, lambda run, phase: true(replace(run, limits=replace(run.limits, iterations=99)), phase))


@fault("transient failures are retried up to their limit and no more")
def retries_have_no_limit(patch: pytest.MonkeyPatch) -> None:
    true = gates.exited_cleanly
    swap(patch, true, lambda run, phase: true(replace(run, limits=replace(run.limits, retries=99)), phase))


@fault("transient failures are retried up to their limit and no more")
def the_first_transient_failure_is_final(patch: pytest.MonkeyPatch) -> None:
    true = gates.exited_cleanly
    swap(patch, true, lambda run, phase: true(replace(run, limits=replace(run.limits, retries=0)), phase))


@fault("no attempt is begun beyond the budget")
def the_budget_is_never_asked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(moves, "within_budget", lambda run, order: Again(order))


@fault(STOP)
def a_stop_counts_as_failure(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(LEGAL, StopRequested, {Status.RUNNING: frozenset({Status.ERROR})})
    patch.setitem(LEGAL, AttemptExited, {status: frozenset(Status) for status in Status})
    fold(patch, StopRequested, lambda run, event: replace(run, status=Status.ERROR, reason="agent-failed"))


@fault(STOP)
def a_late_exit_advances(patch: pytest.MonkeyPatch) -> None:
    true = machine._exited

    def wrong(run: Run, event: AttemptExited) -> Run:
        return true(replace(run, status=Status.RUNNING), event)

    patch.setitem(LEGAL, AttemptExited, {status: frozenset(Status) for status in Status})
    fold(patch, AttemptExited, wrong)


@fault("no fact of a planned action is refused")
def a_late_exit_advances_against_the_table(patch: pytest.MonkeyPatch) -> None:
    true = machine._exited
    fold(patch, AttemptExited, lambda run, event: true(replace(run, status=Status.RUNNING, reason=""), event))


@fault("an attempt that was lost or cut short is repeated in its role")
def a_lost_reviewer_is_replaced_by_a_responder(patch: pytest.MonkeyPatch) -> None:
    true = machine._lost

    def wrong(run: Run, event: AttemptLost) -> Run:
        after = true(run, event)
        order: Order = run.last.order
        role = Role.RESPONDER if order.role is Role.REVIEWER else order.role
        return replace(after, todo=StartAgent(replace(order, role=role)))

    fold(patch, AttemptLost, wrong)


@fault("impossible and foreign messages are refused and change nothing")
def a_foreign_agents_end_is_accepted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(machine, "accepts", lambda run, event: True)


@fault("a running run has one agent in flight or exactly one planned action")
def a_second_agent_is_planned_beside_the_first(patch: pytest.MonkeyPatch) -> None:
    true = machine.plan

    def wrong(run: Run) -> tuple[Any, ...]:
        flight = run.in_flight
        return (StartAgent(flight.order),) if flight and run.status is Status.RUNNING else true(run)

    patch.setattr(machine, "plan", wrong)


@fault("at most one agent is in flight")
def a_lost_agent_is_left_at_work_and_its_run_is_reset(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Attempt, "in_flight", property(lambda attempt: False))


@fault("replay equals live")
def a_fold_remembers_what_the_journal_does_not_tell(patch: pytest.MonkeyPatch) -> None:
    true, calls = machine._begun, count()

    def wrong(run: Run, event: AttemptStarted) -> Run:
        return replace(true(run, event), detail=str(next(calls)))

    fold(patch, AttemptStarted, wrong)


@fault("tasks that stayed open continue only after a reset")
def open_tasks_need_no_reset(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "REASONS", {})


@fault("a finished phase is not run again")
def a_resume_never_asks_the_disk(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_begins_anew", lambda run: False)


@fault("no phase is entered before the earlier ones are finished")
def a_resume_overlooks_a_phase_that_is_open_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_begins_anew", lambda run: False)


@fault("a manual step stays in its phase and leaves the run alone")
def a_manual_step_goes_on_like_an_automatic_run(patch: pytest.MonkeyPatch) -> None:
    true = resuming._begins_anew
    patch.setattr(resuming, "_begins_anew", lambda run: true(replace(run, mode=Mode.AUTO)))


@fault("every paused or failed run names a reason and its next action")
def a_stop_gives_no_reason(patch: pytest.MonkeyPatch) -> None:
    fold(patch, StopRequested, lambda run, event: replace(run, status=Status.PAUSED))


@fault("a history in which every agent succeeds is completed")
def an_approval_leads_nowhere(patch: pytest.MonkeyPatch) -> None:
    true = resuming.resumed

    def wrong(run: Run, event: ResumeRequested) -> Run:
        after = true(run, event)
        return replace(after, status=Status.PAUSED, reason=run.reason) if run.reason == "approved" else after

    fold(patch, ResumeRequested, wrong)
