"""The tail of a file that is still being written."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.agents import tail as tails
from shiage.agents.tail import Tail, end_of


def read_all(tail: Tail) -> list[bytes]:
    found = []
    tail.behind = True
    while tail.behind:
        found += tail.lines()
    return found + tail.rest()


def test_a_line_is_delivered_only_when_it_is_ended(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    with Tail(path) as tail, path.open("ab") as log:
        assert tail.lines() == [b"one"]
        assert tail.lines() == []
        log.write("oこ\n".encode()[:3])
        log.flush()
        assert tail.lines() == []
        log.write("oこ\n".encode()[3:] + b"end")
        log.flush()
        assert tail.lines() == ["twoこ".encode()]
        assert tail.rest() == [b"end"]
        assert tail.rest() == []


@settings(deadline=None)
@given(content=st.binary(max_size=200), cut=st.integers(0, 200))
def test_every_byte_comes_once_whatever_the_writes_are(tmp_path_factory, content, cut):
    path = tmp_path_factory.mktemp("tail") / "log"
    path.write_bytes(content[:cut])
    with Tail(path) as tail:
        found = tail.lines()
        with path.open("ab") as log:
            log.write(content[cut:])
        found += read_all(tail)
    expected = content.split(b"\n")
    assert found == (expected if expected[-1] else expected[:-1])


def test_only_a_newline_ends_a_line(tmp_path):
    line = "a\u2028b\u0085c\r\x0b\x0c\x1c\0d".encode()
    (tmp_path / "log").write_bytes(line + b"\n")
    with Tail(tmp_path / "log") as tail:
        assert tail.lines() == [line]


def test_a_giant_line_is_cut_to_its_head_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(tails, "CHUNK", 1000)
    monkeypatch.setattr(tails, "LONGEST", 5000)
    monkeypatch.setattr(tails, "LONGEST_EVENT", 9000)
    monkeypatch.setattr(tails, "HEAD", 10)
    event = b"{" + b"z" * 8999
    (tmp_path / "log").write_bytes(b"\n".join((b"x" * 5000, b"y" * 20_000, event, event + b"z", b"short\n")))
    with Tail(tmp_path / "log") as tail:
        held, lines = 0, []
        tail.behind = True
        while tail.behind:
            lines += tail.lines()
            held = max(held, len(tail._held))
    cut = [b"y" * 10 + b" [19990 bytes cut]", event, b"{" + b"z" * 9 + b" [8991 bytes cut]"]
    assert lines == [b"x" * 5000, *cut, b"short"]
    assert held <= 9000


def test_a_reader_who_may_skip_jumps_to_the_end_of_a_flood(tmp_path, monkeypatch):
    monkeypatch.setattr(tails, "LAG", 1000)
    monkeypatch.setattr(tails, "KEPT", 100)
    (tmp_path / "log").write_bytes(b"lost\n" * 400 + b"kept\n")
    with Tail(tmp_path / "log", skim=True) as tail:
        lines = read_all(tail)
    assert len(lines) < 25
    assert lines[-1] == b"kept"


def test_a_log_that_its_writer_truncated_is_read_from_its_beginning(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"first\nsecond\n")
    with Tail(path) as tail:
        assert len(read_all(tail)) == 2
        path.write_bytes(b"new\n")
        assert read_all(tail) == []
        assert read_all(tail) == [b"new"]


def test_the_end_of_a_file_is_bounded_and_its_absence_is_nothing(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"0123456789")
    assert end_of(path, 4) == b"6789"
    assert end_of(path) == b"0123456789"
    assert end_of(tmp_path / "none") == b""
    assert end_of(tmp_path) == b""


def test_a_link_at_the_name_of_a_log_is_not_followed(tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "log").symlink_to(tmp_path / "secret")
    assert end_of(tmp_path / "log") == b""
    with pytest.raises(OSError, match="symbolic link"):
        Tail(tmp_path / "log")


def test_a_named_pipe_at_the_name_of_a_log_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "log")
    assert end_of(tmp_path / "log") == b""
