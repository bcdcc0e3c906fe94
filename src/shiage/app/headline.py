"""The state of each spec in three words, from the end of its journal alone: for a status line that must cost nothing.

Reports say what a run's state became, so the newest of them is enough. `views` is the whole truth, and takes longer.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shiage.engine.lock import holder
from shiage.engine.places import Places

_TAIL = 65_536  #: bytes: what is looked for stands in the last few lines
_KINDS = (("specs", ""), ("bugs", "bug-"))
_MARKS = (".kiro", ".shiage", "shiage.toml")
_STATES: Mapping[str, str] = {
    "RUN_PAUSED": "paused",
    "RUN_FAILED": "error",
    "RUN_COMPLETED": "completed",
    "STEP_COMPLETED": "completed",
    "RESET_REQUESTED": "idle",
    "RUN_STARTED": "running",
    "RESUME_REQUESTED": "running",
    "PHASE_ENTERED": "running",
    "ROUND_STARTED": "running",
    "ATTEMPT_STARTED": "running",
}


@dataclass(frozen=True, slots=True)
class Headline:
    spec: str
    status: str
    phase: str
    round: int
    reason: str
    at: str


def project_of(start: Path) -> Path | None:
    """The nearest folder upwards that looks like a project."""
    return next((place for place in (start, *start.parents) if any((place / mark).exists() for mark in _MARKS)), None)


def headlines(root: Path) -> list[Headline]:
    """Every spec that has a history, the newest first."""
    found = [line for kind, prefix in _KINDS for line in _of_kind(root, kind, prefix)]
    return sorted(found, key=lambda line: line.at, reverse=True)


def _of_kind(root: Path, kind: str, prefix: str) -> Iterator[Headline]:
    for journal in (root / ".kiro" / kind).glob("*/event-log.jsonl"):
        name = journal.parent.name
        line = _seen(name, journal, Places(root, f"{prefix}{name}"))
        if line is not None:
            yield line


def _end(journal: Path) -> list[dict[str, object]]:
    """The last entries, the newest first; what is no entry is skipped."""
    descriptor = os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        start = max(0, os.fstat(descriptor).st_size - _TAIL)
        lines = os.pread(descriptor, _TAIL, start).split(b"\n")
    finally:
        os.close(descriptor)
    return [entry for line in reversed(lines) if (entry := _entry(line)) is not None]


def _entry(line: bytes) -> dict[str, object] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("content"), dict) else None


def _headline(name: str, entries: list[dict[str, object]]) -> Headline | None:
    newest = next((entry for entry in entries if entry.get("event_type") in _STATES), None)
    if newest is None:
        return None
    rounds = next((entry for entry in entries if entry.get("event_type") in ("ROUND_STARTED", "PHASE_ENTERED")), newest)
    status, phase = _STATES[str(newest["event_type"])], _content(newest, "phase") or _content(rounds, "phase")
    number = _content(rounds, "round")
    return Headline(
        spec=name,
        status=status,
        phase=str(phase or ""),
        round=number if isinstance(number, int) and _content(rounds, "phase") == phase else 0,
        reason=str(_content(newest, "reason") or ""),
        at=str(newest.get("timestamp", "")),
    )


def _content(entry: Mapping[str, object], name: str) -> object:
    content = entry["content"]
    return content.get(name) if isinstance(content, dict) else None


def _seen(name: str, journal: Path, places: Places) -> Headline | None:
    """A run whose process is gone is not running, whatever its journal said last."""
    line = _headline(name, _end(journal))
    if line is None or line.status != "running" or holder(places.lock) is not None:
        return line
    line = _headline(name, _end(journal))  # it may have ended between the two looks
    if line is None or line.status != "running" or holder(places.lock) is not None:
        return line
    return replace(line, status="paused", reason="interrupted")
