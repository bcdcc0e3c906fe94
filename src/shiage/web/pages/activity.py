"""What happened lately, over all specs."""

from starlette.requests import Request
from starlette.responses import Response

from shiage.app.activity import Wanted, recent
from shiage.web.site import site_of
from shiage.web.words import page


def show(request: Request) -> Response:
    asked = request.query_params
    wanted = Wanted(spec=asked.get("spec", ""), full=asked.get("show") == "full", words=asked.get("q", ""))
    rows = recent(site_of(request).workspace, wanted)
    return page(request, "activity.html", rows=rows, wanted=wanted)
