"""Views as lines of text: the table of all specs, the page of one, the block at the end of a run."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from shiage.app.board import Board
from shiage.app.journals import AttemptRow, Page, PhaseRow, RoundRow
from shiage.app.questions import question_of
from shiage.app.sentences import detail, next_step, role_name, why
from shiage.app.views import SpecView
from shiage.cli.paint import STYLES, paint
from shiage.cli.text import cells, clean, clock, columns, duration, fit, lines_of, pad, wrapped
from shiage.cli.words import counted, language, t
from shiage.domain.outcome import Cause
from shiage.domain.verdict import Finding

WIDTH = 80
#: Names for a line that must hold all phases.
_SHORT = {"requirements": "req", "design": "des", "document-review": "review", "inspection": "insp"}
_ROUNDS = frozenset({"document-review"})


def money(cost: object) -> str:
    """What it cost; unknown stays unknown."""
    return f"${cost:.2f}" if isinstance(cost, int | float) else "–"


def next_words(view: SpecView) -> str:
    """The next action in the person's language."""
    reason = view.reason or ("stopped" if view.status == "idle" else "")  # to be run, the one as the other
    if not reason:
        return view.next_action
    said = next_step(language(), reason, spec=view.spec, phase=view.phase, path=view.path, cause=view.cause)
    return clean(said or view.next_action)


def command_in(text: str) -> str:
    """The first command that a sentence names."""
    found = re.search("`([^`]+)`", text)
    return found[1] if found else text


def table(board: Board, *, colored: bool, width: int | None = None) -> list[str]:
    """One row per spec."""
    if not (board.views or board.broken):
        return _asking(board) or [t("status.none")]
    names = ("spec", "phase", "state", "round", "tasks", "time", "cost", "next")
    rows = [[t(f"status.{name}") for name in names], *(_cells(view, colored=colored) for view in board.views)]
    rows += [_broken(row.spec, row.error.code, clean(row.error.message), colored=colored) for row in board.broken]
    head, *lines = columns(rows, gap=2, width=width)
    return [paint(head, "bold", on=colored), *lines, "", *_asking(board), _totals(board)]


def _asking(board: Board) -> list[str]:
    """Tasks in one's own words have no row; those that wait for a person are named all the same."""
    return [one_line(view) for view in board.tasks if question_of(view)]


def _cells(view: SpecView, *, colored: bool) -> list[str]:
    state = paint(t(f"state.{view.status}"), STYLES[view.status], on=colored)
    state = f"{state} {clean(view.worker)}" if view.worker else state
    rounds = f"{view.round['current']}/{view.round['max']}" if view.phase in _ROUNDS and view.round["current"] else "-"
    tasks = f"{view.tasks['done']}/{view.tasks['total']}" if view.tasks["total"] else "-"
    spent = view.usage.get("cost_usd")
    cost = f"{spent:.2f}" if isinstance(spent, int | float) else "-"
    todo = command_in(view.next_action)
    last = f"{view.reason} → {todo}" if view.reason else waiting(view) or todo
    return [clean(view.spec), view.phase, state, rounds, tasks, clock(view.seconds), cost, clean(last)]


def waiting(view: SpecView) -> str:
    """How long the run still waits for its agent, and for what; empty when it does not."""
    if view.waits_until is None:
        return ""
    left = duration(max(0.0, view.waits_until - time.time()))
    return t("doing.wait" if view.cause == Cause.USAGE_LIMIT else "doing.retry", left=left)


def _broken(spec: str, code: str, message: str, *, colored: bool) -> list[str]:
    return [clean(spec), "-", paint(t("state.error"), "red", on=colored), "-", "-", "-", "-", f"{code}: {message}"]


def _totals(board: Board) -> str:
    waits = f" · {counted('wait', board.waiting)}" if board.waiting else ""
    return counted("spec", len(board.views) + len(board.broken)) + waits


def phases_line(view: SpecView, *, short: bool = False) -> str:
    """Every phase with how far it is; the state stands behind the name, so that no alignment depends on it."""
    shown = [name for name, state in view.phases.items() if name != "deploy" or state != "todo"]
    return "  ".join(f"{_SHORT.get(name, name) if short else name} {_mark(view, name)}" for name in shown)


