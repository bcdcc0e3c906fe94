"""The one writer: batches, repair, refusal."""

import errno
import json
import os
import resource
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.domain.errors import OurBug, UserError
from shiage.journal.checking import verify
from shiage.journal.entry import Draft, decode, digest, encode
from shiage.journal.head import Head, load
from shiage.journal.reading import read
from shiage.journal.writing import Journal

NOON = 1737626430.1


def note(text="x", **more):
    return Draft("NOTED", "full", "r1", {"text": text}, **more)


class Place:
    """A journal's two paths."""

    def __init__(self, folder):
        self.path = folder / "event-log.jsonl"
        self.head = folder / "heads" / "login"

    def open(self):
        return Journal(self.path, self.head, lambda: NOON).open()

    def write(self, *texts):
        journal = self.open()
        try:
            return [journal.append([note(text)]) for text in texts]
        finally:
            journal.close()

    def lines(self):
        return self.path.read_bytes().splitlines()

    def types(self):
        return [entry.event_type for entry in read(self.path)]

    def verify(self):
        return verify(self.path, self.head)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Waiting for the disk proves nothing here; that each write is followed by it is a test of its own."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_entries_are_numbered_dated_and_chained(place):
    journal = place.open()
    first, second = journal.append([note("one"), note("two", at=0.5)])
    (third,) = journal.append([note("three")])
    journal.close()
    lines = place.lines()
    assert [entry.seq for entry in (first, second, third)] == [1, 2, 3]
    assert (first.timestamp, second.timestamp) == ("2025-01-23T10:00:30.100Z", "1970-01-01T00:00:00.500Z")
    assert [json.loads(line)["prev"] for line in lines] == ["", digest(lines[0]), digest(lines[1])]
    assert read(place.path) == (first, second, third) == tuple(journal.entries())


def test_the_next_writer_goes_on_with_number_and_chain(place):
    place.write("one")
    place.write("two")
    assert [entry.seq for entry in read(place.path)] == [1, 2]
    assert place.verify().ok


def test_the_head_names_the_newest_line(place):
    place.write("one", "two")
    assert load(place.head) == Head(2, digest(place.lines()[-1]))


def test_nothing_to_append_writes_nothing(place):
    journal = place.open()
    assert journal.append([]) == ()
    assert place.path.read_bytes() == b""
    journal.close()


def test_secrets_are_masked_in_the_file_and_in_what_the_writer_gets(place):
    secret = "ghp_" + "a1B2" * 9
    journal = place.open()
    (entry,) = journal.append([note(f"push with {secret}")])
    journal.close()
    assert entry.content == {"text": "push with [masked:github-token]"}
    assert secret.encode() not in place.path.read_bytes()


def test_a_second_writer_is_told_who_holds_the_journal(place):
    journal = place.open()
    with pytest.raises(UserError, match=str(os.getpid())) as caught:
        place.open()
    assert caught.value.code == "journal-busy"
    journal.close()
    place.open().close()


def test_closing_twice_is_fine_and_appending_afterwards_is_our_bug(place):
    journal = place.open()
    journal.close()
    journal.close()
    with pytest.raises(OurBug):
        journal.append([note()])


@pytest.mark.parametrize(("earlier", "batch"), [(0, 1), (2, 2)])
def test_a_batch_torn_at_any_byte_is_read_as_a_prefix_and_repaired(tmp_path, earlier, batch):
    """Every offset of the last batch, for the first batch of a file and for a later one."""
    whole = Place(tmp_path)
    whole.write(*map(str, range(earlier)))
    start, head = len(whole.path.read_bytes()), load(whole.head)
    journal = whole.open()
    journal.append([note("ü\u2028" + str(number)) for number in range(batch)])
    journal.close()
    data = whole.path.read_bytes()
    for cut in range(start, len(data) + 1):
        _torn_at(tmp_path / str(cut), data[:cut], head)


