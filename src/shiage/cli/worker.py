"""shiage worker: take tickets from the queue and run them, until it is stopped."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import click

from shiage.app.queue_keeper import Told
from shiage.app.queue_worker import Worker
from shiage.app.tickets import open_queue
from shiage.app.workspace import Workspace
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.errors import show_error
from shiage.cli.front import silence
from shiage.cli.output import emit, show
from shiage.cli.project import workspace
from shiage.cli.words import t
from shiage.domain.errors import UserError
from shiage.queue.store import Store
from shiage.queue.tickets import Ticket


@made("worker", example="shiage worker --name night")
@click.option("--queue", metavar="URL", default="")
@click.option("--name", metavar="NAME", default="")
@click.option("--drain", is_flag=True)
def command(context: Context, queue: str, name: str, drain: bool) -> int:
    project = workspace(context, {"queue.url": queue or None})
    project.require_trust()
    store = open_queue(project, name=name, worker=True)
    try:
        return asyncio.run(_work(context, project, store, drain))
    finally:
        store.close()


async def _work(context: Context, project: Workspace, store: Store, drain: bool) -> int:
    room = project.settings.max_parallel
    worker, heard, main = Worker(project, store, told(context), room, drain), [], asyncio.current_task()

    def asked(number: signal.Signals) -> None:
        heard.append(number)
        worker.stop()
        if len(heard) > 1:  # the second time: agents get no more patience
            for task in asyncio.all_tasks() - {main}:
                task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, asked, number)
    _say(context, "worker.begins", name=store.me.name)
    await worker.work()
    _say(context, "worker.ends", name=store.me.name)
    return 130 if signal.SIGINT in heard else 0


def told(context: Context) -> Told:
    """Says what becomes of tickets."""

    def about(key: str, ticket: Ticket) -> None:
        name = ticket.order.get("name", ticket.subject)
        _say(context, key, ticket=ticket.id, spec=name, state=ticket.state.value, reason=ticket.reason or "-")

    def failed(ticket: Ticket, error: Exception) -> None:
        if isinstance(error, UserError):
            show_error(error, as_json=context.json)
        else:
            print(f"error[our-bug]: {type(error).__name__}: {error}", file=sys.stderr)

    def repository(gone: UserError | None) -> None:
        if gone:
            show_error(gone, as_json=context.json)
        else:
            _say(context, "worker.reached")

    return Told(
        claimed=lambda ticket: about("worker.claimed", ticket),
        ended=lambda ticket: about("worker.ended", ticket),
        refused=lambda ticket: about("worker.refused", ticket),
        failed=failed,
        trouble=lambda error: show_error(error, as_json=context.json),
        back=lambda: _say(context, "worker.back"),
        repository=repository,
    )


def _say(context: Context, key: str, **values: object) -> None:
    try:
        _said(context, key, values)
    except OSError:  # nobody reads any more; the work goes on
        silence()


def _said(context: Context, key: str, values: Mapping[str, object]) -> None:
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if context.json:
        emit({"v": 1, "type": key.partition(".")[2], "timestamp": at, **values})
    elif not context.quiet:
        show(context, [f"{at}  {t(key, **values)}"])
        sys.stdout.flush()
