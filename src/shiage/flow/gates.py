"""Rules that an ended attempt must pass, one function each. The first that does not advance decides."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile

from shiage.domain.details import told
from shiage.domain.outcome import POLICY, Cause, Ending, Outcome, Policy
from shiage.domain.run import Attempt, Order, Role, Run
from shiage.domain.verdict import Judgment
from shiage.flow.step import ADVANCE, Again, Fail, Gate, Pause, Phase, Step

#: How long to wait for a usage limit whose end the agent does not tell.
UNKNOWN_RESET_SECONDS = 15 * 60.0


#: How often in a row the judge may be unable to judge before that is a rejection: seed 003 §8.1.
JUDGE_RETRIES = 2


def same(order: Order) -> Order:
    """The same order once more: how long an earlier one had to wait does not carry over."""
    return replace(order, not_before=None)


def handed(order: Order, role: Role, correcting: int | None = None) -> Order:
    """The same round in the hands of another role, which knows nothing of what the one before was told."""
    return Order(order.phase, role, round=order.round, correcting=correcting, fix=order.fix)


def next_round(run: Run, phase: Phase) -> Order:
    return Order(phase.name, phase.roles[0], round=run.closed.get(phase.name, 0) + 1)


def exited_cleanly(run: Run, phase: Phase) -> Step:
    """Only a completed attempt is looked at; a passing trouble is tried again, any other fails."""
    last, outcome = run.last, run.last.outcome
    if outcome is None or outcome.ending is Ending.COMPLETED:
        return ADVANCE
    if outcome.ending is Ending.STOPPED:
        return Pause("stopped", same(last.order))
    return _RESPONSES[POLICY.get(outcome.cause, Policy.FAIL)](run, last, outcome)


def _failed(run: Run, last: Attempt, outcome: Outcome) -> Step:
    if _found_no_session(last.order, outcome):
        return Again(replace(same(last.order), session=""))
    reason = "timed-out" if outcome.ending is Ending.TIMED_OUT else "agent-failed"
    return Fail(reason, same(last.order), outcome.detail)


def _found_no_session(order: Order, outcome: Outcome) -> bool:
    """It was to go on in a session and ended before it was in one: its agent does not know that one any more."""
    return bool(order.session and not outcome.session) and outcome.cause in (Cause.CRASHED, Cause.NO_RESULT)


def _try_again(run: Run, last: Attempt, outcome: Outcome) -> Step:
    failures = sum(1 for _ in _transient_in_a_row(run))
    if failures > run.limits.retries:
        return _failed(run, last, outcome)
    delay = run.limits.retry_delay * 2 ** (failures - 1)
    return Again(replace(same(last.order), not_before=(last.ended_at or 0.0) + delay))


def _transient_in_a_row(run: Run) -> Iterator[Attempt]:
    counted = [a for a in run.attempts if a.number >= run.since.retries and not a.cut]
    return takewhile(lambda attempt: attempt.transient, reversed(counted))


def _wait(run: Run, last: Attempt, outcome: Outcome) -> Step:
    """A usage limit is nobody's failure: another agent takes over, or the same one goes on when it has reset."""
    limited = {attempt.agent: attempt for attempt in _limited_in_a_row(run)}
    successor = run.limits.takeover.get(last.agent, "")
    if successor and successor not in limited:
        return Again(replace(same(last.order), agent=successor, session=""))
    first = min(limited.values(), key=_reset)
    session = (first.outcome.session if first.outcome else "") or first.order.session
    order = replace(same(last.order), agent=first.order.agent, session=session)
    if _reset(first) - (last.ended_at or 0.0) > run.limits.usage_wait:
        return Pause("usage-limit", order, outcome.detail)
    return Again(replace(order, not_before=_reset(first)))


def _limited_in_a_row(run: Run) -> Iterator[Attempt]:
    """From the newest back: an agent's newest word on its limit comes last and so wins."""
    row = takewhile(lambda a: a.outcome is not None and a.outcome.cause is Cause.USAGE_LIMIT, reversed(run.attempts))
    return reversed(list(row))


def _reset(attempt: Attempt) -> float:
    told = attempt.outcome.until if attempt.outcome else None
    return told or (attempt.ended_at or 0.0) + UNKNOWN_RESET_SECONDS


