"""Addresses of runs, rounds and agents that stay, whichever spec they belong to: they lead to its page."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shiage.app.attempts import by_agent, spec_of
from shiage.web.site import site_of


def run(request: Request) -> Response:
    """The page of its spec."""
    return _to(_spec(request))


def round_of(request: Request) -> Response:
    """The same with the points of this round open, where `#W1` is one of them."""
    number = request.path_params["number"]
    return _to(f"{_spec(request)}?round={number}&open=points-{number},document-review-{number}")


def _spec(request: Request) -> str:
    return f"/specs/{spec_of(site_of(request).workspace, request.path_params['run']).name}"


def attempt(request: Request) -> Response:
    """What this agent did."""
    return _to(_attempt(request))


def log(request: Request) -> Response:
    """What this agent said, where `#L12-L20` are lines."""
    return _to(f"{_attempt(request)}/log")


def _attempt(request: Request) -> str:
    folder, row = by_agent(site_of(request).workspace, request.path_params["agent"])
    return f"/specs/{folder.name}/attempts/{row.run}/{row.attempt}"


def _to(path: str) -> Response:
    """A browser keeps what stands behind `#`."""
    return RedirectResponse(path, 302)
