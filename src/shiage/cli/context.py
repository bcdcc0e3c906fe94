"""The flags that every command knows, and what a command gets from them."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from shiage.app.catalogue import language_of

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])

#: Terminals that cannot move their cursor.
_PLAIN_TERMS = ("dumb", "")
#: Variables that say that a screen reader is at work, which announces every redraw.
_READERS = ("ACCESSIBLE", "SCREEN_READER", "NVDA", "ORCA")


@dataclass
class Context:
    """What the person chose on the command line, beside the command itself."""

    project: Path | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"
    plain: bool = False
    lang: str | None = None
    yes: bool = False
    ascii: bool = False

    @property
    def start(self) -> Path:
        return self.project or Path.cwd()

    @property
    def live(self) -> bool:
        """Whether a moving view helps: a terminal that can move its cursor, and a person who looks at it."""
        still = os.environ.get("TERM", "") in _PLAIN_TERMS or any(name in os.environ for name in _READERS)
        return sys.stdout.isatty() and not (self.plain or self.json or self.quiet or still)

    @property
    def asks(self) -> bool:
        """Whether somebody is there to answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty() and not (self.yes or self.json)

    @property
    def colored(self) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return sys.stdout.isatty() and not self.plain and os.environ.get("TERM", "") not in _PLAIN_TERMS


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Flags may stand before or behind the command; the last one counts."""
    if value is not None and value is not False and param.name:
        setattr(ctx.ensure_object(Context), param.name, value)


_SWITCH: Mapping[str, Any] = {"is_flag": True}
#: Names, and what click must know of each. Their words are in the catalogue under `flag`.
_FLAGS: tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...] = (
    (("--project",), {"type": click.Path(path_type=Path), "metavar": "DIR"}),
    (("--json",), _SWITCH),
    (("-q", "--quiet"), _SWITCH),
    (("-v", "--verbose"), _SWITCH),
    (("--color",), {"type": click.Choice(["auto", "always", "never"])}),
    (("--plain",), _SWITCH),
    (("--ascii",), _SWITCH),
    (("--lang",), {"type": click.Choice(["en", "ja"])}),
    (("--yes",), _SWITCH),
)
COMMON = frozenset(names[-1].removeprefix("--") for names, _ in _FLAGS)


def common(function: Wrapped) -> Wrapped:
    """The flags of every command; help shows them once, at the top."""
    for names, options in reversed(_FLAGS):
        function = click.option(*names, expose_value=False, callback=_keep, **options)(function)
    return function


def language_from(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """The language is needed before anything is parsed, for help and for errors in parsing."""
    return language_of(chosen_language(arguments, environ), environ)


def chosen_language(arguments: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """What was said for this start of the program; None leaves it to the settings and the locale."""
    chosen = environ.get("SHIAGE_LANG") or None
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith("--lang="):
            chosen = argument.removeprefix("--lang=")
        if argument == "--lang" and index + 1 < len(arguments):
            chosen = arguments[index + 1]
    return chosen
