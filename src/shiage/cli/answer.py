"""shiage answer: tell the waiting agent what to do, and go on."""

import click

from shiage.app import acts
from shiage.app.enqueue import enqueue_answer
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.detach import detached
from shiage.cli.driving import drive_queued
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace


@made("answer", example='shiage answer login "keep the old table"')
@spec_argument()
@click.argument("text", metavar="TEXT")
@click.option("--detach", is_flag=True)
def command(context: Context, spec: str, text: str, detach: bool) -> int:
    project = workspace(context)
    if detach:
        return detached(context, project, (spec,), lambda store, name: enqueue_answer(project, store, name, text))
    return drive_queued(
        context, project, (spec,), lambda name, watch: acts.answer(project, name, text, watch=watch), answer=text
    )
