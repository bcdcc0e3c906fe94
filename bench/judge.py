"""How often the judge is wrong, on published packages.

    python bench/judge.py [--keep FOLDER] [--limit N] [--list KIND]

Packages are fetched by name with pip, npm and apt-get into a folder that is deleted afterwards (or kept and
used again with --keep). Their files count as complete: what is rejected there is a false reject.
The same files are then damaged by a generator, and what is not rejected is a miss.
Their release notes count as ordinary language for the Goal Drift Guard.
The baseline is the plain pattern lists of seed 003 §9.1, searched for in the same texts.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path

from judge_damage import damages
from judge_packages import LANGUAGES, Source, fetch, release_notes, sources, subjects

from shiage.domain.verdict import Finding, Judgment
from shiage.judge import check
from shiage.judge.drift import evaluate
from shiage.judge.settings import EARLY_TERMINATION_PATTERNS, OMISSION_PATTERNS

TRUE_MARK = re.compile(
    r"(?:#|//|/?\*|--|<!--|\"\"\"|\.\.|^\s*)[\s*!@(.#/-]*(?:.{0,120}\W)?(?:TODO|FIXME|TBD|todo|Todo)\b"
)
GATES = ("Q2", "Q3", "Q4")
DRIFT = ("GD1", "GD2", "GD5")  #: decided by words alone; GD3 and GD4 need what was asked


def false_findings(source: Source) -> list[Finding]:
    """What the judge finds in a complete file, true marks aside."""
    verdict = check(report="Added the file.", after={source.path: source.text}, criteria=GATES)
    return [
        finding for finding in verdict.findings if not (finding.criteria_id == "Q2" and TRUE_MARK.search(finding.quote))
    ]


def baseline_rejects(text: str) -> bool:
    """The pattern lists of the seed as plain text."""
    return any(pattern in text for pattern in OMISSION_PATTERNS)


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        fetch(folder)
        files, notes = list(sources(folder)), release_notes(folder)
    dice = random.Random(3)
    if options.limit:
        files = sample(files, options.limit, dice)
    print(
        f"{len(files)} files, {sum(len(source.text) for source in files) / 1e6:.1f} MB: "
        f"{dict(Counter(source.language for source in files))}"
    )
    complete(files, options.list)
    damaged(files, dice, options.list)
    drift(notes, options.list)
    speed(files)
    return 0


def sample(files: list[Source], limit: int, dice: random.Random) -> list[Source]:
    """As many files of each language, in a fixed order."""
    named = {
        language: [source for source in files if source.language == language]
        for language in sorted(set(LANGUAGES.values()))
    }
    share = limit // max(1, sum(bool(values) for values in named.values()))
    chosen = [source for values in named.values() for source in dice.sample(values, min(share, len(values)))]
    return sorted(chosen, key=lambda source: source.path)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--keep", help="folder in which the packages stay")
    parser.add_argument("--limit", type=int, default=0, help="look at so many files, chosen with a fixed seed")
    parser.add_argument("--list", default="", help="also list: rejects or misses")
    return parser.parse_args()


def complete(files: list[Source], listed: str) -> None:
    """False rejects, by file and by change of five files."""
    rejected, plain, by = [], [], Counter[str]()
    languages: dict[str, list[bool]] = defaultdict(list)
    for source in files:
        findings = false_findings(source)
        rejected.append(bool(findings))
        languages[source.language].append(bool(findings))
        plain.append(baseline_rejects(source.text))
        by.update({finding.criteria_id + " " + finding.rule for finding in findings})
        if listed == "rejects":
            for finding in findings:
                print(
                    f"  {finding.criteria_id} {finding.rule:22} {finding.place}: {finding.quote} [{finding.description}]"
                )
    print("\nfalse rejects             judge   baseline   goal")
    print(f"  files                 {_share(rejected)}    {_share(plain)}   1.5 %")
    print(f"  changes of 5 files    {_share(_fives(rejected))}    {_share(_fives(plain))}   5.0 %")
    for language, values in sorted(languages.items()):
        print(f"  {language:20}  {_share(values)}   of {len(values)} files")
    print("  by rule: " + ", ".join(f"{rule} {count}" for rule, count in by.most_common()))


def _fives(values: list[bool]) -> list[bool]:
    return [any(values[at : at + 5]) for at in range(0, len(values) - 4, 5)]


def _share(values: list[bool]) -> str:
    return f"{100 * sum(values) / max(len(values), 1):5.1f} %"


def damaged(files: list[Source], dice: random.Random, listed: str) -> None:
    """Recall by style and language."""
    caught: dict[tuple[str, str], list[bool]] = defaultdict(list)
    plain: list[bool] = []
    for source in files:
        for damage in damages(source, dice):
            before = None if damage.before is None else {source.path: damage.before}
            verdict = check(report="Added the file.", after={source.path: damage.after}, before=before, criteria=GATES)
            caught[damage.style, source.language].append(verdict.judgment is Judgment.REJECT)
            plain.append(baseline_rejects(damage.after))
            if listed == "misses" and verdict.judgment is not Judgment.REJECT:
                print(f"  miss [{damage.style}] {source.path}\n{_difference(source.text, damage.after)}")
    every = [value for values in caught.values() for value in values]
    print(
        f"\nrecall on {len(every)} seeded omissions: judge {_share(every)}, baseline {_share(plain)}   goal 97 %, each row 90 %"
    )
    for (style, language), values in sorted(caught.items()):
        print(f"  {style:28} {language:12} {_share(values)}   of {len(values)}")


def _difference(before: str, after: str) -> str:
    at = next(
        (place for place, (one, two) in enumerate(zip(before, after, strict=False)) if one != two),
        min(len(before), len(after)),
    )
    return "      | " + after[max(0, at - 160) : at + 120].replace("\n", "\n      | ")


def drift(notes: list[str], listed: str) -> None:
    """The Goal Drift Guard on ordinary language, and on admissions with each phrase of the lists."""
    root = Path(__file__).parents[1]
    log = subprocess.run(["git", "log", "--format=%s"], cwd=root, capture_output=True, text=True, check=False)
    texts = {"release notes": notes, "commit subjects": subjects(notes), "own commits": log.stdout.splitlines()}
    words = tomllib.loads((root / "tests" / "corpus" / "drift.toml").read_text(encoding="utf-8"))
    phrases = tuple(phrase for row in words["framed"] for phrase in row["phrases"] if row["criterion"] in DRIFT)
    plain = tuple(phrase.lower() for phrase in (*phrases, *EARLY_TERMINATION_PATTERNS))
    print("\nGD1, GD2, GD5 on ordinary language   judge   baseline   goal")
    for name, given in texts.items():
        wrong = [text for text in given if not is_plain(text)]
        print(
            f"  {name:20} {_share([not is_plain(text) for text in given]):>18}    {_share([any(one in text.lower() for one in plain) for text in given])}   2.0 %   of {len(given)}"
        )
        for text in wrong if listed == "drift" else ():
            print("   ", [finding.quote for finding in evaluate(text)[1] if finding.criteria_id in DRIFT][:3])
    said = [frame.format(phrase) for row in words["framed"] for frame, phrase in product(row["frames"], row["phrases"])]
    said += [text for row in words["caught"].values() for tongue in row.values() for text in tongue]
    said += [*words["claims"]["en"], *words["claims"]["ja"], *EARLY_TERMINATION_PATTERNS]
    print(
        f"  admissions caught    {_share([bool(evaluate(text)[1]) for text in said]):>17}              100 %   of {len(said)}"
    )


def is_plain(text: str) -> bool:
    results, _ = evaluate(text)
    return all(result.passed for result in results if result.criteria_id in DRIFT)


def _timed(act: Callable[[], object]) -> float:
    """Seconds of this process: on a machine that others use too, the clock measures them."""
    start = time.process_time()
    act()
    return time.process_time() - start


def speed(files: list[Source]) -> None:
    """Throughput over all files, the plain pattern lists beside it, and the time of changes of five files."""
    size = sum(len(source.text) for source in files) / 1e6
    whole = {source.path: source.text for source in files}
    seconds = _timed(lambda: check(report="Added the files.", after=whole, criteria=GATES))
    plain = _timed(lambda: [baseline_rejects(source.text) for source in files])
    fives = [{source.path: source.text for source in files[at : at + 5]} for at in range(0, len(files) - 4, 5)]
    times = sorted(1000 * _timed(lambda five=five: check(report="Added the files.", after=five)) for five in fives)
    print(
        f"\nspeed (CPU time): {size / seconds:.1f} MB/s as one change (goal 20), baseline {size / plain:.0f} MB/s; five files: "
        f"median {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms, max {times[-1]:.1f} ms (goal 60)"
    )


if __name__ == "__main__":
    sys.exit(main())
