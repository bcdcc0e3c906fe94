"""Kills shiage at every durable operation of a whole run, and of resumes, and looks at what the next start makes of it.

    python bench/crash.py [--step N] [--workers N] [--resumes N]

The story has two review rounds, a re-run of the implementation and one NOGO. At each operation (journal append, head,
rename, new file, start of a process) shiage is killed by SIGKILL before, after and, where bytes are written, in the
middle of it; then it is started again until the end. The second sweep kills it once, and then its resume at every
operation. Figures are counts of what went wrong, 0 everywhere being right: closed rounds that are lost, work that is
done again though its end had been seen, starts that need a person, files that are not whole, and processes of agents
that are alive when the next start has ended. The baseline is a shell loop with the same agents and a marker file for
each step that is done, killed at each start, end and marker. What a power cut leaves is another matter, shown with the
torn and holed journals of `tests/unit/journal`.
"""

import argparse
import os
import queue
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS / "integration" / "crash"), str(TESTS / "acceptance")]

from crashing import AGENT, KILLED, Found, Kill, Stage, Trial, living  # noqa: E402  the harness of the tests

#: Where the first run of the second sweep dies: agents at work in each phase, a round between spec and journal.
FIRST = (
    ("start 5", 1),
    ("rename spec.json", 7),
    ("start 9", 1),
    ("start 11", 1),
    ("start 2", 1),
    ("rename spec.json", 11),
)
COLUMNS = ("lost", "doubled", "repairs", "broken", "left")
TEARABLE = ("append", "write")
#: A killed process loses nothing that it has written, on whatever disk: the quickest one will do.
MEMORY = Path("/dev/shm")
TOLD_SECONDS = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1, help="kill at every N-th operation only")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--resumes", type=int, default=len(FIRST), help="first crashes whose resumes are swept")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as held:
        folder = held.enter_context(
            tempfile.TemporaryDirectory(prefix="crash-", dir=MEMORY if MEMORY.is_dir() else None)
        )
        stages: queue.Queue[Stage] = queue.Queue()
        for number in range(options.workers):
            base = Path(folder) / str(number)
            base.mkdir()
            stages.put(held.enter_context(Stage(base)))
        _show("kills of the shell loop", _loops(Path(folder) / "loop"))
        operations = _operations(stages)
        print(f"{len(operations)} durable operations in a whole run\n", flush=True)
        bad = _sweep("a run", stages, options.workers, [(kill,) for kill in _kills(operations)][:: options.step])
        for name, nth in FIRST[: options.resumes]:
            first = Kill([at for at, o in enumerate(operations, 1) if o == name][nth - 1])
            rest = range(1, len(operations) + 20 - first.number)
            seconds = [Kill(number, ("after", "torn")[number % 2]) for number in rest]
            bad += _sweep(
                f"the resume after {name} ({nth})", stages, options.workers,
                [(first, second) for second in seconds][:: options.step],
            )  # fmt: skip
    return 1 if bad else 0


def _operations(stages: "queue.Queue[Stage]") -> tuple[str, ...]:
    stage = stages.get()
    ran, found = stage.run(), Found()
    if ran.code == 0:
        stage.compare(found, [])
    if ran.code or found.all:
        sys.exit(f"the run does not even end well without a crash: {found.all} {ran.said[-2000:]}")
    stages.put(stage)
    return ran.operations


def _kills(operations: Sequence[str]) -> Iterator[Kill]:
    for number, name in enumerate(operations, 1):
        for moment in ("before", "torn", "after") if name.startswith(TEARABLE) else ("before", "after"):
            yield Kill(number, moment)


def _sweep(what: str, stages: "queue.Queue[Stage]", workers: int, plans: Sequence[tuple[Kill, ...]]) -> int:
    def play(plan: tuple[Kill, ...]) -> Trial:
        stage = stages.get()
        try:
            return stage.crash(*plan)
        finally:
            stages.put(stage)

    begun = time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        trials = [trial for trial in _told(pool.map(play, plans), len(plans)) if trial.killed]
    return _show(f"kills in {what} ({time.monotonic() - begun:.0f} s)", trials)


def _told(trials: Iterable[Trial], count: int) -> Iterator[Trial]:
    begun = told = time.monotonic()
    for number, trial in enumerate(trials, 1):
        if trial.found.all:
            print(f"  killed {', then '.join(trial.at)}:", *trial.found.all, sep="\n    ", flush=True)
        if time.monotonic() - told > TOLD_SECONDS:
            told = time.monotonic()
            print(f"  {number} of {count}, {(told - begun) / number:.2f} s each", file=sys.stderr, flush=True)
        yield trial


def _loops(base: Path) -> list[Trial]:
    """The baseline, killed at each of its operations."""
    trials: list[Trial] = []
    while not trials or trials[-1].killed:
        root = base / str(len(trials) + 1)
        root.mkdir(parents=True)
        trials.append(_loop(root, len(trials) + 1))
    return trials[:-1]


def _loop(root: Path, number: int) -> Trial:
    environ = {**os.environ, "SHIAGE_PROJECT": str(root), "SHIAGE_SPEC_DIR": str(root)}
    loop = ["sh", str(Path(__file__).with_name("crash_loop.sh")), str(AGENT)]
    killed = subprocess.run([*loop, str(number), "tally"], cwd=root, env=environ, check=False).returncode == KILLED
    at, found = (root / "tally").read_text().splitlines()[-1], Found()
    if killed:
        again = subprocess.run([*loop, "0", "tally"], cwd=root, env=environ, check=False).returncode
        found.repairs.extend([f"exit {again}"] if again else [])
        ends = Counter((root / "ends").read_text().split())
        seen = at in ("after the end", "after the marker")
        found.doubled.extend(name for name, count in ends.items() if count > 1 and seen)
        found.broken.extend(["open boxes"] if "[ ]" in (root / "tasks.md").read_text() else [])
    left = living(root)
    found.left.extend(f"process {pid}" for pid in left)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return Trial((f"killed {number} {at}",), found, killed)


def _show(title: str, trials: Sequence[Trial]) -> int:
    print(title)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for trial in trials:
        for name in (_kind(trial.at[-1]), "all"):
            rows[name].update({"kills": 1, **{column: len(getattr(trial.found, column)) for column in COLUMNS}})
    print(f"{'operation':<28}" + "".join(f"{column:>9}" for column in ("kills", *COLUMNS)))
    for name in (*sorted(rows.keys() - {"all"}), "all"):
        print(f"{name:<28}" + "".join(f"{rows[name][column]:>9}" for column in ("kills", *COLUMNS)))
    print(flush=True)
    return sum(rows["all"][column] for column in COLUMNS)


def _kind(at: str) -> str:
    """`torn 30 append event-log.jsonl` is of the kind `append event-log.jsonl`; numbers and digests are left out."""
    _, _, verb, name = at.split(" ", 3)
    if verb in ("before", "after"):
        return f"{verb} {name}"
    if verb in ("start", "mkdir"):
        return {"start": "start of an agent", "mkdir": "mkdir"}[verb]
    for sign, called in (("snapshot", "*.snapshot"), (".spec.json", ".spec.json.*"), (".found-", "*.found-*")):
        name = called if sign in name else name
    return f"{verb} {name}"


if __name__ == "__main__":
    sys.exit(main())