def _ask(run: Run, last: Attempt, outcome: Outcome) -> Step:
    """Nobody was there to allow it. What a person has settled before is not asked again."""
    settled = {grant.tool for grant in run.grants if grant.role is last.order.role}
    if not outcome.asked or settled.issuperset(outcome.asked):
        return _failed(run, last, outcome)
    question = told("may-use", tools=", ".join(outcome.asked))
    order = replace(same(last.order), session=outcome.session, question=question)
    return Pause("awaiting-response", order, question)


_RESPONSES: dict[Policy, Callable[[Run, Attempt, Outcome], Step]] = {
    Policy.FAIL: _failed,
    Policy.RETRY: _try_again,
    Policy.WAIT: _wait,
    Policy.ASK: _ask,
}


def unasked(run: Run, phase: Phase) -> Step:
    """A question that only a person can settle is put to a person; it is neither work nor failure."""
    last = run.last
    if last.assessment is None or not last.assessment.question:
        return ADVANCE
    session = last.outcome.session if last.outcome else ""
    question = last.assessment.question
    return Pause("awaiting-response", replace(same(last.order), session=session, question=question), question)


def _rejections(run: Run, phase: Phase) -> list[Attempt]:
    """Attempts at what the last one was asked for that the judge rejected and no other gate sent back."""
    return [
        attempt
        for attempt in _at_the_same(run)
        if attempt.assessment is not None
        and attempt.assessment.judgment is Judgment.REJECT
        and not attempt.assessment.question
        and not (phase.seals and (attempt.assessment.open_tasks or attempt.assessment.problem))
        and not attempt.assessment.tampered
    ]


def _at_the_same(run: Run) -> list[Attempt]:
    """The attempts of this allowance at what the last one was asked for."""
    order = run.last.order
    wanted = (order.phase, order.role, order.round)
    counted = (attempt for attempt in run.attempts if attempt.number >= run.since.rejections)
    return [a for a in counted if (a.order.phase, a.order.role, a.order.round) == wanted]


def unjudged(run: Run) -> int:
    """How many of these attempts in a row, up to the newest that was looked at, could not be judged."""
    looked = [attempt.assessment for attempt in _at_the_same(run) if attempt.assessment]
    return sum(1 for _ in takewhile(lambda found: found.judgment is Judgment.RETRY, reversed(looked)))


def judged(run: Run, phase: Phase) -> Step:
    """The judge must pass it; rejected work goes back with what was found, within the iterations."""
    last = run.last
    if last.assessment is None or last.assessment.judgment is Judgment.PASS:
        return ADVANCE
    session = last.outcome.session if last.outcome else ""
    order = replace(same(last.order), correcting=last.number, session=session, answer="", question="")
    rejections, tries = _rejections(run, phase), unjudged(run)
    if 0 < tries <= JUDGE_RETRIES:
        delay = run.limits.retry_delay * 2 ** (tries - 1)
        return Again(replace(last.order, not_before=(last.ended_at or 0.0) + delay))
    if tries or len(rejections) >= run.limits.iterations or (run.limits.escalate and _same_twice(rejections)):
        return Pause("awaiting-response" if run.limits.escalate else "incomplete", order, _found(last))
    return Again(order)


def _same_twice(rejections: list[Attempt]) -> bool:
    """A person can help more than being told the same thing a third time."""
    found = [attempt.assessment.signature for attempt in rejections[-2:] if attempt.assessment]
    return len(found) == 2 and bool(found[0]) and found[0] == found[1]


def _found(attempt: Attempt) -> str:
    findings = attempt.assessment.findings if attempt.assessment else ()
    return "; ".join(f"{f.criteria_id} {f.place} {f.description}".replace("  ", " ") for f in findings[:3])


def tasks_sealed(run: Run, phase: Phase) -> Step:
    """Ticks are free; a task that vanished or was reworded is not the task that was asked for."""
    last = run.last
    if last.assessment is None or not last.assessment.tampered:
        return ADVANCE
    return Pause("tasks-tampered", same(last.order), last.assessment.tampered, last.assessment.path)


def tasks_all_checked(run: Run, phase: Phase) -> Step:
    """Every box ticked, or the implementation runs again, without arguments, within its re-runs."""
    last = run.last
    if last.assessment is None or not (last.assessment.open_tasks or last.assessment.problem):
        return ADVANCE
    order = Order(phase.name, last.order.role)
    if reruns(run, phase) > run.limits.impl_reruns:
        return Fail("tasks-incomplete", order, _open(last))
    return Again(order)


def reruns(run: Run, phase: Phase) -> int:
    """Attempts of this session that ended with boxes open: each one asks for a re-run."""
    return sum(
        1
        for a in run.attempts
        if a.number >= run.since.reruns
        and a.order.phase == phase.name
        and a.assessment is not None
        and (a.assessment.open_tasks or a.assessment.problem)
        and not (a.assessment.tampered or a.assessment.question)
    )


