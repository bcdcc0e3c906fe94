"""shiage approve: a person's yes to a phase."""

from shiage.app import acts
from shiage.cli.acting import show_state
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.params import phase_argument, spec_argument
from shiage.cli.project import workspace


@made("approve", example="shiage approve login requirements")
@spec_argument()
@phase_argument(required=False)
def command(context: Context, spec: str, phase: str | None) -> int:
    project = workspace(context)
    acts.approve(project, spec, phase or "")
    return show_state(context, project, spec)
