"""shiage step: one manual pass of one phase."""

import click

from shiage.app import runs
from shiage.app.landing import land_to_deploy
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.driving import drive
from shiage.cli.params import phase_argument, spec_argument
from shiage.cli.project import workspace


@made("step", example="shiage step login design")
@spec_argument()
@phase_argument()
@click.option("--agent", metavar="NAME")
@click.option("--fix", is_flag=True)
def command(context: Context, spec: str, phase: str, agent: str | None, fix: bool) -> int:
    project = workspace(context, {"agent": agent})
    land_to_deploy(project, spec, phase)
    return drive(context, project, (spec,), lambda name, watch: runs.step(project, name, phase, fix=fix, watch=watch))
