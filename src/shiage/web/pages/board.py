"""All specs; those that need a person first."""

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shiage.app.board import Broken, Unread
from shiage.app.offers import Offer, offers
from shiage.app.questions import question_of
from shiage.app.tickets import TicketView, exists, queue_of, view
from shiage.app.views import SpecView
from shiage.app.workspace import Workspace
from shiage.web.site import site_of
from shiage.web.words import page

Rows = list[SpecView | Broken]
MOST_CARDS = 20  #: drawn alone; with more the whole board is
STATES = ("waiting", "running", "idle", "completed")
#: Group of the board, in the order in which they are shown, and the states in it.
_GROUPS = {"needs": ("error", "paused"), "running": ("running",), "idle": ("idle",), "completed": ("completed",)}
#: What a person most likely does next; the first that is possible is offered on the board.
_FIRST = ("answer", "stop", "run", "reset")


def show(request: Request) -> Response:
    site = site_of(request)
    workspace, found = site.workspace, site.boards.soon()
    state, words = request.query_params.get("state", ""), request.query_params.get("q", "")
    everything: Rows = [*found.broken, *found.views, *found.tasks]
    rows = [row for row in everything if _shown(row, state, words)]
    return page(
        request, "board.html", board=found, groups=_grouped(rows), state=state, words=words, states=STATES,
        primary=_firsts(rows), tickets=_waiting(workspace), unread=_unread(found.unread, state, words),
    )  # fmt: skip


def cards(request: Request) -> Response:
    """The cards of these specs alone: what an open board asks for when something happened to them."""
    names = request.query_params.get("only", "").split(",")[:MOST_CARDS]
    site = site_of(request)
    rows = site.boards.some(names)
    return page(request, "cards.html", rows=rows, primary=_firsts(rows), tickets=_waiting(site.workspace))


def as_json(request: Request) -> Response:
    """What `shiage status --json` prints."""
    return JSONResponse(site_of(request).boards.now().as_json())


def _grouped(rows: Rows) -> list[tuple[str, Rows]]:
    groups = ((name, [row for row in rows if _status(row) in states]) for name, states in _GROUPS.items())
    return [(name, sorted(found, key=_order)) for name, found in groups if found]


def _order(row: SpecView | Broken) -> tuple[bool, str]:
    return _status(row) != "error", row.spec


def _status(row: SpecView | Broken) -> str:
    return "error" if isinstance(row, Broken) else row.status


def _shown(row: SpecView | Broken, state: str, words: str) -> bool:
    asked = _status(row) in _GROUPS["needs"] if state == "waiting" else _status(row) == state
    return (not state or asked) and words.casefold() in row.spec


def _unread(rows: Sequence[Unread], state: str, words: str) -> list[Unread]:
    """In the order in which they are read; nobody knows yet which state they are in."""
    return sorted((row for row in rows if not state and words.casefold() in row.spec), key=lambda row: -row.at)


def _firsts(rows: Sequence[SpecView | Broken]) -> Mapping[str, Offer | None]:
    return {row.spec: _primary(row) for row in rows if isinstance(row, SpecView)}


def _primary(view: SpecView) -> Offer | None:
    known = {offer.action: offer for offer in offers(view) if not offer.obstacle}
    wanted = _FIRST if question_of(view) else _FIRST[1:]  # who stopped a run is asked nothing
    return next((known[name] for name in wanted if name in known), None) if view.status != "completed" else None


def _waiting(workspace: Workspace) -> Mapping[str, TicketView]:
    """Specs whose ticket has a reason to wait; a look at the board makes no queue."""
    if not exists(workspace):
        return {}
    with queue_of(workspace) as store:
        return {row.spec: row for row in view(workspace, store).tickets if row.waits_for}
