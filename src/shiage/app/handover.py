"""A ticket is handed to a worker; where none is there, one is started that goes on when the terminal is closed."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shiage.app.background import START_SECONDS, spawn
from shiage.app.carrying import busy
from shiage.app.tickets import chosen, view
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine.places import Places
from shiage.queue.store import Store, Taken
from shiage.queue.tickets import State, Ticket

_LOOK_SECONDS = 0.03


@dataclass(frozen=True, slots=True)
class Begun:
    ticket: Ticket
    waits_for: str  #: why it has not begun; empty when it has
    pid: int  #: of the worker; 0 when none has taken it


def begin(workspace: Workspace, store: Store, ticket: Ticket, environ: Mapping[str, str]) -> Begun:
    """See to it that a worker takes the ticket; returns when it runs, so that a stop will find it, or has to wait."""
    _refuse_running(store, ticket)
    started, log = 0, Places(workspace.root, "queue").home / "worker.out"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        ticket = chosen(store, str(ticket.id))
        why = _why(workspace, store, ticket)
        if why == "worker":
            if started and os.waitpid(started, os.WNOHANG) != (0, 0):
                raise _failed(ticket, log)
            started = started or spawn(_argv(workspace), environ, log)
        elif why and ticket.state is State.QUEUED:
            return Begun(ticket, why, 0)
        elif _seen_begun(workspace, ticket, why):
            break
        time.sleep(_LOOK_SECONDS)
    if ticket.state is State.ERROR and not ticket.run:
        raise UserError("not-started", f'"{ticket.subject}" did not start: {ticket.detail}', help=f"see {log}.")
    owner = next((owner for owner in store.owners() if owner.id == ticket.owner), None)
    return Begun(ticket, "", owner.pid if owner else started)


def _refuse_running(store: Store, ticket: Ticket) -> None:
    """What was just queued does not run yet: a running one is that of somebody else."""
    owner = next((owner for owner in store.owners() if owner.id == ticket.owner), None)
    if ticket.state is State.RUNNING and owner:
        raise busy(ticket.order.get("name", ticket.subject), Taken(ticket, owner))


def _why(workspace: Workspace, store: Store, ticket: Ticket) -> str:
    rows = view(workspace, store).tickets
    return next((row.waits_for for row in rows if row.ticket == ticket.id), "")


def _seen_begun(workspace: Workspace, ticket: Ticket, why: str) -> bool:
    if ticket.state is not State.RUNNING:
        return ticket.state is not State.QUEUED
    if why or ticket.order.get("remote"):  # the owner of the ticket hears of a stop, wherever it is
        return not why
    return status(workspace, workspace.folder(ticket.order.get("name", ticket.subject))).status == "running"


def _argv(workspace: Workspace) -> Sequence[str]:
    queue = workspace.settings.queue.url or f"sqlite://{Places(workspace.root, 'queue').home / 'queue'}"
    own = ("--project", str(workspace.root), "worker", "--drain", "--queue", queue)
    return (sys.executable, "-m", "shiage", "--plain", *own)


def _failed(ticket: Ticket, log: Path) -> UserError:
    """The last thing that it said is the reason."""
    said = [
        line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.startswith("error[")
    ]
    return UserError(
        "not-started", f'"{ticket.subject}" did not start: {"".join(said[-1:])}', help=f"its output is in {log}."
    )
