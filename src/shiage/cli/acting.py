"""What a person did to a spec: shown as its new state."""

from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.pages import one_line


def show_state(context: Context, project: Workspace, name: str) -> int:
    """One sentence, or the status object."""
    view = status(project, project.folder(name))
    if context.json:
        emit(view.as_json())
    else:
        show(context, [one_line(view)])
    return 0
