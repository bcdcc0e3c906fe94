"""What spec.json and bug.json say, read tolerantly: a wrong type is a missing value, and missing is never success."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from shiage.domain.run import Counts

Value = TypeVar("Value")

PERMITTING = frozenset({"run", "true"})  #: every other word is a refusal: skip, pause, and what nobody understands
OLD_FLAGS = {"document-review": "documentReviewFlag", "inspection": "inspectionFlag"}


class Approval(NamedTuple):
    """What became of a phase's document."""

    generated: bool
    approved: bool


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One document-review round as the file has it, whoever wrote it."""

    number: int
    status: str = ""
    fix: int | None = None
    discuss: int | None = None
    review_completed_at: str = ""
    reply_completed_at: str = ""
    fix_applied: bool = False

    @property
    def claim(self) -> Counts | None:
        """What was counted here; half a claim says nothing of the other half."""
        if self.fix is None and self.discuss is None:
            return None
        return Counts(self.fix or 0, self.discuss or 0)


@dataclass(frozen=True, slots=True)
class InspectionRecord:
    """One inspection as the file has it."""

    number: int
    result: str = ""  #: go, nogo, or empty
    inspected_at: str = ""
    fixed_at: str = ""


@dataclass(frozen=True, slots=True)
class SpecState:
    """The known parts of a state file."""

    feature_name: str = ""
    language: str = "en"
    phase: str = "initialized"
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    permissions: Mapping[str, bool] = field(default_factory=dict)
    review_status: str = ""
    rounds: tuple[RoundRecord, ...] = ()
    inspections: tuple[InspectionRecord, ...] = ()
    worktree: Mapping[str, str] = field(default_factory=dict)  #: path, branch


def read_state(value: Mapping[str, object]) -> SpecState:
    """Any object gives a state; none raises."""
    review = as_dict(value.get("documentReview"))
    return SpecState(
        feature_name=_text(value.get("feature_name")) or _text(value.get("bug_name")),
        language=_text(value.get("language")) or "en",
        phase=_text(value.get("phase")) or "initialized",
        approvals={name: _approval(said) for name, said in as_dict(value.get("approvals")).items()},
        permissions=_permissions(as_dict(value.get("autoExecution"))),
        review_status=_text(review.get("status")),
        rounds=tuple(_round(number, row) for number, row in numbered_rounds(review.get("roundDetails"))),
        inspections=tuple(_inspections(as_dict(value.get("inspection")))),
        worktree={name: said for name, said in as_dict(value.get("worktree")).items() if isinstance(said, str)},
    )


def as_dict(value: object) -> dict[str, object]:
    """The object itself, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The list itself, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def numbered(rows: object, *keys: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Each row with the number it gives itself, else with its place."""
    for place, item in enumerate(as_list(rows), 1):
        row = as_dict(item)
        yield next((number for key in keys if (number := _count(row.get(key)))), place), row


def numbered_rounds(rows: object) -> Iterator[tuple[int, dict[str, object]]]:
    return numbered(rows, "roundNumber", "round")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _approval(value: object) -> Approval:
    parts = as_dict(value)
    return Approval(parts.get("generated") is True, parts.get("approved") is True)


def _permissions(auto: Mapping[str, object]) -> dict[str, bool]:
    old = {phase: auto.get(flag) for phase, flag in OLD_FLAGS.items()}
    said = {**old, **as_dict(auto.get("permissions"))}
    return {phase: _permits(word) for phase, word in said.items() if word is not None}


def _permits(word: object) -> bool:
    return word is True or (isinstance(word, str) and word.strip().lower() in PERMITTING)


def _round(number: int, row: Mapping[str, object]) -> RoundRecord:
    return RoundRecord(
        number=number,
        status=_text(row.get("status")),
        fix=_first(_count(row.get("fixRequiredCount")), _count(row.get("fixRequired"))),
        discuss=_first(_count(row.get("needsDiscussionCount")), _count(row.get("needsDiscussion"))),
        review_completed_at=_text(row.get("reviewCompletedAt")),
        reply_completed_at=_text(row.get("replyCompletedAt")),
        fix_applied=row.get("fixApplied") is True or row.get("fixStatus") == "applied",
    )


def _first(one: Value | None, other: Value | None) -> Value | None:
    return other if one is None else one


def _inspections(value: Mapping[str, object]) -> Iterator[InspectionRecord]:
    """Three shapes occur: a list of rounds, a number of rounds with details, and one inspection without rounds."""
    rows = as_list(value.get("rounds")) or as_list(value.get("roundDetails"))
    if not rows and "passed" in value:
        rows = [value]
    for number, row in numbered(rows, "number", "roundNumber"):
        at = _text(row.get("inspectedAt")) or _text(row.get("inspected_at"))
        yield InspectionRecord(number, _result(row), at, _text(row.get("fixedAt")))


def _result(row: Mapping[str, object]) -> str:
    said = _text(row.get("result")).lower().replace("-", "")
    if said in ("go", "nogo"):
        return said
    passed = row.get("passed")
    return ("go" if passed else "nogo") if isinstance(passed, bool) else ""
