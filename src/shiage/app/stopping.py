"""Stop: whatever the spec is about to do, does, or was doing when its process died."""

import asyncio

from shiage.app import acts
from shiage.app.tickets import exists, open_of, queue_of, settle, subject_of
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.engine import lock
from shiage.queue.store import Store
from shiage.queue.tickets import State, Ticket


async def stop(workspace: Workspace, name: str) -> None:
    """Cancel what waits, end what runs; returns when all is really gone."""
    folder = workspace.folder(name)
    if exists(workspace):
        with queue_of(workspace) as store:
            ticket = open_of(store, subject_of(workspace, folder))
            held_here = not workspace.is_away(folder) and lock.holder(workspace.places(folder).lock) is not None
            if ticket and ticket.state is State.QUEUED and not held_here:
                store.cancel(ticket.id)
                return
            alive = {owner.id for owner in store.owners()}
            if ticket and ticket.state is State.RUNNING and ticket.owner in alive and not held_here:
                await _asked(store, ticket, name)
                workspace.look_again()
                return
    await acts.stop(workspace, name)
    if not workspace.is_away(folder):
        settle(workspace, name)


async def _asked(store: Store, ticket: Ticket, name: str) -> None:
    """Its run is about to begin, or goes on elsewhere: its owner is told, and ends it.

    An owner that gives it back at this moment, or another that takes it over, must not make the wish void.
    """
    deadline = asyncio.get_running_loop().time() + acts.STOP_SECONDS
    while (found := store.get(ticket.id)) and found.state in (State.QUEUED, State.RUNNING):
        if found.state is State.QUEUED or not found.stop:
            store.cancel(ticket.id)
        if asyncio.get_running_loop().time() > deadline:
            raise UserError(
                "stop-failed", f'"{name}" did not end in {acts.STOP_SECONDS:.0f} s', help="end that process by hand."
            )
        await asyncio.to_thread(store.wait, 0.2)
