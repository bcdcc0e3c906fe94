"""What a person can do: the same use cases as the command line's, as a plain form or as a call."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shiage.app import acts, create, ordering, stopping, tickets
from shiage.app.background import start
from shiage.app.catalogue import say
from shiage.app.devices import NEEDS, Scope
from shiage.app.handover import Begun
from shiage.app.troubles import remedy, said
from shiage.app.views import status
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.web.body import form
from shiage.web.site import device_of, site_of
from shiage.web.words import language_of, page

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Action:
    need: Scope
    do: Callable[[Workspace, str, Fields], object]  #: runs in a thread of its own


def _run(workspace: Workspace, name: str, fields: Fields) -> Begun:
    return ordering.run(workspace, name, {"until": fields.get("until", "")})


def _stop(workspace: Workspace, name: str, fields: Fields) -> None:
    asyncio.run(stopping.stop(workspace, name))


def _reset(workspace: Workspace, name: str, fields: Fields) -> None:
    acts.reset(workspace, name)
    tickets.settle(workspace, name)


def _approve(workspace: Workspace, name: str, fields: Fields) -> None:
    acts.approve(workspace, name, fields.get("phase", ""))


def _answer(workspace: Workspace, name: str, fields: Fields) -> Begun:
    return ordering.answer(workspace, name, words_of(fields))


def _step(workspace: Workspace, name: str, fields: Fields) -> None:
    fix = ["--fix"] if fields.get("fix") else []
    start(workspace, name, ["step", *fix, "--", name, fields.get("phase", "")], workspace.environ)


ACTIONS: Mapping[str, Action] = {
    "run": Action(NEEDS["run"], _run),
    "stop": Action(NEEDS["stop"], _stop),
    "reset": Action(NEEDS["reset"], _reset),
    "approve": Action(NEEDS["approve"], _approve),
    "answer": Action(NEEDS["answer"], _answer),
    "step": Action(NEEDS["step"], _step),
}


def words_of(fields: Fields) -> str:
    if not fields.get("text", "").strip():
        raise UserError("answer-empty", "an answer needs words", help="say what the agent should do.")
    return fields["text"]


async def act(request: Request) -> Response:
    """Do it to a spec, and show the new state."""
    name = request.path_params["name"]
    action, fields = await allowed(request, ACTIONS)
    return await done(request, name, f"/specs/{name}", lambda workspace: action.do(workspace, name, fields))


async def new(request: Request) -> Response:
    """A new spec or bug."""
    fields = await form(request)
    name, words, bug = fields.get("name", ""), fields.get("description", ""), bool(fields.get("bug"))
    made = lambda found: create.new(found, name, words, bug=bug)  # noqa: E731  what is to be done is a value here
    return await done(request, name, f"/specs/{name}", made, "new")


async def allowed(request: Request, actions: Mapping[str, Action]) -> tuple[Action, Fields]:
    """The action that the path names, if this device may do it."""
    wanted = request.path_params["action"]
    action = actions.get(wanted)
    if action is None:
        raise HTTPException(404)
    fields = await form(request)
    if device_of(request).allowed < action.need:
        raise HTTPException(403)
    return action, fields


async def done(
    request: Request, name: str, to: str, do: Callable[[Workspace], object], action: str = ""
) -> Response:  # fmt: skip
    """Do it, write down who did, and lead back to where it is seen."""
    site, device = site_of(request), device_of(request).id
    action = action or request.path_params["action"]
    try:
        workspace = await asyncio.to_thread(site.workspace.reloaded)
        result = await asyncio.to_thread(do, workspace)
    except UserError as error:
        site.audit.write(action, device, error.code, spec=name[:64])
        return refused(request, error, 409)
    site.audit.write(action, device, "done", spec=name)
    waits = result.waits_for if isinstance(result, Begun) else ""
    key = "queued" if waits else action
    if not called(request):
        return RedirectResponse(f"{to}?done={key}", 303)
    text = say(language_of(request), f"done.{key}", spec=name)
    return JSONResponse({"v": 1, "text": text, "to": to, **await asyncio.to_thread(_state, workspace, name)})


def _state(workspace: Workspace, name: str) -> Mapping[str, object]:
    return {"status": status(workspace, workspace.folder(name)).as_json()} if name else {}


def refused(request: Request, error: UserError, status: int) -> Response:
    """What went wrong and what to do about it, in the person's language."""
    language = language_of(request)
    told = {"code": error.code, "message": said(language, error), "help": remedy(language, error)}
    where = str(error.where) if error.where else None
    if called(request) or request.url.path.startswith("/api/"):
        return JSONResponse({"v": 1, "error": {**told, "where": where}}, status)
    return page(request, "error.html", status, **told, where=where or "")


def called(request: Request) -> bool:
    """Whether a program asks, or a script of ours; a form that a person sends wants a page."""
    return "application/json" in request.headers.get("accept", "")
