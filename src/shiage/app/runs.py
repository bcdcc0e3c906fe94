"""Start, resume, step: whatever makes agents work."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace

from shiage.agents.adapter import AgentEvent
from shiage.agents.sweep import sweep_marker
from shiage.app import trees
from shiage.app.carrying import at_hand
from shiage.app.listeners import Listeners
from shiage.app.workspace import Workspace, now
from shiage.config.nearest import nearest
from shiage.domain.errors import UserError
from shiage.domain.events import AttemptLost, Event, RecordFailed, ResumeRequested, RunStarted
from shiage.domain.reasons import REASONS, next_action
from shiage.domain.run import Attempt, Facts, Mode, Run, Status
from shiage.engine import effects, lock
from shiage.engine.case import Case, Keep, Refusal
from shiage.engine.record import Record
from shiage.engine.restoring import put_back
from shiage.engine.runner import Runner
from shiage.flow.history import History
from shiage.flow.step import Phase
from shiage.flow.workflows import WORKFLOWS
from shiage.journal.entry import Entry
from shiage.journal.writing import Journal
from shiage.specs.folder import Folder

#: What a run that has ended tells its caller.
EXIT_CODES = {Status.COMPLETED: 0, Status.PAUSED: 4, Status.ERROR: 5, Status.IDLE: 1, Status.RUNNING: 4}
STOPPED = 130


def exit_code(run: Run) -> int:
    if run.reason == "stopped":
        return STOPPED
    given_up = run.workflow == "task" and run.reason == "incomplete"
    return EXIT_CODES[Status.ERROR if given_up else run.status]


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told while a run goes on, and what goes on beside it."""

    entries: Callable[[str, Sequence[Entry]], None] = lambda spec, entries: None
    agent: Callable[[str, Attempt, AgentEvent], None] = lambda spec, attempt, event: None
    started: Callable[[Runner], None] = lambda runner: None
    apart: bool = False  #: another run is at work in the main checkout


@contextmanager
def opened(
    workspace: Workspace, folder: Folder, doing: str, watch: Watch | None = None, keep: Keep | None = None
) -> Iterator[tuple[Case, Record]]:
    """Hold the spec alone, with its journal repaired, folded, and no agent of a dead shiage left.

    One that travels is taken from its branch for that, and what was done is pushed.
    """
    with ExitStack() as held:
        if workspace.is_away(folder):
            workspace, folder, keep = held.enter_context(at_hand(workspace, folder, doing))
        yield held.enter_context(_opened(workspace, folder, doing, watch, keep))


@contextmanager
def _opened(
    workspace: Workspace, folder: Folder, doing: str, watch: Watch | None, keep: Keep | None
) -> Iterator[tuple[Case, Record]]:
    case = workspace.case(folder)
    case = _carried(case, keep) if keep else case
    if watch:
        _ready(case)
    case.places.prepare()
    with lock.held(case.places.lock, folder.name, doing):
        case.places.stop_request.unlink(missing_ok=True)
        journal = Journal(folder.path / "event-log.jsonl", case.places.head, now).open()
        listeners = Listeners(workspace, case, (watch or Watch()).entries)
        try:
            record = Record(journal, listeners)
            _bury(case, record)
            yield case, record
        finally:
            journal.close()
            listeners.close()


def _carried(case: Case, keep: Keep) -> Case:
    """A run that travels is left on its branch: only where the person's own checkout is can it be merged."""
    refused_by, away = case.setup.refused_by, Refusal("", "a run that travels is merged by hand")
    setup = replace(case.setup, refused_by=lambda phase: away if phase == "deploy" else refused_by(phase))
    return replace(case, keep=keep, setup=setup)


def _ready(case: Case) -> None:
    """Everybody who will be needed is there: said before anything begins."""
    case.setup.panel()
    for role in {role for row in WORKFLOWS[case.workflow].phases for role in row.roles}:
        case.setup.adapter(case.setup.agents[role].kind)


def _bury(case: Case, record: Record) -> None:
    """End what an earlier shiage left at work, and say that its end was never seen."""
    for run in (record.history.main, record.history.step):
        lost = run.in_flight if run else None
        if run and lost:
            sweep_marker([lost.agent_id], logs=[case.places.attempt_log(run.id, lost.number)])
            event = AttemptLost(run=run.id, at=now(), attempt=lost.number, agent_id=lost.agent_id)
            record.append(event)


def current_facts(case: Case, history: History) -> tuple[Facts, RecordFailed | None]:
    """What the disk says; where it cannot be read, that fact instead."""
    run = history.main
    try:
        return effects.facts(case, history), None
    except UserError as error:
        place = error.where.path if error.where else ""
        return Facts(), RecordFailed(run=run.id, at=now(), reason="spec-unreadable", path=place, problem=str(error))


