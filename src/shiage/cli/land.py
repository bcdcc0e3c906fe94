"""shiage land: bring a run that travelled between machines into this checkout."""

from shiage.app.landing import land
from shiage.cli.acting import show_state
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace


@made("land", example="shiage land login")
@spec_argument()
def command(context: Context, spec: str) -> int:
    project = workspace(context)
    land(project, spec)
    return show_state(context, project, spec)
