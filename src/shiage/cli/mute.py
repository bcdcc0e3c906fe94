"""shiage mute: a finding that is meant so does not reject any more."""

import click

from shiage.app import mutes
from shiage.cli.acting import show_state
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.project import workspace


@made("mute", example='shiage mute 3f9a01c2 --reason "the dots are part of the text"')
@click.argument("finding", metavar="ID")
@click.option("--reason", metavar="TEXT", required=True)
@click.option("--spec", metavar="SPEC", default="")
def command(context: Context, finding: str, reason: str, spec: str) -> int:
    project = workspace(context)
    return show_state(context, project, mutes.mute(project, finding, reason, spec))
