"""shiage status: where every spec stands, or one page about one."""

import os
import shutil
import time
from importlib import import_module

import click

from shiage.app.board import board
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.pages import one_line, page, table
from shiage.cli.params import spec_argument
from shiage.cli.project import warn_stale, workspace

SECONDS = 1.0  #: between two looks with --watch


@made("status", example="shiage status login")
@spec_argument(required=False)
@click.option("--watch", is_flag=True)
def command(context: Context, spec: str | None, watch: bool) -> int:
    project = workspace(context)
    warn_stale(context, project)
    if context.json:
        emit(_object(project, spec))
    elif watch and context.live:
        import_module("shiage.cli.watching").watch(context, project, spec or "", SECONDS)
    elif watch:
        _repeat(context, project, spec)
    else:
        show(context, lines(context, project, spec))
    return 0


def _object(project: Workspace, spec: str | None) -> dict[str, object]:
    return board(project).as_json() if spec is None else status(project, project.folder(spec)).as_json()


def lines(context: Context, project: Workspace, spec: str | None) -> list[str]:
    if spec is not None:
        view = status(project, project.folder(spec))
        return [one_line(view)] if context.quiet else page(view, colored=context.colored)
    width = shutil.get_terminal_size().columns if os.isatty(1) else None
    return table(board(project), colored=context.colored, width=width)


def _repeat(context: Context, project: Workspace, spec: str | None) -> None:
    """Without a cursor to move: the whole again whenever it has changed."""
    last: list[str] = []
    while True:
        found = lines(context, project, spec)
        if found != last:
            show(context, found)
        last = found
        time.sleep(SECONDS)
