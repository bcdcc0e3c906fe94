"""A large project for the bench of the dashboard: the demo's run, told again and again under many names.

Every journal is one chain that `shiage verify` accepts. It is made once and kept in the folder for temporary files.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from shiage.journal.entry import Entry, digest, encode, seconds, timestamp
from shiage.journal.reading import read

JOURNAL = "event-log.jsonl"
SPEC_DAYS = 90.0  #: the runs of a spec are spread over so many days
CUT = 20  #: of so many specs one was interrupted in the middle of its last run
LOG_LINES = 200_000


def environ(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8"}


def project(specs: int, events: int) -> Path:
    """The project's root; its parent is the home folder of whoever serves it."""
    home = Path(tempfile.gettempdir()) / f"shiage-bench-web-{specs}-{events}"
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        _make(home, specs, events)
        (home / "ready").touch()
    return home / "project"


def _make(home: Path, specs: int, events: int) -> None:
    root = home / "project"
    demo = [sys.executable, "-m", "shiage", "demo", "--speed", "0", "--keep", str(root)]
    subprocess.run(demo, env=environ(home), check=True, capture_output=True)
    told, source = read(root / ".kiro" / "specs" / "demo" / JOURNAL), root / ".kiro" / "specs" / "demo"
    heads = root / ".shiage" / "heads"
    for number in range(specs):
        name = f"spec-{number:04}"
        folder = source.with_name(name)
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(JOURNAL))
        state = json.loads((folder / "spec.json").read_text())
        (folder / "spec.json").write_text(json.dumps({**state, "feature_name": name}, indent=2) + "\n")
        share = events * (number + 1) // specs - events * number // specs
        lines = list(_journal(told, name, share, cut=number % CUT == 0))
        (folder / JOURNAL).write_bytes(b"".join(line + b"\n" for line in lines))
        head = {"seq": len(lines), "hash": digest(lines[-1])}
        (heads / name).write_bytes(msgspec.json.encode(head) + b"\n")
    log = root / ".shiage" / "runs" / "r-0001" / "attempt-1.log"
    log.write_text(
        "".join(
            f"{n:06} reading src/module_{n % 97}.py: \x1b[32mok\x1b[0m nothing to do\n" for n in range(1, LOG_LINES + 1)
        )
    )


def _journal(told: Sequence[Entry], name: str, count: int, *, cut: bool) -> Iterator[bytes]:
    """As many entries as wanted: whole runs, then one that was cut off or notes that mean nothing."""
    prev, step = "", SPEC_DAYS * 86_400 / max(1, count // len(told))
    begun = time.time() - SPEC_DAYS * 86_400 - seconds(told[0].timestamp)
    whole, rest = divmod(count, len(told))
    note = replace(told[-1], event_type="EVENT_DROPPED", visibility="full", content={"event": "STOP_REQUESTED"})
    runs = [*([told] * whole), told[:rest] if cut else [note] * rest]
    seq = 0
    for number, entries in enumerate(run for run in runs if run):
        for each in entries:
            seq += 1
            at = timestamp(seconds(each.timestamp) + begun + number * step)
            content = {**each.content, "spec": name} if "spec" in each.content else each.content
            line = encode(replace(each, seq=seq, timestamp=at, run=f"r-{number + 1:04}", content=content, prev=prev))
            prev = digest(line)
            yield line
