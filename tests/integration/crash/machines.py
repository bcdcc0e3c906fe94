"""Machines that know each other only by a repository and a queue: folders, homes and shiage processes of their own."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import acceptance_project
import psutil
import psycopg

GIT = "[user]\nname = Ada\nemail = ada@localhost\n[init]\ndefaultBranch = main\n"
Project = acceptance_project.Project


class Machines:
    def __init__(self, root: Path, lease: int = 30, queue: str = "") -> None:
        self.root, self.url = root, str(root / "origin.git")
        self.queue = f"{queue or f'sqlite://{root}/queue?'}lease={lease}"
        self.told = self.url  #: the repository's address as the machines know it
        self.all: list[Any] = []
        (root / "hosts").mkdir()
        self.git(root, "init", "-q", "--bare", "-b", "main", self.url)

    def git(self, where: Path, *arguments: str) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.root / "hosts"), "LANG": "C.UTF-8"}
        (self.root / "hosts" / ".gitconfig").write_text(GIT)
        done = subprocess.run(["git", *arguments], cwd=where, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def machine(self, name: str, scenes: list[Any], settings: str = "") -> Any:
        """A clone in a home of its own, whose person has named the queue and an agent."""
        home = self.root / "hosts" / name
        home.mkdir(parents=True)
        (home / ".gitconfig").write_text(GIT)
        self.git(home, "clone", "-q", self.url, "project")
        made = Project(home / "project", home)
        named = settings if "[queue]" in settings else f"{settings}\n[queue]"
        made.cast(scenes, f'{named}\nurl = "{self.queue}"\n')
        self.all.append(made)
        return made

    def begin(self, files: dict[str, str] | None = None) -> None:
        """The first commit of the repository."""
        seed = self.root / "seed"
        self.git(self.root, "init", "-q", str(seed))
        for name, text in {"README.md": "# A project\n", ".gitignore": "*.log\n", **(files or {})}.items():
            (seed / name).parent.mkdir(parents=True, exist_ok=True)
            (seed / name).write_text(text)
        self.git(seed, "add", "-A")
        self.git(seed, "commit", "-qm", "begin")
        self.git(seed, "push", "-q", self.url, "main")

    def ticket(self, what: str = "state", spec: str = "login") -> str:
        """A look at the queue's own tables, which costs less than a command."""
        found = self._asked(f"SELECT {what} FROM ticket WHERE subject LIKE '{spec}@%' ORDER BY id DESC")
        return str(found[0]) if found else ""

    def workers(self) -> set[str]:
        return set(self._asked("SELECT name FROM owner WHERE worker"))

    def _asked(self, words: str) -> list[Any]:
        if self.queue.startswith("postgresql:"):
            server = self.queue.rpartition("lease=")[0].rstrip("?&")
            with psycopg.connect(server, options="-c search_path=shiage") as link:
                return [row[0] for row in link.execute(words)]  # type: ignore[arg-type]
        with closing(sqlite3.connect(f"file:{self.root / 'queue' / 'tickets.db'}?mode=ro", uri=True)) as db:
            return [row[0] for row in db.execute(words)]

    def tip(self, spec: str = "login") -> str:
        return self.git(Path(self.url), "rev-parse", f"refs/heads/shiage/{spec}").strip()

    def journal(self, spec: str = "login", kind: str = "") -> list[Any]:
        """The events that the branch holds."""
        text = self.git(Path(self.url), "show", f"shiage/{spec}:.kiro/specs/{spec}/event-log.jsonl")
        return [entry for entry in map(json.loads, text.splitlines()) if kind in ("", entry["event_type"])]

    def rounds(self, spec: str = "login") -> list[tuple[str, int]]:
        return [(e["content"]["phase"], e["content"]["round"]) for e in self.journal(spec, "ROUND_CLOSED")]

    def file(self, path: str, spec: str = "login") -> str:
        """A file as the work of the run branch has it."""
        return self.git(Path(self.url), "show", f"shiage/{spec}^1:{path}")


def attempt_log(machine: Any, number: int, spec: str = "login") -> Callable[[], bool]:
    """Whether this attempt has begun on this machine."""
    pattern = f".shiage/carried/*/{spec}/.shiage/runs/r-0001/attempt-{number}.log"
    return lambda: any(machine.root.glob(pattern))


def agents_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """Everything that a worker has started and that has not ended."""
    return [each for each in psutil.Process(process.pid).children(recursive=True) if each.is_running()]


def kill_tree(process: "subprocess.Popen[str]") -> None:
    """A machine that loses its power: everything is gone at once."""
    for each in [psutil.Process(process.pid), *agents_of(process)]:
        each.kill()
    process.wait()


def listed(machine: Any) -> dict[str, Any]:
    told = machine.shiage("queue", "list", "--json").json
    return {row["spec"]: row for row in reversed([*told["tickets"], *told["ended"]])}
