"""Everything that waits for a person, across specs, to be answered from a phone."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shiage.app.offers import offers
from shiage.app.review_rounds import to_decide
from shiage.web.site import site_of
from shiage.web.words import page


def asked(request: Request) -> Response:
    """How many there are: what the header of every page counts."""
    found = site_of(request).boards.soon()
    return JSONResponse({"v": 1, "questions": len(found.questions), "reading": len(found.unread)})


def show(request: Request) -> Response:
    site = site_of(request)
    found = site.boards.soon()
    views = {view.spec: view for view in (*found.views, *found.tasks)}
    known = {name: offers(view) for name, view in views.items()}
    talked = [each.spec for each in found.questions if each.reason == "needs-discussion"]
    decide = {name: to_decide(site.workspace, site.workspace.folder(name)) for name in talked}
    return page(request, "questions.html", board=found, questions=found.questions, offers=known, decide=decide)
