"""What a claimed ticket asks for: its run begun or gone on with, here or on its branch."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack

from shiage.app import acts, runs
from shiage.app.carrying import taken
from shiage.app.queue_keeper import Keeper
from shiage.app.runs import Watch
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.domain.run import Run, Status
from shiage.engine.case import Keep
from shiage.queue.tickets import Ticket


def name_of(ticket: Ticket) -> str:
    return ticket.order.get("name", ticket.subject)


async def go_on(workspace: Workspace, ticket: Ticket, watch: Watch, keep: Keep | None = None) -> Run:
    """Begin the run, or do what its state and the ticket say: answer, recover, stop."""
    name, order = name_of(ticket), ticket.order
    seen = status(workspace, workspace.folder(name))
    interrupted = seen.reason == "interrupted"
    if ticket.stop:
        return await acts.stop(workspace, name) if interrupted else Run(status=Status.PAUSED, reason="stopped")
    if ticket.answer and seen.answerable:
        return await acts.answer(workspace, name, ticket.answer, watch=watch, keep=keep)
    by, apart = "recovery" if interrupted else "person", ticket.apart or order.get("worktree") == "yes"
    return await runs.run(
        workspace, name, until=order.get("until", ""), by=by, watch=watch, keep=keep,
        worktree=apart and keep is None, base=order.get("base", "") if not (seen.worktree or keep) else "",
    )  # fmt: skip


async def carry(
    workspace: Workspace, keeper: Keeper, ticket: Ticket, watch: Watch, stopped: Callable[[], bool] = lambda: False
) -> Run:
    """The same on the branch of a run that travels: taken to this machine, pushed after every closed step."""
    with ExitStack() as stack:
        entered = taken(workspace, ticket, keeper.store.me.name)
        there, held = await asyncio.to_thread(stack.enter_context, entered)
        held.ours, held.say = lambda: keeper.owns(ticket), keeper.told.repository
        held.over = lambda: stopped() or keeper.is_over(ticket)
        run = await go_on(there, ticket, watch, held.keep)
        await asyncio.to_thread(held.push, f"{name_of(ticket)}: {run.status} {run.reason}".rstrip())
        return run