async def run(
    workspace: Workspace, name: str, *, until: str = "", by: str = "person", watch: Watch | None = None,
    worktree: bool = False, base: str = "", keep: Keep | None = None,
) -> Run:  # fmt: skip
    """Start the spec, or go on where it stopped, until nothing is left to do without a person.

    `worktree` gives a spec that has none a worktree of its own, begun at `base` (HEAD if empty).
    `keep` is called after every closed step, by which a carrier hands the work on to other machines.
    """
    workspace.require_trust()
    folder = workspace.folder(name)
    known_phase(folder, until)
    trees.prepare(workspace, folder, wanted=worktree, base=base)
    with opened(workspace, folder, "run", watch or Watch(), keep) as (case, record):
        return await _drive(case, record, _beginning(case, record, until, by), watch or Watch())


def _beginning(case: Case, record: Record, until: str, by: str) -> list[Event]:
    run = record.history.main
    if run.reason and REASONS[run.reason].needs_reset:
        action = next_action(run.reason, spec=case.name, phase=run.phase, path=run.path)
        raise UserError("needs-reset", f'"{case.name}" is in error ({run.reason}): {run.detail}', help=f"{action}.")
    if run.attempts and run.last.assessment is None:
        _put_back(case, record)
    facts, unreadable = current_facts(case, record.history)
    if run.status in (Status.IDLE, Status.COMPLETED):
        begin: Event = RunStarted(
            run=case.places.new_run(), at=now(), spec=case.name, workflow=case.workflow, until=until, by=by,
            limits=case.setup.limits, facts=facts,
        )  # fmt: skip
    else:
        kept = facts if unreadable is None else run.facts
        begin = ResumeRequested(run=run.id, at=now(), by=by, until=until, limits=case.setup.limits, facts=kept)
    if unreadable is None:
        return [begin]
    failed = RecordFailed(
        run=begin.run, at=now(), reason=unreadable.reason, path=unreadable.path, problem=unreadable.problem
    )
    return [begin, failed]


def _put_back(case: Case, record: Record) -> None:
    """Nobody has looked since an agent ended that was cut short; what cannot be read is told by whoever needs it."""
    with suppress(UserError):
        record.claimed(record.history.main, put_back(case, record.history.main))


async def step(workspace: Workspace, name: str, phase: str, *, fix: bool = False, watch: Watch | None = None) -> Run:
    """One manual pass of one phase: no loop, no advance."""
    workspace.require_trust()
    folder = workspace.folder(name)
    known_phase(folder, phase)
    row = WORKFLOWS[folder.workflow].phase(phase)
    if fix and len(row.roles) < 2:
        raise UserError(
            "no-fix", f"{phase} has nothing to apply", help="`--fix` is for document-review and inspection."
        )
    trees.prepare(workspace, folder)
    with opened(workspace, folder, "step", watch) as (case, record):
        if fix and case.folder.text(effects.newest_report(case, phase)) is None:
            kind = "reply" if phase == "document-review" else "report"
            raise UserError(
                f"no-{kind}", f"there is no {kind} to apply", help=f"`shiage step {name} {phase}` makes one."
            )
        begin = RunStarted(
            run=case.places.new_run(), at=now(), spec=case.name, workflow=case.workflow, mode=Mode.STEP, phase=phase,
            fix=fix, limits=case.setup.limits, facts=effects.facts(case, record.history),
        )  # fmt: skip
        _refuse_early(case, row, begin.facts.finished)
        return await _drive(case, record, [begin], watch or Watch())


def _refuse_early(case: Case, row: Phase, finished: Sequence[str]) -> None:
    """Who works in a phase looks at what is there; a phase without anybody would end work that nobody has finished."""
    phases = [each.name for each in WORKFLOWS[case.workflow].phases]
    left = [name for name in phases[: phases.index(row.name)] if name not in finished]
    if left and not row.roles:
        raise UserError(
            "too-early", f'"{case.name}" is not finished: {", ".join(left)}', help=f"`shiage run {case.name}` goes on."
        )


def known_phase(folder: Folder, phase: str) -> None:
    names = [row.name for row in WORKFLOWS[folder.workflow].phases]
    if phase and phase not in names:
        meant = nearest(phase, names)
        hint = f'did you mean "{meant}"? ' if meant else ""
        raise UserError("phase-unknown", f'there is no phase "{phase}"', help=f"{hint}phases: {', '.join(names)}.")


async def _drive(case: Case, record: Record, begin: Sequence[Event], watch: Watch) -> Run:
    runner = Runner(case, record, lambda attempt, event: watch.agent(case.name, attempt, event))
    watch.started(runner)
    return await runner.drive(begin)
