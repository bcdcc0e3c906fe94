"""What must be true of every history. Each promise counts for itself, from the facts and the disk alone."""

from collections.abc import Callable, Iterator
from functools import cache

from trace_of import Step, Trace

from shiage.domain.events import (
    Approved,
    AttemptAssessed,
    AttemptExited,
    AttemptLost,
    AttemptStarted,
    PhaseEntered,
    PhaseFinished,
    ResetRequested,
    ResumeRequested,
    RunStarted,
    StopRequested,
)
from shiage.domain.outcome import Cause, Ending
from shiage.domain.reasons import REASONS, next_action
from shiage.domain.run import Assessment, FinishPhase, Mode, Order, Role, Status, StopAgent
from shiage.domain.verdict import Judgment
from shiage.flow.history import recall
from shiage.flow.reports import reports
from shiage.flow.workflows import WORKFLOWS

Broken = Iterator[str]
PROMISES: dict[str, Callable[[Trace], Broken]] = {}
#: More facts than a run of seven phases needs in which every agent succeeds.
MOST_FACTS = 110


def promise(check: Callable[[Trace], Broken]) -> Callable[[Trace], Broken]:
    PROMISES[check.__name__.replace("_", " ")] = check
    return check


@cache
def _phases(workflow: str) -> tuple[str, ...]:
    return tuple(row.name for row in WORKFLOWS[workflow].phases)


def _resumed_after(step: Step, *reasons: str) -> bool:
    event = step.event
    return isinstance(event, ResumeRequested) and event.by == "person" and step.before.reason in reasons


def _new_session(step: Step) -> bool:
    event = step.event
    return isinstance(event, RunStarted) or (isinstance(event, ResumeRequested) and event.by == "person")


@promise
def at_most_one_agent_is_in_flight(trace: Trace) -> Broken:
    return (f"{step.alive} agents at {step.event}" for step in trace.steps if step.alive > 1)


@promise
def a_running_run_has_one_agent_in_flight_or_exactly_one_planned_action(trace: Trace) -> Broken:
    for step in trace.steps:
        run, flight = step.after, step.after.in_flight
        if run.status is Status.RUNNING:
            if (flight is not None) == (len(step.planned) == 1) or len(step.planned) > 1:
                yield f"{flight} and {step.planned}"
        elif step.planned != ((StopAgent(flight.number, flight.agent_id),) if flight else ()):
            yield f"{step.planned} in a run that is {run.status}"


