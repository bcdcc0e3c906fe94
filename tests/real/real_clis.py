"""The real agent programs, at pinned versions, in a folder of their own that outlives the tests.

`python3 tests/real/real_clis.py` fetches them all at once: .ci/run does so beside the lint. Only the standard library.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 240  #: seconds that npm may take for one of them
FRESH = 900  #: seconds for which a failure is not tried again


class Unavailable(Exception):
    """A program that cannot be had here, and why."""


@dataclass(frozen=True)
class Cli:
    name: str
    package: str
    version: str  #: pinned: npm would choose another one by the version of Node, and not say so
    unpacks: bool = False  #: into the cache of whoever calls it first; done once, and shared by all tests

    @property
    def place(self) -> Path:
        return folder() / f"{self.name}-{self.version}"

    @property
    def programs(self) -> Path:
        """What to put on the PATH."""
        return self.place / "node_modules" / ".bin"

    @property
    def cache(self) -> Path:
        """What it has unpacked."""
        return self.place / "home" / ".cache" / self.name


CLIS = {
    cli.name: cli
    for cli in (
        Cli("claude", "@anthropic-ai/claude-code", "2.1.327"),
        Cli("codex", "@openai/codex", "0.169.0"),
        Cli("opencode", "opencode-ai", "1.18.33"),
        Cli("gemini", "@google/gemini-cli", "0.61.0"),
        Cli("qwen", "@qwen-code/qwen-code", "0.24.4"),
        Cli("copilot", "@github/copilot", "1.0.102", unpacks=True),
    )
}


def folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SHIAGE_REAL_CLIS") or cache / "shiage-real-clis")


def had(cli: Cli) -> Path:
    """The folder of its programs; fetched now if this is the first wish for it."""
    with _alone(cli):
        if not cli.programs.is_dir():
            _fetch(cli)
    return cli.programs


@contextmanager
def _alone(cli: Cli) -> Iterator[None]:
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / f"{cli.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(cli: Cli) -> None:
    failed = folder() / f"{cli.name}-{cli.version}.failed"
    if failed.exists() and time.time() - failed.stat().st_mtime < FRESH:
        raise Unavailable(failed.read_text())
    if problem := _install(cli):
        failed.write_text(problem)
        raise Unavailable(problem)


def _install(cli: Cli) -> str:
    npm = shutil.which("npm")
    if npm is None:
        return f"{cli.name}: there is no npm here to install {cli.package} with"
    half = cli.place.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    argv = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(half)]
    try:
        done = subprocess.run(
            [*argv, f"{cli.package}@{cli.version}"],
            cwd=half,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{cli.name}: npm did not bring {cli.package} within {PATIENCE} s"
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        return f"{cli.name}: npm cannot install {cli.package}@{cli.version}: {last}"
    half.rename(cli.place)
    return _unpack(cli) if cli.unpacks else ""


def _unpack(cli: Cli) -> str:
    home = cli.place / "home"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": f"{cli.programs}{os.pathsep}{os.environ['PATH']}"}
    try:
        subprocess.run(
            [cli.name, "--version"], env=environ, cwd=home, capture_output=True, timeout=PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(cli.place)
        return f"{cli.name}: it was installed and cannot be started: {error}"
    return ""


def _timed(cli: Cli) -> str:
    begun = time.monotonic()
    try:
        had(cli)
    except Unavailable as problem:
        return str(problem)
    sizes = {found.st_ino: found.st_size for found in (file.lstat() for file in cli.place.rglob("*"))}
    return f"{cli.name} {cli.version}: {time.monotonic() - begun:.1f} s, {sum(sizes.values()) / 2**20:.0f} MB"


def main() -> None:
    with ThreadPoolExecutor(len(CLIS)) as pool:
        for line in pool.map(_timed, CLIS.values()):
            print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
