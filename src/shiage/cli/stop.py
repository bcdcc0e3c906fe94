"""shiage stop: end the run and everything it started."""

import asyncio

import click

from shiage.app import stopping
from shiage.app.board import running
from shiage.cli.acting import show_state
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace
from shiage.cli.words import t


@made("stop", example="shiage stop --all")
@spec_argument(required=False)
@click.option("--all", is_flag=True)
def command(context: Context, spec: str | None, all: bool) -> int:
    if bool(spec) == all:
        raise click.UsageError(t("usage.stop"))
    project = workspace(context)
    names = running(project) if all else [spec or ""]
    if not names:
        _nothing(context)
    for name in names:
        asyncio.run(stopping.stop(project, name))
        show_state(context, project, name)
    return 0


def _nothing(context: Context) -> None:
    """Nothing to stop is no failure, and still an answer."""
    if context.json:
        emit({"v": 1, "specs": []})
    else:
        show(context, [t("stop.nothing")])
