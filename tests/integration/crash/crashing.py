"""A stage on which shiage is killed at any of its durable operations, started again, and looked at."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shiage.journal.checking import verify

LAUNCHER, AGENT = (Path(__file__).with_name(name) for name in ("launcher.py", "agent.sh"))
SPEC = "login"
MOMENTS = ("before", "torn", "after")
KILLED = -signal.SIGKILL
#: Within how long after the next start no agent of the dead one may be alive.
GONE_SECONDS = 10.0


@dataclass(frozen=True)
class Kill:
    number: int
    moment: str = "after"


@dataclass(frozen=True)
class Ran:
    code: int
    operations: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class Closed:
    """What was closed at some moment: phase and round, with the bytes of its file; and the agents begun until then."""

    rounds: Mapping[tuple[str, int], bytes]
    begun: frozenset[str]


@dataclass
class Found:
    """What was wrong after a crash and the next start; all empty when nothing was."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        rows = vars(self).items()
        return [f"{kind}: {what}" for kind, whats in rows for what in whats]


@dataclass(frozen=True)
class Trial:
    at: tuple[str, ...]  #: where it was killed
    found: Found
    killed: bool


class Stage:
    """A project that is put back to its beginning before each trial: trust belongs to its path."""

    def __init__(self, base: Path, agent: Sequence[str] = (str(AGENT),)) -> None:
        self.base, self.live, self.pristine = base, base / "live", base / "pristine"
        self.root, self.home = self.live / "project", self.live / "home"
        for folder in (self.root, self.home):
            folder.mkdir(parents=True)
        git = ["git", "-C", str(self.root), "-c", "user.name=person", "-c", "user.email=person@localhost"]
        subprocess.run([*git, "init", "--quiet", "--template="], check=True)
        argv = json.dumps(list(agent))
        settings = f'agent = "actor"\n\n[agents.actor]\ncommand = {argv}\n\n[notify]\ndesktop = false\n'
        (self.root / "shiage.toml").write_text(settings)
        for command in (("trust", "--yes"), ("new", SPEC, "greet the user")):
            subprocess.run(
                [sys.executable, "-m", "shiage", *command], cwd=self.root, env=self.environ, check=True,
                capture_output=True,
            )  # fmt: skip
        shutil.copytree(self.live, self.pristine, symlinks=True)
        self._launcher = subprocess.Popen(
            [sys.executable, str(LAUNCHER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def folder(self) -> Path:
        return self.root / ".kiro" / "specs" / SPEC

    @property
    def environ(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        return {**kept, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        self._launcher.communicate()
        self.restore()

    def restore(self) -> None:
        for row in living(self.root):
            with suppress(ProcessLookupError):
                os.kill(row, signal.SIGKILL)
        shutil.rmtree(self.live)
        shutil.copytree(self.pristine, self.live, symlinks=True)

    def run(self, kill: Kill | None = None) -> Ran:
        """`shiage run`, killed at that operation if it comes so far."""
        tally, said = self.base / "tally", self.base / "said"
        tally.unlink(missing_ok=True)
        number, moment = (kill.number, kill.moment) if kill else (0, "before")
        order = {"tally": str(tally), "number": number, "moment": moment, "argv": ["run", SPEC], "said": str(said)}
        assert self._launcher.stdin and self._launcher.stdout
        self._launcher.stdin.write(json.dumps({**order, "cwd": str(self.root), "environ": self.environ}) + "\n")
        self._launcher.stdin.flush()
        code = int(self._launcher.stdout.readline())
        return Ran(code, tuple(tally.read_text().splitlines()), said.read_text(errors="replace"))

    def state(self) -> Any:
        return json.loads((self.folder / "spec.json").read_bytes())

    def journal(self) -> list[Any]:
        path = self.folder / "event-log.jsonl"
        data = path.read_bytes() if path.exists() else b""
        return [json.loads(line) for line in data.splitlines(keepends=True) if _whole(line)]

    def closed(self) -> Closed:
        """What either the spec or the journal calls closed now."""
        entries = self.journal()
        names = [("document-review", row["roundNumber"]) for row in _reviews(self.state())]
        names += [("inspection", row["number"]) for row in _inspections(self.state())]
        names += [(e["content"]["phase"], e["content"]["round"]) for e in entries if e["event_type"] == "ROUND_CLOSED"]
        begun = (e["content"]["agent_id"] for e in entries if e["event_type"] == "ATTEMPT_STARTED")
        return Closed({name: self._bytes(*name) for name in names}, frozenset(begun))

    def _bytes(self, phase: str, number: int) -> bytes:
        name = f"inspection-{number}.md" if phase == "inspection" else f"document-review-{number}-reply.md"
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    def crash(self, *kills: Kill) -> Trial:
        """Run and kill, as often as asked for, then run to the end and look at what is there."""
        self.restore()
        at: list[str] = []
        before: list[Closed] = []
        for kill in kills:
            ran = self.run(kill)
            if ran.code != KILLED:
                return Trial((*at, "not reached"), Found(), killed=False)
            at.append(f"{kill.moment} {kill.number} {ran.operations[-1]}")
            before.append(self.closed())  # spec.json must be whole at any moment
        return Trial(tuple(at), self.next_start(before), killed=True)

    def next_start(self, before: Sequence[Closed]) -> Found:
        """Go on to the end: what was wrong then, compared with what had been closed at each crash."""
        found, begun = Found(), time.monotonic()
        ran = self.run()
        if ran.code == 0:
            self.compare(found, before)
        else:
            found.repairs.append(f"exit {ran.code}: {ran.said[-600:]}")
        self._wait_for_agents(found, begun)
        return found

    def compare(self, found: Found, before: Sequence[Closed]) -> None:
        state, entries = self.state(), self.journal()
        self._count_rounds(found, state, entries)
        for then in before:
            for (phase, number), data in then.rounds.items():
                if self._bytes(phase, number) != data:
                    found.lost.append(f"{phase} round {number}: its file has changed")
                again = [e for e in entries if _begins(e, phase, number) and e["content"]["agent_id"] not in then.begun]
                found.doubled.extend(f"{phase} round {number} was begun again as entry {e['seq']}" for e in again)
        report = verify(self.folder / "event-log.jsonl", self.root / ".shiage" / "heads" / SPEC)
        found.broken.extend(f"journal line {problem.line} {problem.what}" for problem in report.problems)
        found.broken.extend(f"left beside: {path.name}" for path in self.folder.glob(".*.tmp"))

    def _count_rounds(self, found: Found, state: Any, entries: Sequence[Any]) -> None:
        numbers = {
            "document-review": [row["roundNumber"] for row in _reviews(state)],
            "inspection": [row["number"] for row in _inspections(state)],
        }
        for phase, there in numbers.items():
            found.lost.extend(f"{phase} round {n} is not in spec.json" for n in (1, 2) if n not in there)
            found.doubled.extend(
                f"{phase} round {n} is in spec.json {c} times" for n, c in Counter(there).items() if c > 1
            )
            found.doubled.extend(f"{phase} has a round {n}" for n in there if n not in (1, 2))
        done = Counter(_finished(entries))
        found.doubled.extend(f"{key} completed {count} times" for key, count in done.items() if count > _most(key))
        verdicts = [row["result"] for row in _inspections(state)]
        if verdicts != ["nogo", "go"] or state["phase"] != "inspection-complete":
            found.broken.append(f"inspection {verdicts}, phase {state['phase']}")
        if (self.folder / "tasks.md").read_text().count("[x]") != 3:
            found.broken.append("tasks.md has open boxes at GO")

    def _wait_for_agents(self, found: Found, begun: float) -> None:
        while (left := living(self.root)) and time.monotonic() < begun + GONE_SECONDS:
            time.sleep(0.05)
        found.left.extend(f"process {pid}" for pid in left)


def _whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return line.endswith(b"\n")


def _reviews(state: Any) -> list[Any]:
    rows = state.get("documentReview", {}).get("roundDetails", [])
    return [row for row in rows if row.get("status") == "reply_complete"]


def _inspections(state: Any) -> list[Any]:
    rows: list[Any] = state.get("inspection", {}).get("rounds", [])
    return rows


def _begins(entry: Any, phase: str, number: int) -> bool:
    """Whether this entry starts an agent in a round that was closed; a fixer's place is after the closing."""
    order = entry["content"].get("order", {}) if entry["event_type"] == "ATTEMPT_STARTED" else {}
    return (order.get("phase"), order.get("round")) == (phase, number) and order["role"] != "fixer"


def _finished(entries: Sequence[Any]) -> Iterator[tuple[str, str, int]]:
    """Phase, role and round of every attempt whose end was seen."""
    orders = {}
    for entry in entries:
        if entry["event_type"] == "ATTEMPT_STARTED":
            orders[entry["content"]["agent_id"]] = entry["content"]["order"]
        if entry["event_type"] == "ATTEMPT_EXITED" and entry["content"]["outcome"]["ending"] == "completed":
            order = orders[entry["content"]["agent_id"]]
            yield order["phase"], order["role"], order["round"]


def _most(key: tuple[str, str, int]) -> int:
    """A finished attempt is not repeated; only the implementer is asked twice in the story."""
    return 2 if key[1] == "implementer" else 1


def living(root: Path) -> list[int]:
    """Processes of agents of this project."""
    sign = f"\0SHIAGE_PROJECT={root}\0".encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and sign in b"\0" + _environ(entry.name):
            found.append(int(entry.name))
    return found


def _environ(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()  # empty for a zombie: it is dead
    except OSError:
        return b""
