"""What a person does to a spec: stop, reset, approve, answer."""

import asyncio

from shiage.app import trees
from shiage.app.questions import require_words
from shiage.app.runs import Watch, current_facts, known_phase, opened, run
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.domain.events import Answered, Approved, Event, PhaseFinished, ResetRequested, StopRequested
from shiage.domain.run import FinishPhase, Run, StartAgent, Status
from shiage.engine import effects, lock
from shiage.engine.case import Case, Keep
from shiage.engine.places import Places
from shiage.engine.record import Record
from shiage.flow.history import History
from shiage.flow.workflows import WORKFLOWS
from shiage.specs import record as written
from shiage.specs.folder import Folder

#: The ladder for the most stubborn agent, and a little more.
STOP_SECONDS = 20.0
_LOOK_SECONDS = 0.03


async def stop(workspace: Workspace, name: str) -> Run:
    """End the run and everything it started; returns when all is really gone."""
    folder = workspace.folder(name)
    places = workspace.places(folder)
    holder = lock.holder(places.lock)
    if holder is not None:
        await _released(places, name)
    with opened(workspace, folder, "stop") as (_, record):
        active = record.history.active
        if active.status is Status.RUNNING:
            record.append(StopRequested(run=active.id, at=now()))
        elif holder is None:
            raise UserError(
                "not-running", f'"{name}" is not running', help=f"`shiage status {name}` shows where it is."
            )
        return record.history.active


async def _released(places: Places, name: str) -> None:
    """Ask until it is over: a run that is just starting clears away requests that were left for an earlier one."""
    deadline = asyncio.get_running_loop().time() + STOP_SECONDS
    while lock.holder(places.lock) is not None:
        places.stop_request.touch()
        if asyncio.get_running_loop().time() > deadline:
            raise UserError(
                "stop-failed", f'"{name}" did not end in {STOP_SECONDS:.0f} s', help="end that process by hand."
            )
        await asyncio.sleep(_LOOK_SECONDS)


def reset(workspace: Workspace, name: str, *, discard: bool = False) -> Run:
    """Clear error and counts; what is on disk stays, but for a worktree that is to be discarded."""
    folder = workspace.folder(name)
    with opened(workspace, folder, "reset") as (_, record):
        if discard:
            trees.discard(workspace, folder)
        main = record.history.main
        if main.status is Status.RUNNING:  # its process is gone, or the lock would have been refused
            record.append(StopRequested(run=main.id, at=now(), by="recovery"))
        record.append(ResetRequested(run=main.id, at=now()))
        return record.history.main


def approve(workspace: Workspace, name: str, phase: str = "") -> Run:
    """A person's yes to a phase: it counts as finished, whatever the last verdict was."""
    folder = workspace.folder(name)
    with opened(workspace, folder, "approve") as (case, record):
        case.folder.state()  # what cannot be read cannot be written to either: said before anything is noted
        main = record.history.main
        if main.status is Status.RUNNING:
            record.append(StopRequested(run=main.id, at=now(), by="recovery"))
        chosen = phase or _open_phase(case, record.history)
        _refuse_unfit(case, record.history.main, chosen)
        tampered = chosen == "tasks" and record.history.main.reason == "tasks-tampered"
        sealed = effects.seal(case) if tampered else ()
        record.append(Approved(run=main.id, at=now(), phase=chosen, seal=sealed))
        _write_approval(case, record, chosen, tampered)
        return record.history.main


def _open_phase(case: Case, history: History) -> str:
    run = history.main
    if run.reason == "tasks-tampered":
        return "tasks"
    if run.phase and run.status in (Status.PAUSED, Status.ERROR):
        return run.phase
    facts, unreadable = current_facts(case, history)
    first = WORKFLOWS[case.workflow].first_open(facts.finished)
    if unreadable or first is None or not first.artefact or first.rounds:  # a round that was never run waits for nobody
        raise UserError(
            "nothing-to-approve",
            f'"{case.name}" has nothing that waits for approval',
            help=f"`shiage status {case.name}` shows where it is.",
        )
    return first.name


def _refuse_unfit(case: Case, run: Run, phase: str) -> None:
    rows = {row.name: row for row in WORKFLOWS[case.workflow].phases}
    known_phase(case.folder, phase)
    name = rows[phase].artefact
    if "{" not in name and name and not (case.folder.text(name) or "").strip():
        raise UserError(
            "nothing-to-approve",
            f"{case.folder.shown(name)} is missing or empty",
            help=f"`shiage run {case.name}` has it written, or write it yourself.",
        )
    left = effects.tasks(case).open(case.setup.guard.optional, case.setup.guard.ignore_headings)
    if rows[phase].seals and left:
        raise UserError(
            "tasks-open", f"{len(left)} tasks are open", help=f"`shiage run {case.name}` goes on with them."
        )
    if run.reason == "tasks-incomplete":
        raise UserError("needs-reset", f'"{case.name}" is in error', help=f"`shiage reset {case.name}` first.")


def _write_approval(case: Case, record: Record, phase: str, tampered: bool) -> None:
    main = record.history.main
    if isinstance(main.todo, FinishPhase) and main.status is Status.PAUSED and main.todo.phase == phase:
        if phase in ("requirements", "design", "tasks"):
            written.approve_phases(case.folder, [phase])
        done: Event = effects.finish(case, main, main.todo)
        if isinstance(done, PhaseFinished):
            record.append(done)
    elif phase == "document-review":
        written.approve_review(case.folder, by_person=True)
    elif phase in ("requirements", "design", "tasks") and not tampered:
        written.approve_phases(case.folder, [phase])
    elif not tampered:
        written.finish_phase(case.folder, phase)


#: A plain yes or no to a permission, in both languages.
_ANSWERS = dict.fromkeys(("allow", "yes", "y", "許可", "はい"), True) | dict.fromkeys(
    ("deny", "no", "n", "拒否", "いいえ"), False
)


def _allowed(run: Run, text: str) -> bool | None:
    """Whether the answer settles a permission; anything but a plain yes or no is words for the agent."""
    asked = run.attempts and run.last.outcome and run.last.outcome.asked
    return _ANSWERS.get(text.strip().rstrip(".!。").lower()) if asked else None


async def answer(
    workspace: Workspace, name: str, text: str, watch: Watch | None = None, keep: Keep | None = None
) -> Run:
    """Hand a person's words to the agent that waits for them, and go on."""
    workspace.require_trust()
    require_words(text)
    folder: Folder = workspace.folder(name)
    with opened(workspace, folder, "answer", watch) as (_, record):
        main = record.history.main
        if main.status is not Status.PAUSED or not isinstance(main.todo, StartAgent):
            raise UserError("no-question", f'"{name}" asks nothing', help=f"`shiage status {name}` shows where it is.")
        record.append(Answered(run=main.id, at=now(), text=text, allowed=_allowed(main, text)))
    return await run(workspace, name, until=main.until, watch=watch, keep=keep)
