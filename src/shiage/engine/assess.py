"""What shiage itself finds after an attempt has ended: files, counts, boxes, verdicts, commands, the judge."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from shiage.domain.details import told
from shiage.domain.errors import UserError
from shiage.domain.run import Assessment, Attempt, Counts, Role, Run
from shiage.domain.verdict import CriterionResult, Finding, Judgment
from shiage.engine import traces, verdicts
from shiage.engine.attempts import report_name
from shiage.engine.case import Case
from shiage.engine.checks import failing
from shiage.engine.effects import counted, tasks
from shiage.engine.restoring import put_back
from shiage.flow.workflows import JUDGED, WORKFLOWS
from shiage.specs import inspections, ledger, replies
from shiage.specs.inspections import InspectionVerdict

#: How an agent says that it cannot go on without a person: the last line of its last words.
_QUESTION = re.compile(r"[\s>*_`#-]*(?:QUESTION|質問)[*_`]*\s*[:：]\s*(?P<text>.*\S)", re.IGNORECASE)
_MOST_ASKED = 1000  #: characters of a question


async def assess(case: Case, run: Run, attempt: Attempt, words: str, stop: asyncio.Event) -> Assessment:
    """Look at everything that decides about this attempt; looked at once, after its end."""
    lost = put_back(case, run)
    look = _LOOKS[attempt.order.role]
    found = await look(case, run, attempt, stop)
    found = replace(found, differences=(*lost, *found.differences))
    if attempt.order.role in JUDGED:
        found = replace(found, question=asked(words))
        if case.setup.panel() is not None:
            seen = await asyncio.to_thread(_seen, case, run, attempt)
            return await verdicts.judged(case, run, attempt, found, seen, words, stop)
    with suppress(UserError):  # what nobody judges is kept for people to see: its loss stops nothing
        await asyncio.to_thread(_seen, case, run, attempt)
    return found


def _seen(case: Case, run: Run, attempt: Attempt) -> verdicts.Seen:
    """What the attempt changed, kept beside its log."""
    seen = verdicts.look(case, run)
    traces.keep(case, run, attempt, seen.change)
    return seen


def asked(words: str) -> str:
    """What the agent wants to know from a person, if its last line asks."""
    last = words.rstrip()[-_MOST_ASKED:].rsplit("\n", 1)[-1]
    found = _QUESTION.fullmatch(last)
    return found["text"].strip("*_` ") if found else ""


def _shown(case: Case, name: str) -> str:
    return case.folder.shown(name)


async def _written(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    """An author's document must be there; a task list must have tasks."""
    name = WORKFLOWS[case.workflow].phase(attempt.order.phase).artefact
    path, text = _shown(case, name), case.folder.text(name) if name else "-"
    if not (text or "").strip():
        return _missing(path, told("missing-or-empty", name=name))
    if attempt.order.phase == "tasks" and not tasks(case).boxes:
        return _missing(path, told("no-box", name=name))
    return Assessment(path=path)


def _missing(path: str, what: str) -> Assessment:
    finding = Finding("Q1", "artefact-missing", path, None, "", what, f"write {path}")
    failed = CriterionResult("Q1", False, what)
    return Assessment(judgment=Judgment.REJECT, criteria=(failed,), findings=(finding,), path=path)


async def _implemented(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    """Boxes and their ledger, read then and there."""
    if not WORKFLOWS[case.workflow].phase(attempt.order.phase).seals:
        return await _written(case, run, attempt, stop)
    path, found = _shown(case, "tasks.md"), tasks(case)
    guard = case.setup.guard
    left = found.open(guard.optional, guard.ignore_headings)
    done, total = found.done_total(guard.optional, guard.ignore_headings)
    return Assessment(
        path=path,
        problem="" if total else told("no-tasks"),
        open_tasks=tuple(f"{box.id} {box.title}".strip() for box in left),
        done=done,
        total=total,
        tampered=ledger.compare(run.seal, counted(case)),
    )


async def _reviewed(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    name = report_name(attempt.order)
    path = _shown(case, name)
    there = (case.folder.text(name) or "").strip()
    return Assessment(path=path, problem="" if there else told("missing-or-empty", name=name))


async def _replied(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    """Counts come from the reply itself; the agent's own are one source among three."""
    number, name = attempt.order.round, report_name(attempt.order)
    text = case.folder.text(name)
    if text is None:
        return Assessment(path=_shown(case, name), problem=told("missing", name=name))
    claimed = next((r for r in case.folder.state().rounds if r.number == number), None)
    claim = None
    if claimed is not None and claimed.fix is not None and claimed.discuss is not None:
        claim = Counts(claimed.fix, claimed.discuss)
    reply = replies.count_reply(text, claim)
    return Assessment(
        path=_shown(case, name), counts=reply.counts, problem=reply.problem, differences=tuple(reply.differences)
    )


async def _inspected(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    """The report's labelled line; a GO stands only when the configured checks pass too."""
    name = report_name(attempt.order)
    path, text = _shown(case, name), case.folder.text(name)
    if text is None:
        return Assessment(path=path, problem=told("missing", name=name))
    verdict = inspections.read_verdict(text)
    if verdict is InspectionVerdict.UNREADABLE:
        return Assessment(path=path, problem=told("no-verdict", name=name))
    failures = await failing(case, run, attempt, stop) if verdict is InspectionVerdict.GO else ()
    if failures:
        claim = f"{name} says GO; {', '.join(f.rule for f in failures)} failed"
        return Assessment(path=path, verdict="nogo", findings=failures, differences=(claim,))
    return Assessment(path=path, verdict=verdict.value.lower())


async def _fixed(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Assessment:
    return Assessment()


_Look = Callable[[Case, Run, Attempt, asyncio.Event], Awaitable[Assessment]]
_LOOKS: dict[Role, _Look] = {
    Role.AUTHOR: _written,
    Role.REVIEWER: _reviewed,
    Role.RESPONDER: _replied,
    Role.IMPLEMENTER: _implemented,
    Role.INSPECTOR: _inspected,
    Role.FIXER: _fixed,
}
