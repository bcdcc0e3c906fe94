"""shiage open: the address of a spec's page in the dashboard that is being served."""

import click

from shiage.app.devices import Devices
from shiage.app.workspace import Workspace
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace


def url_of(project: Workspace, spec: str) -> str:
    """The page of this spec, or the first one, with a code that lets one browser in."""
    path = f"/specs/{project.folder(spec).name}" if spec else "/"
    devices = Devices(project.root, project.environ)
    return f"{devices.reached()}{path}#code={devices.invite('control')}"


@made("open", example="shiage open login")
@spec_argument(required=False)
@click.option("--browser", is_flag=True)
def command(context: Context, spec: str | None, browser: bool) -> int:
    url = url_of(workspace(context), spec or "")
    if context.json:
        emit({"v": 1, "url": url})
    else:
        show(context, [url])
    if browser:
        click.launch(url)
    return 0
