"""Looks at specs that run elsewhere: what their branches hold, as a folder like any other, to be read and never worked in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.domain.errors import UserError
from shiage.engine import git, lock
from shiage.engine.carrier import Route, fetched
from shiage.engine.places import Places
from shiage.engine.runbranch import JOURNAL, OWNER, REMOTE
from shiage.engine.worktrees import BRANCHES
from shiage.specs import files
from shiage.specs.folder import KINDS, Folder

PATIENCE = 20.0  #: seconds that a look waits for a repository that does not answer
_BUSY = 0.5  #: seconds that it waits for another process that is fetching
_PLAIN = frozenset({"100644", "100755"})  #: no links


@dataclass(frozen=True, slots=True)
class Seen:
    """The run branches as they were known last."""

    commits: Mapping[str, str]  #: key of the spec -> newest commit
    trouble: UserError | None = None  #: why they are not known as they are now


def look(route: Route) -> Seen:
    """Ask the repository; where it cannot be reached, what was known stays."""
    trouble = None
    try:
        with files.locked(route.place, route.lock, _BUSY):
            fetched(route, f"{BRANCHES}*", PATIENCE)
    except UserError as error:
        trouble = error if error.code != "spec-not-writable" else None  # somebody else here is fetching
    return Seen(_known(route), trouble)


def _known(route: Route) -> dict[str, str]:
    if not (route.copy / "HEAD").is_file():
        return {}
    prefix = f"{REMOTE}{BRANCHES}"
    listed = git.word(route.copy, "for-each-ref", "--format=%(refname) %(objectname)", prefix)
    rows = (line.split(" ") for line in listed.splitlines())
    found = {name.removeprefix(prefix): commit for name, commit in rows}
    owner = f"{route.inside}{OWNER}"
    return {key: commit for key, commit in found.items() if git.blobs(route.copy, commit, owner)}


def folder_of(route: Route, key: str, commit: str) -> Folder | None:
    """The spec as this machine can see it: where it is worked on here, that very folder; else what its branch holds."""
    known = git.blobs(route.copy, commit, route.inside or ".")
    for kind in KINDS:
        name = key if kind.workflow == "spec" else key.removeprefix("bug-")
        if kind(route.place, name).key != key:
            continue
        if any(path.startswith(f"{route.inside}{kind.parent}/{name}/") for path in known):
            return _at_work(route, key, kind, name) or _mirrored(route, key, commit, kind(_seen(route, key), name))
    return None


def _seen(route: Route, key: str) -> Path:
    return route.place / "seen" / key


def _at_work(route: Route, key: str, kind: type[Folder], name: str) -> Folder | None:
    here = kind(route.place / key / route.inside, name)
    alive = lock.holder(Places(here.root, key).lock) is not None
    return here if alive and lock.holder(route.place / "locks" / f"{key}.lock") is not None else None


def _mirrored(route: Route, key: str, commit: str, folder: Folder) -> Folder:
    """Bring the folder to what the commit has, file by file: a reader sees old or new ones, and the journal only grows."""
    root = folder.root
    stamp = root / ".shiage" / "commit"
    if files.read_text(root, stamp) == commit:
        return folder
    with files.locked(route.place, route.place / "locks" / f"{key}.seen"):
        (root / ".shiage").mkdir(parents=True, exist_ok=True)
        _link_runs(route, key, root / ".shiage" / "runs")
        wanted = _contents(route, commit, folder)
        for path in files.entries(root, folder.path):
            if path.is_file() and path not in wanted:
                path.unlink()
        for path, data in wanted.items():
            if files.read_bytes(root, path) != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                files.write_atomic(root, path, data)
        files.write_atomic(root, stamp, commit.encode())
    return folder


def _link_runs(route: Route, key: str, link: Path) -> None:
    """What agents were told and said here stays where they worked; elsewhere the link leads nowhere."""
    if not link.is_symlink():
        link.symlink_to(f"../../../{key}/{route.inside}.shiage/runs")


def _contents(route: Route, commit: str, folder: Folder) -> dict[Path, bytes]:
    """The spec's files, the journal last: whoever reads it finds what it speaks of."""
    spec = f"{route.inside}{folder.shown('')}".rstrip("/")
    head = f"{route.inside}.shiage/heads/{folder.key}"
    rows = {**git.blobs(route.copy, commit, head), **git.blobs(route.copy, commit, spec)}
    there = [(path, blob) for path, (mode, blob) in rows.items() if mode in _PLAIN]
    there.sort(key=lambda row: row[0].endswith(f"/{JOURNAL}"))
    return {
        folder.root / path.removeprefix(route.inside): git.git(route.copy, "cat-file", "blob", blob)
        for path, blob in there
    }
