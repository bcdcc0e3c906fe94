"""--detach: the run is queued, and a worker in the background takes it."""

import os
from collections.abc import Callable, Sequence

from shiage.app.handover import Begun, begin
from shiage.app.tickets import queue_of, queueing
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.context import Context
from shiage.cli.errors import show_error
from shiage.cli.output import emit, show
from shiage.cli.telling import waits
from shiage.cli.words import t
from shiage.domain.errors import UserError
from shiage.queue.store import Store
from shiage.queue.tickets import Ticket


def detached(context: Context, project: Workspace, names: Sequence[str], queued: Callable[[Store, str], Ticket]) -> int:
    """Queue them, see that they begin, say where they are, and return at once."""
    project.require_trust()
    project = queueing(project, names)
    code = 0
    with queue_of(project) as store:
        tickets = [(name, queued(store, name)) for name in names]
        for name, ticket in tickets:
            try:
                _tell(context, project, name, begin(project, store, ticket, os.environ))
            except UserError as error:
                if len(names) == 1:
                    raise
                show_error(error, as_json=context.json)
                code = error.exit_code
    return code


def _tell(context: Context, project: Workspace, name: str, begun: Begun) -> None:
    if context.json:
        seen = status(project, project.folder(name)).as_json()
        emit({**seen, "pid": begun.pid, "ticket": begun.ticket.id, "waits_for": begun.waits_for})
    elif begun.waits_for:
        why = waits(begun.waits_for, begun.ticket.not_before, begun.ticket.after, begun.ticket.detail)
        show(context, [t("cli.queued", spec=name, ticket=begun.ticket.id, why=why)])
    else:
        show(context, [t("cli.detached", spec=name, pid=begun.pid)])
