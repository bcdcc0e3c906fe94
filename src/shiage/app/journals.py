"""What a spec's journal tells: its entries, whether they are what was written, and every attempt in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from shiage.app.folds import FILE, Folds
from shiage.app.iterations import IterationRecord, Iterations
from shiage.app.views import SpecView, status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.domain.events import AttemptAssessed, AttemptExited, AttemptLost, AttemptStarted, Event, RoundClosed
from shiage.domain.outcome import Usage
from shiage.domain.run import Counts
from shiage.domain.verdict import CriterionResult, Finding
from shiage.engine.places import Places
from shiage.engine.record import events_of
from shiage.flow.workflows import JUDGED
from shiage.journal.checking import Report
from shiage.journal.checking import verify as check
from shiage.journal.entry import Entry, encode
from shiage.journal.reading import Follower, follow, read
from shiage.specs.folder import Folder

REVIEW = "document-review"
_Closed = tuple[str, str, int]  #: a closed round: its run, its phase, its number


def entries(folder: Folder) -> tuple[Entry, ...]:
    return read(folder.path / FILE)


def following(folder: Folder) -> Follower:
    return follow(folder.path / FILE)


def line(entry: Entry) -> str:
    """The entry as it stands in the journal."""
    return encode(entry).decode("utf-8", "surrogateescape")


def verify(workspace: Workspace, folder: Folder) -> Report:
    """Whether the journal is what was written."""
    return check(folder.path / FILE, workspace.places(folder).head)


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt as the journal tells it, whichever run it belongs to."""

    run: str
    attempt: int
    agent_id: str
    agent: str
    phase: str
    role: str
    round: int
    started_at: float
    seconds: float | None = None
    ending: str = "running"
    cause: str = ""
    detail: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    judgment: str = ""
    verdict: str = ""
    problem: str = ""
    counts: Counts | None = None
    iteration: int = 0  #: of its review loop; 0 for roles that are not judged
    criteria: tuple[CriterionResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    muted: tuple[Finding, ...] = ()
    log: str = ""  #: where its raw output lies

    @property
    def tokens(self) -> int | None:
        """In and out; what is not known is not nothing."""
        known = [part for part in (self.input_tokens, self.output_tokens) if part is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One closed round: what was found, by which attempts, how long it took."""

    run: str
    phase: str
    round: int
    fix: int | None
    discuss: int | None
    verdict: str
    seconds: float
    path: str


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """What a phase has taken so far, over all runs; None where no agent told it."""

    phase: str
    attempts: int
    seconds: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """Everything there is to say of one spec."""

    view: SpecView
    rounds: tuple[RoundRow, ...]
    attempts: tuple[AttemptRow, ...]
    iterations: tuple[IterationRecord, ...] = ()
    used: tuple[PhaseRow, ...] = ()

    def as_json(self) -> dict[str, object]:
        rows = [asdict(row) | _told_findings(row) for row in self.attempts]
        reviewed = [asdict(record) for record in self.iterations]
        return {
            **self.view.as_json(), "rounds": [asdict(row) for row in self.rounds], "attempts": rows,
            "iteration_history": reviewed, "used": [asdict(row) for row in self.used],
        }  # fmt: skip


def _told_findings(row: AttemptRow) -> dict[str, object]:
    return {name: [{"id": one.id, **asdict(one)} for one in getattr(row, name)] for name in ("findings", "muted")}


@dataclass(frozen=True, slots=True)
class Telling:
    """Every attempt, round and iteration of a journal, as far as it was read."""

    places: Places
    root: Path
    attempts: Mapping[tuple[str, int], AttemptRow] = field(default_factory=dict)
    closed: Mapping[_Closed, None] = field(default_factory=dict)  #: in the order of their ends
    iterations: Iterations = field(default_factory=Iterations)

    def after(self, told: Sequence[Entry]) -> "Telling":
        events = tuple(events_of(told))
        return replace(
            self,
            attempts=_attempts(self.attempts, events, self.places, self.root),
            closed={**self.closed, **_closed(events)},
            iterations=self.iterations.after(told),
        )


def page(workspace: Workspace, folder: Folder, folds: Folds | None = None) -> Page:
    """Whoever looks again and again brings its folds."""
    folds = folds or Folds()
    found = folds.told(folder, Telling(workspace.places(folder), workspace.root))
    attempts, history = tuple(found.attempts.values()), found.iterations.records
    told = _rounds(found.closed, attempts)
    rounds = (*_written(workspace.case(folder, works=False).folder, told), *told)
    view = status(workspace, folder, folds.story)
    return Page(view, rounds, numbered(attempts, history), history, told_use(attempts))


def told_use(attempts: Sequence[AttemptRow]) -> tuple[PhaseRow, ...]:
    """By phase, in the order in which they began."""
    return tuple(
        _use(phase, [row for row in attempts if row.phase == phase])
        for phase in dict.fromkeys(row.phase for row in attempts)
    )


def _use(phase: str, rows: Sequence[AttemptRow]) -> PhaseRow:
    told = sum((Usage(row.input_tokens, row.output_tokens, row.cost_usd) for row in rows), Usage())
    return PhaseRow(phase, len(rows), round(sum(row.seconds or 0.0 for row in rows), 3), **asdict(told))


def _written(folder: Folder, told: Iterable[RoundRow]) -> list[RoundRow]:
    """Rounds that only the spec's own state knows: closed by another tool, or before this journal began."""
    known = {row.round for row in told if row.phase == REVIEW}
    try:
        state = folder.state()
    except UserError:  # the page of a spec that cannot be read says so elsewhere
        return []
    return [
        RoundRow("", REVIEW, one.number, one.fix, one.discuss, "", 0.0, _file(REVIEW, one.number))
        for one in state.rounds
        if one.status == "reply_complete" and one.number not in known
    ]


def numbered(attempts: Iterable[AttemptRow], history: Iterable[IterationRecord]) -> tuple[AttemptRow, ...]:
    """Each with the number of its iteration."""
    numbers = {(record.run, record.attempt): record.iteration for record in history}
    return tuple(replace(row, iteration=numbers.get((row.run, row.attempt), 0)) for row in attempts)


def told_attempts(events: Iterable[Event], places: Places, root: Path | None = None) -> tuple[AttemptRow, ...]:
    """`root` is the project that asks: what it tells of logs begins there, also of those of a run that travels."""
    return tuple(_attempts({}, events, places, root or places.root).values())


def _attempts(
    before: Mapping[tuple[str, int], AttemptRow], events: Iterable[Event], places: Places, root: Path
) -> Mapping[tuple[str, int], AttemptRow]:
    rows = dict(before)
    for event in events:
        match event:
            case AttemptStarted():
                rows[event.run, event.attempt] = _started(event, places, root)
            case AttemptExited() | AttemptLost() | AttemptAssessed() if (event.run, event.attempt) in rows:
                rows[event.run, event.attempt] = _ended(rows[event.run, event.attempt], event)
    return rows


def _started(event: AttemptStarted, places: Places, root: Path) -> AttemptRow:
    order = event.order
    log = places.attempt_log(event.run, event.attempt).relative_to(root).as_posix()
    return AttemptRow(
        run=event.run, attempt=event.attempt, agent_id=event.agent_id, agent=event.agent, phase=order.phase,
        role=order.role.value, round=order.round, started_at=event.at, log=log,
    )  # fmt: skip


def _ended(row: AttemptRow, event: AttemptExited | AttemptLost | AttemptAssessed) -> AttemptRow:
    if isinstance(event, AttemptLost):
        return replace(row, ending="lost")
    if isinstance(event, AttemptExited):
        seconds, end = round(event.at - row.started_at, 3), event.outcome
        cause = end.cause.value if end.cause != "none" else ""
        used = asdict(end.usage)
        return replace(row, seconds=seconds, ending=end.ending.value, cause=cause, detail=end.detail, **used)
    found, judged = event.assessment, row.role in JUDGED
    return replace(
        row, judgment=found.judgment.value if judged else "", verdict=found.verdict, problem=found.problem,
        counts=found.counts, criteria=found.criteria if judged else (), findings=found.findings, muted=found.muted,
    )  # fmt: skip


def told_rounds(events: Iterable[Event], attempts: Iterable[AttemptRow]) -> tuple[RoundRow, ...]:
    """The rounds that were closed, with what the attempts in them found."""
    return _rounds(_closed(events), attempts)


def _closed(events: Iterable[Event]) -> Mapping[_Closed, None]:
    return dict.fromkeys((event.run, event.phase, event.round) for event in events if isinstance(event, RoundClosed))


def _rounds(closed: Iterable[_Closed], attempts: Iterable[AttemptRow]) -> tuple[RoundRow, ...]:
    """Grouped once: a spec may have had many runs."""
    grouped: dict[tuple[str, int], list[AttemptRow]] = {}
    for row in attempts:
        grouped.setdefault((row.phase, row.round), []).append(row)
    return tuple(_round(key, grouped.get(key[1:], [])) for key in closed)


def _round(key: _Closed, attempts: list[AttemptRow]) -> RoundRow:
    counts = next((a.counts for a in reversed(attempts) if a.counts), None)
    verdict = next((a.verdict for a in reversed(attempts) if a.verdict), "")
    return RoundRow(
        run=key[0], phase=key[1], round=key[2],
        fix=counts.fix if counts else None,
        discuss=counts.discuss if counts else None,
        verdict=verdict,
        seconds=round(sum(a.seconds or 0.0 for a in attempts), 3),
        path=_file(key[1], key[2]),
    )  # fmt: skip


def _file(phase: str, number: int) -> str:
    """The file that a person reads to see what a round found."""
    names = {"document-review": f"document-review-{number}-reply.md", "inspection": f"inspection-{number}.md"}
    return names.get(phase, "")