def _open(attempt: Attempt) -> str:
    assessment = attempt.assessment
    if assessment is None or not assessment.open_tasks:
        return assessment.problem if assessment else ""
    return told("open-tasks", tasks=", ".join(assessment.open_tasks[:5]))


def _unreadable(run: Run) -> Step:
    """What cannot be read is never taken as success: once more where a person had a chance to repair it."""
    last = run.last
    problem, path = (last.assessment.problem, last.assessment.path) if last.assessment else ("", "")
    if last.second_look:
        return Again(same(last.order))
    return Pause("verdict-unreadable", same(last.order), problem, path)


def reviewed(run: Run, phase: Phase) -> Step:
    """A review must be there to be answered; its answer must leave nothing open."""
    last = run.last
    assessment = last.assessment
    if assessment is None or assessment.problem:
        return _unreadable(run)
    if last.order.role is phase.roles[0]:
        return Again(handed(last.order, phase.after(last.order.role)))
    return _rounds_clean(run, phase)


def _rounds_clean(run: Run, phase: Phase) -> Step:
    assessment = run.last.assessment
    counts = assessment.counts if assessment else None
    if counts is None:
        return _unreadable(run)
    if counts.clean:
        return ADVANCE
    again, path = next_round(run, phase), assessment.path if assessment else ""
    left = {"fix": counts.fix, "discuss": counts.discuss}
    if run.used(phase.name) >= run.limits.review_rounds:
        return Pause("max-rounds", again, told("left-after", **left, round=run.last.order.round), path)
    if counts.fix == 0:
        return Pause("needs-discussion", again, told("left", **left), path)
    return Again(again)


def inspected(run: Run, phase: Phase) -> Step:
    """GO ends it; NOGO is answered by a fixer and looked at again, within the rounds."""
    last, assessment = run.last, run.last.assessment
    if last.order.role is not phase.roles[0]:
        return Again(next_round(run, phase))
    if assessment is None or assessment.verdict not in _VERDICTS:
        return _unreadable(run)
    return _VERDICTS[assessment.verdict](run, phase)


def _manual(run: Run, phase: Phase) -> Step:
    path = run.last.assessment.path if run.last.assessment else ""
    return Pause("inspection-manual", same(run.last.order), told("by-hand"), path)


def _nogo(run: Run, phase: Phase) -> Step:
    assessment = run.last.assessment
    if run.used(phase.name) >= run.limits.inspection_rounds:
        path = assessment.path if assessment else ""
        failed = _found(run.last)  # checks that failed although the report says GO
        said = told("nogo-failed" if failed else "nogo", round=run.last.order.round, failed=failed)
        return Pause("inspection-nogo", next_round(run, phase), said, path)
    fixer = phase.after(run.last.order.role)
    return Again(handed(run.last.order, fixer, correcting=run.last.number))


_VERDICTS: dict[str, Gate] = {"go": lambda run, phase: ADVANCE, "manual": _manual, "nogo": _nogo}


def may_look(run: Run, phase: Phase, order: Order) -> Step:
    """A round that the allowance does not cover is not begun."""
    cap = run.limits.review_rounds if Role.RESPONDER in phase.roles else run.limits.inspection_rounds
    if not phase.rounds or order.role is not phase.roles[0] or run.used(phase.name) < cap:
        return Again(order)
    reason = "max-rounds" if Role.RESPONDER in phase.roles else "inspection-nogo"
    return Pause(reason, order, told("rounds-used", used=run.used(phase.name), cap=cap))


def within_budget(run: Run, order: Order) -> Step:
    """Asked before each attempt, never in the middle of one."""
    spent = [attempt for attempt in run.attempts if attempt.number >= run.since.spend]
    usages = [attempt.outcome.usage for attempt in spent if attempt.outcome]
    checks = (
        (run.limits.usd, sum(u.cost_usd or 0 for u in usages), "usd"),
        (run.limits.tokens, sum((u.input_tokens or 0) + (u.output_tokens or 0) for u in usages), "tokens"),
        (run.limits.minutes, sum(attempt.seconds for attempt in spent) / 60, "minutes"),
    )
    for cap, used, unit in checks:
        if cap is not None and used >= cap:
            return Pause("budget", order, told("budget", used=f"{used:.4g}", cap=f"{cap:g}", unit=unit))
    return Again(order)
