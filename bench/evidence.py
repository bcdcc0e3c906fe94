"""What a snapshot and a comparison cost: our own store beside git's tree objects.

    python bench/evidence.py [--files 10 1000 10000] [--rounds N]

Each figure is what a person waits for, and in brackets the processor time of it, git's included: that is the one to
read on a busy machine. Cold: the first look at a project. Warm: nothing or one file has changed since the last one.
`git` is what would be done with tree objects: a copy of the index, `git add -A`, `git write-tree`,
`git update-ref`, and for a comparison `git diff-tree` and `git cat-file`.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shiage.engine import evidence

TEXT = "def function_{0}(value):\n    return value + {0}\n\n\n" * 40  # 2 KiB or so, like source
GOAL = 150.0  #: ms for a snapshot and for a comparison of 10,000 files that were looked at before
COLUMNS = ("files", "way", "take, cold", "take, warm", "changes, none", "changes, one")


class Took(NamedTuple):
    """ms."""

    wall: float
    cpu: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[10, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; ms, and ms of processor time in brackets\n")
    print(("{:>8}  {:<12}" + "{:>22}" * 4).format(*COLUMNS))
    for count in args.files:
        for way, measure in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                times = measure(Path(folder), count, args.rounds)
            print(f"{count:>8}  {way:<12}" + "".join(f"{shown(took):>22}" for took in times))
            if way.startswith("own"):
                print(f"{'':>22}{'goal':>22}" + "".join(f"{goal(took):>22}" for took in times[1:]))


def project(folder: Path, count: int, *, git: bool) -> Path:
    root = folder / "project"
    for number in range(count):
        path = root / f"package_{number // 100}" / f"module_{number % 100}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT.format(number))
    if git:
        run(root, "init", "-q")
        run(root, "add", "-A")
        run(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")
    time.sleep(0.2)  # younger files count as unsettled, in git as here
    return root


def run(root: Path, *command: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", *command], cwd=root, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def own(folder: Path, count: int, rounds: int, *, git: bool) -> list[Took]:
    root, store = project(folder, count, git=git), folder / "store"
    cold = timed(lambda: evidence.take(root, store))
    snapshot = evidence.take(root, store)
    warm = median(rounds, lambda: evidence.release(store, evidence.take(root, store).id))
    none = median(rounds, lambda: evidence.changes(root, evidence.find(root, store, snapshot.id)))
    change_one(root)
    one = median(rounds, lambda: evidence.changes(root, evidence.find(root, store, snapshot.id)))
    return [cold, warm, none, one]


def trees(folder: Path, count: int, rounds: int) -> list[Took]:
    root, index = project(folder, count, git=True), folder / "index"

    def tree() -> str:
        shutil.copy2(root / ".git" / "index", index)
        run(root, "-c", "core.fsmonitor=false", "add", "-A", GIT_INDEX_FILE=str(index))
        return run(root, "write-tree", GIT_INDEX_FILE=str(index))

    def take() -> str:
        taken = tree()
        run(root, "update-ref", "refs/shiage/snapshots/one", taken)
        return taken

    def changes(base: str) -> None:
        now = tree()
        for line in run(root, "diff-tree", "-r", "-M", base, now).splitlines():
            old, new = line.split()[2:4]
            for blob in (old, new):
                run(root, "cat-file", "blob", blob)

    cold = timed(take)
    base = take()
    warm = median(rounds, take)
    none = median(rounds, lambda: changes(base))
    change_one(root)
    return [cold, warm, none, median(rounds, lambda: changes(base))]


def change_one(root: Path) -> None:
    path = root / "package_0" / "module_1.py"
    path.write_text(path.read_text() + "# one more line\n")


def timed(call: Callable[[], object]) -> Took:
    start, before = time.perf_counter(), cpu()
    call()
    return Took((time.perf_counter() - start) * 1000, (cpu() - before) * 1000)


def cpu() -> float:
    """Of this process and of the children that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def median(rounds: int, call: Callable[[], object]) -> Took:
    return Took(*map(statistics.median, zip(*(timed(call) for _ in range(rounds)), strict=True)))


def shown(took: Took) -> str:
    return f"{took.wall:.1f} ({took.cpu:.1f})"


def goal(took: Took) -> str:
    """A goal that only the processor time keeps is not kept: it says that the machine had other work."""
    kept = "kept" if took.wall <= GOAL else "missed, cpu kept" if took.cpu <= GOAL else "missed"
    return f"{GOAL:g}: {kept}"


WAYS: dict[str, Callable[[Path, int, int], list[Took]]] = {
    "own, git": lambda folder, count, rounds: own(folder, count, rounds, git=True),
    "own, no git": lambda folder, count, rounds: own(folder, count, rounds, git=False),
    "git trees": trees,
}


if __name__ == "__main__":
    main()
