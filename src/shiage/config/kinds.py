"""What a setting's value may be: how it is read from a file or from text, and what to say when it is wrong."""

import json
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_SHOWN = 60  #: characters of a wrong value that a message quotes
# Patterns stand here as text: `re` compiles and keeps them at first use, and many commands use none.
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_CRITERION = r"Q[1-9]|GD[1-5]|(?!Q\d|GD\d)[A-Za-z][A-Za-z0-9_.-]*"  # the last form is a plugin's
_URL = r"[A-Za-z][A-Za-z0-9+.-]*://\S+"


class Mismatch(ValueError):
    """The value is not what the setting takes; the text completes "… must be"."""


@dataclass(frozen=True, slots=True)
class Kind:
    name: str  #: for the documentation
    parse: Callable[[Any], Any]  #: from what TOML or JSON gave; raises Mismatch
    read: Callable[[str], Any]  #: from the text of a variable or an option to what TOML would have given
    secret: bool = False  #: may hold passwords or tokens, so it is shown shortened


def printable(text: str) -> str:
    """The text without anything that could steer a terminal or reorder what is read."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(value: object) -> str:
    """A value as a message or a table shows it, close to how TOML writes it."""
    return printable(json.dumps(value, ensure_ascii=False, default=str))


def quoted(value: object) -> str:
    """A wrong value, cut to what a sentence can hold."""
    if isinstance(value, dict):
        return "a table"
    text = shown(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


# -- from text ---------------------------------------------------------------


def _as_is(text: str) -> str:
    return text


def _number(text: str) -> object:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def _truth(text: str) -> object:
    return _TRUTH.get(text.strip().lower(), text)


def _listed(text: str) -> object:
    """A JSON list, or words separated by commas."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return [part.strip() for part in text.split(",") if part.strip()]


def _command_words(text: str) -> object:
    try:
        return shlex.split(text)
    except ValueError:
        return text


# -- from TOML or JSON --------------------------------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Mismatch("text")
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise Mismatch("text without NUL or broken characters")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Mismatch("true or false")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise Mismatch("a list of texts")
    return tuple(_text(item) for item in value)


def _non_empty_texts(value: Any) -> tuple[str, ...]:
    items = _texts(value)
    if not all(item.strip() for item in items):  # an empty pattern would match everywhere
        raise Mismatch("a list of texts that are not empty")
    return items


def _matching(pattern: str, expected: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value) or not value.isprintable():
            raise Mismatch(expected)
        return value

    return parse


def _each(one: Callable[[Any], str], expected: str) -> Callable[[Any], tuple[str, ...]]:
    def parse(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise Mismatch(expected)
        try:
            return tuple(one(item) for item in value)
        except Mismatch:
            raise Mismatch(expected) from None

    return parse


def _one_or_more(many: Callable[[Any], tuple[str, ...]]) -> Callable[[Any], tuple[str, ...]]:
    return lambda value: many([value] if isinstance(value, str) else value)


def _argv(value: Any) -> tuple[str, ...]:
    words = _texts(value) if isinstance(value, list | tuple) else ()
    if not words or not words[0].strip():
        raise Mismatch('a list of words such as ["my-agent", "--headless"]')
    return words


def _command_line(value: Any) -> tuple[str, ...]:
    """Split as a shell would split it; nothing is ever given to a shell."""
    try:
        words = _argv(value if isinstance(value, list | tuple) else shlex.split(_text(value)))
    except Mismatch:
        raise Mismatch('a command line such as "pytest -q"') from None
    except ValueError:
        raise Mismatch("a command line with closed quotes") from None
    return words


def whole(least: int, most: int = 10**9) -> Kind:
    def parse(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Mismatch("a whole number")
        if not least <= value <= most:
            raise Mismatch(f"at least {least}" if value < least else f"at most {most}")
        return value

    return Kind(f"whole number, at least {least}", parse, _number)


def decimal(bound: str, fits: Callable[[float], bool]) -> Kind:
    def parse(value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Mismatch("a number")
        if not math.isfinite(value) or not fits(value):
            raise Mismatch(bound)
        return value

    return Kind(f"number, {bound}", parse, _number)


def choice(*words: str) -> Kind:
    names = " or ".join(f'"{word}"' for word in words)

    def parse(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise Mismatch(names)
        return value

    return Kind(names, parse, _as_is)


def optional(kind: Kind) -> Kind:
    """TOML has no null, so "none" takes a lower layer's value away again."""

    def parse(value: Any) -> Any:
        return None if value is None or value == "none" else kind.parse(value)

    return Kind(f"{kind.name}, or none", parse, lambda text: None if text == "none" else kind.read(text), kind.secret)


_YEAR = 365 * 24 * 60  #: minutes; longer waits overflow timers

BOOL = Kind("true or false", _bool, _truth)
MINUTES = decimal("more than 0 and at most a year of minutes", lambda minutes: 0 < minutes <= _YEAR)
WAIT = decimal("at least 0 and at most a year of minutes", lambda minutes: 0 <= minutes <= _YEAR)
MONEY = decimal("at least 0 and finite", lambda amount: amount >= 0)
NAME = Kind("name", _matching(_NAME, "a name of letters, digits, dots, hyphens and underscores"), _as_is)
# A leading hyphen would make an option out of what an agent's command line gets as a value.
WORD = Kind("word", _matching(r"[^\s-]\S*", "a word without spaces that starts with no hyphen"), _as_is)
TEXTS = Kind("list of texts", _texts, _listed)
PATTERNS = Kind("list of texts", _non_empty_texts, _listed)
ARGUMENTS = Kind("list of texts", _texts, _command_words)
COMMAND_LINE = Kind("command line", _command_line, _as_is)
ARGV = Kind("list of texts: program and arguments", _argv, _command_words)
VARIABLES = Kind(
    "list of variable names",
    _each(_matching(_VARIABLE, ""), 'a list of variable names such as ["MY_TOKEN"]'),
    _listed,
)
CRITERIA = Kind(
    "list of criteria", _each(_matching(_CRITERION, ""), "a list of criteria such as Q1 to Q9 or GD1 to GD5"), _listed
)
# They come to stand behind an option on an agent's command line, and must not be one.
TOOLS = Kind("list of tools", _each(_matching(r"[^\s-].*", ""), 'a list of tools such as ["Bash(git push)"]'), _listed)
URL = Kind("URL", _matching(_URL, "a URL such as postgresql://host/name"), _as_is, secret=True)
QUEUE = Kind("URL", _matching(rf"sqlite:/\S+|{_URL}", "a URL such as postgresql://host/name"), _as_is, secret=True)
WEBHOOKS = Kind(
    "list of http or https URLs",
    _one_or_more(_each(_matching(r"(?i:https?)://\S+", ""), "a list of http or https URLs")),
    _listed,
    secret=True,
)
URLS = Kind("list of URLs", _one_or_more(_each(_matching(_URL, ""), "a list of URLs")), _listed, secret=True)
