"""A fixed sample of published code: what `bench/judge.py` measures at length must not get worse."""

import random
import time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import pytest
from judge_damage import damages
from judge_packages import LANGUAGES, LARGEST, Source

from shiage.domain.verdict import Finding, Judgment
from shiage.judge import check

#: Packages that this project installs anyway; the first files of each, in the order of their names.
PACKAGES = ("click", "rich", "jinja2", "starlette", "httpx", "markdown_it", "psutil", "uvicorn", "playwright")
EACH = 12
GATES = ("Q2", "Q3", "Q4")


def _sources() -> list[Source]:
    found = []
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None and spec.origin is not None
        root = Path(spec.origin).parent
        files = (
            path for path in sorted(root.rglob("*")) if path.suffix in LANGUAGES and "node_modules" not in path.parts
        )
        texts = ((path, path.read_text(encoding="utf-8", errors="replace")) for path in files if path.is_file())
        good = (Source(f"{name}/{path.relative_to(root)}", text) for path, text in texts if 400 < len(text) <= LARGEST)
        found += list(islice(good, EACH))
    return found


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return _sources()


def _findings(source: Source, text: str, before: str | None = None) -> tuple[Judgment, tuple[Finding, ...]]:
    old = None if before is None else {source.path: before}
    verdict = check(report="Changed the file.", after={source.path: text}, before=old, criteria=GATES)
    return verdict.judgment, verdict.findings


def test_published_files_pass(sources: list[Source]) -> None:
    found = [finding for source in sources for finding in _findings(source, source.text)[1]]
    wrong = [(one.rule, one.place, one.quote) for one in found if one.criteria_id != "Q2"]  # their own marks are true
    assert len(sources) > 90
    assert len(wrong) <= len(sources) * 0.015, wrong


def test_the_same_files_with_something_left_out_are_rejected(sources: list[Source]) -> None:
    dice = random.Random(3)
    every = [(source, damage) for source in sources for damage in damages(source, dice)]
    seeded = dice.sample(every, 200)
    missed = [
        (source.path, damage.style)
        for source, damage in seeded
        if _findings(source, damage.after, damage.before)[0] is not Judgment.REJECT
    ]
    assert len(missed) <= len(seeded) * 0.03, missed


def _seconds(after: dict[str, str], criteria: tuple[str, ...] | None = None) -> float:
    """The better of two, in time of this process alone: a busy machine must not fail the test."""
    took = []
    for _ in range(2):
        start = time.process_time()
        check(report="Changed the files.", after=after, criteria=criteria)
        took.append(time.process_time() - start)
    return min(took)


def test_a_change_of_five_files_is_judged_in_sixty_milliseconds(sources: list[Source]) -> None:
    fives = [sources[at : at + 5] for at in range(0, len(sources) - 4, 5)]
    times = sorted(_seconds({source.path: source.text for source in five}) for five in fives)
    assert times[len(times) * 9 // 10] <= 0.060


def test_the_files_as_one_change_are_read_at_half_the_speed_that_the_bench_measures_or_more(
    sources: list[Source],
) -> None:
    after = {f"{number}/{source.path}": source.text for number in range(4) for source in sources}
    seconds = _seconds(after, GATES)
    assert sum(map(len, after.values())) / 1e6 / seconds >= 10
