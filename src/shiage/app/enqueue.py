"""New tickets: runs that a worker is to begin, now, later, or after another one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shiage.app.carrying import send_off, travels
from shiage.app.questions import require_words
from shiage.app.tickets import chosen, open_of, subject_of, wish_of
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.queue.store import Store
from shiage.queue.tickets import State, Ticket


@dataclass(frozen=True, slots=True)
class Asked:
    """How and when a person wants the runs."""

    order: Mapping[str, str] = field(default_factory=dict)
    after: str = ""  #: a ticket's number, or the spec whose open ticket is meant
    not_before: float = 0.0
    priority: int = 0


def enqueue(workspace: Workspace, store: Store, name: str, asked: Asked) -> Ticket:
    """Queue a run of this spec; one that is queued already is not queued twice."""
    workspace.require_trust()
    after = chosen(store, asked.after).id if asked.after else None
    folder, order = workspace.folder(name), dict(asked.order)
    if workspace.settings.queue.url and folder.workflow == "task":
        raise UserError(
            "task-stays", f'"{name}" is a free-form task: it stays on the machine where it was given',
            help="`shiage task` begins it there; [queue] url is for specs and bugs.",
        )  # fmt: skip
    if travels(workspace, folder):
        order |= send_off(workspace, folder, order.get("base", ""))
    wish = replace(wish_of(workspace, name, order), after=after, not_before=asked.not_before, priority=asked.priority)
    open_one = next((ticket for ticket in store.open() if ticket.key == wish.dedup), None)
    if open_one and open_one.state is State.AWAITING_RESPONSE:
        return store.answer(open_one.id, "")  # the person lets it go on as it is
    return store.add(wish)


def enqueue_answer(workspace: Workspace, store: Store, name: str, text: str) -> Ticket:
    """Queue the words for the agent that waits for them."""
    workspace.require_trust()
    require_words(text)
    seen = status(workspace, workspace.folder(name))
    if not seen.answerable:
        raise UserError("no-question", f'"{name}" asks nothing', help=f"`shiage status {name}` shows where it is.")
    folder = workspace.folder(name)
    waiting = open_of(store, subject_of(workspace, folder))
    if waiting is None:  # it came to its question without the queue
        order = send_off(workspace, folder) if travels(workspace, folder) else {}
        waiting = store.reserve(wish_of(workspace, name, order))
        claimed = store.claim(most=10**6, id=waiting.id)
        waiting = store.finish(claimed, State.AWAITING_RESPONSE, reason=seen.reason) if claimed else waiting
    return store.answer(waiting.id, text)
