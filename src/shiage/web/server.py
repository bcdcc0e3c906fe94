"""The application, and serving it."""

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shiage.domain.errors import UserError
from shiage.web.actions import called, refused
from shiage.web.guard import Guard
from shiage.web.lobby import Lobby
from shiage.web.routes import routes
from shiage.web.site import Site, site_of
from shiage.web.words import page

#: Nothing was done: the thing that a path names does not exist.
_MISSING = frozenset(
    {"spec-unknown", "spec-name-invalid", "file-unknown", "attempt-unknown", "run-unknown", "device-unknown"}
)
_SMALL = 2_000  #: bytes that are not worth packing; streams of events are never packed
_HEADERS = 65_536  #: bytes; a cursor of many journals is long
_CONNECTIONS = 400
_END_SECONDS = 2  #: for answers under way when the server ends; streams come back by themselves


def application(site: Site) -> Starlette:
    app = Starlette(
        routes=list(routes()),
        middleware=[Middleware(Guard, site=site), Middleware(GZipMiddleware, minimum_size=_SMALL, compresslevel=5)],
        exception_handlers={UserError: _trouble, HTTPException: _refused, Exception: _our_bug},
    )
    app.state.site = site
    return app


async def _trouble(request: Request, error: Exception) -> Response:
    assert isinstance(error, UserError)  # noqa: S101  registered for these alone
    return refused(request, error, 404 if error.code in _MISSING else 409)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  registered for these alone
    code = f"http-{error.status_code}"
    if request.method != "GET" or request.url.path.startswith("/api/") or called(request):
        return JSONResponse({"v": 1, "error": {"code": code, "message": error.detail}}, error.status_code)
    return page(request, "error.html", error.status_code, code=code, message=error.detail, help="", where="")


async def _our_bug(request: Request, error: Exception) -> Response:
    """Our mistake: said without its details, which are for the operator."""
    site_of(request).audit.failed(request.url.path, error)
    return JSONResponse({"v": 1, "error": {"code": "our-bug", "message": "this is our mistake"}}, 500)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The loop hears them: whoever serves ends what it started, and is not killed by the same signal again."""
        yield


async def serve(site: Site, ready: Callable[[], None]) -> None:
    """Answer until the process is told to end."""
    address = site.address
    config = uvicorn.Config(
        application(site),
        host=address.host,
        port=address.port,
        ssl_certfile=address.cert,
        ssl_keyfile=address.key,
        http=Lobby().protocol,  # type: ignore[arg-type]  # called like the class that it makes
        h11_max_incomplete_event_size=_HEADERS,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level=logging.CRITICAL,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_END_SECONDS,
    )
    server = _Server(config)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, server.handle_exit, number, None)
    serving = asyncio.create_task(server.serve())
    while not (server.started or serving.done()):
        await asyncio.sleep(0.02)
    if server.started:
        await asyncio.to_thread(ready)
    await serving
