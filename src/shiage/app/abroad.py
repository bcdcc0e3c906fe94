"""Where runs of a project are that travel between machines, as far as it can be seen from here."""

import threading
import time
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from shiage.config.settings import Queue
from shiage.domain.errors import UserError
from shiage.engine import git, mirror
from shiage.engine.carrier import Route
from shiage.engine.mirror import Seen
from shiage.specs.folder import Folder, valid_name

FRESH_SECONDS = 2.0  #: a look at the repository counts so long, for everybody in this process
#: One that failed counts longer: a repository that does not answer must not hold up every page.
TROUBLED_SECONDS = 15.0
_SEEN: dict[Route, tuple[float, Seen]] = {}
_ROUTES: dict[tuple[Path, Queue], tuple[float, Route | None]] = {}
_LOCK = threading.Lock()


def route_of(root: Path, queue: Queue) -> Route | None:
    """By which repository this project's runs travel; None where they stay: the queue is the project's own."""
    if not queue.url:
        return None
    at, known = _ROUTES.get((root, queue), (0.0, None))
    if not at or time.monotonic() - at > FRESH_SECONDS:
        url = queue.remote or _origin(root)
        known = Route(_without_secret(url), place_of(root, url), _inside(root)) if url else None
        _ROUTES[root, queue] = (time.monotonic(), known)
    return known


def required(root: Path, queue: Queue) -> Route:
    route = route_of(root, queue)
    if route is None:
        raise UserError(
            "no-remote", "a run in a shared queue travels by a repository that every machine knows, and none is named",
            help="`git remote add origin URL`, or set [queue] remote.",
        )  # fmt: skip
    return route


def place_of(root: Path, url: str) -> Path:
    """Where this machine keeps what travels by that repository."""
    return root / ".shiage" / "carried" / repository_id(url)


def repository_id(url: str) -> str:
    return sha256(url.encode()).hexdigest()[:12]


def _origin(root: Path) -> str:
    done = git.asked(root, "remote", "get-url", "origin")
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _inside(root: Path) -> str:
    done = git.asked(root, "rev-parse", "--show-prefix")
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _without_secret(url: str) -> str:
    """The address is written into the queue, where everybody who uses it can read it."""
    if "://" in url and urlsplit(url).password:
        raise UserError(
            "remote-secret", "the repository's address holds a password, which would be told to every machine",
            help="name it without one; `git help credentials` says how each machine keeps its own.",
        )  # fmt: skip
    return url


def seen(route: Route) -> Seen:
    """The run branches, asked anew when the last look is too old."""
    with _LOCK:
        at, found = _SEEN.get(route, (0.0, None))
        fresh = TROUBLED_SECONDS if found and found.trouble else FRESH_SECONDS
        if found is None or time.monotonic() - at > fresh:
            found = mirror.look(route)
            _SEEN[route] = (time.monotonic(), found)
        return found


def forget(route: Route) -> None:
    """The next look asks the repository: something was done."""
    with _LOCK:
        _SEEN.pop(route, None)


def folder(route: Route, name: str) -> Folder | None:
    """The spec or bug of this name that travels."""
    commits = seen(route).commits
    for key in (valid_name(name), f"bug-{name}"):
        found = mirror.folder_of(route, key, commits[key]) if key in commits else None
        if found and found.name == name:
            return found
    return None


def folders(route: Route | None) -> tuple[Folder, ...]:
    """All that travel, by name."""
    commits = seen(route).commits if route else {}
    found = [mirror.folder_of(route, key, commit) for key, commit in sorted(commits.items())] if route else []
    return tuple(each for each in found if each)
