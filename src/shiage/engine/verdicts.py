"""The verdict on an attempt: what its texts say, what commands say, and last what a model thinks of it."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shiage.domain.run import Assessment, Attempt, Run
from shiage.domain.verdict import Judgment, Verdict
from shiage.engine import commands, evidence
from shiage.engine.case import Case
from shiage.engine.effects import EXCLUDED
from shiage.engine.evidence import NO_TEXT, Change
from shiage.engine.opinion import opinion
from shiage.engine.panel import Panel, Texts
from shiage.specs.files import read_text

#: A path or a word: each character is looked at once, so that no output can hold up what else this process does.
_PATH = re.compile(r"[\w.\-/]+")
_MOST_WORDS, _MOST_KEPT = 100_000, 50


@dataclass(frozen=True, slots=True)
class Seen:
    """The change since the phase began, and the files that stand as they stood."""

    change: Change
    unchanged: tuple[str, ...] = ()


async def judged(
    case: Case, run: Run, attempt: Attempt, found: Assessment, seen: Seen, words: str, stop: asyncio.Event
) -> Assessment:  # fmt: skip
    """Add the verdict to what was found; a missing artefact is rejected whatever the verdict is."""
    panel = case.setup.panel()
    if panel is None:
        return found
    verdict, muted = (await asyncio.to_thread(_read, case, panel, seen, words)).muted(run.muted)
    if panel.commands and not found.question:
        failed, silent = (await commands.look(case, run, attempt, stop)).muted(run.muted)
        verdict, muted = verdict.joined(failed), muted + silent
    if panel.judge and verdict.judgment is found.judgment is Judgment.PASS and not found.question:
        thought, silent = (await opinion(case, run, attempt, panel.judge, seen.change, words, stop)).muted(run.muted)
        verdict, muted = verdict.joined(thought), muted + silent
    return replace(
        found,
        judgment=found.judgment if found.judgment is not Judgment.PASS else verdict.judgment,
        criteria=found.criteria + tuple(r for r in verdict.criteria_results if r not in found.criteria),
        findings=found.findings + verdict.findings,
        muted=muted,
    )


def look(case: Case, run: Run) -> Seen:
    """Looked at once, after the end of the attempt."""
    snapshot = evidence.find(case.root, case.places.snapshots, run.snapshot, exclude=EXCLUDED)
    change = evidence.changes(case.root, snapshot)
    return Seen(change, tuple(path for path in snapshot.rows if path not in change.after))


def _read(case: Case, panel: Panel, seen: Seen, words: str) -> Verdict:
    request = case.folder.request() if case.workflow == "task" else ""
    kept: Texts = _kept(case, words, seen.unchanged)
    links = {path: f"{NO_TEXT}{seen.change.after[path]}" for path in seen.change.links}  # a target is no content
    after, before = {**seen.change.after, **kept, **links}, {**seen.change.before, **kept}
    return panel.verdict(words, after, before, request)


def named_files(words: str) -> set[str]:
    """The last parts of all that looks like a path in the beginning of a report."""
    return {path.rstrip("./-").rsplit("/", 1)[-1] for path in _PATH.findall(words[:_MOST_WORDS])}


def _kept(case: Case, words: str, unchanged: Sequence[str]) -> dict[str, str]:
    """Files that the report names and that stand as they stood: work of an earlier attempt is no empty claim."""
    named = named_files(words)
    paths = [path for path in unchanged if path.rsplit("/", 1)[-1] in named][:_MOST_KEPT]
    texts = {path: read_text(case.root, case.root / path) for path in paths}
    return {path: text for path, text in texts.items() if text is not None}