def _torn_at(folder, data, head):
    place = Place(folder)
    place.head.parent.mkdir(parents=True)
    place.path.write_bytes(data)
    if head:
        place.head.write_text(json.dumps({"seq": head.seq, "hash": head.hash}))
    whole, torn = data[: data.rfind(b"\n") + 1], data[data.rfind(b"\n") + 1 :]
    before = read(place.path)
    assert len(before) == whole.count(b"\n")
    assert place.verify().ok
    place.write("after")
    after = read(place.path)
    assert after[: len(before)] == before
    assert [entry.event_type for entry in after[len(before) :]] == ["JOURNAL_REPAIRED"] * bool(torn) + ["NOTED"]
    assert place.path.read_bytes().startswith(whole) and place.verify().ok
    assert not torn or after[len(before)].content["bytes"] == len(torn)


def test_whoever_lost_the_lock_with_its_folder_writes_no_more(place):
    first = place.open()
    first.append([note("one")])
    shutil.rmtree(place.head.parent)
    second = place.open()  # nothing keeps it out
    second.append([note("two")])
    with pytest.raises(UserError, match="another process has taken it") as refused:
        first.append([note("late")])
    assert refused.value.code == "journal-not-writable"
    second.append([note("three")])
    for journal in (first, second):
        journal.close()
    assert [entry.content["text"] for entry in read(place.path)] == ["one", "two", "three"]
    assert place.verify().ok


def test_a_hole_in_the_middle_of_the_newest_write_takes_the_rest_of_it_along(place):
    place.write("one", "two")
    head, good = place.head.read_bytes(), place.path.read_bytes()
    journal = place.open()
    journal.append([note(str(number)) for number in range(4)])
    journal.close()
    first, second, *rest = place.path.read_bytes()[len(good) :].splitlines(keepends=True)
    torn = b"\0" * len(second[:-20]) + second[-20:] + b"".join(rest)
    place.path.write_bytes(good + first + torn)
    place.head.write_bytes(head)  # was not written any more
    assert [problem.code for problem in place.verify().notes] == ["torn"]
    place.write("three")
    assert place.path.read_bytes().startswith(good + first)
    assert place.types() == ["NOTED"] * 3 + ["JOURNAL_REPAIRED", "NOTED"]
    assert read(place.path)[3].content["bytes"] == len(torn)
    assert place.verify().ok


def test_a_hole_before_what_was_relied_on_is_no_matter_of_a_crash(place):
    place.write("one", "two", "three")
    first, second, third = place.path.read_bytes().splitlines(keepends=True)
    changed = first + b"\0" * 30 + second[30:] + third
    place.path.write_bytes(changed)
    place.write("four")
    assert place.path.read_bytes().startswith(changed)
    assert not place.verify().ok


def test_a_whole_last_line_with_holes_is_repaired_too(place):
    """After a power cut the end of a line may be there and its middle not."""
    place.write("one")
    line = place.lines()[0]
    with place.path.open("ab") as file:
        file.write(line[:20] + b"\0" * 30 + b"\n" + b"\0" * 50 + b"\n")
    place.write("two")
    assert place.types() == ["NOTED", "JOURNAL_REPAIRED", "NOTED"]
    assert place.verify().ok


def test_what_was_cut_off_is_kept_masked_and_bounded(place):
    place.write("one")
    secret = "ghp_" + "a1B2" * 9
    torn = b'{"seq":2,"event_type":"' + secret.encode() + b"\xff" + b"y" * 10_000
    with place.path.open("ab") as file:
        file.write(torn)
    place.write()
    repaired = read(place.path)[-1]
    text = repaired.content["text"]
    assert isinstance(text, str) and len(text) == 4096 and "[masked:github-token]\\xff" in text
    assert (repaired.content["bytes"], repaired.content["sha256"]) == (len(torn), digest(torn))
    assert (repaired.content["line"], repaired.run, repaired.visibility) == (2, "r1", "full")


FOREIGN = [b'{"type":"impl:started","ts":1}\n', b"plain text\n", b"\n", b'["a"]\n', b'{"type":"cut sh', b'{"type":"x"}']