@promise
def replay_equals_live(trace: Trace) -> Broken:
    if not all(trace.replayed):
        yield "after a crash"
    events = trace.events
    # Each crash has looked at one prefix already; a few more are looked at here.
    for count in (len(events), len(events) // 2)[: 2 if trace.seed % 8 == 0 else 1]:
        if recall(events[:count]) != trace.histories[count]:
            yield f"after {count} of {len(events)} facts"


@promise
def no_fact_of_a_planned_action_is_refused(trace: Trace) -> Broken:
    return iter(trace.surprises)


@promise
def impossible_and_foreign_messages_are_refused_and_change_nothing(trace: Trace) -> Broken:
    return iter(trace.accepted)


@promise
def no_allowance_of_rounds_is_exceeded(trace: Trace) -> Broken:
    base: dict[str, int] = {}
    fresh = False
    caps = {Role.REVIEWER: trace.limits.review_rounds, Role.INSPECTOR: trace.limits.inspection_rounds}
    for step in trace.auto:
        event = step.event
        if isinstance(event, RunStarted) and fresh:
            base = dict(step.closed)
        if isinstance(event, ResetRequested | RunStarted):
            fresh = isinstance(event, ResetRequested)
        if _resumed_after(step, "max-rounds", "inspection-nogo"):
            base[step.before.phase] = step.closed.get(step.before.phase, 0)
        if isinstance(event, AttemptStarted) and event.order.role in caps:
            used = step.closed.get(event.order.phase, 0) - base.get(event.order.phase, 0)
            if used >= caps[event.order.role]:
                yield f"{event.order} after {used} rounds"


@promise
def a_round_has_the_number_of_closed_rounds_plus_one(trace: Trace) -> Broken:
    for step in trace.steps:
        event = step.event
        if isinstance(event, AttemptStarted) and not event.order.fix:
            order = event.order
            looks = order.role in (Role.REVIEWER, Role.RESPONDER, Role.INSPECTOR)
            if looks and order.round != step.closed.get(order.phase, 0) + 1:
                yield f"{order} with {step.closed.get(order.phase, 0)} closed"


def _opens(found: Assessment) -> bool:
    return bool(found.open_tasks or found.problem)


def _rejects(found: Assessment) -> bool:
    """Nothing else sends it back."""
    return found.judgment is Judgment.REJECT and not _opens(found) and not found.tampered


@promise
def impl_is_re_run_up_to_its_limit_and_no_more(trace: Trace) -> Broken:
    session: set[int] = set()
    opened: set[int] = set()
    most = trace.limits.impl_reruns
    for step in trace.auto:
        event = step.event
        if _new_session(step):
            session, opened = set(), set()
        if isinstance(event, AttemptStarted) and event.order.phase == "impl":
            session.add(event.attempt)
            if len(opened) > most:
                yield f"re-run after {len(opened)} attempts with open boxes"
        if isinstance(event, AttemptAssessed) and event.attempt in session and _opens(event.assessment):
            opened.add(event.attempt)
        if step.after.reason == "tasks-incomplete" != step.before.reason and len(opened) != most + 1:
            yield f"failed after {len(opened)} attempts with open boxes"


@promise
def tasks_that_stayed_open_continue_only_after_a_reset(trace: Trace) -> Broken:
    for step in trace.auto:
        left = step.before.reason == "tasks-incomplete" != step.after.reason
        if left and not isinstance(step.event, ResetRequested):
            yield f"{step.event}"


@promise
def rejections_stay_within_the_iterations(trace: Trace) -> Broken:
    counted: dict[tuple[str, Role, int], set[int]] = {}
    orders: dict[int, Order] = {}
    for step in trace.auto:
        event = step.event
        refilled = _resumed_after(step, "awaiting-response", "incomplete")
        if isinstance(event, RunStarted | PhaseEntered) or refilled:
            counted, orders = {}, {}
        if isinstance(event, AttemptStarted):
            orders[event.attempt] = event.order
            key = (event.order.phase, event.order.role, event.order.round)
            if len(counted.get(key, ())) >= trace.limits.iterations:
                yield f"{key} after {len(counted[key])} rejections"
        # A second look at an attempt from before the refill is no iteration of the new allowance.
        if isinstance(event, AttemptAssessed) and event.attempt in orders:
            order = orders[event.attempt]
            rejected = counted.setdefault((order.phase, order.role, order.round), set())
            rejected.discard(event.attempt)  # a second look counts instead of the first
            rejected.update({event.attempt} if _rejects(event.assessment) else ())


@promise
def transient_failures_are_retried_up_to_their_limit_and_no_more(trace: Trace) -> Broken:
    surely = perhaps = 0  # an end while stopping is no failure, yet may be counted as one
    for step in trace.auto:
        event = step.event
        if isinstance(event, RunStarted) or _resumed_after(step, "agent-failed"):
            surely = perhaps = 0
        if isinstance(event, PhaseEntered):
            surely = 0
        if isinstance(event, AttemptExited):
            transient, running = event.outcome.cause is Cause.TRANSIENT, step.before.status is Status.RUNNING
            if transient:
                surely, perhaps = surely + running, perhaps + 1
            elif running or event.outcome.ending is Ending.COMPLETED:
                surely = perhaps = 0
            if transient and step.after.status is Status.ERROR and perhaps <= trace.limits.retries:
                yield f"failed at transient failure {perhaps}"
        if isinstance(event, AttemptStarted) and surely > trace.limits.retries:
            yield f"retried after {surely} transient failures"


@promise
def no_attempt_is_begun_beyond_the_budget(trace: Trace) -> Broken:
    limits = trace.limits
    spent, begun = [0.0, 0.0, 0.0], 0.0
    caps = (limits.usd, limits.tokens, limits.minutes)
    for step in trace.auto:
        event = step.event
        if isinstance(event, RunStarted) or _resumed_after(step, "budget"):
            spent = [0.0, 0.0, 0.0]
        if isinstance(event, AttemptStarted):
            begun = event.at
            if any(cap is not None and used >= cap for cap, used in zip(caps, spent, strict=True)):
                yield f"{event.order} after {spent} of {caps}"
        if isinstance(event, AttemptExited | AttemptLost):
            spent[2] += (event.at - begun) / 60
        if isinstance(event, AttemptExited):
            usage = event.outcome.usage
            spent[0] += usage.cost_usd or 0
            spent[1] += (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _good_enough(phase: str, found: Assessment) -> bool:
    match phase:
        case "document-review":
            return not found.problem and found.counts is not None and found.counts.fix == found.counts.discuss == 0
        case "inspection" | "verify":
            return found.verdict == "go"
        case "impl":
            return found.judgment is Judgment.PASS and not found.tampered and not _opens(found)
        case _:
            return found.judgment is Judgment.PASS


@promise
def no_phase_is_left_on_a_failed_exit_open_findings_or_open_tasks(trace: Trace) -> Broken:
    approved: dict[str, set[str]] = {}
    entered: dict[str, str] = {}
    for step in trace.steps:
        event, run = step.event, step.before
        if isinstance(event, Approved):
            approved.setdefault(run.id, set()).add(event.phase)
        if isinstance(event, AttemptStarted | RunStarted):
            approved[run.id] = set()
        if isinstance(event, PhaseEntered):
            entered[run.id] = event.phase
        if not isinstance(event, PhaseFinished) or event.phase in approved.get(run.id, ()):
            continue
        if isinstance(run.todo, FinishPhase) and run.todo.by_person:
            yield f"{event.phase} in the name of a person who said nothing"
        elif event.phase == "deploy":
            if entered.get(run.id) != "deploy" or run.phase != "deploy":
                yield "deployed without entering"
        else:
            yield from _left(event.phase, step)


def _left(phase: str, step: Step) -> Broken:
    last = step.before.attempts[-1] if step.before.attempts else None
    if last is None or last.order.phase != phase:
        yield f"{phase} without an attempt"
    elif last.outcome is None or last.outcome.ending is not Ending.COMPLETED:
        yield f"{phase} on {last.outcome}"
    elif last.assessment is None or not _good_enough(phase, last.assessment):
        yield f"{phase} on {last.assessment}"


@promise
def no_phase_is_entered_before_the_earlier_ones_are_finished(trace: Trace) -> Broken:
    order = _phases(trace.workflow)
    for step in trace.auto:
        if isinstance(step.event, PhaseEntered | AttemptStarted):
            phase = step.event.phase if isinstance(step.event, PhaseEntered) else step.event.order.phase
            if missing := set(order[: order.index(phase)]) - step.finished:
                yield f"{phase} before {missing}"
            if phase != step.after.phase:
                yield f"{phase} while the run is in {step.after.phase}"


@promise
def a_finished_phase_is_not_run_again(trace: Trace) -> Broken:
    for step in trace.auto:
        if isinstance(step.event, AttemptStarted) and step.event.order.phase in step.finished:
            yield f"{step.event.order}"


@promise
def a_stop_never_counts_as_failure_and_nothing_follows_it(trace: Trace) -> Broken:
    stopped: set[str] = set()
    for step in trace.steps:
        event, run = step.event, step.after
        if isinstance(event, RunStarted | ResumeRequested | ResetRequested | Approved):
            stopped.discard(event.run)
        if isinstance(event, StopRequested):
            stopped.add(event.run)
        if event.run in stopped and run.status is not Status.PAUSED:
            yield f"{run.status} after {event}"
        outcome = run.last.outcome if run.status is Status.ERROR and run.attempts else None
        if outcome and outcome.ending is Ending.STOPPED:
            yield f"{run.reason} after a stop"


@promise
def an_attempt_that_was_lost_or_cut_short_is_repeated_in_its_role(trace: Trace) -> Broken:
    pending: tuple[Order, int] | None = None
    begun = 0
    for step in trace.auto:
        event = step.event
        late = step.before.status is Status.PAUSED
        cut = late and isinstance(event, AttemptExited) and event.outcome.ending is not Ending.COMPLETED
        if isinstance(event, ResetRequested | RunStarted | Approved) or (pending and step.edits != pending[1]):
            pending = None
        elif isinstance(event, AttemptLost) or cut:
            pending = step.before.last.order, begun
        elif pending and isinstance(event, AttemptStarted | PhaseFinished):
            want = pending[0]
            found = event.order if isinstance(event, AttemptStarted) else None
            if found is None or (found.phase, found.role, found.round) != (want.phase, want.role, want.round):
                yield f"{want} became {event}"
            pending = None
        if isinstance(event, AttemptStarted):
            begun = step.edits


@promise
def every_paused_or_failed_run_names_a_reason_and_its_next_action(trace: Trace) -> Broken:
    for step in trace.steps:
        run = step.after
        if run.status not in (Status.PAUSED, Status.ERROR):
            if run.reason:
                yield f"{run.reason} in a run that is {run.status}"
            continue
        if run.reason not in REASONS or "{" in next_action(run.reason, spec="x", phase=run.phase, path=run.path):
            yield f"no next action for {run.reason!r}"
        elif (step.before.status, step.before.reason) != (run.status, run.reason):
            told = reports(step.before, step.event, run)
            endings = [report.content for report in told if report.event_type in ("RUN_PAUSED", "RUN_FAILED")]
            if [content["reason"] for content in endings] != [run.reason] or not endings[0]["next_action"]:
                yield f"{run.reason} told as {endings}"


@promise
def a_manual_step_stays_in_its_phase_and_leaves_the_run_alone(trace: Trace) -> Broken:
    wanted: dict[str, str] = {}
    for number, step in enumerate(trace.steps):
        event = step.event
        if step.after.mode is not Mode.STEP:
            continue
        if isinstance(event, RunStarted):
            wanted[event.run] = event.phase
        if step.after.phase != wanted[event.run]:
            yield f"{step.after.phase} instead of {wanted[event.run]}"
        was, now = trace.histories[number].main, trace.histories[number + 1].main
        if was is not now and was != now:  # a crash makes another object of the same run
            yield f"{event} changed the automatic run"


@promise
def a_history_in_which_every_agent_succeeds_is_completed(trace: Trace) -> Broken:
    if trace.progress and (not trace.progress[0] or trace.progress[1] > MOST_FACTS):
        yield f"completed: {trace.progress[0]}, after {trace.progress[1]} facts"


def broken(trace: Trace, names: frozenset[str] | None = None) -> Iterator[tuple[str, str]]:
    """Each promise that this history breaks, with how."""
    for name, check in PROMISES.items():
        if names is None or name in names:
            how = next(check(trace), None)
            if how is not None:
                yield name, how
