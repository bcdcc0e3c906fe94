"""The queue: what waits, runs or needs a person, who works on it, and what may be done about it."""

from collections.abc import Mapping
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from shiage.app import enqueue, tickets
from shiage.app.board import names
from shiage.app.devices import NEEDS
from shiage.app.times import point
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.web.actions import Action, Fields, allowed, done, words_of
from shiage.web.body import form
from shiage.web.site import site_of
from shiage.web.words import page

MOST_PRIORITY = 1_000_000


def show(request: Request) -> Response:
    workspace = site_of(request).workspace.reloaded()
    with tickets.queue_of(workspace) as store:
        seen = tickets.view(workspace, store)
    return page(request, "queue.html", queue=seen, specs=names(workspace.root), trusted=workspace.trusted)


async def add(request: Request) -> Response:
    """Queue a run; where it stands is seen on the page."""
    fields = await form(request)
    return await done(request, fields.get("name", ""), "/queue", lambda workspace: _add(workspace, fields), "add")


def _add(workspace: Workspace, fields: Fields) -> None:
    when, words = fields.get("not_before", "").strip(), fields.get("priority", "").strip() or "0"
    if not words.removeprefix("-").isdecimal() or abs(int(words)) > MOST_PRIORITY:
        raise UserError("priority-invalid", f'"{words[:20]}" is no priority', help="give a whole number.")
    begin = point(when, datetime.now().astimezone()) if when else 0.0
    asked = enqueue.Asked({"until": fields.get("until", "")}, fields.get("after", "").strip(), begin, int(words))
    with tickets.queue_of(workspace) as store:
        enqueue.enqueue(workspace, store, fields.get("name", ""), asked)


async def act(request: Request) -> Response:
    """Do it to a ticket."""
    number = str(request.path_params["number"])
    action, fields = await allowed(request, ACTIONS)
    return await done(request, "", "/queue", lambda workspace: action.do(workspace, number, fields))


def _cancel(workspace: Workspace, number: str, fields: Fields) -> None:
    with tickets.queue_of(workspace) as store:
        tickets.cancel(store, number)


def _answer(workspace: Workspace, number: str, fields: Fields) -> None:
    workspace.require_trust()
    with tickets.queue_of(workspace) as store:
        tickets.answer(store, number, words_of(fields))


ACTIONS: Mapping[str, Action] = {"cancel": Action(NEEDS["cancel"], _cancel), "answer": Action(NEEDS["answer"], _answer)}