@given(st.lists(st.sampled_from(FOREIGN[:4]), max_size=4), st.sampled_from([b"", *FOREIGN[4:]]))
@settings(max_examples=30, deadline=None)
def test_lines_of_other_tools_are_kept_and_skipped(tmp_path_factory, lines, last):
    place = Place(tmp_path_factory.mktemp("legacy"))
    legacy = b"".join(lines) + last
    place.path.write_bytes(legacy)
    place.write("one", "two")
    assert place.path.read_bytes().startswith(legacy)
    assert place.types() == ["NOTED", "NOTED"]
    report = place.verify()
    assert report.ok
    assert [note.code for note in report.notes] == ["foreign"] * (len(lines) + bool(last))


@pytest.mark.parametrize("last", FOREIGN)
def test_another_tool_may_add_lines_between_ours(place, last):
    """Also while the journal is open."""
    journal = place.open()
    journal.append([note("one")])
    with place.path.open("ab") as file:
        file.write(last)
    (second,) = journal.append([note("two")])
    journal.close()
    assert second.event_type == "NOTED"
    assert place.types()[0] == "NOTED" and place.types()[-1] == "NOTED"
    assert place.verify().ok


def test_a_torn_line_of_another_tool_after_ours_is_kept_in_the_repair(place):
    place.write("one")
    with place.path.open("ab") as file:
        file.write(b'{"type":"cut sh')
    place.write("two")
    assert place.types() == ["NOTED", "JOURNAL_REPAIRED", "NOTED"]
    assert read(place.path)[1].content["text"] == '{"type":"cut sh'


@pytest.mark.parametrize("damage", ["cut", "emptied", "changed", "removed"])
def test_a_journal_that_lost_its_newest_line_says_so_for_ever(place, damage):
    place.write("one", "two", "three")
    data = place.path.read_bytes()
    lines = data.splitlines(keepends=True)
    if damage == "removed":
        place.path.unlink()
    else:
        damaged = {"cut": lines[:2], "emptied": [], "changed": [*lines[:2], lines[2].replace(b"three", b"THREE")]}
        place.path.write_bytes(b"".join(damaged[damage]))
    place.write("after")
    rewound = [entry for entry in read(place.path) if entry.event_type == "JOURNAL_REWOUND"]
    assert [entry.content["expected"] for entry in rewound] == [3]
    assert "rewound" in [problem.code for problem in place.verify().problems]


def test_a_head_that_lags_is_fine(place):
    place.write("one")
    lagging = place.head.read_bytes()
    place.write("two", "three")
    place.head.write_bytes(lagging)
    place.write("four")
    assert place.types() == ["NOTED"] * 4
    assert place.verify().ok


@pytest.mark.parametrize("damage", ["cut", "removed"])
def test_a_journal_cut_while_in_use_takes_nothing_more(place, damage):
    journal = place.open()
    journal.append([note("one"), note("two")])
    if damage == "cut":
        place.path.write_bytes(place.lines()[0] + b"\n")
    else:
        place.path.unlink()
    for _ in range(2):
        with pytest.raises(UserError, match="cut or replaced") as caught:
            journal.append([note("three")])
        assert caught.value.code == "journal-not-writable"
    journal.close()


def test_a_file_put_back_as_it_was_is_gone_on_with(place):
    """`git stash` and `git stash pop` leave the same bytes in another file."""
    journal = place.open()
    journal.append([note("one")])
    data = place.path.read_bytes()
    place.path.unlink()
    place.path.write_bytes(data)
    journal.append([note("two")])
    journal.close()
    assert [entry.content["text"] for entry in read(place.path)] == ["one", "two"]
    assert place.verify().ok


