"""Agents that end at once: is every end noticed, once, in order, and as the agent's own?

    python bench/instant.py [--agents N] [--lanes N]

Agent n exits with code n % 256, so an end that belongs to another agent shows. `one after the other` is what a run does;
`lanes` is as many runs in one process. `bare` starts the same program with subprocess.run and nothing else.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from shiage.agents.launch import Launch
from shiage.agents.process import run

C = "#include <stdlib.h>\nint main(int n, char **v) { return atoi(v[1]); }\n"
SHELL = ("/bin/sh", "-c", 'exit "$1"', "sh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--lanes", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        argv = program(folder)
        print(f"{'':<26}{'agents':>8}{'missed':>8}{'double':>8}{'foreign':>9}{'disorder':>10}{'ms each':>9}")
        began = time.perf_counter()
        codes = [subprocess.run([*argv, str(n % 256)], check=False).returncode for n in range(args.agents)]
        show("bare", args.agents, [*enumerate(codes)], time.perf_counter() - began, 1)
        for what, lanes in (("one after the other", 1), (f"{args.lanes} lanes", args.lanes)):
            began = time.perf_counter()
            ends = asyncio.run(all_of(folder, argv, args.agents, lanes))
            show(what, args.agents, ends, time.perf_counter() - began, lanes)


def program(folder: Path) -> Sequence[str]:
    compiler = shutil.which("cc")
    if compiler is None:
        return SHELL
    source, made = folder / "instant.c", folder / "instant"
    source.write_text(C)
    subprocess.run([compiler, "-O1", "-o", str(made), str(source)], check=True)
    return (str(made),)


async def all_of(folder: Path, argv: Sequence[str], agents: int, lanes: int) -> list[tuple[int, int | None]]:
    """Number and exit code of every agent, in the order in which their ends were learned."""
    ends: list[tuple[int, int | None]] = []

    async def lane(first: int) -> None:
        for number in range(first, agents, lanes):
            log = folder / f"{first}.log"
            ended = await run(
                Launch(
                    argv=(*argv, str(number % 256)), env={}, cwd=folder, stdin=b"", log=log, err=log,
                    marker=f"instant-{os.getpid()}-{number}", idle_seconds=60, total_seconds=60,
                ),
                stop=asyncio.Event(),
            )  # fmt: skip
            ends.append((number, ended.exit_code))

    await asyncio.gather(*(lane(first) for first in range(lanes)))
    return ends


def show(what: str, agents: int, ends: list[tuple[int, int | None]], seconds: float, lanes: int) -> None:
    numbers = [number for number, _ in ends]
    missed = agents - len(set(numbers))
    double = len(numbers) - len(set(numbers))
    foreign = sum(1 for number, code in ends if code != number % 256)
    last = dict.fromkeys(range(lanes), -1)
    disorder = 0
    for number in numbers:
        disorder += number < last[number % lanes]
        last[number % lanes] = number
    print(f"{what:<26}{agents:>8}{missed:>8}{double:>8}{foreign:>9}{disorder:>10}{seconds / agents * 1000:>9.2f}")


if __name__ == "__main__":
    main()
