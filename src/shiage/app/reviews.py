"""What became of a free-form task: its iterations, and the last words of its agent."""

from dataclasses import asdict, dataclass, field

from shiage.app.iterations import Content, IterationRecord, iteration_history
from shiage.app.views import SpecView
from shiage.app.workspace import Workspace
from shiage.domain.run import Attempt, Status
from shiage.engine import attempts
from shiage.engine.record import events_of
from shiage.flow.history import recall
from shiage.journal.reading import read
from shiage.specs.folder import Folder


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What became of a free-form task."""

    final_status: str  #: COMPLETE, INCOMPLETE, ERROR, AWAITING_RESPONSE; RUNNING while it goes on
    total_iterations: int
    iteration_history: tuple[IterationRecord, ...] = ()
    final_output: Content = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def result_of(workspace: Workspace, folder: Folder, view: SpecView) -> ReviewResult | None:
    """The result of a free-form task; None for specs and bugs, whose loops are one per phase."""
    if folder.workflow != "task":
        return None
    entries = read(folder.path / "event-log.jsonl")
    run = recall(events_of(entries)).main
    history = iteration_history(entries)
    last = run.attempts[-1] if run.attempts else None
    output = _output(workspace, folder, last, run.id) if last else {}
    return ReviewResult(_final(view), max((row.iteration for row in history), default=0), history, output)


def _final(view: SpecView) -> str:
    if view.reason == "awaiting-response":
        return "AWAITING_RESPONSE"
    return _FINAL[Status(view.status)]


_FINAL = {
    Status.COMPLETED: "COMPLETE",
    Status.ERROR: "ERROR",
    Status.PAUSED: "INCOMPLETE",
    Status.IDLE: "INCOMPLETE",
    Status.RUNNING: "RUNNING",
}


def _output(workspace: Workspace, folder: Folder, last: Attempt, run: str) -> Content:
    """How the last agent ended, and its last words, which nobody has to believe."""
    case, outcome = workspace.case(folder), last.outcome
    log = case.places.attempt_log(run, last.number)
    return {
        "agent": last.agent,
        "ending": outcome.ending.value if outcome else "running",
        "exit_code": outcome.exit_code if outcome else None,
        "output": attempts.last_words(case, log, last) if log.is_file() else "",
        "output_ref": log.relative_to(case.places.root).as_posix(),
    }
