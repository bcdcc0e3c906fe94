"""Facts and their journal: believed at once, durable and heard of together, before anything is done because of them."""

import pytest

from shiage.domain.errors import UserError
from shiage.domain.events import AttemptExited, AttemptStarted, PhaseEntered, RunStarted, StopRequested
from shiage.domain.outcome import Ending, Outcome
from shiage.domain.run import Order, Role, Status
from shiage.engine.record import Record, events_of
from shiage.journal.reading import read
from shiage.journal.writing import Journal

RUN = {"run": "r-0001", "at": 1737626430.1}
ORDER = Order("requirements", Role.AUTHOR)
FACTS = (
    RunStarted(**RUN, spec="login"),
    PhaseEntered(**RUN, phase="requirements"),
    AttemptStarted(**RUN, attempt=1, agent_id="a", agent="quick", order=ORDER),
    AttemptExited(**RUN, attempt=1, agent_id="a", outcome=Outcome(Ending.COMPLETED)),
)


class Desk:
    def __init__(self, folder):
        self.path, self.told = folder / "event-log.jsonl", []
        self.journal = Journal(self.path, folder / "head", lambda: RUN["at"]).open()
        self.record = Record(self.journal, self.told.append)

    def written(self):
        return tuple(events_of(read(self.path)))


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.journal.close()


def test_what_is_noted_is_believed_and_becomes_durable_and_heard_of_in_one_step(desk):
    for fact in FACTS:
        desk.record.note(fact)
    assert desk.record.history.main.last.completed
    assert (desk.written(), desk.told) == ((), [])
    desk.record.force()
    assert desk.written() == FACTS
    assert [event for entries in desk.told for event in events_of(entries)] == list(FACTS)
    assert len(desk.told) == 1


def test_an_appended_fact_takes_what_was_noted_before_it_along(desk):
    desk.record.note(FACTS[0])
    desk.record.append(StopRequested(**RUN))
    assert desk.written() == (FACTS[0], StopRequested(**RUN))
    assert Record(desk.journal, desk.told.append).history.main.status is Status.PAUSED


def test_nothing_is_written_and_nobody_is_told_where_nothing_was_noted(desk):
    desk.record.force()
    assert (desk.path.read_bytes(), desk.told) == (b"", [])


def test_nobody_hears_of_what_could_not_be_written(desk):
    desk.record.note(FACTS[0])
    desk.path.unlink()
    desk.path.mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        desk.record.force()
    assert desk.told == []
