"""Agents that do not end as they should: the outcome, what is left of them, and what they cost in memory.

    python bench/stubborn.py [--megabytes N] [--line N]

`peak` is how far the memory of this process rose above what it had before (VmHWM). `left` are processes with the
agent's marker one second after its end was returned. `bare` is the baseline: the seconds of the
same program with nobody around it, where it ends by itself and leaves nothing running.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.agents.adapter import AgentSettings, Job, Report
from shiage.agents.attempt import Limits, attempt
from shiage.agents.table import adapter_for
from shiage.domain.run import Role

MARKER = b"SHIAGE_AGENT_ID="


@dataclass(frozen=True)
class Kind:
    code: str
    ending: str
    total: float = 600.0
    idle: float = 600.0
    adapter: str = "command"  #: `claude` reads every event, `command` may skip what it would only show
    leaves: bool = False  #: processes that nobody but a run would end


FORKS_TWICE = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
print("done")
"""
SERVER = """
import subprocess, sys, time
code = "import socket,time; s=socket.create_server(('127.0.0.1', 0)); print(flush=True); time.sleep(600)"
server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True, env={})
server.stdout.readline()
print("the server runs")
"""
STUBBORN_FAMILY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
print("stay", flush=True)
time.sleep(600)
"""


def kinds(megabytes: int, line: int) -> Mapping[str, Kind]:
    flood = f"import os\npiece = b'a line of the flood\\n' * 52429\nfor _ in range({megabytes}): os.write(1, piece)"
    giant = f"import os\nfor _ in range({line}): os.write(1, b'x' * 1000000)"
    raw = "import os\nfor n in range(10000): os.write(1, bytes(range(256)) + b'\\xff\\xfe\\x00\\x1b[2J\\n')"
    return {
        "does nothing": Kind("pass", "completed"),
        "ignores SIGTERM": Kind(STUBBORN_FAMILY.replace("range(3)", "range(0)"), "timed-out", total=1.0),
        "ignores SIGTERM, 3 children": Kind(STUBBORN_FAMILY, "timed-out", total=1.0),
        "forks twice": Kind(FORKS_TWICE, "completed", leaves=True),
        "closes its output": Kind("import os, time\nos.close(1); os.close(2); time.sleep(0.3)", "completed"),
        f"floods {megabytes} MB": Kind(flood, "completed"),
        f"one line of {line} MB": Kind(giant, "completed"),
        f"floods {megabytes} MB of events": Kind(flood, "failed", adapter="claude"),
        f"one event of {line} MB": Kind(giant, "failed", adapter="claude"),
        "no UTF-8, NUL, escapes": Kind(raw, "completed"),
        "ended by SIGSEGV": Kind("import os\nos.kill(os.getpid(), 11)", "failed"),
        "ended by SIGKILL": Kind("import os\nos.kill(os.getpid(), 9)", "failed"),
        "not on the disk": Kind("", "not-started"),
        "leaves a server running": Kind(SERVER, "completed", leaves=True),
        "silent for ever": Kind("import time\ntime.sleep(600)", "timed-out", idle=1.0),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--line", type=int, default=100)
    args = parser.parse_args()
    print(f"{'agent':<30}{'ending':<14}{'right':<7}{'left':>5}{'seconds':>9}{'bare':>9}{'peak MB':>9}{'log MB':>9}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, kind) in enumerate(kinds(args.megabytes, args.line).items()):
            wrong += show(name, kind, Path(folder), f"stubborn-{os.getpid()}-{number}")
    return 1 if wrong else 0


def show(name: str, kind: Kind, folder: Path, marker: str) -> bool:
    log = folder / f"{marker}.log"
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    began = time.perf_counter()
    report = asyncio.run(one(kind, log, marker))
    took, peak = time.perf_counter() - began, memory("VmHWM") - before
    time.sleep(1)
    left = len(living(marker))
    right = report.outcome.ending.value == kind.ending and left == 0 and peak <= 20
    size = log.stat().st_size / 2**20 if log.exists() else 0
    print(
        f"{name:<30}{report.outcome.ending.value:<14}{'yes' if right else 'NO':<7}{left:>5}{took:>9.2f}{bare(kind, folder):>9}{peak:>9.1f}{size:>9.1f}",
        flush=True,
    )
    log.unlink(missing_ok=True)
    return not right


async def one(kind: Kind, log: Path, marker: str) -> Report:
    argv = (sys.executable, "-I", "-S", "-c", kind.code) if kind.code else ("/nowhere/agent",)
    agent = AgentSettings(name="stubborn", kind=kind.adapter, command=argv)
    job = Job("do it", Role.IMPLEMENTER, log.parent)
    return await attempt(
        adapter_for(kind.adapter), agent, job, marker=marker, log=log, err=log.with_suffix(".err"),
        limits=Limits(kind.idle, kind.total), stop=asyncio.Event(), on_event=lambda event: None,
    )  # fmt: skip


def bare(kind: Kind, folder: Path) -> str:
    """The baseline: seconds of the same program with nobody around it, where it ends by itself and leaves nothing."""
    if kind.leaves or kind.ending not in ("completed", "failed"):
        return "-"
    output = folder / "bare"
    with output.open("wb") as file:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", kind.code], stdout=file, stderr=file, check=False)
        took = time.perf_counter() - began
    output.unlink()
    return f"{took:.2f}"


def memory(key: str) -> float:
    rows = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(rows[key].split()[0]) / 1024


def living(marker: str) -> list[str]:
    """By the marker; the server's own environment is empty, so it is known by its session's parent, too: none is left."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                row = Path(entry.path, "environ").read_bytes() + Path(entry.path, "cmdline").read_bytes()
            except OSError:
                continue
            if MARKER + marker.encode() in row or b"socket.create_server(('127.0.0.1', 0)); print" in row:
                found.append(entry.name)
    return found


if __name__ == "__main__":
    sys.exit(main())
