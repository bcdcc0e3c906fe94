"""The iterations of the review loops as a journal's events tell them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shiage.journal.entry import Entry

Content = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class IterationRecord:
    """One iteration: what was judged, how, and where the agent's raw output lies."""

    run: str
    attempt: int
    phase: str
    iteration: int
    started_at: str  #: RFC 3339, as all times
    ended_at: str = ""
    judgment: str = ""  #: PASS, REJECT, RETRY; empty while it goes on, or when it was cut short
    criteria_results: tuple[Content, ...] = ()
    rejection_details: Content | None = None
    executor_output_ref: str = ""


@dataclass(frozen=True, slots=True)
class Iterations:
    """The iterations so far, in order."""

    records: tuple[IterationRecord, ...] = ()
    begun: Content = field(default_factory=dict)  #: what was told of the attempt that began last

    def after(self, entries: Iterable[Entry]) -> "Iterations":
        records, begun = list(self.records), self.begun
        for entry in entries:
            if entry.event_type == "ATTEMPT_STARTED":
                begun = entry.content
            elif entry.event_type == "REVIEW_ITERATION_START":
                records.append(_begun(entry, begun))
            elif records and entry.event_type in _TELL:
                records[-1] = replace(records[-1], **_TELL[entry.event_type](entry))
        return Iterations(tuple(records), begun)


def iteration_history(entries: Iterable[Entry]) -> tuple[IterationRecord, ...]:
    """The iterations of all review loops in a journal, in order."""
    return Iterations().after(entries).records


def _begun(entry: Entry, begun: Content) -> IterationRecord:
    order, number = begun.get("order"), begun.get("attempt")
    attempt = number if isinstance(number, int) else 0
    phase = order.get("phase") if isinstance(order, Mapping) else ""
    log = f".shiage/runs/{entry.run}/attempt-{attempt}.log"
    return IterationRecord(
        entry.run, attempt, str(phase), _number(entry.content), entry.timestamp, executor_output_ref=log
    )


def _number(content: Content) -> int:
    number = content.get("iteration")
    return number if isinstance(number, int) else 0


def _assessed(entry: Entry) -> dict[str, Any]:
    found = entry.content.get("assessment")
    results = found.get("criteria", ()) if isinstance(found, Mapping) else ()
    return {"criteria_results": tuple(results) if isinstance(results, Sequence) else ()}


def _rejected(entry: Entry) -> dict[str, Any]:
    return {"rejection_details": {key: value for key, value in entry.content.items() if key != "level"}}


_TELL: Mapping[str, Callable[[Entry], dict[str, Any]]] = {
    "ATTEMPT_ASSESSED": _assessed,
    "QUALITY_JUDGMENT": lambda entry: {"judgment": str(entry.content.get("judgment", ""))},
    "REJECTION_DETAILS": _rejected,
    "REVIEW_ITERATION_END": lambda entry: {"ended_at": entry.timestamp},
}
