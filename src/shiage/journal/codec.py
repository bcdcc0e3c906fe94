"""Between the events of the domain and the lines of a journal. The mapping is generic: a new event needs no code."""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from shiage.domain.errors import UserError
from shiage.journal.entry import Draft, Entry, Visibility, seconds

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def event_type(kind: type) -> str:
    """The name of an event class as it stands in a journal: AttemptStarted is ATTEMPT_STARTED."""
    return _upper_snake(kind.__name__)


@cache
def _upper_snake(name: str) -> str:
    return _HUMP.sub("_", name).upper()


def event_types(kinds: Iterable[type]) -> dict[str, type]:
    """The table that `from_entry` looks in."""
    return {event_type(kind): kind for kind in kinds}


def to_draft(event: object, run: str, visibility: Visibility) -> Draft:
    """An event as a draft. An event that knows its own run or time keeps them."""
    content = msgspec.to_builtins(event, str_keys=True)
    return Draft(
        event_type=event_type(type(event)),
        visibility=visibility,
        run=content.pop("run", run),
        content=content,
        at=content.pop("at", None),
    )


def from_entry(entry: Entry, types: Mapping[str, type]) -> object | None:
    """The event in an entry; None for types that are not in the table, such as reports."""
    kind = types.get(entry.event_type)
    if kind is None:
        return None
    try:
        fields = {**entry.content, **_envelope(entry, kind)}
        return msgspec.convert(fields, kind, str_keys=True)
    except ValueError as error:  # msgspec's errors are ValueErrors
        raise UserError(
            "journal-entry-unreadable",
            f"entry {entry.seq} ({entry.event_type}) cannot be understood: {error}",
            help="it was written by another version of shiage; use that one, or move the journal aside",
        ) from error


def _envelope(entry: Entry, kind: type) -> dict[str, object]:
    known = _fields(kind)
    run: dict[str, object] = {"run": entry.run} if "run" in known else {}
    return run | ({"at": seconds(entry.timestamp)} if "at" in known else {})


@cache
def _fields(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in dataclasses.fields(kind))
