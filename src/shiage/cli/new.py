"""shiage new: a spec or a bug, with what it should do."""

import click

from shiage.app import create
from shiage.app.views import status
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, note, show
from shiage.cli.project import workspace
from shiage.cli.words import t


@made("new", example='shiage new login "people sign in with e-mail and password"')
@click.argument("spec", metavar="SPEC")
@click.argument("description", metavar="TEXT", required=False, default="")
@click.option("--bug", is_flag=True)
def command(context: Context, spec: str, description: str, bug: bool) -> int:
    project = workspace(context)
    folder = create.new(project, spec, description, bug=bug)
    if context.json:
        emit(status(project, folder).as_json())
        return 0
    show(context, [t("new.made", path=folder.shown(""))])
    note(context, t("new.next", spec=spec))
    return 0
