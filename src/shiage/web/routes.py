"""The one table of paths: what answers, and what a device must be allowed for it."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from shiage.app.devices import NEEDS, Scope
from shiage.domain.errors import UserError
from shiage.web import actions, door, live
from shiage.web.openapi import described
from shiage.web.pages import activity, attempt, board, numbers, permanent, questions, queue, settings, spec
from shiage.web.row import Row
from shiage.web.site import device_of, site_of
from shiage.web.words import door_page

_STATIC = Path(__file__).parent / "static"
#: What pages are made of: these files and no others, whatever a path says.
FILES = {
    "app.css": "text/css",
    "app.js": "text/javascript",
    "countdown.js": "text/javascript",
    "live.js": "text/javascript",
    "cards.js": "text/javascript",
    "log.js": "text/javascript",
    "folds.js": "text/javascript",
    "palette.js": "text/javascript",
    "keys.js": "text/javascript",
    "charts.js": "text/javascript",
    "toasts.js": "text/javascript",
    "drawer.js": "text/javascript",
    "help.js": "text/javascript",
    "poll.js": "text/javascript",
    "settings.js": "text/javascript",
    "door.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "vendor/idiomorph/idiomorph.min.js": "text/javascript",
    "vendor/uplot/uPlot.iife.min.js": "text/javascript",
    "vendor/uplot/uPlot.min.css": "text/css",
}


def _file(name: str) -> Callable[[Request], Response]:
    return lambda request: FileResponse(
        _STATIC / name, media_type=FILES[name], headers={"Cache-Control": "private, no-cache"}
    )


_ATTEMPT = "/specs/{name}/attempts/{run}/{number:int}"
TABLE: tuple[Row, ...] = (
    Row("/door", lambda request: door_page(request, 200), None),
    Row("/door", door.enter, None, post=True, takes=("code", "name", "to"), gives="entered"),
    Row("/door.js", _file("door.js"), None),
    Row("/app.css", _file("app.css"), None),
    *(Row(f"/static/{name}", _file(name)) for name in FILES),
    Row("/", board.show),
    Row("/cards", board.cards),
    Row("/specs/{name}", spec.show),
    Row("/specs/{name}/files/{file}", spec.show_document),
    Row(_ATTEMPT, attempt.show),
    Row(f"{_ATTEMPT}/log", attempt.log),
    Row(f"{_ATTEMPT}/lines", attempt.lines),
    Row(f"{_ATTEMPT}/search", attempt.search, takes=("q",), gives="hits"),
    Row(f"{_ATTEMPT}/raw", attempt.raw),
    Row("/runs/{run}", permanent.run),
    Row("/runs/{run}/rounds/{number:int}", permanent.round_of),
    Row("/attempts/{agent}", permanent.attempt),
    Row("/attempts/{agent}/log", permanent.log),
    Row("/questions", questions.show),
    Row("/asked", questions.asked),
    Row("/queue", queue.show),
    Row("/activity", activity.show),
    Row("/numbers", numbers.show),
    Row("/numbers/{chart}.csv", numbers.as_csv),
    Row("/settings", settings.show),
    Row("/api/status", board.as_json, gives="board"),
    Row("/api/specs/{name}", spec.as_json, gives="spec"),
    Row("/api/feed", live.feed, takes=("wait", "after"), gives="feed"),
    Row("/api/openapi.json", lambda request: JSONResponse(described(TABLE)), gives="openapi"),
    Row("/specs", actions.new, NEEDS["new"], post=True, takes=("name", "description", "bug"), gives="done"),
    Row(
        "/specs/{name}/{action}",
        actions.act,
        Scope.LOOK,
        post=True,  # each action says what it needs
        takes=("text", "phase", "until", "fix"),
        gives="done",
    ),
    Row(
        "/queue",
        queue.add,
        NEEDS["add"],
        post=True,
        takes=("name", "until", "after", "not_before", "priority"),
        gives="moved",
    ),
    Row("/queue/{number:int}/{action}", queue.act, Scope.LOOK, post=True, takes=("text",), gives="moved"),  # the same
    Row("/preferences", settings.prefer, post=True),
    Row("/devices", settings.invite, NEEDS["invite"], post=True),
    Row("/devices/{id}/revoke", settings.revoke, NEEDS["revoke"], post=True),
)


def routes() -> Iterator[Route]:
    for row in TABLE:
        yield Route(row.path, _allowed(row), methods=["POST"] if row.post else ["GET"])


def _allowed(row: Row) -> Callable[[Request], Awaitable[Response]]:
    """The answer, for devices that may have it; what is not a coroutine runs beside the loop."""

    async def answered(request: Request) -> Response:
        try:
            if row.need is not None and device_of(request).allowed < row.need:
                raise HTTPException(403)
            found = await run_in_threadpool(row.answer, request)
            return found if isinstance(found, Response) else await found
        except (HTTPException, UserError) as error:
            if row.post:
                _noted(row, request, error)
            raise

    return answered


def _noted(row: Row, request: Request, error: HTTPException | UserError) -> None:
    """An action that was refused is a remote action too."""
    code = error.code if isinstance(error, UserError) else f"http-{error.status_code}"
    action = str(request.path_params.get("action", row.action))[:40]
    audit = site_of(request).audit
    if row.need is None:
        audit.stranger(action, code)
    else:
        audit.write(action, device_of(request).id, code)
