"""The way in: a one-time code becomes a device of its own."""

import asyncio
import math

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shiage.app.devices import DEVICE_SECONDS
from shiage.web.body import form, inside
from shiage.web.guesses import client_of
from shiage.web.site import Site, site_of
from shiage.web.words import door_page

MOST = 32  #: at once; each may take as long as a body may


async def enter(request: Request) -> Response:
    """Trade a code for a cookie."""
    site = site_of(request)
    if site.knocking >= MOST:
        raise HTTPException(503)
    site.knocking += 1
    try:
        return await _entered(request, site)
    finally:
        site.knocking -= 1


async def _entered(request: Request, site: Site) -> Response:
    fields = await form(request)
    origin = site.address.origins[request.headers["host"].lower()]
    client = client_of(request, origin, tunnelled=origin == site.address.tunnel)
    wait = site.guesses.wait(client)
    if wait:
        site.audit.stranger("pair", "too-many-guesses")
        refused = _answer(request, 429, "too-many-guesses")
        refused.headers["Retry-After"] = str(math.ceil(wait))
        return refused
    site.guesses.begin(client)
    name = fields.get("name") or _browser(request.headers.get("user-agent", ""))
    made = await asyncio.to_thread(site.devices.redeem, fields.get("code", ""), name)
    if made is None:
        site.audit.stranger("pair", "code-wrong")
        return _answer(request, 403, "code-wrong")
    site.guesses.right(client)
    device, token = made
    site.audit.write("pair", device.id, "done", scope=device.scope)
    return _let_in(request, site, token, fields.get("to", "/"))


def _let_in(request: Request, site: Site, token: str, to: str) -> Response:
    entered: Response = JSONResponse({"v": 1}) if _called(request) else RedirectResponse(inside(to), 303)
    secure = (site.address.origins.get(request.headers["host"].lower()) or "").startswith("https:")
    entered.set_cookie(
        site.cookie, token, max_age=int(DEVICE_SECONDS), httponly=True, samesite="strict", secure=secure, path="/"
    )
    return entered


def _answer(request: Request, status: int, code: str) -> Response:
    if _called(request):
        return JSONResponse({"v": 1, "error": {"code": code}}, status)
    return door_page(request, status, problem=code)


def _called(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _browser(agent: str) -> str:
    """A name for the list of devices: which browser on what."""
    systems = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux")
    browsers = ("Firefox", "Edg", "Chrome", "Safari")
    found = (next((name for name in names if name in agent), "") for names in (browsers, systems))
    return " · ".join(name for name in found if name).replace("Edg", "Edge").replace("Macintosh", "Mac")
