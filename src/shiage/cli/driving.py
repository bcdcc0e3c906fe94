"""Runs specs in this process: shows what happens, listens to Ctrl-C, and returns the exit code."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from importlib import import_module

from shiage.app import runs, steps
from shiage.app.queue_keeper import Told
from shiage.app.queue_runs import Here
from shiage.app.reviews import result_of
from shiage.app.runs import Watch
from shiage.app.tickets import queueing
from shiage.app.troubles import said
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.cli.context import Context
from shiage.cli.errors import show_error
from shiage.cli.front import End, Front, JsonLines, Quiet, Sentences
from shiage.cli.interrupts import Interrupts
from shiage.cli.leash import Leash, split
from shiage.cli.output import note
from shiage.cli.words import language, t
from shiage.domain.errors import UserError
from shiage.domain.run import Run, Status

Begin = Callable[[str, Watch], Awaitable[Run]]

#: Exit codes from good to bad: the worst one counts when several specs were run.
_WORSE = (0, runs.EXIT_CODES[Status.PAUSED], runs.EXIT_CODES[Status.ERROR], 1, runs.STOPPED)


def drive(context: Context, workspace: Workspace, names: Sequence[str], begin: Begin) -> int:
    """Run the specs one after the other: they share one checkout."""
    return asyncio.run(_all(context, workspace, names, begin, leash=_leash(context, names)))


def drive_queued(
    context: Context, workspace: Workspace, names: Sequence[str], begin: Begin, order: Mapping[str, str] | None = None,
    answer: str = "",
) -> int:  # fmt: skip
    """The same through the queue: nobody else works on these specs meanwhile, and there is room for them."""
    workspace = queueing(workspace, names)
    leash = _leash(context, names)
    here = Here(workspace, workspace.settings.max_parallel, told=_troubles(context))
    here.waiting = lambda ticket: note(context, t("queue.waiting", ticket=ticket.id))

    async def queued(name: str, watch: Watch) -> Run:
        return await here.run(name, lambda inner: begin(name, inner), watch, dict(order or {}), answer)

    return asyncio.run(_all(context, workspace, names, queued, here, leash))


def _troubles(context: Context) -> Told:
    """What a run waits for is said beside its own story."""

    def trouble(error: UserError) -> None:
        note(context, t("cli.warning", text=said(language(), error)))

    def repository(gone: UserError | None) -> None:
        if gone:
            trouble(gone)
        else:
            note(context, t("worker.reached"))

    return Told(trouble=trouble, back=lambda: note(context, t("worker.back")), repository=repository)


def beside_others(context: Context) -> Callable[[str, str, UserError], None]:
    """Says that a run takes a worktree or waits because of another one."""
    keys = {"apart": "cli.apart", "turn": "cli.turn"}
    return lambda what, spec, why: note(context, t(keys[what], spec=spec, why=said(language(), why)))


def _leash(context: Context, names: Sequence[str]) -> Leash | None:
    """Where a moving view is seen, the run gets a process that may go on without it."""
    if not context.live or len(names) > 1:
        return None
    return split()


def front(context: Context, project: Callable[[], Workspace], *, several: bool = False) -> Front:
    """How this person or program wants to be told. The moving view costs its import only where it is seen."""
    if context.json:
        return JsonLines(context)
    if context.quiet:
        return Quiet(context)
    if context.live and not several:  # one moving block tells of one run
        live: Front = import_module("shiage.cli.live").Live(context, project)
        return live
    return Sentences(context)


async def _all(
    context: Context, workspace: Workspace, names: Sequence[str], begin: Begin, here: Here | None = None,
    leash: Leash | None = None,
) -> int:  # fmt: skip
    codes: list[int] = []
    async with AsyncExitStack() as held:
        at_once = here is not None and len(names) > 1
        shown = held.enter_context(front(context, lambda: workspace, several=at_once))
        interrupts = held.enter_context(Interrupts(shown))
        if leash is not None:
            shown.may_leave(leash, workspace.places(workspace.folder(names[0])).output)
            leash.watch(interrupts.ask)
        if here is not None:
            here.stopped = lambda: interrupts.asked
            await held.enter_async_context(here)
        watch = Watch(entries=shown.entries, agent=shown.agent, started=interrupts.started)

        async def one(name: str) -> int:
            try:
                return await _one(workspace, name, begin, shown, watch)
            except UserError as error:
                if len(names) == 1:
                    raise
                show_error(error, as_json=context.json)
                return error.exit_code

        if at_once:
            codes = await asyncio.gather(*map(one, names))
        for name in () if at_once else names:
            codes.append(await one(name))
            if interrupts.asked:
                break
    return max(codes, key=_WORSE.index)


async def _one(workspace: Workspace, name: str, begin: Begin, shown: Front, watch: Watch) -> int:
    began = time.monotonic()
    shown.began(name)
    try:
        run = await begin(name, watch)
        code = runs.exit_code(run)
    except asyncio.CancelledError:  # the second Ctrl-C: the agent is gone, and its end is told at the next start
        run, code = Run(), runs.STOPPED
    folder = workspace.folder(name)
    view = steps.ended(status(workspace, folder), run)
    shown.ended(End(view, time.monotonic() - began, code, result_of(workspace, folder, view)))
    return code
