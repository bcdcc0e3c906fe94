"""Reading at once, and following a writer."""

import gc
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.domain.errors import UserError
from shiage.journal.entry import Entry, encode
from shiage.journal.reading import follow, read


def line(seq, text="x"):
    return encode(Entry(seq, "NOTED", "2025-01-23T10:00:30.100Z", "full", "r1", {"text": text}, "p" * 64)) + b"\n"


def seqs(entries):
    return [entry.seq for entry in entries]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "event-log.jsonl"


def test_a_journal_that_does_not_exist_yet_is_empty(path):
    assert read(path) == ()
    assert follow(path).poll() == []


def test_lines_of_others_and_a_torn_end_are_skipped(path):
    path.write_bytes(b'{"type":"x"}\n' + line(1) + b"\n\0\0\n" + line(2) + line(3)[:-1])
    assert seqs(read(path)) == [1, 2]


@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_what_is_no_file_is_named_and_never_waited_for(path, kind):
    make = {"link": lambda: path.symlink_to("elsewhere"), "folder": path.mkdir, "fifo": lambda: os.mkfifo(path)}
    make[kind]()
    with pytest.raises(UserError) as caught:
        read(path)
    assert caught.value.code == "journal-unreadable"
    assert caught.value.where is not None and caught.value.where.path == str(path)


@pytest.mark.parametrize("enabled", [True, False])
def test_reading_leaves_the_collector_as_it_was(path, enabled):
    path.write_bytes(line(1))
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        read(path)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_a_follower_gives_each_entry_once(path):
    follower = follow(path)
    path.write_bytes(line(1) + line(2))
    assert seqs(follower.poll()) == [1, 2]
    assert follower.poll() == []
    with path.open("ab") as file:
        file.write(line(3))
    assert seqs(follower.poll()) == [3]


def test_a_follower_begins_after_the_number_it_is_told(path):
    path.write_bytes(line(1) + line(2) + line(3))
    assert seqs(follow(path, 2).poll()) == [3]


@given(st.lists(st.integers(min_value=1, max_value=90), min_size=1, max_size=20))
def test_a_follower_gives_whole_lines_however_they_arrive(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("follow") / "log"
    data, wanted = line(1, "ü" * 9) + b"foreign\n\n" + line(2) + line(3, "z" * 300), [1, 2, 3]
    follower, got, at = follow(path), [], 0
    with path.open("wb", buffering=0) as file:
        for size in [*pieces, len(data)]:
            file.write(data[at : at + size])
            at += size
            got += seqs(follower.poll())
    assert got == wanted


def test_a_follower_waits_while_the_file_is_away(path):
    path.write_bytes(line(1))
    follower = follow(path)
    follower.poll()
    path.unlink()
    assert follower.poll() == []
    path.write_bytes(line(1) + line(2))
    assert seqs(follower.poll()) == [2]


def test_a_follower_goes_on_after_a_torn_end_was_repaired(path):
    path.write_bytes(line(1) + line(2)[:30])
    follower = follow(path)
    assert seqs(follower.poll()) == [1]
    path.write_bytes(line(1) + line(2, "repaired") + line(3))
    assert seqs(follower.poll()) == [2, 3]


def test_a_follower_goes_on_after_whole_lines_were_cut(path):
    """A failed fsync takes back lines that were visible for a moment."""
    path.write_bytes(line(1) + line(2) + line(3))
    follower = follow(path)
    follower.poll()
    path.write_bytes(line(1))
    assert follower.poll() == []
    path.write_bytes(line(1) + line(2, "again"))
    assert [(entry.seq, entry.content["text"]) for entry in follower.poll()] == [(2, "again")]


def test_a_follower_notices_a_rewritten_file_that_is_longer(path):
    path.write_bytes(line(1) + line(2))
    follower = follow(path)
    follower.poll()
    path.write_bytes(line(1, "other words") + line(2, "other words, and more of them") + line(3))
    assert seqs(follower.poll()) == [3]
    path.write_bytes(b"")
    assert follower.poll() == []
    path.write_bytes(line(1))
    assert seqs(follower.poll()) == [1]
