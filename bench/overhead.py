"""What shiage adds between two agents: a whole run of 30 agents that end at once, beside a bare shell loop.

    python bench/overhead.py [--runs N] [--profile FILE]

The story uses every allowance: 3 documents, 7 review rounds, 8 implementations, 3 inspections, 2 repairs. Each agent
notes the time in its first instruction and in its last, does what its role has to do, and ends. `gap` is from the end
of one agent to the first instruction of the next: noticing the end, the journal (with fsync), the look at what was
done, spec.json, the next prompt, the start of a process. The loop is `sh` starting the same 30 agents. `cpu` is the
processor time of everything that was started, divided by the agents: it says what a busy machine hides. The last table
is `shiage status` in a project of many specs, beside a program that only reads the same files.
"""

import argparse
import itertools
import json
import os
import pstats
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

AGENTS = 30
ROLES = (
    *(("author", phase, 0) for phase in ("requirements", "design", "tasks")),
    *((role, "document-review", n) for n in range(1, 8) for role in ("reviewer", "responder")),
    *(("implementer", "impl", 0) for _ in range(8)),
    *((role, "inspection", n) for n in (1, 2, 3) for role in ("inspector", "fixer") if (role, n) != ("fixer", 3)),
)
C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static char path[4096];
static FILE *in(const char *place, const char *name, const char *mode) {
    snprintf(path, sizeof path, "%s/%s", getenv(place), name);
    return fopen(path, mode);
}
int main(void) {
    double start = now();
    const char *role = getenv("SHIAGE_ROLE"), *phase = getenv("SHIAGE_PHASE");
    int round = atoi(getenv("SHIAGE_ROUND")), attempt = atoi(getenv("SHIAGE_ATTEMPT"));
    char name[256];
    FILE *file;
    if (!strcmp(role, "author")) {
        snprintf(name, sizeof name, "%s.md", phase);
        file = in("SHIAGE_SPEC_DIR", name, "w");
        fprintf(file, "# %s\n\nWHEN greeted, THE system SHALL greet back.\n\n", phase);
        for (int n = 1; !strcmp(phase, "tasks") && n <= 8; n++) fprintf(file, "- [ ] %d. Write part %d\n", n, n);
    } else if (!strcmp(role, "reviewer")) {
        snprintf(name, sizeof name, "document-review-%d.md", round);
        file = in("SHIAGE_SPEC_DIR", name, "w");
        fprintf(file, "# Review %d\n\n### C1: a point\n", round);
    } else if (!strcmp(role, "responder")) {
        snprintf(name, sizeof name, "document-review-%d-reply.md", round);
        file = in("SHIAGE_SPEC_DIR", name, "w");
        fprintf(file, "# Reply\n\n## Response Summary\n\n| Severity | Issues | Fix Required | No Fix Needed | "
            "Needs Discussion |\n|---|---|---|---|---|\n| Critical | 1 | %d | %d | 0 |\n", round < 7, round >= 7);
    } else if (!strcmp(role, "inspector")) {
        snprintf(name, sizeof name, "inspection-%d.md", round);
        file = in("SHIAGE_SPEC_DIR", name, "w");
        fprintf(file, "# Inspection\n\n- Judgment: %s\n", round < 3 ? "NOGO" : "GO");
    } else {
        if (!strcmp(role, "implementer")) {
            char text[4096] = "", *box;
            file = in("SHIAGE_SPEC_DIR", "tasks.md", "r+");
            fread(text, 1, sizeof text - 1, file);
            if ((box = strstr(text, "[ ]"))) { fseek(file, box + 1 - text, SEEK_SET); fputc('x', file); }
            fclose(file);
        }
        snprintf(name, sizeof name, "part_%d.py", attempt);
        file = in("SHIAGE_PROJECT", name, "w");
        fprintf(file, "PART = %d\n", attempt);
    }
    fclose(file);
    printf("wrote %s\n", path);
    fflush(stdout);
    file = fopen(getenv("OVERHEAD_TIMES"), "a");
    fprintf(file, "%s %s %.6f %.6f\n", role, phase, start, now());
    fclose(file);
    _exit(0);
}
"""
SHELL = r"""#!/bin/sh
start=$(date +%s.%N)
put() { cat > "$SHIAGE_SPEC_DIR/$1"; echo "wrote $1"; }
case $SHIAGE_ROLE in
author)
    { printf '# %s\n\nWHEN greeted, THE system SHALL greet back.\n\n' "$SHIAGE_PHASE"
      [ "$SHIAGE_PHASE" != tasks ] || for n in 1 2 3 4 5 6 7 8; do echo "- [ ] $n. Write part $n"; done
    } | put "$SHIAGE_PHASE.md" ;;
