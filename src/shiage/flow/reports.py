"""What people are told: reports that follow from an event. They are journalled with it and never folded."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from shiage.domain.events import (
    AttemptAssessed,
    AttemptExited,
    AttemptStarted,
    Event,
    PhaseFinished,
    ResumeRequested,
    RoundClosed,
    RunStarted,
)
from shiage.domain.reasons import next_action
from shiage.domain.run import Mode, Run, StartAgent, Status
from shiage.domain.verdict import Finding, Judgment
from shiage.flow.gates import reruns
from shiage.flow.iterations import begins_loop, iteration, passes
from shiage.flow.moves import workflow_of
from shiage.flow.workflows import JUDGED


class Level(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Report:
    event_type: str
    level: Level
    content: Mapping[str, object] = field(default_factory=dict)
    visibility: str = "summary"
    notify: bool = False  #: worth a toast, a desktop note, a webhook


def reports(before: Run, event: Event, after: Run, correction: str = "") -> tuple[Report, ...]:
    """Everything to be told because of this event, in order. `correction` is the modification prompt, if one follows."""
    teller = _TELLERS.get(type(event))
    told = teller(before, event, after) if teller else []
    told = [full for report in told for full in _with_prompt(report, correction, after)]
    if isinstance(event, ResumeRequested | RunStarted):
        before = replace(before, status=Status.RUNNING, reason="")
    return (*told, *_ending(before, after))


def _with_prompt(report: Report, correction: str, after: Run) -> list[Report]:
    """What is told of a rejection holds the prompt that follows from it; the prompt that is sent is told on its own."""
    if not correction or report.event_type not in ("REJECTION_DETAILS", "REVIEW_LOOP_START"):
        return [report]
    told = replace(report, content={**report.content, "modification_prompt": correction})
    if report.event_type == "REJECTION_DETAILS" and after.status is not Status.RUNNING:
        return [told]
    prompt = {"iteration": iteration(after), "prompt": correction}
    sent = Report("MODIFICATION_PROMPT", Level.INFO, prompt, "full")
    return [told if report.event_type == "REJECTION_DETAILS" else report, sent]


def _ending(before: Run, after: Run) -> list[Report]:
    if after.mode is Mode.STEP and before.status is not Status.COMPLETED and after.status is Status.COMPLETED:
        return [Report("STEP_COMPLETED", Level.INFO, {"phase": after.phase}, notify=True)]
    if after.mode is Mode.STEP and after.status is Status.COMPLETED:
        return []
    if (before.status, before.reason) == (after.status, after.reason) or after.status not in _ENDINGS:
        return []
    name, level = _ENDINGS[after.status]
    content: dict[str, object] = {"phase": after.phase}
    if after.reason:
        action = next_action(after.reason, spec=after.spec, phase=after.phase, path=after.path, cause=after.cause)
        content |= {"reason": after.reason, "detail": after.detail, "path": after.path, "next_action": action}
        content |= {"cause": after.cause} if after.status is Status.ERROR else {}
    return [Report(name, level, content, notify=True)]


_ENDINGS = {
    Status.PAUSED: ("RUN_PAUSED", Level.WARNING),
    Status.ERROR: ("RUN_FAILED", Level.ERROR),
    Status.COMPLETED: ("RUN_COMPLETED", Level.INFO),
}


def _attempt_started(before: Run, event: AttemptStarted, after: Run) -> list[Report]:
    order = event.order
    told = []
    row = workflow_of(after).phase(order.phase)
    if row.rounds and order.role is row.roles[0]:
        told.append(Report("ROUND_STARTED", Level.INFO, {"phase": order.phase, "round": order.round}))
    if order.role in JUDGED:
        if begins_loop(after):
            told.append(Report("REVIEW_LOOP_START", Level.INFO, {"phase": order.phase, "role": order.role}))
        told.append(Report("REVIEW_ITERATION_START", Level.INFO, {"iteration": iteration(after)}, "full"))
    return told


def _exited(before: Run, event: AttemptExited, after: Run) -> list[Report]:
    told = _uncounted(event, after)
    if after.last.order.role in JUDGED and not after.last.completed and not after.last.cut:
        told += _unjudged(event, after)
    if after.status is not Status.RUNNING or not isinstance(after.todo, StartAgent):
        return told
    order, outcome = after.todo.order, event.outcome
    content = {"agent": after.last.agent, "cause": outcome.cause, "detail": outcome.detail}
    if order.not_before is not None:
        told.append(Report("ATTEMPT_WAITS", Level.WARNING, {**content, "until": order.not_before}))
    elif order.agent != after.last.order.agent:
        told.append(Report("AGENT_TAKES_OVER", Level.WARNING, {**content, "agent": order.agent}, notify=True))
    return told


def _uncounted(event: AttemptExited, after: Run) -> list[Report]:
    """A budget cannot hold what an agent does not tell; that is said once in a run, not guessed."""
    limits, used = after.limits, event.outcome.usage
    missing = [
        unit
        for unit, cap, told in (("usd", limits.usd, used.cost_usd), ("tokens", limits.tokens, used.output_tokens))
        if cap is not None and told is None
    ]
    earlier = (a for a in after.attempts[:-1] if a.agent == after.last.agent and a.completed)
    if event.outcome.ending != "completed" or not missing or any(earlier):
        return []
    return [Report("USAGE_UNKNOWN", Level.WARNING, {"agent": after.last.agent, "units": missing})]


def _unjudged(event: AttemptExited, after: Run) -> list[Report]:
    """An attempt that brought nothing to judge: the same prompt again, or the end of its loop."""
    number, said = iteration(after), f"{event.outcome.cause}: {event.outcome.detail}"
    if after.status is Status.ERROR:
        ended = Report("REVIEW_ITERATION_END", Level.INFO, {"iteration": number, "judgment": None}, "full")
        final = {"final_status": "ERROR", "total_iterations": number}
        return [ended, Report("REVIEW_LOOP_END", Level.INFO, final)]
    if after.status is not Status.RUNNING or not passes(after.last):
        return []
    judgment = {"iteration": number, "judgment": Judgment.RETRY, "criteria_failed": [], "summary": said}
    return [Report("QUALITY_JUDGMENT", Level.INFO, judgment), _iteration_end(number, Judgment.RETRY)]


def _iteration_end(number: int, judgment: Judgment) -> Report:
    return Report("REVIEW_ITERATION_END", Level.INFO, {"iteration": number, "judgment": judgment}, "full")


def _assessed(before: Run, event: AttemptAssessed, after: Run) -> list[Report]:
    attempt = after.last
    told = claims(event.assessment.differences, event.assessment.path)
    if attempt.order.role in JUDGED:
        told += _judgment(event, after)
    row = workflow_of(after).phase(attempt.order.phase)
    if attempt.order.role in row.roles and row.seals and after.mode is Mode.AUTO:
        told += _guard(event, after)
    return told


def _judgment(event: AttemptAssessed, after: Run) -> list[Report]:
    found, number = event.assessment, iteration(after)
    failed = [result.criteria_id for result in found.criteria if not result.passed]
    summary = "; ".join(
        " ".join(part for part in (f.place, f.quote[:80], f.description) if part) for f in found.findings[:3]
    )
    content = {"iteration": number, "judgment": found.judgment, "criteria_failed": failed, "summary": summary}
    told = [Report("QUALITY_JUDGMENT", Level.INFO, content)]
    if found.judgment is Judgment.REJECT:
        issues = [issue(finding) for finding in found.findings]
        details = {
            "iteration": number, "criteria_failed": failed, "issues_detected": issues, "modification_prompt": "",
        }  # fmt: skip
        told.append(Report("REJECTION_DETAILS", Level.INFO, details, "full"))
    told.append(_iteration_end(number, found.judgment))
    if not isinstance(after.todo, StartAgent) or after.status is not Status.RUNNING:
        final = _FINAL[after.status] if found.judgment != "PASS" or found.question else "COMPLETE"
        final = "INCOMPLETE" if found.open_tasks or after.reason == "incomplete" else final
        told.append(Report("REVIEW_LOOP_END", Level.INFO, {"final_status": final, "total_iterations": number}))
    return told


_FINAL = {
    Status.RUNNING: "COMPLETE",
    Status.PAUSED: "AWAITING_RESPONSE",
    Status.ERROR: "ERROR",
    Status.COMPLETED: "COMPLETE",
}

_ISSUE_TYPES = {"Q1": "missing_file", "Q3": "omission", "Q4": "syntax_error", "Q6": "early_termination"}


def issue(finding: Finding) -> dict[str, str]:
    """A finding in the words of the review loop's events."""
    return {
        "id": finding.id,
        "type": _ISSUE_TYPES.get(finding.criteria_id, "incomplete"),
        "criteria_id": finding.criteria_id,
        "rule": finding.rule,
        "location": finding.place,
        "quote": finding.quote,
        "description": finding.description,
        "suggestion": finding.suggestion,
    }


