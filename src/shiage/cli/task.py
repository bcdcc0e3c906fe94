"""shiage task: the review loop on a free-form task."""

import click

from shiage.app.beside import Beside
from shiage.app.create import new_task
from shiage.app.enqueue import Asked, enqueue
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.detach import detached
from shiage.cli.driving import beside_others, drive_queued
from shiage.cli.project import workspace
from shiage.cli.words import language


@made("task", example='shiage task "add a --version flag to cli.py"')
@click.argument("prompt", metavar="TEXT")
@click.option("--agent", metavar="NAME")
@click.option("--template", metavar="NAME")
@click.option("--detach", is_flag=True)
def command(context: Context, prompt: str, agent: str | None, template: str | None, detach: bool) -> int:
    project = workspace(context, {"agent": agent, "review_loop.template": template})
    project.require_trust()
    name = new_task(project, prompt, project.settings.language or language()).name
    order = {"agent": agent or "", "template": template or ""}
    if detach:
        return detached(context, project, (name,), lambda store, task: enqueue(project, store, task, Asked(order)))
    beside = Beside(project, "", worktree=False, base="", several=False, tell=beside_others(context))
    return drive_queued(context, project, (name,), beside.run, order)
