"""shiage reset: clear an error and its counts."""

import click

from shiage.app import acts
from shiage.app.tickets import settle
from shiage.cli.acting import show_state
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace


@made("reset", example="shiage reset login")
@spec_argument()
@click.option("--discard", is_flag=True)
def command(context: Context, spec: str, discard: bool) -> int:
    project = workspace(context)
    acts.reset(project, spec, discard=discard)
    settle(project, spec)
    return show_state(context, project, spec)
