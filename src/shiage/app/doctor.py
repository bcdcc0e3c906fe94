"""What a run needs, and whether it is here. Each item is looked at by itself; one failure hides no other."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from shiage.agents.probe import broken_settings, probe
from shiage.app.hands import adapter_of
from shiage.app.workspace import Workspace, open_workspace
from shiage.config import user_state_dir
from shiage.config.trust import is_trusted, of_documents
from shiage.domain.errors import UserError
from shiage.domain.run import Role
from shiage.engine.places import Places

OLDEST = (3, 11)
_GIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was looked at; the words for it are in the catalogue under its name."""

    name: str
    ok: bool
    values: Mapping[str, str] = field(default_factory=dict)
    needed: bool = True  #: without it nothing runs

    def as_json(self) -> dict[str, object]:
        return {"item": self.name, "ok": self.ok, "needed": self.needed, **self.values}


def healthy(items: tuple[Item, ...]) -> bool:
    return all(item.ok for item in items if item.needed)


def examine(start: Path, environ: Mapping[str, str]) -> tuple[Item, ...]:
    """Look at everything; changes nothing."""
    return (_python(), _git(), *_project(start, environ))


def fix(start: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Make what is only ours to make: our folder, and its being ignored by git."""
    root = open_workspace(start, environ).root
    places = Places(root, "doctor")
    made = [path for path in (places.home, places.home / ".gitignore") if not path.exists()]
    places.prepare()
    return tuple(path.relative_to(root).as_posix() for path in made)


def _python() -> Item:
    return Item("python", sys.version_info >= OLDEST, {"version": platform.python_version()})


def _git() -> Item:
    path = shutil.which("git")
    if path is None:
        return Item("git", ok=False)
    told = subprocess.run((path, "--version"), capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    return Item("git", told.returncode == 0, {"version": told.stdout.strip()})


def _project(start: Path, environ: Mapping[str, str]) -> Iterator[Item]:
    try:
        workspace = open_workspace(start, environ)
    except UserError as error:
        yield _unopened(error)
        return
    yield Item("project", ok=True, values={"root": str(workspace.root)})
    yield Item("repository", (workspace.root / ".git").exists(), needed=False)
    yield _writable(workspace.root)
    yield _ignored(workspace.root)
    yield Item("settings", ok=True)
    yield _trusted(workspace)
    yield from _agents(workspace)


def _unopened(error: UserError) -> Item:
    if error.code == "no-project":
        return Item("project", ok=False)
    place = f"{error.where}: " if error.where else ""
    return Item("settings", ok=False, values={"problem": f"{place}{error.message}", "help": error.help})


def _writable(root: Path) -> Item:
    home = root / ".shiage"
    place = home if home.exists() else root
    return Item("writable", place.is_dir() and os.access(place, os.W_OK | os.X_OK), {"path": str(place)})


def _ignored(root: Path) -> Item:
    """Our folder brings its own ignore file; one that does not exist yet needs none."""
    home, ours = root / ".shiage", root / ".gitignore"
    named = ours.is_file() and ".shiage" in ours.read_text(encoding="utf-8", errors="replace")
    return Item("ignored", named or not home.exists() or (home / ".gitignore").exists(), needed=False)


def _trusted(workspace: Workspace) -> Item:
    found = of_documents(workspace.root, workspace.loaded.documents)
    return Item("trusted", is_trusted(found, user_state_dir(workspace.environ)))


def _agents(workspace: Workspace) -> Iterator[Item]:
    """The agents that the settings give a role to."""
    names = dict.fromkeys(workspace.settings.agent_for(role) for role in Role)
    with ThreadPoolExecutor(len(names)) as pool:  # each waits for a program that takes its time
        yield from chain.from_iterable(pool.map(lambda name: tuple(_agent(workspace, name)), names))


def _agent(workspace: Workspace, name: str) -> Iterator[Item]:
    try:
        settings = workspace.agent(name)
        adapter = adapter_of(settings.kind)
    except UserError as error:
        yield Item("agent", ok=False, values={"name": name, "found": error.message, "help": error.help})
        return
    seen = probe(adapter, settings, workspace.environ)
    said = seen.version or seen.detail or seen.path
    wanted = settings.command[0] if settings.kind == "command" and settings.command else adapter.features.title
    remedy = f"install {wanted}, or set another agent in shiage.toml"
    silent = bool(adapter.version(settings)) and not seen.version
    yield Item("agent", seen.installed and not silent, {"name": name, "found": said.rstrip("."), "help": remedy})
    if seen.version and adapter.features.needs:
        lacks = {"name": name, "missing": ", ".join(seen.missing), "title": adapter.features.title}
        yield Item("headless", not seen.missing, lacks)
    if seen.strange:
        # A warning: what we need of it is looked at above, and most of what changes is not among that.
        tried = {"name": name, "version": seen.version, "tried": " … ".join(adapter.features.tried)}
        yield Item("agent-version", ok=False, values=tried, needed=False)
    if broken := broken_settings(adapter, workspace.root, workspace.environ):
        values = {"name": name, "path": ", ".join(broken), "title": adapter.features.title}
        yield Item("agent-settings", ok=False, values=values)
    if seen.login is not None and adapter.features.login:
        # A warning: it may be in a keychain, or in a configuration of its own that names another provider.
        yield Item("login", seen.login, {"name": name, "help": adapter.features.login.remedy}, needed=False)
