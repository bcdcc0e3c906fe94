"""What a form or a call sends: read within limits of size and time."""

import asyncio
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

MOST = 65_536  #: bytes
MOST_FIELDS = 20
SECONDS = 10.0
_TYPE = "application/x-www-form-urlencoded"


async def form(request: Request) -> Mapping[str, str]:
    """The fields of a form."""
    try:
        async with asyncio.timeout(SECONDS):
            data = await _bounded(request)
        if data and request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
            raise HTTPException(415)
        return dict(parse_qsl(data.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except TimeoutError as error:
        raise HTTPException(408) from error
    except (ValueError, ClientDisconnect) as error:
        raise HTTPException(400) from error


async def _bounded(request: Request) -> bytes:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST:
            raise HTTPException(413)
    return bytes(data)


def inside(to: str, default: str = "/") -> str:
    """Where to go next: a page of ours, whatever a form says."""
    ours = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if ours else default
