"""What there is to see: computed from the journal, the spec folder and the lock, never stored as truth."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from operator import add

from shiage.app.folds import Story, story
from shiage.app.tickets import worker_of
from shiage.app.workspace import Workspace, now
from shiage.domain.details import told as detail
from shiage.domain.errors import UserError
from shiage.domain.outcome import Usage
from shiage.domain.reasons import next_action
from shiage.domain.run import Run, StartAgent, Status
from shiage.engine import effects, lock, worktrees
from shiage.engine.case import Case
from shiage.flow.gates import reruns
from shiage.flow.workflows import WORKFLOWS
from shiage.specs.folder import Folder
from shiage.specs.state import SpecState


@dataclass(frozen=True, slots=True)
class SpecView:
    """One spec now; the fields are the stable keys of `status --json`."""

    spec: str
    workflow: str
    status: str
    phase: str
    reason: str
    detail: str
    path: str
    next_action: str
    agent_id: str
    agent: str
    role: str
    run: str
    attempt: int
    round: Mapping[str, int]
    impl: Mapping[str, int]
    tasks: Mapping[str, int]
    inspection: Mapping[str, object]
    usage: Mapping[str, object]
    waits_until: float | None  #: seconds since the epoch: nothing is wrong, a limit has to reset first
    seconds: float
    phases: Mapping[str, str]  #: phase -> done, current, todo
    since: str = ""  #: when it began to wait for a person; empty while it does not
    cause: str = ""  #: why its last attempt failed; empty while nothing is wrong
    answerable: bool = False  #: whether words for the agent (`shiage answer`) move it on
    worktree: Mapping[str, str] = field(
        default_factory=dict
    )  #: its own checkout: path, branch, base; empty: the main one
    worker: str = ""  #: who is at work on it, where it travels between machines
    v: int = 1

    def as_json(self) -> dict[str, object]:
        until = None if self.waits_until is None else effects.iso(self.waits_until)
        return {**asdict(self), "waits_until": until}


def status(workspace: Workspace, folder: Folder, tell: Callable[[Folder], Story] = story) -> SpecView:
    """Where the spec stands now; whoever looks again and again brings its own way to fold the journal."""
    folder = folder.still()
    case = workspace.case(folder, works=False)
    told, held = _looked(case, folder, tell)
    history = told.history
    main = history.main if history.main.workflow == folder.workflow else replace(history.main, workflow=folder.workflow)
    try:
        state, facts = case.folder.state(), effects.facts(case, replace(history, main=main))
        main = replace(main, closed=facts.closed or main.closed)
        finished = facts.finished
    except UserError as error:
        state, finished = SpecState(), ()
        main = _unreadable(main, error)
    worker = worker_of(workspace, folder) if workspace.is_away(folder) else ""
    shown = _seen(history.active if history.active is not history.main else main, held, worker)
    return replace(_view(case, main, shown, state, finished), since=_since(shown, told), worker=worker)


def _looked(case: Case, folder: Folder, tell: Callable[[Folder], Story]) -> tuple[Story, bool]:
    """The journal, and whether somebody is at work on what it calls running."""
    told = tell(folder)
    if told.history.active.status is not Status.RUNNING or lock.holder(case.places.lock) is not None:
        return told, True
    told = tell(folder)  # it may have ended between the two looks
    return told, lock.holder(case.places.lock) is not None


def _since(run: Run, told: Story) -> str:
    waits = run.status in (Status.PAUSED, Status.ERROR)
    return told.stops.get(run.id, told.newest) if waits else ""


def _unreadable(run: Run, error: UserError) -> Run:
    """A spec that cannot be read can do nothing but wait for its repair."""
    place = str(error.where) if error.where else ""
    return replace(run, status=Status.PAUSED, reason="spec-unreadable", detail=error.message, path=place)


def _seen(run: Run, held: bool, worker: str) -> Run:
    """A run whose process is gone is not running, whatever its journal said last.

    One that travels is running while somebody works on it, whatever its branch has of it so far.
    """
    if worker:
        return run if run.status is Status.RUNNING else replace(run, status=Status.RUNNING, reason="", detail="")
    if run.status is not Status.RUNNING or held:
        return run
    return replace(run, status=Status.PAUSED, reason="interrupted", detail=detail("interrupted"))


def _view(case: Case, main: Run, run: Run, state: SpecState, finished: tuple[str, ...]) -> SpecView:
    flight = run.in_flight
    phase = _phase(case, run, finished)
    return SpecView(
        spec=case.name,
        workflow=case.workflow,
        status=run.status.value,
        phase=phase,
        reason=run.reason,
        detail=run.detail,
        path=run.path,
        next_action=_next(case, run, phase),
        agent_id=flight.agent_id if flight else "",
        agent=flight.agent if flight else "",
        role=flight.order.role.value if flight else "",
        run=run.id,
        attempt=run.last.number if run.attempts else 0,
        round=_round(main),
        impl={"retries": _retries(main), "max": main.limits.impl_reruns},
        tasks=_tasks(case),
        inspection=_inspection(state),
        usage=_usage(run),
        waits_until=(waits := _waits_until(run)),
        seconds=_seconds(run),
        phases=_phases(case, phase, finished, run.status),
        worktree=worktrees.summary(case.tree) if case.tree else {},
        cause=run.cause if run.reason or waits else "",
        answerable=run is main and run.status is Status.PAUSED and isinstance(run.todo, StartAgent),
    )


def _phase(case: Case, run: Run, finished: tuple[str, ...]) -> str:
    if run.phase:
        return run.phase
    first = WORKFLOWS[case.workflow].first_open(finished)
    return first.name if first else WORKFLOWS[case.workflow].phases[-1].name


def _next(case: Case, run: Run, phase: str) -> str:
    if run.reason:
        return next_action(run.reason, spec=case.name, phase=phase, path=run.path, cause=run.cause)
    return f"run `shiage run {case.name}`" if run.status is Status.IDLE else ""


def _round(run: Run) -> dict[str, int]:
    closed = run.closed.get("document-review", 0)
    begun = [a.order.round for a in run.attempts if a.order.phase == "document-review"]
    return {
        "closed": closed,
        "current": max([closed, *begun]),
        "max": run.base.get("document-review", 0) + run.limits.review_rounds,
    }


def _retries(run: Run) -> int:
    """Re-runs of this session, as many as were begun."""
    if run.workflow != "spec":
        return 0
    return min(reruns(run, WORKFLOWS["spec"].phase("impl")), run.limits.impl_reruns)


def _tasks(case: Case) -> dict[str, int]:
    guard = case.setup.guard
    done, total = effects.tasks(case).done_total(guard.optional, guard.ignore_headings)
    return {"done": done, "total": total}


def _inspection(state: SpecState) -> dict[str, object]:
    last = state.inspections[-1] if state.inspections else None
    return {"rounds": len(state.inspections), "verdict": last.result if last else None}


def _usage(run: Run) -> dict[str, object]:
    """What the run's attempts told; unknown stays unknown."""
    told = [attempt.outcome.usage for attempt in run.attempts if attempt.outcome]
    return asdict(reduce(add, told, Usage()))


def _waits_until(run: Run) -> float | None:
    waits = run.status is Status.RUNNING and not run.in_flight and isinstance(run.todo, StartAgent)
    return run.todo.order.not_before if waits and isinstance(run.todo, StartAgent) else None


def _seconds(run: Run) -> float:
    """How long agents have been at work, the one in flight included."""
    flight = run.in_flight
    running = now() - flight.started_at if flight and run.status is Status.RUNNING else 0.0
    return round(sum(attempt.seconds for attempt in run.attempts) + running, 3)


def _phases(case: Case, current: str, finished: tuple[str, ...], state: Status) -> dict[str, str]:
    names = [row.name for row in WORKFLOWS[case.workflow].phases]
    if case.workflow == "task" and state is Status.COMPLETED:  # its journal alone says that it is over
        finished = tuple(names)
    at = current if state is not Status.COMPLETED else ""
    return {name: "done" if name in finished else "current" if name == at else "todo" for name in names}