def _guard(event: AttemptAssessed, after: Run) -> list[Report]:
    """The implementation guard: a re-run with its numbers, or the limit."""
    found = event.assessment
    if not (found.open_tasks or found.problem) or found.tampered:
        return []
    number, most = reruns(after, workflow_of(after).phase(after.phase)), after.limits.impl_reruns
    content = {"max": most, "done": found.done, "total": found.total, "open": list(found.open_tasks)}
    if after.status is Status.PAUSED:
        return []
    if after.status is Status.ERROR:
        return [Report("IMPL_LIMIT_REACHED", Level.ERROR, {"rerun": most, **content}, notify=True)]
    return [Report("IMPL_RERUN", Level.INFO, {"rerun": number, **content}, notify=True)]


def claims(differences: Iterable[str], path: str = "") -> list[Report]:
    """What an agent claimed and shiage found otherwise."""
    return [Report("CLAIM_DIFFERS", Level.WARNING, {"claim": claim, "path": path}) for claim in differences]


def _phase_finished(before: Run, event: PhaseFinished, after: Run) -> list[Report]:
    return claims(event.differences)


def _round_closed(before: Run, event: RoundClosed, after: Run) -> list[Report]:
    found = after.last.assessment
    if found is None:
        return []
    content: dict[str, object] = {"phase": event.phase, "round": event.round}
    if found.counts is None:
        content["verdict"] = found.verdict or "fixed"
        return [*claims(event.differences), Report("ROUND_COMPLETED", Level.INFO, content)]
    step = _next_step(after)
    content |= {"fixRequired": found.counts.fix, "needsDiscussion": found.counts.discuss}
    told = [*claims(event.differences), Report("ROUND_COMPLETED", Level.INFO, {**content, "nextAction": step})]
    if step == "continue" and isinstance(after.todo, StartAgent):
        told.append(Report("ROUND_CONTINUING", Level.INFO, {**content, "next": after.todo.order.round}))
    if step == "approved":
        told.append(Report("REVIEW_APPROVED", Level.INFO, content, notify=True))
    return told


def _next_step(run: Run) -> str:
    if run.status is Status.PAUSED:
        return "paused"
    if run.status is Status.COMPLETED:
        return "ended"
    return "continue" if isinstance(run.todo, StartAgent) else "approved"


_TELLERS: dict[type[Event], Callable[[Run, Any, Run], list[Report]]] = {
    AttemptStarted: _attempt_started,
    AttemptExited: _exited,
    AttemptAssessed: _assessed,
    PhaseFinished: _phase_finished,
    RoundClosed: _round_closed,
}
