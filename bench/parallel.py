"""Five specs at once in one repository, beside the same five one after the other and the longest of them alone.

    python bench/parallel.py [--seconds S]

Every agent waits as for a model and then does its work; the longest spec's agents wait S seconds each, the others less.
All run from their requirements to the merge, each in a worktree of its own; at the end every merge is looked at.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from stage import Desk, scenes

SPECS = {"one": 0.2, "two": 0.4, "three": 0.6, "four": 0.8, "five": 1.0}  #: of the longest's wait


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    seconds = parser.parse_args().seconds
    alone = timed(seconds, [("five",)])
    serial = timed(seconds, [(name,) for name in SPECS])
    together = timed(seconds, [tuple(SPECS)])
    print(f"{'':<26}{'wall s':>8}{'CPU s':>8}{'merged':>8}")
    for what, (wall, cpu, merged) in {
        "the longest alone": alone, "one after the other": serial, "all at once": together,
    }.items():  # fmt: skip
        print(f"{what:<26}{wall:>8.1f}{cpu:>8.1f}{merged:>8}")
    print(f"\nall at once / longest alone: {together[0] / alone[0]:.2f}")
    print(f"all at once / one after the other: {together[0] / serial[0]:.2f}")


def timed(seconds: float, commands: Sequence[tuple[str, ...]]) -> tuple[float, float, int]:
    """Wall time, CPU time of shiage and its agents, and how many specs were merged and correct."""
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(Path(name) / "home", Path(name) / "project")
        desk.root.mkdir()
        plays = [each for spec, part in SPECS.items() for each in scenes(spec, seconds * part)]
        desk.settle(plays, "[permissions]\ndeploy = true\n")
        desk.git("init", "-q")
        (desk.root / "README.md").write_text("# A project\n")
        desk.git("add", "-A")
        desk.git("commit", "-qm", "begin")
        for spec in SPECS:
            desk.shiage("new", spec, "greet the user")
        (desk.root / "README.md").write_text("# edited, not committed\n")
        before, began = _cpu(), time.monotonic()
        for specs in commands:
            desk.shiage("run", *specs, "--worktree", "--quiet")
        wall, cpu = time.monotonic() - began, _cpu() - before
        ran = [spec for specs in commands for spec in specs]
        merged = sum(f'return "{spec}"' in desk.git("show", f"main:{spec}.py") for spec in ran)
        assert (desk.root / "README.md").read_text() == "# edited, not committed\n"
        return wall, cpu, merged


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
