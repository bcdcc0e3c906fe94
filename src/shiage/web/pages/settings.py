"""What the settings are and where from; which devices may come in."""

import asyncio
from collections.abc import Mapping
from io import BytesIO

import segno
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shiage.app.catalogue import LANGUAGES
from shiage.app.devices import CODE_SECONDS, SCOPES
from shiage.app.settings_view import settings_rows
from shiage.domain.errors import UserError
from shiage.web.body import form, inside
from shiage.web.site import device_of, site_of
from shiage.web.words import THEMES, language_of, page

_YEAR = 31_536_000


def show(request: Request) -> Response:
    return _page(request)


def _page(request: Request, invitation: Mapping[str, object] | None = None) -> Response:
    site = site_of(request)
    rows = settings_rows(site.workspace.reloaded().loaded, "", language_of(request))
    return page(
        request, "settings.html", rows=rows, devices=site.devices.all(), scopes=tuple(SCOPES), languages=LANGUAGES,
        themes=THEMES, invitation=invitation,
    )  # fmt: skip


async def prefer(request: Request) -> Response:
    """Language and theme of this browser."""
    fields = await form(request)
    site_of(request).audit.write("preferences", device_of(request).id, "done")
    answer = RedirectResponse(inside(fields.get("to", ""), "/settings"), 303)
    for name, allowed in (("lang", LANGUAGES), ("theme", THEMES)):
        if fields.get(name) in allowed:
            answer.set_cookie(name, fields[name], max_age=_YEAR, httponly=True, samesite="strict", path="/")
    return answer


async def invite(request: Request) -> Response:
    """A one-time code for a further device, as text and to be photographed."""
    site, fields = site_of(request), await form(request)
    scope = fields.get("scope", "")
    if scope not in SCOPES:
        raise UserError("scope-unknown", "there is no such scope", help=f"one of: {', '.join(SCOPES)}.")
    code = await asyncio.to_thread(site.devices.invite, scope)
    site.audit.write("invite", device_of(request).id, "done", scope=scope)
    address = f"{site.address.url}/#code={code}"
    minutes = int(CODE_SECONDS / 60)
    invitation = {"code": code, "scope": scope, "minutes": minutes, "picture": picture(address)}
    return await asyncio.to_thread(_page, request, invitation)


def picture(address: str) -> Markup:
    """A QR code as an image that needs no inline style."""
    file = BytesIO()
    segno.make(address, error="m").save(file, kind="svg", scale=5, border=3, dark="#000", light="#fff", xmldecl=False)
    return Markup(file.getvalue().decode())  # noqa: S704  made here, of squares


async def revoke(request: Request) -> Response:
    site = site_of(request)
    await asyncio.to_thread(site.devices.revoke, request.path_params["id"])
    site.audit.write("revoke", device_of(request).id, "done", revoked=request.path_params["id"])
    return RedirectResponse("/settings?done=revoke", 303)
