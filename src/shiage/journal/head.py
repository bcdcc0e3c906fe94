"""The newest line, remembered outside the file, so that a changed or missing end shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from shiage.journal import durable
from shiage.journal.entry import decode, digest

REWOUND = "JOURNAL_REWOUND"  #: the entry that says that the file had lost its newest line


@dataclass(frozen=True, slots=True)
class Head:
    """The number and the digest of the newest line that was durable."""

    seq: int
    hash: str


def load(path: Path) -> Head | None:
    """The remembered head; None if there is none that can be read, as in a fresh clone."""
    try:
        return msgspec.json.decode(durable.read(path), type=Head)
    except (OSError, ValueError, RecursionError):
        return None


def garbled(path: Path) -> bool:
    """Whether something else stands where a head was written. An empty file is what a power cut leaves."""
    try:
        return bool(durable.read(path)) and load(path) is None
    except OSError:
        return False


def save(path: Path, head: Head) -> None:
    """Not forced to the disk: one that lags is still true, and a second fsync would double what an event costs."""
    durable.replace(path, msgspec.json.encode(head) + b"\n")


def holds(lines: Sequence[bytes], head: Head) -> bool:
    """Whether the head's line stands among these; looked for from the end, where it nearly always is."""
    for line in reversed(lines):
        entry = decode(line)
        if entry is not None and entry.seq <= head.seq:
            return entry.seq == head.seq and digest(line) == head.hash
    return False
