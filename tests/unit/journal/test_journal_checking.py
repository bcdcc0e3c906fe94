"""Every way to change a history shows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.journal.checking import verify
from shiage.journal.entry import Draft, Entry, decode, digest, encode
from shiage.journal.writing import Journal

COUNT = 6


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A journal as it was written, and its head."""
    folder = tmp_path_factory.mktemp("original")
    journal = Journal(folder / "log", folder / "head", lambda: 1737626430.1).open()
    for number in range(COUNT):
        journal.append([Draft("NOTED", "full", "r1", {"number": number, "text": "geprüft"})])
    journal.close()
    return (folder / "log").read_bytes(), (folder / "head").read_bytes()


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def check(bench, original):
    """Verify these bytes against the original head, or without one."""

    def run(data, *, head=True):
        (bench / "log").write_bytes(data)
        (bench / "head").unlink(missing_ok=True)
        if head:
            (bench / "head").write_bytes(original[1])
        return verify(bench / "log", bench / "head")

    return run


def codes(problems):
    return [(problem.line, problem.code) for problem in problems]


def test_an_untouched_journal_is_right(check, original):
    report = check(original[0])
    assert (report.ok, report.entries, report.problems, report.notes) == (True, COUNT, (), ())


def test_a_journal_nobody_wrote_yet_is_right(tmp_path):
    report = verify(tmp_path / "log", tmp_path / "head")
    assert report.ok and report.entries == 0


def test_without_a_head_a_changed_end_does_not_show_and_that_is_said(check, original):
    report = check(original[0], head=False)
    assert report.ok and codes(report.notes) == [(COUNT, "no-head")]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_single_changed_byte_is_found(original, check, data):
    """Anywhere in the file, the newlines and the last line included."""
    right = original[0]
    at = data.draw(st.integers(0, len(right) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != right[at]))
    assert not check(right[:at] + bytes([byte]) + right[at + 1 :]).ok


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_changed_byte_before_the_last_line_is_found_without_a_head(original, check, data):
    right = original[0]
    at = data.draw(st.integers(0, right.rstrip(b"\n").rfind(b"\n") - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != right[at]))
    assert not check(right[:at] + bytes([byte]) + right[at + 1 :], head=False).ok


@given(st.permutations(range(COUNT)))
@settings(deadline=None)
def test_any_other_order_is_found(original, check, order):
    lines = original[0].splitlines(keepends=True)
    assert check(b"".join(lines[index] for index in order)).ok == (list(order) == sorted(order))


@given(st.sets(st.integers(0, COUNT - 1), min_size=1))
@settings(deadline=None)
def test_any_removed_lines_are_found(original, check, removed):
    lines = original[0].splitlines(keepends=True)
    assert not check(b"".join(line for index, line in enumerate(lines) if index not in removed)).ok


@given(st.data())
@settings(deadline=None)
def test_any_inserted_line_before_the_end_is_found(original, check, data):
    lines = original[0].splitlines(keepends=True)
    at = data.draw(st.integers(0, COUNT - 1))
    forged = [*lines, b'{"type":"x"}\n', b"\n", b"words\n"]
    assert not check(b"".join([*lines[:at], data.draw(st.sampled_from(forged)), *lines[at:]])).ok


def changed(lines, index):
    return [*lines[:index], lines[index].replace("geprüft".encode(), b"approved"), *lines[index + 1 :]]


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (lambda lines: changed(lines, 2), [(3, "changed")]),
        (lambda lines: changed(lines, COUNT - 1), [(COUNT, "end")]),
        (lambda lines: [*lines[:2], *lines[3:]], [(3, "missing")]),
        (lambda lines: lines[2:], [(1, "missing")]),
        (lambda lines: lines[:-2], [(COUNT - 2, "end")]),
        (lambda lines: [], [(0, "end")]),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], [(3, "order")]),
        (lambda lines: [*lines[:2], b'{"type":"x"}\n', *lines[2:]], [(3, "inserted")]),
        (lambda lines: [*lines[:2], lines[2][:-2] + b"\n", *lines[3:]], [(3, "changed")]),
        (lambda lines: [lines[0].replace(b'"prev":""', b'"prev":"a"'), *lines[1:]], [(1, "missing"), (1, "changed")]),
    ],
)
def test_the_place_and_the_kind_of_tampering_are_named(original, check, tamper, expected):
    report = check(b"".join(tamper(original[0].splitlines(keepends=True))))
    assert codes(report.problems) == expected


def test_a_number_that_was_not_due_is_found_even_in_a_forged_chain(original, check):
    right = original[0]
    entry = Entry(COUNT + 5, "NOTED", "t", "full", "r1", {}, digest(right.splitlines()[-1]))
    assert codes(check(right + encode(entry) + b"\n").problems) == [(COUNT + 1, "order")]


def test_lines_written_after_the_head_are_fine(original, check):
    """A crash may come between the lines and the head."""
    right = original[0]
    entry = Entry(COUNT + 1, "NOTED", "t", "full", "r1", {}, digest(right.splitlines()[-1]))
    assert check(right + encode(entry) + b"\n").ok


def test_a_torn_end_is_a_note(original, check):
    report = check(original[0] + original[0].splitlines()[-1][:50])
    assert report.ok and codes(report.notes) == [(COUNT + 1, "torn")] and report.entries == COUNT


def test_lines_of_other_tools_are_a_note(original, check):
    report = check(original[0] + b'{"type":"x"}\n')
    assert report.ok and codes(report.notes) == [(COUNT + 1, "foreign")] and report.entries == COUNT


def test_an_empty_head_as_a_power_cut_leaves_it_is_no_head(original, bench):
    (bench / "log").write_bytes(original[0])
    (bench / "head").write_bytes(b"")
    assert codes(verify(bench / "log", bench / "head").notes) == [(COUNT, "no-head")]


@pytest.mark.parametrize("head", [b"{", b"[]", b'{"seq":"1","hash":""}', b"[" * 10_000])
def test_a_head_that_cannot_be_read_shows(original, bench, head):
    (bench / "log").write_bytes(original[0])
    (bench / "head").write_bytes(head)
    assert codes(verify(bench / "log", bench / "head").problems) == [(COUNT, "head")]


def test_checking_changes_nothing(original, bench, check):
    torn = original[0] + b'{"seq":'
    check(torn)
    assert (bench / "log").read_bytes() == torn
    assert decode(torn.splitlines()[0]) is not None
