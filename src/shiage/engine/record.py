"""The journal and the fold over it, kept in step: an event is durable before anything is done because of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from shiage.domain.events import EVENTS, Event
from shiage.domain.run import Run
from shiage.flow.history import History
from shiage.flow.reports import Report, claims, reports
from shiage.journal.codec import event_type, event_types, from_entry, to_draft
from shiage.journal.entry import Draft, Entry, Visibility
from shiage.journal.writing import Journal

_TYPES = event_types(EVENTS)

#: Facts that only somebody who looks closer wants to see; the others are the story of the run.
_DETAILS = frozenset({"ATTEMPT_ASSESSED", "ROUND_CLOSED", "RECORD_FAILED"})

Listener = Callable[[Sequence[Entry]], None]


def events_of(entries: Iterable[Entry]) -> Iterator[Event]:
    """The facts among the entries; reports and other tools' lines are not facts."""
    for entry in entries:
        event = from_entry(entry, _TYPES)
        if isinstance(event, Event):
            yield event


class Record:
    """What has happened to one spec, and what is true because of it."""

    def __init__(self, journal: Journal, listener: Listener) -> None:
        self._journal = journal
        self._listener = listener
        self._noted: list[Draft] = []
        self.history = _recall(journal.entries())

    def append(self, event: Event, correction: str = "") -> None:
        """Write the event and all that is told because of it, and let it be heard of."""
        self.note(event, correction)
        self.force()

    def note(self, event: Event, correction: str = "") -> None:
        """Believe the event, and write it with the next ones: nothing may be done because of it before `force`."""
        history = self.history.after(event)
        before, after = self.history.of(event.run), history.of(event.run)
        self._noted.append(to_draft(event, event.run, _visibility(event)))
        self._noted += [_draft(report, event.run, event.at) for report in reports(before, event, after, correction)]
        self.history = history

    def dropped(self, event: Event) -> None:
        """Note a message that came too late or from elsewhere; it changes nothing."""
        content = {"event": event_type(type(event)), "level": "warning"}
        self._noted.append(Draft("EVENT_DROPPED", "full", event.run, content, event.at))

    def claimed(self, run: Run, differences: Sequence[str]) -> None:
        """Write what an agent left in the spec that is not so, where no fact carries it."""
        self._noted += [_draft(report, run.id, None) for report in claims(differences)]
        self.force()

    def force(self) -> None:
        """Everything noted, in one durable step; then whoever listens hears of it."""
        if self._noted:
            entries = self._journal.append(self._noted)
            self._noted = []
            self._listener(entries)


def _recall(entries: Iterable[Entry]) -> History:
    history = History()
    for event in events_of(entries):
        history = history.after(event)
    return history


def _visibility(event: Event) -> Visibility:
    return "full" if event_type(type(event)) in _DETAILS else "summary"


def _draft(report: Report, run: str, at: float | None) -> Draft:
    content = {"level": report.level.value, **report.content} | ({"notify": True} if report.notify else {})
    visibility: Visibility = "full" if report.visibility == "full" else "summary"
    return Draft(report.event_type, visibility, run, content, at)
