"""What shiage writes into a spec's state, each of it the same however often it is written.

Everything is decided on what the file says under its lock. What an agent had written there and shiage found otherwise
comes back as sentences: the engine makes events of them.
"""

from collections.abc import Iterator, Mapping, Sequence

from shiage.domain.run import Counts
from shiage.specs.base import Folder
from shiage.specs.jsonedit import Changes, JsonObject, KeyPath
from shiage.specs.state import as_dict, numbered, numbered_rounds

REVIEW = "documentReview"
DETAILS = (REVIEW, "roundDetails")
DOCUMENTS = ("requirements", "design", "tasks")
OUR_COUNTS = {"fixRequiredCount": "fixRequired", "needsDiscussionCount": "needsDiscussion"}  #: ours, and agents' names

RANKS = {
    "requirements-generated": 1,
    "analyzed": 1,
    "design-generated": 2,
    "fixed": 2,
    "tasks-generated": 3,
    "verified": 3,
    "implementation-in-progress": 4,
    "implementation": 4,
    "implementation-complete": 5,
    "implementation-completed": 5,
    "inspection-fix": 6,
    "validated": 6,
    "inspection-complete": 7,
    "deploy-complete": 8,
}  #: a phase never moves backwards; a string nobody knows counts as the beginning
REACHED = {
    "requirements": "requirements-generated",
    "design": "design-generated",
    "tasks": "tasks-generated",
    "impl": "implementation-complete",
    "inspection": "inspection-complete",
    "deploy": "deploy-complete",
    "analyze": "analyzed",
    "fix": "fixed",
    "verify": "verified",
}


def close_round(
    folder: Folder, number: int, counts: Counts, reviewed_at: str, replied_at: str, *, fix_applied: bool, more: bool
) -> tuple[str, ...]:
    """Write a round of the document review in shiage's own numbers; other rounds keep every byte."""
    row = {
        "roundNumber": number,
        "status": "reply_complete",
        "fixRequiredCount": counts.fix,
        "needsDiscussionCount": counts.discuss,
        "reviewCompletedAt": reviewed_at,
        "replyCompletedAt": replied_at,
        "fixApplied": fix_applied,
    }
    said: list[str] = []

    def plan(value: JsonObject) -> Changes:
        review = as_dict(value.get(REVIEW))
        rounds = list(numbered_rounds(review.get("roundDetails")))
        said[:] = _round_differences(number, row, dict(rounds).get(number, {}))
        changes = _row(DETAILS, review.get("roundDetails"), [each for each, _ in rounds], row)
        changes |= _kept_in_step(review, number)
        if more or not counts.clean:
            said.extend(_status_difference(review.get("status")))
            changes[REVIEW, "status"] = "in_progress"
        return changes

    folder.write_state(plan)
    return tuple(said)


def _row(
    path: tuple[str, ...], held: object, numbers: Sequence[int], row: Mapping[str, object]
) -> dict[KeyPath, object]:
    """The changes that put a row into its list, at its number's last place or at the end."""
    if not isinstance(held, list):
        return {path: [dict(row)]}
    number = next(iter(row.values()))
    place = max((at for at, each in enumerate(numbers) if each == number), default=len(numbers))
    if place == len(numbers) or not isinstance(held[place], dict):
        return {(*path, place): dict(row)}
    return {(*path, place, key): value for key, value in row.items()}


def _kept_in_step(review: Mapping[str, object], number: int) -> dict[KeyPath, object]:
    """An older tool's number of the round is kept true where it stands; it never goes back."""
    if "currentRound" not in review:
        return {}
    current = review["currentRound"]
    return {(REVIEW, "currentRound"): max(current, number) if isinstance(current, int) else number}


def _round_differences(number: int, row: Mapping[str, object], held: Mapping[str, object]) -> Iterator[str]:
    for key, old in OUR_COUNTS.items():
        name = key if key in held else old
        if name in held and held[name] != row[key]:
            yield f"round {number}: spec.json had {name} {held[name]!r}, counted {row[key]}"


def _status_difference(status: object) -> Iterator[str]:
    if status == "approved":
        yield "spec.json had documentReview.status 'approved' while the last reply leaves something open"


def approve_review(folder: Folder, *, by_person: bool) -> tuple[str, ...]:
    """The document review is over; who said so is noted where a person did."""
    changes: dict[KeyPath, object] = {(REVIEW, "status"): "approved"}
    if by_person:
        changes[REVIEW, "approvedBy"] = "person"
    folder.write_state(changes)
    return ()


def approve_phases(folder: Folder, phases: Sequence[str]) -> tuple[str, ...]:
    """What these phases produced is approved, and so it was generated too; phases without a document need none."""
    named = [phase for phase in phases if phase in DOCUMENTS]
    folder.write_state({("approvals", phase, key): True for phase in named for key in ("generated", "approved")})
    return ()


def finish_phase(folder: Folder, phase: str) -> tuple[str, ...]:
    """The phase is over; a state that is further already stays, and is told."""
    said: list[str] = []

    def plan(value: JsonObject) -> Changes:
        reached, now = REACHED[phase], value.get("phase")
        ahead = rank(now) - rank(reached)
        said[:] = [f"the phase was {now!r} already, beyond {reached!r}"] if ahead > 0 else []
        changes: dict[KeyPath, object] = {("approvals", phase, "generated"): True} if phase in DOCUMENTS else {}
        return changes | ({("phase",): reached} if ahead < 0 else {})

    folder.write_state(plan)
    return tuple(said)


def rank(phase: object) -> int:
    """How far a spec is that calls itself so."""
    return RANKS.get(phase, 0) if isinstance(phase, str) else 0


def record_inspection(
    folder: Folder, number: int, result: str, inspected_at: str, fixed_at: str | None
) -> tuple[str, ...]:
    """A round of the inspection; a foreign shape keeps its own keys beside our list."""
    said: list[str] = []

    def plan(value: JsonObject) -> Changes:
        held = as_dict(value.get("inspection")).get("rounds")
        rounds = dict(numbered(held, "number"))
        known = rounds.get(number, {})
        said[:] = _result_difference(number, result, known.get("result"))
        row: dict[str, object] = {"number": number, "result": result}
        if fixed_at is None or "inspectedAt" not in known:  # the fixer's end says nothing of when it was looked at
            row["inspectedAt"] = inspected_at
        if fixed_at is not None:
            row["fixedAt"] = fixed_at
        return _row(("inspection", "rounds"), held, [each for each, _ in numbered(held, "number")], row)

    folder.write_state(plan)
    return tuple(said)


def _result_difference(number: int, result: str, held: object) -> Iterator[str]:
    if held not in (None, result):
        yield f"inspection {number}: spec.json had {held!r}, the report says {result!r}"
