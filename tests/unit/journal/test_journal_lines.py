"""An entry and its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.journal.entry import Entry, decode, encode, seconds, timestamp
from shiage.journal.masking import masked

ENTRY = Entry(3, "ROUND_CLOSED", "2025-01-23T10:00:30.100Z", "full", "r1", {"round": 2}, "ab")

texts = st.text(max_size=40)  # control characters and separators included
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
contents = st.dictionaries(texts, plain, max_size=5)


def test_the_keys_stand_in_the_promised_order():
    assert list(json.loads(encode(ENTRY))) == ["seq", "event_type", "timestamp", "visibility", "run", "content", "prev"]


@given(contents, texts)
def test_a_line_gives_back_its_entry(content, run):
    entry = Entry(1, "X", "t", "summary", run, content, "")
    assert decode(encode(entry)) == entry


@given(contents)
def test_a_line_holds_no_break_that_any_reader_would_split_at(content):
    line = encode(Entry(1, "X", "t", "full", "\u2028\u2029\x85\n\r\x1c", content, ""))
    assert len(line.decode("utf-8").splitlines()) == 1


def test_a_backslash_before_a_separator_stays_a_backslash():
    content = {"a": "\\\u2028"}
    entry = decode(encode(Entry(1, "X", "t", "full", "", content, "")))
    assert entry is not None and entry.content == content


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"seq":1}',
        encode(ENTRY)[:-1],
        encode(ENTRY) + b"x",
        encode(ENTRY).replace(b'"full"', b'"secret"'),
        encode(ENTRY).replace(b'"seq":3', b'"seq":"3"'),
        encode(ENTRY).replace(b'"round":2', b'"round":1e999'),
        encode(ENTRY).replace(b"ROUND", b"\xff"),
        encode(ENTRY).replace(b"ROUND", rb"\ud800"),
    ],
)
def test_whatever_is_not_an_entry_is_none(line):
    assert decode(line) is None


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1737626430.1, "2025-01-23T10:00:30.100Z"),
        (0.9996, "1970-01-01T00:00:01.000Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_written_in_utc_with_milliseconds(at, text):
    assert timestamp(at) == text


@given(st.integers(min_value=-(10**12), max_value=10**14))
def test_a_time_comes_back_to_the_millisecond(milliseconds):
    assert seconds(timestamp(milliseconds / 1000)) == milliseconds / 1000


def test_a_time_with_an_offset_is_understood():
    assert seconds("2025-01-23T12:00:30.100+02:00") == seconds("2025-01-23T10:00:30.100Z")


@given(st.dictionaries(st.text(), st.floats() | st.integers(min_value=-(10**5000), max_value=10**5000)))
def test_any_number_can_be_written(content):
    assert decode(encode(Entry(1, "X", "t", "full", "", masked(content), ""))) is not None


@given(st.text(st.characters()))
def test_half_a_character_is_written_as_its_number(text):
    content = masked({"text": text + "\ud800"})
    entry = decode(encode(Entry(1, "X", "t", "full", "", content, "")))
    assert entry is not None and entry.content == content
    assert str(content["text"]).endswith("\\ud800")
