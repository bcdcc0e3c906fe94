"""New entries as they are written: a stream, and a long poll where a stream is held up by what lies between."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from shiage.app.feed import Cursor, Listener, Told, cursor_of
from shiage.app.sentences import sentence
from shiage.web.site import Site, device_of, site_of
from shiage.web.words import language_of

HEARTBEAT_SECONDS = 15.0
GATHER_SECONDS = 0.05  #: entries that come close together are sent together
LONGEST_WAIT = 25.0


async def feed(request: Request) -> Response:
    site, asked = site_of(request), request.query_params
    if not site.streams.room():
        raise HTTPException(503)
    if "wait" in asked:
        return await _poll(site, request)
    after = _cursor(request.headers.get("last-event-id") or asked.get("after", ""))
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_stream(site, request, after), media_type="text/event-stream", headers=headers)


def _cursor(text: str) -> Cursor | None:
    """A cursor that cannot be read would silently skip what came before."""
    cursor = cursor_of(text) if text else None
    if text and cursor is None:
        raise HTTPException(400)
    return cursor


async def _poll(site: Site, request: Request) -> Response:
    asked = request.query_params["wait"]
    seconds = min(float(asked), LONGEST_WAIT) if asked.isascii() and asked.isdigit() else LONGEST_WAIT
    after = _cursor(request.query_params.get("after", ""))
    if after is None:
        return JSONResponse({"v": 1, "cursor": str(await site.feed.now()), "events": [], "anew": False})
    async with _heard(site, request, after) as listener:
        told = await listener.take(seconds)
    if listener.ended:
        raise HTTPException(503)  # asked again, the guard says why
    return JSONResponse({"v": 1, **_told(request, listener, told)})


async def _stream(site: Site, request: Request, after: Cursor | None) -> AsyncIterator[bytes]:
    async with _heard(site, request, after) as listener:
        yield _event("hello", str(listener.cursor), {"v": 1, "anew": listener.anew})
        while not listener.over:
            told = await listener.take(HEARTBEAT_SECONDS)
            if told:
                yield _event("batch", str(listener.cursor), {"v": 1, "events": _shown(request, told)})
                await asyncio.sleep(GATHER_SECONDS)
            elif not listener.over:
                yield b": still here\n\n"


@contextlib.asynccontextmanager
async def _heard(site: Site, request: Request, after: Cursor | None) -> AsyncIterator[Listener]:
    """A listener that hears nothing more once its device is revoked."""
    token = request.cookies.get(site.cookie, "")
    async with site.feed.listening(after) as listener:
        with site.streams.opened(listener, device_of(request), token):
            yield listener


def _told(request: Request, listener: Listener, told: Sequence[Told]) -> dict[str, object]:
    return {"cursor": str(listener.cursor), "events": _shown(request, told), "anew": listener.anew}


def _event(kind: str, cursor: str, data: object) -> bytes:
    return b"event: %s\nid: %s\ndata: %s\n\n" % (kind.encode(), cursor.encode(), msgspec.json.encode(data))


def _shown(request: Request, told: Sequence[Told]) -> list[dict[str, object]]:
    """What a page needs to know of an entry: whose it is, and a sentence where a person should hear of it."""
    language = language_of(request)
    return [
        {
            "spec": each.spec,
            "seq": each.entry.seq,
            "event_type": each.entry.event_type,
            "timestamp": each.entry.timestamp,
            "notify": bool(each.entry.content.get("notify")),
            "level": str(each.entry.content.get("level", "info")),
            "text": sentence(language, each.spec, each.entry) if each.entry.visibility == "summary" else "",
        }
        for each in told
    ]
