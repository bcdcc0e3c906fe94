"""One attempt: what the agent was told, what it said, what it changed, what was found."""

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from shiage.app.attempts import attempt, beside, prompt
from shiage.app.diffs import diff
from shiage.app.journals import AttemptRow
from shiage.app.logs import PAGE, Line
from shiage.web.escapes import painted, visible
from shiage.web.site import Site, site_of
from shiage.web.words import page

_CHUNK = 200  #: lines that are laid out together
_FEW = 200  #: a last part that is shorter is shown with the part before it

Shown = Mapping[str, object]


def show(request: Request) -> Response:
    row, workspace = _row(request), site_of(request).workspace
    name = request.path_params["name"]
    folder = workspace.folder(name)
    return page(
        request, "attempt.html", spec=name, row=row, prompt=visible(prompt(workspace, row)),
        diff=diff(workspace, folder, row), beside=beside(workspace, folder, row),
    )  # fmt: skip


def log(request: Request) -> Response:
    """A part of the log; without a wish its end, in parts that begin at fixed lines so that scripts can join them."""
    row, logs = _row(request), site_of(request).logs
    total = logs.count(row)
    begin = (total - 1) // PAGE * PAGE + 1
    begin = begin - PAGE if total - begin < _FEW and begin > PAGE else begin
    first = _number(request, "from", max(1, begin))
    found = [*logs.lines(row, first), *(logs.lines(row, begin + PAGE) if first == begin else ())]
    words = request.query_params.get("q", "")
    return page(
        request, "log.html", spec=request.path_params["name"], row=row, total=total, first=first, words=words,
        chunks=_chunks(found), size=PAGE, hits=logs.search(row, words) if words else None,
    )  # fmt: skip


def lines(request: Request) -> Response:
    """A part of the log, and how long the log is now."""
    row = _row(request)
    logs, most = site_of(request).logs, min(_number(request, "most", PAGE), PAGE)
    total = logs.count(row)  # before the lines: whoever has seen so many has missed none of what is written meanwhile
    chunks = _chunks(logs.lines(row, _number(request, "from", 1), most))
    answer = page(request, "lines.html", chunks=chunks, spec=request.path_params["name"])
    answer.headers["X-Total-Lines"] = str(total)
    return answer


def search(request: Request) -> Response:
    """All lines of the whole log that have these words."""
    hits = site_of(request).logs.search(_row(request), request.query_params.get("q", "")[:1000])
    return JSONResponse({"v": 1, "count": hits.count, "lines": hits.lines})


def raw(request: Request) -> Response:
    row = _row(request)
    name = f"{row.run}-attempt-{row.attempt}.log"
    return FileResponse(site_of(request).logs.path(row), media_type="application/octet-stream", filename=name)


def tail(site: Site, row: AttemptRow, most: int) -> Sequence[Shown]:
    """The last lines of the log."""
    return _shown(site.logs.lines(row, max(1, site.logs.count(row) - most + 1), most))


def _row(request: Request) -> AttemptRow:
    found: Mapping[str, object] = request.path_params
    workspace = site_of(request).workspace
    return attempt(workspace, workspace.folder(str(found["name"])), str(found["run"]), int(str(found["number"])))


def _number(request: Request, name: str, default: int) -> int:
    """A line number as the address has it; nonsense counts as none."""
    said = request.query_params.get(name, "")
    return max(1, int(said)) if said.isascii() and said.isdigit() and len(said) < 12 else default


def _shown(found: Sequence[Line]) -> list[Shown]:
    return [{"number": line.number, "html": painted(line.text), "cut": line.cut} for line in found]


def _chunks(found: Sequence[Line]) -> list[list[Shown]]:
    rows = _shown(found)
    return [rows[at : at + _CHUNK] for at in range(0, len(rows), _CHUNK)]