def _mark(view: SpecView, phase: str) -> str:
    state = view.phases[phase]
    if state == "done":
        return "✓"
    if state == "todo":
        return "·"
    if phase in _ROUNDS:
        return f"{view.round['current']}/{view.round['max']}"
    if phase == "impl" and view.tasks["total"]:
        return f"{view.tasks['done']}/{view.tasks['total']}"
    return "…"


def header(view: SpecView, seconds: float, width: int = WIDTH) -> str:
    """One line: the spec, its phases, how long, how much."""
    right = f"{clock(seconds)}  {money(view.usage.get('cost_usd'))}"
    name, room = fit(view.spec, 20), width - cells(right) - 2
    lines = (f"{name}  {phases_line(view, short=short)}" for short in (False, True))
    line = next((line for line in lines if cells(line) <= room), f"{name}  {view.phase} {_mark(view, view.phase)}")
    return pad(fit(line, room), room) + "  " + right


def page(view: SpecView, *, colored: bool) -> list[str]:
    """One spec: where it is, what it has used, why it stands, what moves it on."""
    state = paint(t(f"state.{view.status}"), STYLES[view.status], on=colored)
    head = f"{paint(view.spec, 'bold', on=colored)}   {state}   {view.phase}"
    facts = [(t(f"fact.{label}"), value) for label, value in _facts(view) if value]
    wide = max(cells(label) for label, _ in facts) + 3
    lines = chain.from_iterable(_folded(pad(label, wide), value) for label, value in facts)
    return [head, f"  {phases_line(view)}", "", *lines]


def _facts(view: SpecView) -> Iterator[tuple[str, str]]:
    used = view.usage
    if view.agent_id:
        role = role_name(language(), view.role)
        yield "agent", t("status.attempt", agent=view.agent, role=role, attempt=view.attempt)
    yield "worker", clean(view.worker)
    yield "waits", waiting(view)
    yield "rounds", t("status.rounds_value", **view.round) if view.round["closed"] else ""
    yield "tasks", f"{view.tasks['done']}/{view.tasks['total']}" if view.tasks["total"] else ""
    yield "reruns", f"{view.impl['retries']}/{view.impl['max']}" if view.impl["retries"] else ""
    yield (
        "inspection",
        f"{view.inspection['rounds']}: {view.inspection['verdict']}" if view.inspection["rounds"] else "",
    )
    yield "worktree", "{path}  {branch} → {base}".format(**view.worktree).removesuffix(" → ") if view.worktree else ""
    yield "time", clock(view.seconds)
    yield "cost", money(used.get("cost_usd"))
    if used.get("input_tokens") is not None:
        yield "usage", t("fact.tokens", input=used["input_tokens"], output=used.get("output_tokens"))
    yield "why", f"{why(language(), view.reason)} ({view.reason})" if view.reason else ""
    said = detail(language(), view.detail)
    gap = "\n" if "\n" in said else " "
    yield "detail", "\n".join(lines_of(f"{view.path}{gap}{said}".strip()))
    yield "next", next_words(view)


def _folded(label: str, value: str) -> list[str]:
    first, *rest = chain.from_iterable(wrapped(line, WIDTH - cells(label) - 2) for line in value.split("\n"))
    return [f"  {label}{first}", *(f"  {' ' * cells(label)}{line}" for line in rest)]


def ending(view: SpecView, seconds: float, *, colored: bool) -> list[str]:
    """What a person reads when the run has ended: its state, why, and the next action."""
    end = "step" if view.status == "completed" and view.next_action else view.status
    said = t(f"end.{end}", spec=view.spec, phase=view.phase, why=why(language(), view.reason))
    code = f" ({view.reason})" if view.reason else ""
    right = f"{clock(seconds)}  {money(view.usage.get('cost_usd'))}"
    first, *more = wrapped(said + code, WIDTH - 16)
    lines = [paint(pad(first, WIDTH - 14), STYLES[view.status], on=colored) + right]
    lines += [paint(f"  {line}", STYLES[view.status], on=colored) for line in more]
    if view.status == "completed":
        lines.append(f"  {phases_line(view)}")
        lines.append(f"  {t('end.look')}   shiage log {view.spec}   shiage show {view.spec}")
    else:
        lines += [f"  {line}" for line in _detail(view, WIDTH - 4)]
    todo = next_words(view)
    return [*lines, *_folded(f"{t('end.next')}  ", todo)] if todo else lines


