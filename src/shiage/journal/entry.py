"""An entry and its one line of JSON."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal

import msgspec

Visibility = Literal["summary", "full"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal. The order of the fields is the order of the keys."""

    seq: int  #: counts from 1 within the file
    event_type: str
    timestamp: str  #: RFC 3339 in UTC with milliseconds and Z
    visibility: Visibility
    run: str
    content: Mapping[str, object]
    prev: str  #: digest of the line before, whoever wrote it; empty on the first line


@dataclass(frozen=True, slots=True)
class Draft:
    """What a writer brings; the journal adds number, time and chain."""

    event_type: str
    visibility: Visibility
    run: str
    content: Mapping[str, object]
    at: float | None = None  #: when it happened, seconds since the epoch; None = now


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Entry)
#: Line and paragraph separators that JSON lets stand raw, though many a reader ends a line there.
_RAW_BREAKS = ((b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"), (b"\xc2\x85", rb"\u0085"))


def encode(entry: Entry) -> bytes:
    """The line of an entry, without its newline."""
    line = _encoder.encode(entry)
    if not line.isascii():
        for raw, escaped in _RAW_BREAKS:
            line = line.replace(raw, escaped)
    return line


def decode(line: bytes) -> Entry | None:
    """The entry in a line; None for whatever is not one of ours."""
    try:
        return _decoder.decode(line)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def digest(line: bytes) -> str:
    """What the next line carries as `prev`."""
    return hashlib.sha256(line).hexdigest()


def timestamp(at: float) -> str:
    """Seconds since the epoch as RFC 3339."""
    second, millisecond = divmod(round(at * 1000), 1000)
    return f"{_second(second)}.{millisecond:03d}Z"


def seconds(timestamp: str) -> float:
    """The inverse of `timestamp`; ValueError for anything else."""
    moment = datetime.fromisoformat(timestamp)
    return (moment.astimezone(UTC) - _EPOCH) // _MILLISECOND / 1000


@lru_cache(maxsize=8)
def _second(second: int) -> str:
    return (_EPOCH + timedelta(seconds=second)).isoformat()[:19]
