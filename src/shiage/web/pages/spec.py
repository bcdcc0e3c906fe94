"""One spec: where it stands, what was found in every round and attempt, and its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from shiage.app.artefacts import document, documents, tasks
from shiage.app.diffs import diff
from shiage.app.iterations import IterationRecord
from shiage.app.journals import AttemptRow, RoundRow
from shiage.app.journals import page as told
from shiage.app.offers import offers
from shiage.app.review_rounds import review_rounds
from shiage.app.tickets import ticket_of
from shiage.domain.errors import UserError
from shiage.web.markdown import places, rendered
from shiage.web.pages.attempt import tail
from shiage.web.site import Site, site_of
from shiage.web.words import page

_LOOPS = ("document-review", "inspection")
_SHOWN_LINES = 12  #: of the log's end


@dataclass(frozen=True, slots=True)
class Step:
    """A round, or a phase without rounds, with all attempts in it."""

    id: str
    phase: str
    round: int
    row: RoundRow | None
    attempts: tuple[AttemptRow, ...]

    @property
    def cost_usd(self) -> float | None:
        """What its attempts cost; None where no agent told it."""
        told = [row.cost_usd for row in self.attempts if row.cost_usd is not None]
        return sum(told) if told else None

    @property
    def current(self) -> bool:
        return any(row.ending == "running" for row in self.attempts)

    @property
    def seconds(self) -> float:
        return sum(row.seconds or 0.0 for row in self.attempts)


def show(request: Request) -> Response:
    site = site_of(request)
    folder = site.workspace.folder(request.path_params["name"])
    found, files = told(site.workspace, folder, site.boards.folds), documents(folder)
    steps = _steps(found.attempts, found.rounds)
    judged = [row for row in found.attempts if row.judgment]
    opened = _opened(request, steps)
    return page(
        request, "spec.html", view=found.view, steps=steps, offers=offers(found.view), documents=files,
        boxes=tasks(folder), request_text=folder.request(), last=found.attempts[-1] if found.attempts else None,
        judged=judged[-1] if judged else None, corrections=_corrections(found.iterations),
        round=request.query_params.get("round", ""), rounds=review_rounds(site.workspace, folder, files),
        ticket=ticket_of(site.workspace, folder.key),
        diffs={key: diff(site.workspace, folder, row) for key, row in opened.items()},
        places=places(folder.text("requirements.md") or ""), log_end=_log_end(site, found.attempts),
    )  # fmt: skip


def _opened(request: Request, steps: Sequence[Step]) -> Mapping[str, AttemptRow]:
    """The attempts whose folds stand open, by the address: only theirs are worth comparing files for."""
    asked = frozenset(request.query_params.get("open", "").split(","))
    rows = {f"a-{row.run}-{row.attempt}": row for step in steps for row in step.attempts}
    return {key: row for key, row in rows.items() if key in asked}


def _log_end(site: Site, attempts: Sequence[AttemptRow]) -> Sequence[Mapping[str, object]]:
    try:
        return tail(site, attempts[-1], _SHOWN_LINES) if attempts else ()
    except UserError:  # the attempt is about to begin, or its log was cleared away
        return ()


def _corrections(history: Sequence[IterationRecord]) -> Mapping[tuple[str, int], str]:
    """Attempt -> the prompt that followed from its rejection."""
    rejected = [record for record in history if record.rejection_details]
    said = {(row.run, row.attempt): (row.rejection_details or {}).get("modification_prompt") for row in rejected}
    return {key: text for key, text in said.items() if isinstance(text, str)}


def as_json(request: Request) -> Response:
    """What `shiage show --json` prints."""
    site = site_of(request)
    folder = site.workspace.folder(request.path_params["name"])
    return JSONResponse(told(site.workspace, folder, site.boards.folds).as_json())


def show_document(request: Request) -> Response:
    folder = site_of(request).workspace.folder(request.path_params["name"])
    name = request.path_params["file"]
    text = document(folder, name)
    if "raw" in request.query_params:
        return PlainTextResponse(text)
    return page(
        request, "document.html", spec=folder.name, file=name, html=rendered(text), documents=documents(folder)
    )  # fmt: skip


def _steps(attempts: Sequence[AttemptRow], rounds: Sequence[RoundRow]) -> list[Step]:
    """In the order in which they began."""
    closed = {(row.phase, row.round): row for row in rounds}
    keys = dict.fromkeys((row.phase, row.round if row.phase in _LOOPS else 0) for row in attempts)
    return [
        Step(
            id=f"{phase}-{number}" if number else phase,
            phase=phase,
            round=number,
            row=closed.get((phase, number)),
            attempts=tuple(row for row in attempts if row.phase == phase and number in (0, row.round)),
        )
        for phase, number in keys
    ]
