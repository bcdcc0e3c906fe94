"""Secrets out of whatever is written, and text into what every reader of JSON accepts.

A secret that cannot be told from ordinary code by its shape (a password that is a word) is not looked for:
false masking would make the journal useless as evidence.
"""

import math
import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache

import msgspec

from shiage.journal.secrets import NAME, SHAPES, Shape, random_looking

_SHORTEST = 12  # characters; no shape is shorter
_DEEPEST = 64  # levels; readers of JSON give up somewhere beyond
_LONGEST = 1 << 12  # bits of a number; beyond 4,300 digits Python does not print one
_NAMING = 256  # characters of a name of a field; ours have twenty

_HINTS = tuple({hint: None for shape in SHAPES for hint in shape.hints})


def masked(content: Mapping[str, object]) -> dict[str, object]:
    """The content of an entry as it may be written."""
    return _mapping(content, 1)


def mask(value: object) -> object:
    """The value in plain JSON types, each secret in its strings replaced by `[masked:<kind>]`."""
    return _plain(value, 0)


def mask_text(text: str) -> str:
    """The text, each secret in it replaced by `[masked:<kind>]`."""
    if not text.isascii():  # half a character, from a file name that is no UTF-8: no strict reader takes it
        text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) < _SHORTEST:
        return text
    lowered = text.lower()
    found = {hint for hint in _HINTS if hint in lowered}
    if found:
        for shape in SHAPES:
            if not found.isdisjoint(shape.hints):
                text = _without(text, shape)
    return text


def _without(text: str, shape: Shape) -> str:
    def hidden(match: re.Match[str]) -> str:
        if match["s"].startswith("[masked:") or not shape.real(match):
            return match[0]
        start, end = (place - match.start() for place in match.span("s"))
        return f"{match[0][:start]}[masked:{shape.kind}]{match[0][end:]}"

    return _compiled(shape.pattern).sub(hidden, text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Only when first needed: compiling all of them costs more than most commands take."""
    return re.compile(pattern, re.ASCII)


def _plain(value: object, depth: int) -> object:
    """Down to strings, numbers, lists and mappings that every reader of JSON accepts."""
    if isinstance(value, str):
        return mask_text(value if type(value) is str else str.__str__(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _LONGEST else f"[a number of {value.bit_length()} bits]"
    if isinstance(value, float):
        return _finite(value)
    if depth > _DEEPEST:
        return "[nested too deep]"
    if isinstance(value, Mapping):
        return _mapping(value, depth + 1)
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return _plain(msgspec.to_builtins(value, str_keys=True), depth + 1)


def _finite(value: float) -> float | None:
    """JSON has no infinity: the largest number compares the same way and comes back as a number."""
    if math.isinf(value):
        return math.copysign(sys.float_info.max, value)
    return None if math.isnan(value) else value


def _mapping(value: Mapping[str, object], depth: int) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, item in value.items():
        name, telling = _field(str(key)[:_NAMING])
        plain = _plain(item, depth)
        if telling and isinstance(plain, str) and len(plain) >= _SHORTEST and random_looking(plain):
            plain = "[masked:password]"
        result[name] = plain
    return result


@lru_cache(maxsize=1024)
def _field(name: str) -> tuple[str, bool]:
    """The name of a field as it may be written, and whether it says that a secret follows. Names repeat."""
    return mask_text(name), _compiled(NAME).search(name) is not None
