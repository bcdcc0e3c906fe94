"""What shiage itself writes into a spec, and what it reads there before it decides."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from shiage.domain.errors import UserError
from shiage.domain.events import Event, PhaseEntered, PhaseFinished, PhaseRefused, RoundClosed
from shiage.domain.run import Attempt, CloseRound, EnterPhase, Facts, FinishPhase, Mode, Order, Run, SealedTask, Status
from shiage.engine import evidence, merging
from shiage.engine.case import Case
from shiage.flow.history import History
from shiage.flow.workflows import WORKFLOWS
from shiage.journal.masking import mask_text
from shiage.specs import ledger, record
from shiage.specs.tasks import TaskList, parse_tasks

_DOCUMENTS = ("requirements", "design", "tasks")
#: Bookkeeping that is not the agent's work.
EXCLUDED = ("event-log.jsonl", "spec.json", "bug.json")


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def facts(case: Case, history: History) -> Facts:
    """What the spec folder says now of phases, rounds and tasks."""
    run = history.main
    phases = [phase.name for phase in WORKFLOWS[case.workflow].phases]
    claimed = _claimed(history, phases)
    finished = tuple(name for name in phases if name not in claimed and _finished(case, run, name))
    tampered = ledger.compare(run.seal, counted(case)) if run.seal else ""
    return Facts(finished, _closed(case), {"document-review": _reviewed(case)}, tampered)


def _claimed(history: History, phases: Sequence[str]) -> frozenset[str]:
    """Phases whose end only an agent can have written: the one it works in, and what comes after it.

    What the run itself finished is no claim, nor what a person approved or had done by hand since.
    """
    run, step = history.main, history.step
    if not run.attempts or run.status is Status.COMPLETED or run.last.order.phase != run.phase:
        return frozenset()
    by_hand = step.facts.finished if step is not None and step.started_at > run.last.started_at else ()
    here = phases.index(run.phase)
    return frozenset(phases[here:]).difference(run.facts.finished, run.approved, by_hand)


def _closed(case: Case) -> dict[str, int]:
    """How many rounds are closed on disk, by phase."""
    inspected = max((record.number for record in case.folder.state().inspections), default=0)
    return {"document-review": case.folder.closed_rounds(), "inspection": inspected, "verify": inspected}


def newest_report(case: Case, phase: str) -> str:
    """The file that a manual `--fix` applies: what the newest closed round left, or the first one."""
    return WORKFLOWS[case.workflow].phase(phase).artefact.format(round=_closed(case)[phase] or 1)


def _finished(case: Case, run: Run, phase: str) -> bool:
    if phase == "deploy" and case.tree:  # it is merged when its worktree is gone, and not before
        return False
    by_person = phase in run.approved and run.approved[phase] == run.closed.get(phase, 0)
    return case.folder.finished(phase, by_person, case.setup.guard.optional, case.setup.guard.ignore_headings)


def _reviewed(case: Case) -> int:
    """The round whose review is complete and whose reply is missing, as the spec itself says."""
    rounds = [r.number for r in case.folder.state().rounds if r.status == "review_complete"]
    number = max(rounds, default=0)
    return number if number and case.folder.text(f"document-review-{number}.md") else 0


def tasks(case: Case) -> TaskList:
    """The task list with its secrets masked, as the journal keeps it: or a sealed one would seem reworded."""
    return parse_tasks(mask_text(case.folder.text("tasks.md") or ""))


def seal(case: Case) -> tuple[SealedTask, ...]:
    return ledger.seal(counted(case))


def counted(case: Case) -> TaskList:
    """The tasks that the guard counts: one that is moved out of its sight is as good as deleted."""
    return TaskList(tasks(case).counted(case.setup.guard.optional, case.setup.guard.ignore_headings))


def enter(case: Case, run: Run, action: EnterPhase) -> Event:
    """Ask whether the phase may begin; if so approve what came before it and note how things stand."""
    at, row = case.clock(), WORKFLOWS[case.workflow].phase(action.phase)
    manual = run.mode is Mode.STEP
    if not manual:
        refusal = case.setup.refused_by(row.name)
        if refusal is not None:
            return PhaseRefused(
                run=run.id, at=at, phase=row.name, reason="not-permitted", optional=row.optional, path=refusal.path,
                detail=refusal.said,
            )  # fmt: skip
        unread = _approve_earlier(case, row.name)
        if unread:
            return PhaseRefused(run=run.id, at=at, phase=unread, reason="not-approved")
    return PhaseEntered(
        run=run.id,
        at=at,
        phase=row.name,
        closed=_closed(case).get(row.name, 0),
        reviewed=_reviewed(case) if row.name == "document-review" and not manual else 0,
        seal=seal(case) if row.seals else (),
        snapshot=_snapshot(case),
    )


def _approve_earlier(case: Case, phase: str) -> str:
    """Approve the documents before this phase; the name of one that only a person may approve, if any."""
    order = [row.name for row in WORKFLOWS[case.workflow].phases]
    earlier = [name for name in _DOCUMENTS if name in order and order.index(name) < order.index(phase)]
    approvals = case.folder.state().approvals
    due = [name for name in earlier if not approvals.get(name, (False, False))[1]]
    unread = next((name for name in due if case.setup.refused_by(name)), "")
    if not unread and due:
        record.approve_phases(case.folder, due)
    return unread


def _snapshot(case: Case) -> str:
    return evidence.take(case.root, case.places.snapshots, exclude=EXCLUDED).id


def finish(case: Case, run: Run, action: FinishPhase) -> Event:
    differences: tuple[str, ...] = ()
    if action.phase == "document-review":
        differences = record.approve_review(case.folder, by_person=action.by_person)
    elif case.workflow != "task":
        differences = record.finish_phase(case.folder, action.phase)
    _forget_snapshot(case, run)
    if action.phase == "deploy" and case.tree:
        home = type(case.folder)(case.tree.home, case.name)
        merging.deliver(case.tree, home, f"Merge the spec {case.name}")
    return PhaseFinished(run=run.id, at=case.clock(), phase=action.phase, differences=differences)


def _forget_snapshot(case: Case, run: Run) -> None:
    """What a finished phase is compared with is not needed any more; losing it twice is no loss."""
    with suppress(UserError):
        evidence.release(case.places.snapshots, run.snapshot)


def close(case: Case, run: Run, action: CloseRound) -> Event:
    """Write the round of the last attempt into the spec, in shiage's own numbers."""
    order, at = run.last.order, case.clock()
    differences = write_round(case, run, run.last, more=action.more)
    return RoundClosed(run=run.id, at=at, phase=order.phase, round=order.round, differences=differences)


def write_round(case: Case, run: Run, attempt: Attempt, *, more: bool) -> tuple[str, ...]:
    """Write what was found about this attempt's round; the same however often it is written."""
    found, number = attempt.assessment, attempt.order.round
    now = iso(attempt.ended_at or case.clock())
    if found is None:
        raise UserError("spec-unreadable", "a round without an assessment cannot be closed")
    seen_at = _looked_at(run, attempt.order)
    if found.counts is not None:
        fixed = attempt.order.fix or (run.mode is Mode.AUTO and found.counts.fix > 0)
        return record.close_round(case.folder, number, found.counts, seen_at, now, fix_applied=fixed, more=more)
    if found.verdict:
        return record.record_inspection(case.folder, number, found.verdict, now, None)
    return record.record_inspection(case.folder, number, "nogo", seen_at, now)


def _looked_at(run: Run, order: Order) -> str:
    """When the look of this round ended, as far as this run saw it."""
    attempts = [a for a in run.attempts if (a.order.phase, a.order.round) == (order.phase, order.round)]
    ends = [a.ended_at for a in attempts if a.completed and a.ended_at]
    return iso(ends[0]) if ends else iso(run.started_at)
