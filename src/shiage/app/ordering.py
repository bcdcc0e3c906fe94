"""A run or an answer handed to whoever works: queued, and seen to have begun or to have a reason to wait."""

from collections.abc import Mapping

from shiage.app.enqueue import Asked, enqueue, enqueue_answer
from shiage.app.handover import Begun, begin
from shiage.app.tickets import queue_of
from shiage.app.workspace import Workspace


def run(workspace: Workspace, name: str, order: Mapping[str, str] | None = None) -> Begun:
    workspace.require_trust()
    with queue_of(workspace) as store:
        return begin(workspace, store, enqueue(workspace, store, name, Asked(order or {})), workspace.environ)


def answer(workspace: Workspace, name: str, text: str) -> Begun:
    workspace.require_trust()
    with queue_of(workspace) as store:
        return begin(workspace, store, enqueue_answer(workspace, store, name, text), workspace.environ)
