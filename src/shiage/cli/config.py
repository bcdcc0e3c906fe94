"""shiage config show: each setting, its value, and where it was said."""

import click

from shiage.app.settings_view import as_json, settings_rows
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.paint import paint
from shiage.cli.project import workspace
from shiage.cli.text import clean, columns, fit
from shiage.cli.words import language, t

_WIDEST = 40  #: cells of a value among others; alone it is shown whole


@made("config", example="shiage config show limits")
@click.argument("action", metavar="show", type=click.Choice(["show"]))
@click.argument("prefix", metavar="SECTION", required=False, default="")
def command(context: Context, action: str, prefix: str) -> int:
    found = settings_rows(workspace(context).loaded, prefix, language())
    if context.json:
        emit(as_json(found))
        return 0
    width = _WIDEST if len(found) > 1 else 10_000
    rows = [(row.key, fit(clean(row.text), width), clean(str(row.origin))) for row in found]
    head, *lines = columns([tuple(t(f"config.{name}") for name in ("key", "value", "origin")), *rows])
    show(context, [paint(head, "bold", on=context.colored), *lines])
    return 0
