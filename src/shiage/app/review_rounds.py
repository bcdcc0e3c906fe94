"""The document-review rounds as spec.json has them in `roundDetails`, with the files that belong to them."""

from collections.abc import Collection
from dataclasses import dataclass

from shiage.app.artefacts import documents
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.specs.folder import Folder
from shiage.specs.replies import DISCUSS, SKIP, Point, judged_points
from shiage.specs.state import RoundRecord


@dataclass(frozen=True, slots=True)
class ReviewRound:
    number: int
    closed: bool
    fix: int | None
    discuss: int | None
    at: str  #: when its reply was complete, RFC 3339; else when its review was
    fixed: bool  #: the fixes were applied
    review: str  #: name of the file; empty where there is none
    reply: str
    points: tuple[Point, ...] = ()  #: what its reply says is to be fixed or discussed

    @property
    def to_decide(self) -> tuple[Point, ...]:
        """What only a person can settle."""
        return tuple(point for point in self.points if point.category == DISCUSS)


def review_rounds(workspace: Workspace, folder: Folder, known: Collection[str]) -> tuple[ReviewRound, ...]:
    """Written by whichever program; a spec.json that cannot be read has none, and its page says why."""
    at = workspace.case(folder).folder
    try:
        rounds = at.state().rounds
    except UserError:
        return ()
    return tuple(_shown(row, known, at.reply(row.number) or "") for row in rounds)


def _shown(row: RoundRecord, known: Collection[str], reply: str) -> ReviewRound:
    files = [name if name in known else "" for name in _files(row.number)]
    return ReviewRound(
        row.number, row.status == "reply_complete", row.fix, row.discuss,
        row.reply_completed_at or row.review_completed_at, row.fix_applied, files[0], files[1],
        tuple(each for each in judged_points(reply) if each.category != SKIP),
    )  # fmt: skip


def to_decide(workspace: Workspace, folder: Folder) -> tuple[ReviewRound, ...]:
    """The newest round, where it left a person something to decide."""
    rounds = review_rounds(workspace, folder, documents(folder))[-1:]
    return tuple(each for each in rounds if each.to_decide)


def _files(number: int) -> tuple[str, str]:
    return f"document-review-{number}.md", f"document-review-{number}-reply.md"
