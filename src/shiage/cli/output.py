"""Where words go: data to standard output, everything else to standard error."""

import json
import sys
from collections.abc import Iterable, Mapping

from shiage.cli.context import Context
from shiage.cli.text import plain_glyphs
from shiage.cli.words import t


def show(context: Context, lines: Iterable[str]) -> None:
    """Data for a person."""
    text = "\n".join(lines)
    print(plain_glyphs(text) if context.ascii else text)


def emit(value: Mapping[str, object]) -> None:
    """Data for a program: one object, one line."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def note(context: Context, text: str) -> None:
    """A remark beside the data."""
    if not (context.quiet or context.json):
        print(plain_glyphs(text) if context.ascii else text, file=sys.stderr)


def agreed(context: Context, question: str) -> bool:
    """Ask on a terminal; elsewhere there is nobody to say no."""
    if not context.asks:
        return True
    print(f"{question} {t('cli.yes_no')} ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("", "y", "yes", "はい")
