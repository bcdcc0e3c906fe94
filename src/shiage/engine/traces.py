"""What each attempt left in the files, kept beside its log: so that the part of every attempt can be shown later."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from shiage.domain.run import Attempt, Run
from shiage.engine.case import Case
from shiage.engine.evidence import NO_TEXT, Change
from shiage.engine.places import Places, writing

MOST_TEXT = 400_000  #: characters of one file that are kept; a longer one is only told apart

Texts = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Trace:
    """All that differs from the beginning of the phase, as an attempt left it. None: no such file."""

    snapshot: str = ""  #: of the beginning of the phase
    before: Texts = field(default_factory=dict)
    after: Texts = field(default_factory=dict)


def keep(case: Case, run: Run, attempt: Attempt, change: Change) -> None:
    """Write it down; an attempt that is looked at again after a crash is written down again."""
    before = {path: _bounded(change.before.get(path)) for path in change.after}
    after = {path: _bounded(text) for path, text in change.after.items()}
    place = _place(case.places, run.id, attempt.number)
    with writing(place):
        place.write_text(json.dumps({"snapshot": run.snapshot, "before": before, "after": after}), encoding="utf-8")


def _bounded(text: str | None) -> str | None:
    return text if text is None or len(text) <= MOST_TEXT else f"{NO_TEXT}{sha256(text.encode()).hexdigest()}"


def own(places: Places, run: str, number: int) -> Change | None:
    """What this attempt changed since the one before it; None where that was not kept."""
    now = read(places, run, number)
    if now is None:
        return None
    earlier = _before(places, run, number, now.snapshot)
    paths = sorted(now.after.keys() | earlier.after.keys())
    was = {path: earlier.after.get(path, now.before.get(path)) for path in paths}
    came = {path: now.after.get(path, earlier.before.get(path)) for path in paths}
    changed = [path for path in paths if was[path] != came[path]]
    return Change(after={path: came[path] for path in changed}, before={path: was[path] for path in changed})


def _before(places: Places, run: str, number: int, snapshot: str) -> Trace:
    """What the nearest earlier attempt of the same phase left; one that was cut short has nothing of its own."""
    for earlier in range(number - 1, 0, -1):
        found = read(places, run, earlier)
        if found is not None:
            return found if found.snapshot == snapshot else Trace()
    return Trace()


def read(places: Places, run: str, number: int) -> Trace | None:
    try:
        data = json.loads(_place(places, run, number).read_text(encoding="utf-8"))
        return Trace(str(data["snapshot"]), dict(data["before"]), dict(data["after"]))
    except (OSError, ValueError, KeyError, TypeError):  # it was kept by nobody, or half: there is nothing to show
        return None


def _place(places: Places, run: str, number: int) -> Path:
    return places.attempt_log(run, number).with_suffix(".trace.json")