def test_a_full_disk_ends_the_writer_and_leaves_the_last_good_line(place):
    journal = place.open()
    journal.append([note("one")])
    good = place.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(good) + 100, hard))
    try:
        with pytest.raises(UserError) as caught:
            journal.append([note("y" * 500)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.code == "journal-not-writable"
    assert caught.value.where is not None and caught.value.where.path == str(place.path) and caught.value.help
    assert place.path.read_bytes() == good
    with pytest.raises(UserError, match=os.strerror(errno.EFBIG)):
        journal.append([note("room again")])
    journal.close()
    place.write("two")
    assert place.verify().ok and place.types() == ["NOTED", "NOTED"]


def test_each_batch_is_on_the_disk_before_the_head_and_before_append_returns(place, monkeypatch):
    journal = place.open()
    synced = []

    def noting(descriptor):
        synced.append((os.fstat(descriptor), load(place.head)))

    monkeypatch.setattr(os, "fsync", noting)
    journal.append([note("one"), note("two")])
    journal.close()
    [(lines, head_then)] = synced  # one wait for the disk is all that an event costs
    assert os.path.samestat(lines, place.path.stat()) and lines.st_size == len(place.path.read_bytes())
    assert head_then is None
    assert load(place.head).seq == 2


def test_a_disk_that_was_full_before_is_found_at_once(place):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(UserError) as caught:
            place.open()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.code == "journal-not-writable"
    place.write("one")


def test_a_failed_fsync_is_final(place, monkeypatch):
    journal = place.open()
    journal.append([note("one")])
    good = place.path.read_bytes()

    def failing(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(UserError, match="Input/output error"):
            journal.append([note("two")])
    assert place.path.read_bytes() == good
    with pytest.raises(UserError, match="Input/output error"):
        journal.append([note("three")])
    journal.close()


def test_a_head_that_cannot_be_kept_ends_the_writer_after_the_line(place):
    journal = place.open()
    place.head.parent.joinpath("login.lock").unlink()
    place.head.parent.rmdir()
    with pytest.raises(UserError) as caught:
        journal.append([note("one")])
    assert caught.value.code == "journal-not-writable"
    assert place.types() == ["NOTED"]
    journal.close()


@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "folder", "no folder"])
def test_what_is_no_file_is_refused_and_left_alone(tmp_path, kind):
    place = Place(tmp_path / "absent" if kind == "no folder" else tmp_path)
    elsewhere = tmp_path / "elsewhere"
    if kind == "link":
        elsewhere.write_text("precious")
    make = {
        "link": lambda: place.path.symlink_to(elsewhere),
        "dangling": lambda: place.path.symlink_to(elsewhere),
        "fifo": lambda: os.mkfifo(place.path),
        "folder": place.path.mkdir,
        "no folder": lambda: None,
    }
    make[kind]()
    place.head = tmp_path / "heads" / "login"
    with pytest.raises(UserError) as caught:
        place.open()
    assert caught.value.code == "journal-not-writable"
    assert elsewhere.exists() == (kind == "link") and (kind != "link" or elsewhere.read_text() == "precious")
    again = tmp_path / "other.jsonl"
    Journal(again, place.head, lambda: NOON).open().close()  # the lock was given back


def test_a_link_in_place_of_the_heads_next_version_is_not_written_through(place, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    place.write("one")
    place.head.with_name("login.new").symlink_to(precious)
    place.write("two")
    assert precious.read_text() == "precious"
    assert place.verify().ok


def test_a_lock_that_is_no_file_is_refused(place):
    place.head.parent.mkdir()
    os.mkfifo(place.head.with_name("login.lock"))
    with pytest.raises(UserError) as caught:
        place.open()
    assert caught.value.code == "journal-not-writable"


def test_a_draft_that_cannot_be_written_harms_nothing(place):
    journal = place.open()
    with pytest.raises(TypeError):
        journal.append([Draft("NOTED", "full", "r1", {"text": object()})])
    journal.append([note("one")])
    journal.close()
    assert place.types() == ["NOTED"] and place.verify().ok


hostile = st.text(st.characters(), max_size=30)


@given(st.lists(st.lists(st.dictionaries(hostile, hostile | st.integers(), max_size=3), max_size=3), max_size=4))
@settings(max_examples=30, deadline=None)
def test_what_was_appended_is_what_is_read(tmp_path_factory, batches):
    place = Place(tmp_path_factory.mktemp("hostile"))
    journal = place.open()
    given_back = [e for batch in batches for e in journal.append([Draft("X", "full", "r", c) for c in batch])]
    journal.close()
    assert [encode(entry) for entry in read(place.path)] == [encode(entry) for entry in given_back]
    assert all(decode(line) is not None for line in place.lines())
    assert place.verify().ok
