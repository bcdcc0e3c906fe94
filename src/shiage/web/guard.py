"""Asked before any page: is this our Host, our own page, a device that we know? The same on loopback."""

from collections.abc import Mapping, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shiage.domain.errors import UserError
from shiage.web.site import Site
from shiage.web.words import door_page

SAFE = ("GET", "HEAD")
#: Reached without credentials: the way in, and what its page is made of.
OPEN = ("/door", "/door.js", "/app.css")
_COMMON: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Wraps the application; what it refuses reaches no route."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope)
            refusal = self._refusal(request)
            if refusal and request.method not in SAFE:
                method, path = request.method[:10], request.url.path[:100]
                self._site.audit.stranger("request", f"http-{refusal.status_code}", method=method, path=path)
            await (refusal or self._app)(scope, receive, self._marked(request, send))
        else:  # there are no sockets here
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, request: Request) -> Response | None:
        origin = self._origin(request)
        if origin is None:
            return _refused(421, "host-refused")
        if not _same_site(request, origin):
            return _refused(403, "origin-refused")
        if request.url.path in OPEN:
            return None
        try:
            device = self._site.devices.of(request.cookies.get(self._site.cookie, ""))
        except UserError as error:  # nobody can be known, so nobody is let in
            return _refused(503, error.code)
        if device is None:
            return _unknown(request)
        request.scope["shiage.device"] = device
        return None

    def _origin(self, request: Request) -> str | None:
        """The origin of our pages under this Host; None for a Host that is not ours, or more than one."""
        hosts = request.headers.getlist("host")
        return self._site.address.origins.get(hosts[0].lower()) if len(hosts) == 1 else None

    def _marked(self, request: Request, send: Send) -> Send:
        """Every answer carries the security headers."""
        secure = (self._origin(request) or "").startswith("https:")

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                _mark(message, secure)
            await send(message)

        return marked


def _mark(message: MutableMapping[str, Any], secure: bool) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in _COMMON.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")
    if secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"


def _same_site(request: Request, origin: str) -> bool:
    """Whoever changes something must show that one of our own pages asks; whoever reads must not be somebody else's."""
    said, fetched = request.headers.getlist("origin"), request.headers.get("sec-fetch-site")
    if said and said != [origin]:
        return False
    if request.method in SAFE:
        by_hand = request.headers.get("sec-fetch-mode") == "navigate"
        return by_hand or fetched in (None, "none", "same-origin")
    return bool(said) or fetched == "same-origin"


def _refused(status: int, code: str) -> Response:
    return JSONResponse({"v": 1, "error": {"code": code, "message": code.replace("-", " ")}}, status)


def _unknown(request: Request) -> Response:
    """A person is shown the door; a program is told that there is one."""
    wants_page = request.method in SAFE and "text/html" in request.headers.get("accept", "")
    return door_page(request, 401) if wants_page else _refused(401, "not-paired")
