"""Reading from the end gives what reading from the beginning gives, the other way round."""

import tempfile
from itertools import islice
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from shiage.journal.entry import Entry, encode
from shiage.journal.reading import backwards, read


def entry(seq: int, words: str = "") -> bytes:
    return encode(Entry(seq, "NOTE", "2026-01-02T03:04:05.000Z", "full", "r-1", {"words": words}, ""))


PIECES = st.lists(
    st.one_of(st.text(max_size=300), st.sampled_from([b"", b"{}", b"not ours", b"\xff\x00"])), max_size=30
)


@given(pieces=PIECES, torn=st.sampled_from([b"", b'{"seq":', b"x" * 500]), size=st.integers(1, 700))
def test_it_is_the_same_journal_from_behind(pieces: list[str | bytes], torn: bytes, size: int) -> None:
    lines = [entry(seq, piece) if isinstance(piece, str) else piece for seq, piece in enumerate(pieces, 1)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "log"
        path.write_bytes(b"".join(line + b"\n" for line in lines) + torn)
        assert tuple(backwards(path, size)) == read(path)[::-1]


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"".join(entry(seq) + b"\n" for seq in range(1, 5_000)))
    assert [each.seq for each in islice(backwards(path), 3)] == [4999, 4998, 4997]
    assert list(backwards(tmp_path / "none")) == []
