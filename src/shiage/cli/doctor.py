"""shiage doctor: what is here, and a remedy for each thing that is not."""

import os

import click

from shiage.app import doctor
from shiage.app.doctor import Item, examine, healthy
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, note, show
from shiage.cli.paint import paint
from shiage.cli.text import clean
from shiage.cli.words import t


@made("doctor", example="shiage doctor")
@click.option("--fix", is_flag=True)
def command(context: Context, fix: bool) -> int:
    if fix:
        for path in doctor.fix(context.start, os.environ):
            note(context, t("doctor.fixed", path=path))
    items = examine(context.start, os.environ)
    code = 0 if healthy(items) else 1
    if context.json:
        emit({"v": 1, "ok": code == 0, "items": [item.as_json() for item in items]})
    else:
        show(context, [_line(context, item) for item in items if not (context.quiet and item.ok)])
    return code


def _line(context: Context, item: Item) -> str:
    values = {name: clean(value) for name, value in item.values.items()}
    if item.ok:
        return f"{paint('✓', 'green', on=context.colored)} {t(f'doctor.{item.name}', **values)}"
    mark = paint("✗", "red", on=context.colored) if item.needed else paint("!", "yellow", on=context.colored)
    said = t(f"doctor.{item.name}_missing", **values)
    return f"{mark} {said} → {t(f'doctor.{item.name}_help', **values)}"