reviewer) printf '# Review\n\n### C1: a point\n' | put "document-review-$SHIAGE_ROUND.md" ;;
responder)
    fix=1; [ "$SHIAGE_ROUND" -lt 7 ] || fix=0
    printf '# Reply\n\n## Response Summary\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|\n| Critical | 1 | %s | %s | 0 |\n' $fix $((1 - fix)) | put "document-review-$SHIAGE_ROUND-reply.md" ;;
inspector)
    verdict=NOGO; [ "$SHIAGE_ROUND" -lt 3 ] || verdict=GO
    printf '# Inspection\n\n- Judgment: %s\n' $verdict | put "inspection-$SHIAGE_ROUND.md" ;;
*)
    [ "$SHIAGE_ROLE" = fixer ] || sed -i '0,/\[ \]/s//[x]/' "$SHIAGE_SPEC_DIR/tasks.md"
    echo "PART = $SHIAGE_ATTEMPT" > "$SHIAGE_PROJECT/part_$SHIAGE_ATTEMPT.py"; echo "wrote part_$SHIAGE_ATTEMPT.py" ;;
esac
echo "$SHIAGE_ROLE $SHIAGE_PHASE $start $(date +%s.%N)" >> "$OVERHEAD_TIMES"
"""


@dataclass(frozen=True)
class Lap:
    role: str
    phase: str
    start: float
    end: float


@dataclass(frozen=True)
class Ran:
    """One whole run: how long it took, what it cost, and its agents."""

    seconds: float
    cpu: float
    laps: list[Lap]


#: What was asked for, printed beside what was found.
GOALS = {"p50": 8.0, "p99": 20.0, "version": 3.0, "status": 0.3}


def goal(name: str, found: float) -> str:
    return f"goal {GOALS[name]:g}: {'kept' if found <= GOALS[name] else 'missed'}"


def cpu() -> float:
    """Of all children so far, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--specs", type=int, default=1000)
    parser.add_argument("--profile", metavar="FILE", help="let cProfile write one more run there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="overhead-") as name:
        stage = Stage(Path(name))
        loops, runs = [], []
        for _ in range(args.runs):  # in turns, so that a busy machine is the same for both
            loops.append(stage.loop())
            runs.append(stage.run())
        table({"bare shell loop": loops, "shiage run": runs})
        by_step(runs)
        reasons(stage, Path(name))
        start_up(args.runs * 3)
        many_specs(Path(name) / "many", args.specs, args.runs)
        if args.profile:
            stage.run("-m", "cProfile", "-o", str(Path(args.profile).resolve()))


#: What a profiled run is asked for: function names, and whether what they call counts as theirs.
PARTS = {
    "forced to the disk (fsync)": (("<built-in method posix.fsync>",), False),
    "renamed and opened": (("<built-in method posix.replace>", "<built-in method posix.open>"), False),
    "processes begun": (("<built-in method _posixsubprocess.fork_exec>",), False),
    "waited: agents, git, threads": (("<method 'poll' of 'select.epoll' objects>",), False),
    "journal, with its fsync": (("record.py:force",), True),
    "phases and rounds, with theirs": (("effects.py:enter", "effects.py:close", "effects.py:finish"), True),
    "spec.json put back in order": (("restoring.py:put_back",), True),
    "prompts": (("attempts.py:prepare",), True),
}


def reasons(stage: "Stage", base: Path) -> None:
    """Where the time between two agents goes, of one more run; a profiler makes everything but waiting slower."""
    found = base / "profile"
    stage.run("-m", "cProfile", "-o", str(found))
    rows = pstats.Stats(str(found)).stats  # type: ignore[attr-defined]
    told = {f"{Path(path).name}:{name}" if line else name: value for (path, line, name), value in rows.items()}
    print(f"\n{'where, under a profiler':<32}{'calls':>7}{'ms for each agent':>19}")
    for part, (names, whole) in PARTS.items():
        seen = [told[name] for name in names if name in told]
        calls, spent = sum(row[0] for row in seen), sum(row[3 if whole else 2] for row in seen)
        print(f"{part:<32}{calls:>7}{spent / AGENTS * 1000:>19.2f}")
    print(f"{'one fsync of 500 bytes here':<32}{'':>7}{_fsync(base / 'probe'):>19.2f}")


def _fsync(path: Path) -> float:
    """What the disk itself takes, in ms: nothing that is durable can be quicker."""
    took = []
    with path.open("ab") as file:
        for _ in range(50):
            file.write(b"x" * 500)
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


class Stage:
    """A new project for each run, and the agent that works in it."""

    def __init__(self, base: Path) -> None:
        self._base, self._numbers = base, itertools.count(1)
        self._agent, self._times = program(base), base / "times"

    def run(self, *python: str) -> Ran:
        root, env = self._project()
        began, before = time.perf_counter(), cpu()
        code = subprocess.run(
            [sys.executable, *python, "-m", "shiage", "run", "login", "--quiet"], cwd=root, env=env, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        took, used = time.perf_counter() - began, cpu() - before
        if code.returncode:
            sys.exit(f"the run did not end well: {code.stdout}{code.stderr}")
        return Ran(took, used, self._laps())

    def loop(self) -> Ran:
        root, env = self._project()
        script = root / "loop.sh"
        script.write_text("".join(self._line(root, *row) for row in enumerate(ROLES, 1)))
        began, before = time.perf_counter(), cpu()
        subprocess.run(["/bin/sh", str(script)], cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)
        return Ran(time.perf_counter() - began, cpu() - before, self._laps())

    def _line(self, root: Path, number: int, row: tuple[str, str, int]) -> str:
        role, phase, turn = row
        spec = root / ".kiro/specs/login"
        values = {"ROLE": role, "PHASE": phase, "ROUND": turn, "ATTEMPT": number, "SPEC_DIR": spec, "PROJECT": root}
        return " ".join(f"SHIAGE_{key}='{value}'" for key, value in values.items()) + f" '{self._agent}'\n"

    def _project(self) -> tuple[Path, Mapping[str, str]]:
        base = self._base / str(next(self._numbers))
        root, home = base / "project", base / "home"
        for folder in (root, home):
            folder.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", "--template=", str(root)], check=True)
        settings = f'agent = "quick"\n[agents.quick]\ncommand = ["{self._agent}"]\nenv = ["OVERHEAD_TIMES"]\n'
        (root / "shiage.toml").write_text(f"{settings}[notify]\ndesktop = false\n")
        kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
        env = {**kept, "HOME": str(home), "LANG": "C.UTF-8", "OVERHEAD_TIMES": str(self._times)}
        for command in (("trust", "--yes"), ("new", "login", "greet the user")):
            subprocess.run(
                [sys.executable, "-m", "shiage", *command], cwd=root, env=env, capture_output=True, check=True
            )
        self._times.unlink(missing_ok=True)
        return root, env

    def _laps(self) -> list[Lap]:
        rows = [line.split() for line in self._times.read_text().splitlines()]
        laps = [Lap(role, phase, float(start), float(end)) for role, phase, start, end in rows]
        if [(lap.role, lap.phase) for lap in laps] != [row[:2] for row in ROLES]:
            sys.exit(f"not the story that was planned: {laps}")
        return laps


def program(base: Path) -> Path:
    made = base / "agent"
    if compiler := shutil.which("cc"):
        made.with_suffix(".c").write_text(C)
        subprocess.run([compiler, "-O1", "-w", "-o", str(made), str(made.with_suffix(".c"))], check=True)
    else:
        made.write_text(SHELL)
        made.chmod(0o755)
    return made


def gaps(laps: Sequence[Lap]) -> Iterator[tuple[str, float]]:
    for one, two in itertools.pairwise(laps):
        yield f"{one.role} → {two.role}", (two.start - one.end) * 1000


def table(rows: Mapping[str, Sequence[Ran]]) -> None:
    print(f"{AGENTS} agents; medians of {len(next(iter(rows.values())))} runs; ms between two agents, over all gaps\n")
    print(f"{'':<20}{'whole, s':>10}{'p50':>8}{'p90':>8}{'p99':>8}{'max':>8}{'cpu':>8}")
    for name, runs in rows.items():
        found = sorted(gap for ran in runs for _, gap in gaps(ran.laps))
        cuts = [found[min(len(found) - 1, int(len(found) * share))] for share in (0.5, 0.9, 0.99, 1)]
        each = statistics.median(ran.cpu for ran in runs) / AGENTS * 1000
        whole = statistics.median(ran.seconds for ran in runs)
        print(f"{name:<20}{whole:>10.3f}" + "".join(f"{cut:>8.1f}" for cut in (*cuts, each)))
    print(f"p50 {goal('p50', cuts[0])}   p99 {goal('p99', cuts[2])}")


def by_step(runs: Sequence[Ran]) -> None:
    print(f"\n{'between':<28}{'count':>7}{'median ms':>11}{'max ms':>9}")
    kinds: dict[str, list[float]] = {}
    for ran in runs:
        for kind, gap in gaps(ran.laps):
            kinds.setdefault(kind, []).append(gap)
    for kind, found in kinds.items():
        print(f"{kind:<28}{len(found):>7}{statistics.median(found):>11.1f}{max(found):>9.1f}")


def start_up(times: int) -> None:
    commands = {"python3 -c pass": ["-c", "pass"], "shiage --version": ["-m", "shiage", "--version"]}
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(times):
        for name, argv in commands.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *argv], check=True, capture_output=True)
            took[name].append((time.perf_counter() - began) * 1000)
    middle = {name: statistics.median(found) for name, found in took.items()}
    print("\n" + "".join(f"{name:<20}{value:>8.1f} ms\n" for name, value in middle.items()), end="")
    ratio = middle["shiage --version"] / middle["python3 -c pass"]
    print(f"{'ratio':<20}{ratio:>8.2f}   {goal('version', ratio)}")


