"""What a run has written to its spec and an agent took away or changed: it is written again, and told.

An agent that rewrites spec.json from what it remembers takes closed rounds with it: without this, a resume would begin
again at a round that is closed, or at a review that is approved.
"""

from collections.abc import Iterator

from shiage.domain.run import Attempt, Mode, Run
from shiage.engine.case import Case
from shiage.engine.effects import write_round
from shiage.flow.workflows import WORKFLOWS
from shiage.specs import record
from shiage.specs.state import SpecState

_LOST = "spec.json no longer had {what}; written again"


def put_back(case: Case, run: Run) -> tuple[str, ...]:
    """Asked after every attempt, whoever worked. A file that is as this run left it keeps every byte."""
    said = [*_rounds(case, run), *(_phases(case, run) if run.mode is Mode.AUTO else ())]
    return tuple(_LOST.format(what=what) for what in said)


def _rounds(case: Case, run: Run) -> Iterator[str]:
    newest = {(a.order.phase, a.order.round, a.order.role): a for a in run.attempts if _is_closed(run, a)}
    state = case.folder.state() if newest else SpecState()
    for attempt in newest.values():
        if not _stands(state, attempt):
            write_round(case, run, attempt, more=True)
            state = case.folder.state()
            yield f"round {attempt.order.round} of {attempt.order.phase} as it was closed"


def _is_closed(run: Run, attempt: Attempt) -> bool:
    """Whether this attempt decided a round that this run has closed."""
    row, order, found = WORKFLOWS[run.workflow].phase(attempt.order.phase), attempt.order, attempt.assessment
    if found is None or order.role not in row.records or order.round > run.closed.get(order.phase, 0):
        return False
    return found.counts is not None or found.verdict in ("go", "nogo") or order.role in row.records[1:]


def _stands(state: SpecState, attempt: Attempt) -> bool:
    found, number = attempt.assessment, attempt.order.round
    if found is not None and found.counts is not None:
        rows = [r for r in state.rounds if r.number == number and r.status == "reply_complete"]
        return any((r.fix, r.discuss) == (found.counts.fix, found.counts.discuss) for r in rows)
    looked = [i for i in state.inspections if i.number == number]
    if found is not None and found.verdict:
        return any(i.result == found.verdict for i in looked)
    return any(i.fixed_at for i in looked)


def _phases(case: Case, run: Run) -> Iterator[str]:
    """What was finished before this attempt began is still finished in the spec's own words."""
    state, finished = case.folder.state(), run.facts.finished
    unapproved = [name for name in finished if name in record.DOCUMENTS and not any(state.approvals.get(name, ()))]
    if unapproved:
        record.approve_phases(case.folder, unapproved)
        yield "the approval of " + ", ".join(unapproved)
    if "document-review" in finished and state.review_status != "approved":
        record.approve_review(case.folder, by_person="document-review" in run.approved)
        yield "the approved review"
    reached = [name for name in finished if name in record.REACHED and name not in record.DOCUMENTS]
    if reached and record.rank(state.phase) < record.rank(record.REACHED[reached[-1]]):
        record.finish_phase(case.folder, reached[-1])
        yield f"the end of {reached[-1]}"
