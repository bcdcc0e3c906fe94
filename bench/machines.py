"""Two machines, one repository, one queue: how long a start, a step on its branch and a take-over take. Also the way to
see it at work on one machine: nothing outside a temporary folder is touched.

    python bench/machines.py [--queue URL] [--lease S] [--runs N]

`desk` queues a spec, `north` takes it and is killed (kill -9, its agents too) in the middle of the implementation, and
`south` goes on. Without --queue the queue is an SQLite file that all of them open; with one (PostgreSQL) it is that.
`start` is from the end of `queue add` to the first agent, `taken over` from the kill to the first agent on the other
machine, `missing` and `twice` are closed rounds that are not on the branch, or that are there twice.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from stage import Desk, scenes

SPEC = "login"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queue", default="")
    parser.add_argument("--lease", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    rows = []
    for number in range(args.runs):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(Story(Path(folder), args.queue, args.lease).told(f"run {number + 1}"))
    names = ("start", "taken over", "whole run", "pushes", "missing", "twice")
    print("".join(f"{name:>12}" for name in names))
    for row in rows:
        print("".join(f"{row[name]:>12.2f}" for name in names))
    if len(rows) > 1:
        print("".join(f"{statistics.median(row[name] for row in rows):>12.2f}" for name in names), " median")


class Story:
    def __init__(self, root: Path, queue: str, lease: int) -> None:
        self.root, self.url = root, root / "origin.git"
        self.queue = queue or f"sqlite://{root / 'queue'}?lease={lease}"
        seed = Desk(root / "home", root)
        seed.git("init", "-q", "--bare", "-b", "main", str(self.url))
        seed.git("clone", "-q", str(self.url), "seed")
        seed.root = root / "seed"
        (seed.root / "README.md").write_text("# A project\n")
        seed.git("add", "-A")
        seed.git("commit", "-qm", "begin")
        seed.git("push", "-q", "origin", "HEAD:main")

    def machine(self, name: str, implementing: float) -> Desk:
        made = Desk(self.root / name, self.root)
        made.git("clone", "-q", str(self.url), f"{name}/project")
        made.root = self.root / name / "project"
        plays = [scene for scene in scenes(SPEC, 0.0) if scene["role"] != "implementer"]
        work = next(scene for scene in scenes(SPEC, implementing) if scene["role"] == "implementer")
        made.settle([*plays, work], f'[queue]\nurl = "{self.queue}"\n')
        return made

    def told(self, title: str) -> dict[str, float]:
        desk, north, south = (self.machine(name, wait) for name, wait in (("desk", 0), ("north", 600), ("south", 0)))
        print(f"# {title}: desk queues the spec, north runs it", file=sys.stderr)
        desk.shiage("new", SPEC, "greet the user")
        workers = [north.start("worker", "--name", "north")]
        try:
            _until(lambda: _ready(desk) == 1)
            desk.shiage("queue", "add", SPEC)
            began = time.monotonic()
            _until(lambda: _log(north, 1))
            start = time.monotonic() - began
            _until(lambda: _log(north, 8))
            workers.append(south.start("worker", "--name", "south"))
            _until(lambda: _ready(desk) == 2)
            print("# north is killed in the middle of the implementation, south goes on", file=sys.stderr)
            before, killed = self.rounds(), time.monotonic()
            _kill(workers[0])
            _until(lambda: any(_log(south, number) for number in range(1, 20)))
            over = time.monotonic() - killed
            _until(lambda: json.loads(desk.shiage("status", SPEC, "--json"))["status"] == "completed")
        finally:
            for process in workers:
                _kill(process)
        rounds = self.rounds()
        missing, twice = sum(each not in rounds for each in before), len(rounds) - len(set(rounds))
        whole, pushes = time.monotonic() - began, float(self.git("rev-list", "--count", "--merges", f"shiage/{SPEC}"))
        return {
            "start": start, "taken over": over, "whole run": whole, "pushes": pushes, "missing": missing, "twice": twice,
        }  # fmt: skip

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.url, capture_output=True, text=True, check=True).stdout

    def rounds(self) -> list[tuple[str, int]]:
        lines = self.git("show", f"shiage/{SPEC}:.kiro/specs/{SPEC}/event-log.jsonl").splitlines()
        closed = (entry["content"] for entry in map(json.loads, lines) if entry["event_type"] == "ROUND_CLOSED")
        return [(content["phase"], content["round"]) for content in closed]


def _ready(desk: Desk) -> int:
    return len(json.loads(desk.shiage("queue", "list", "--json"))["workers"])


def _log(desk: Desk, number: int) -> bool:
    return any(desk.root.glob(f".shiage/carried/*/{SPEC}/.shiage/runs/r-0001/attempt-{number}.log"))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        for each in (*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)):
            each.kill()
    process.wait()


def _until(is_so: Callable[[], bool], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            sys.exit("it never became so")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
