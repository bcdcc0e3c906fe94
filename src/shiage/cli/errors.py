"""Trouble, said in one shape: what failed, where, what to do."""

import json
import sys
from collections.abc import Iterator

from shiage.app.troubles import remedy, said
from shiage.cli.text import cells, clean
from shiage.cli.words import language, t
from shiage.domain.errors import UserError, Where

_WIDEST = 100  #: cells of a source line; a place further to the right is shown by its number alone


def as_object(error: UserError) -> dict[str, object]:
    where = str(error.where) if error.where else None
    return {
        "v": 1,
        "error": {"code": error.code, "message": error.message, "where": where, "help": error.help},
    }


def show_error(error: UserError, *, as_json: bool) -> None:
    """For a person on stderr, for a program on stdout."""
    if as_json:
        print(json.dumps(as_object(error), ensure_ascii=False))
        return
    print("\n".join(error_lines(error)), file=sys.stderr)


def error_lines(error: UserError) -> Iterator[str]:
    """The code in brackets is searchable, and never translated."""
    yield f"error[{error.code}]: {clean(said(language(), error))}"
    if error.where:
        yield from _place(error.where)
    if error.help:
        yield f"{t('cli.help')}: {clean(remedy(language(), error))}"


def _place(where: Where) -> Iterator[str]:
    yield f"  --> {where}"
    if where.line is None or not where.excerpt:
        return
    margin = len(str(where.line)) + 3
    first = where.line - len(where.excerpt) + 1  # the last line of an excerpt is the one that is meant
    shown = [clean(line) for line in where.excerpt]
    for number, line in enumerate(shown, first):
        yield f"{number:>{margin}} | {line}"[: _WIDEST + margin]
    if where.column is not None and cells(shown[-1][: where.column - 1]) < _WIDEST:
        yield f"{'':>{margin}} | {' ' * cells(shown[-1][: where.column - 1])}^"
