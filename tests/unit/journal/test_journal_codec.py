"""Domain events to lines and back, without knowing any of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shiage.domain.errors import UserError
from shiage.domain.events import EVENTS, AttemptExited
from shiage.journal.codec import event_type, event_types, from_entry, to_draft
from shiage.journal.entry import Entry, decode, encode, timestamp
from shiage.journal.masking import masked


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    colours: tuple[Colour, ...] = ()
    weight: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingMade:
    run: str
    at: float
    parts: tuple[Part, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    colour: Colour = Colour.RED
    beside: Part | None = None


@dataclass(frozen=True, slots=True)
class HTTPTried:
    code: int


MADE = ThingMade(
    run="r7", at=1737626430.1, parts=(Part("a", (Colour.RED,), 1.0), Part("b")), sizes={"x": 1}, beside=Part("c")
)


def written(draft):
    """The entry that a reader gets for a draft."""
    when = timestamp(0 if draft.at is None else draft.at)
    line = encode(Entry(1, draft.event_type, when, draft.visibility, draft.run, masked(draft.content), ""))
    entry = decode(line)
    assert entry is not None
    return entry


def test_the_name_of_an_event_in_a_journal():
    assert event_type(AttemptExited) == "ATTEMPT_EXITED"
    assert event_type(HTTPTried) == "HTTP_TRIED"
    assert event_types([ThingMade]) == {"THING_MADE": ThingMade}


def test_run_and_time_stand_in_the_envelope_only():
    draft = to_draft(MADE, "another", "summary")
    assert (draft.run, draft.at, draft.visibility) == ("r7", MADE.at, "summary")
    assert set(draft.content) == {"parts", "sizes", "colour", "beside"}


def test_an_event_comes_back_equal_and_of_the_same_types():
    back = from_entry(written(to_draft(MADE, "r7", "full")), event_types([ThingMade]))
    assert back == MADE
    assert isinstance(back, ThingMade) and isinstance(back.parts[0].colours[0], Colour)


def test_an_event_without_run_and_time_takes_the_envelope_of_its_writer():
    draft = to_draft(HTTPTried(404), "r1", "full")
    assert (draft.run, draft.at) == ("r1", None)
    assert from_entry(written(draft), event_types([HTTPTried])) == HTTPTried(404)


def test_what_is_not_in_the_table_is_none():
    assert from_entry(written(to_draft(MADE, "r7", "full")), {}) is None


@pytest.mark.parametrize(
    ("content", "when"),
    [({}, "2025-01-23T10:00:30.100Z"), ({"parts": "none"}, "2025-01-23T10:00:30.100Z"), ({"parts": []}, "yesterday")],
)
def test_a_known_event_that_cannot_be_understood_is_never_skipped(content, when):
    """A replay without it would believe something else."""
    entry = Entry(9, "THING_MADE", when, "full", "r1", content, "")
    with pytest.raises(UserError, match=r"entry 9 \(THING_MADE\)") as caught:
        from_entry(entry, event_types([ThingMade]))
    assert caught.value.code == "journal-entry-unreadable"


@given(st.sampled_from(EVENTS), st.data())
@settings(max_examples=150, deadline=None)
def test_every_event_of_the_domain_comes_back(kind, data):
    milliseconds = data.draw(st.integers(0, 4 * 10**12))
    event = data.draw(st.builds(kind, run=st.text(max_size=9), at=st.just(milliseconds / 1000)))
    assume(not re.search(r"=-?(inf|nan)\b", repr(event)))  # JSON has no such numbers
    assert from_entry(written(to_draft(event, event.run, "full")), event_types(EVENTS)) == event