#: What any program must do that looks at every spec: the baseline.
READ = """
import json, pathlib
for folder in pathlib.Path(".kiro/specs").iterdir():
    json.loads((folder / "spec.json").read_bytes()), (folder / "tasks.md").read_text()
"""


def many_specs(root: Path, count: int, times: int) -> None:
    """`first` has nothing to remember; `again` finds every spec as it was."""
    env = _specs(root, count)
    look = [sys.executable, "-m", "shiage", "status"]
    first = [_timed(look, root, env)]
    (root / ".shiage").mkdir()
    _timed(look, root, env)
    rows = {
        "only reading": [_timed([sys.executable, "-c", READ], root, env) for _ in range(times)],
        "status, first": first,
        "status, again": [_timed(look, root, env) for _ in range(times)],
    }
    print(f"\n{f'{count} specs':<20}{'seconds':>10}{'cpu':>8}")
    for name, found in rows.items():
        seconds, used = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:<20}{seconds:>10.3f}{used:>8.3f}   {'' if name == 'only reading' else goal('status', seconds)}")


def _timed(argv: Sequence[str], root: Path, env: Mapping[str, str]) -> tuple[float, float]:
    began, before = time.perf_counter(), cpu()
    subprocess.run(argv, cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began, cpu() - before


def _specs(root: Path, count: int) -> Mapping[str, str]:
    approved = {name: {"generated": True, "approved": True} for name in ("requirements", "design", "tasks")}
    for number in range(count):
        folder = root / ".kiro/specs" / f"spec-{number:04d}"
        folder.mkdir(parents=True)
        for name in ("requirements", "design"):
            (folder / f"{name}.md").write_text(f"# {name}\n\ntext\n")
        (folder / "tasks.md").write_text("# Tasks\n\n" + "".join(f"- [ ] {n}. Part {n}\n" for n in range(1, 9)))
        state = {"feature_name": folder.name, "phase": "tasks-generated", "approvals": approved}
        (folder / "spec.json").write_text(json.dumps(state, indent=2) + "\n")
    (root / "shiage.toml").write_text("")
    kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
    return {**kept, "HOME": str(root), "LANG": "C.UTF-8"}


if __name__ == "__main__":
    main()
