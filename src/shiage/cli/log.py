"""shiage log: what happened, as sentences or as the journal's own lines."""

import sys
import time
from collections.abc import Iterable

import click

from shiage.app.journals import entries, following, line
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import note, show
from shiage.cli.params import spec_argument
from shiage.cli.project import warn_stale, workspace
from shiage.cli.telling import told
from shiage.cli.words import t
from shiage.journal.entry import Entry

SECONDS = 0.2  #: between two looks with --follow


@made("log", example="shiage log login")
@spec_argument()
@click.option("-f", "--follow", is_flag=True)
@click.option("--full", is_flag=True)
def command(context: Context, spec: str, follow: bool, full: bool) -> int:
    project = workspace(context)
    folder = project.folder(spec)
    warn_stale(context, project)
    if not follow:
        found = entries(folder)
        _print(context, spec, found, full=full)
        if not found:
            note(context, t("log.none"))
        return 0
    reader = following(folder)
    while True:
        _print(context, spec, reader.poll(), full=full)
        sys.stdout.flush()
        time.sleep(SECONDS)


def _print(context: Context, spec: str, found: Iterable[Entry], *, full: bool) -> None:
    for entry in found:
        if context.json:
            print(line(entry))
        elif full or context.verbose or entry.visibility == "summary":
            show(context, [told(spec, entry)])