def _detail(view: SpecView, width: int) -> list[str]:
    """One sentence more, and its file; a diff keeps its lines."""
    said = detail(language(), view.detail)
    if "\n" in said:
        return [fit(line, width) for line in (clean(view.path), *lines_of(said)) if line]
    placed = clean("   ".join(part for part in (said, view.path) if part))
    return wrapped(placed, width) if placed else []


def one_line(view: SpecView) -> str:
    """The whole state in a line, for --quiet and for what a command did."""
    state = t(f"status.now_{view.status}", spec=view.spec, reason=view.reason)
    if waits := waiting(view):
        return f"{state}{t('end.then')}{waits}"
    todo = next_words(view)
    return f"{state}{t('end.then')}{t('end.next')} {todo}" if todo and view.status != "running" else state


def shown(page_: Page, *, colored: bool) -> list[str]:
    """Everything there is to say of one spec."""
    parts = [page(page_.view, colored=colored)]
    parts.append(_section("rounds", [_round(row) for row in page_.rounds], colored=colored))
    parts.append(_attempts(page_.attempts, colored=colored))
    if page_.used:
        parts.append(_section("used", [_use(row) for row in page_.used], colored=colored))
    return [line for index, part in enumerate(parts) for line in (["", *part] if index else part)]


def _section(name: str, rows: Sequence[Sequence[str]], *, colored: bool) -> list[str]:
    lines = columns(rows, gap=2) if rows else [t("show.none")]
    return [paint(t(f"show.{name}"), "bold", on=colored), *(f"  {line}" for line in lines)]


def _round(row: RoundRow) -> list[str]:
    found = t("live.counts", fix=row.fix, discuss=row.discuss) if row.fix is not None else row.verdict.upper()
    return [row.phase, f"#{row.round}", found, duration(row.seconds), row.path]


def _use(row: PhaseRow) -> list[str]:
    return [row.phase, t("spec.attempts", n=row.attempts), duration(row.seconds), _tokens(row), money(row.cost_usd)]


def _tokens(row: PhaseRow) -> str:
    """What is unknown is a dash, never a zero."""
    counts = (row.input_tokens, row.output_tokens)
    return t("fact.tokens", input=counts[0], output=counts[1]) if None not in counts else "–"


def _attempts(rows: Sequence[AttemptRow], *, colored: bool) -> list[str]:
    listed = _section("attempts", [_attempt(row) for row in rows], colored=colored)
    if not rows:
        return listed
    head, *lines = listed
    found = [line for row, text in zip(rows, lines, strict=True) for line in (text, *_below(row))]
    return [head, *found]


def _attempt(row: AttemptRow) -> list[str]:
    took = duration(row.seconds) if row.seconds is not None else "-"
    doing = f"{row.phase} #{row.round}" if row.round else row.phase
    role, end = role_name(language(), row.role), t(f"ending.{row.ending}")
    spent = "" if row.cost_usd is None else money(row.cost_usd)
    return [row.run, f"#{row.attempt}", doing, role, fit(row.agent, 12), took, end, _verdict(row), spent]


def _verdict(row: AttemptRow) -> str:
    """What shiage itself found, in as few words as the kind of work allows."""
    if row.counts:
        return t("live.counts", fix=row.counts.fix, discuss=row.counts.discuss)
    judged = f"{row.judgment} ({row.iteration})" if row.judgment and row.iteration > 1 else row.judgment
    return row.verdict.upper() or judged


def _below(row: AttemptRow) -> list[str]:
    """What was found about an attempt, and where its raw output lies when it went wrong."""
    found = [_found(f) for f in row.findings] + [f"{t('show.muted')}  {_found(f)}" for f in row.muted]
    wrong = [f"{row.cause}  {detail(language(), row.detail)}".strip(), detail(language(), row.problem)]
    wrong = [part for part in wrong if part]
    log = [f"{t('show.log')}: {row.log}"] if wrong else []
    return [f"      {fit(clean(text), WIDTH - 6)}" for text in (*found, *wrong, *log)]


def _found(finding: Finding) -> str:
    said = finding.quote or finding.description
    return f"{finding.id}  {finding.place}  {finding.criteria_id} {finding.rule}  {said}"


def counts_line(parts: Mapping[str, int]) -> str:
    """ "6 phases · 3 rounds · 1 re-run"."""
    return " · ".join(counted(unit, number) for unit, number in parts.items())
