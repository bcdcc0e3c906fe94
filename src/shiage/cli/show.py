"""shiage show: everything there is to say of a spec."""

import click

from shiage.app.journals import page
from shiage.app.trees import pull_request
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.pages import one_line, shown
from shiage.cli.params import spec_argument
from shiage.cli.project import warn_stale, workspace
from shiage.cli.words import language


@made("show", example="shiage show login")
@spec_argument()
@click.option("--pr", is_flag=True)
def command(context: Context, spec: str, pr: bool) -> int:
    project = workspace(context)
    warn_stale(context, project)
    if pr:
        request = pull_request(project, project.folder(spec), language())
        emit(request.as_json()) if context.json else show(context, [request.title, "", *request.body.splitlines()])
        return 0
    found = page(project, project.folder(spec))
    if context.json:
        emit(found.as_json())
    elif context.quiet:
        show(context, [one_line(found.view)])
    else:
        show(context, shown(found, colored=context.colored))
    return 0
