"""What a person edits in the own checkout after a spec was sent off is brought to its branch when it is to go on."""

import json
from hashlib import sha256
from pathlib import Path

from shiage.domain.errors import UserError, Where
from shiage.engine import git
from shiage.engine.carrier import Route
from shiage.engine.runbranch import with_files
from shiage.engine.worktrees import BRANCHES
from shiage.specs import files
from shiage.specs.base import Folder

Digests = dict[str, str]


def remember(route: Route, home: Folder) -> None:
    """The documents as they were sent: what differs from them later is an edit."""
    place = _memory(route, home)
    place.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomic(route.place, place, json.dumps(_digests(_documents(home))).encode())


def bring(route: Route, home: Folder, seen: Folder, commit: str) -> bool:
    """Add the edits to the branch, whose documents `seen` has; whether there were any."""
    mine, sent = _documents(home), _sent(route, home)
    edited = {name: data for name, data in mine.items() if name in sent and _digest(data) != sent[name]}
    theirs = _digests(_documents(seen))
    both = [name for name in edited if theirs.get(name) not in (sent[name], _digest(edited[name]))]
    if both:
        named = home.shown(both[0])
        raise UserError(
            "edited-twice", f"{named} was edited here and changed on the run branch", where=Where(named),
            help=f"`shiage land {home.name}` brings the run here, where both can be looked at.",
        )  # fmt: skip
    new = {name: data for name, data in edited.items() if theirs.get(name) != _digest(data)}
    if new:
        _push(route, home, new, commit)
    if edited:
        remember(route, home)
    return bool(new)


def _push(route: Route, home: Folder, new: dict[str, bytes], commit: str) -> None:
    found = {f"{route.inside}{home.shown(name)}": data for name, data in new.items()}
    words = f"{home.name}: {', '.join(sorted(new))} edited by a person"
    made = with_files(route.copy, commit, found, [commit], words)
    target = f"{made}:refs/heads/{BRANCHES}{home.key}"
    remedy = f"`shiage status {home.name}` where it is now, then do it again."
    git.git(route.copy, "push", "--quiet", "--", route.url, target, code="push-refused", help=remedy)


def _memory(route: Route, home: Folder) -> Path:
    return route.place / "sent" / f"{home.key}.json"


def _sent(route: Route, home: Folder) -> Digests:
    """Empty where the spec was sent off by another machine: a copy here that is older is no edit."""
    try:
        known = json.loads(files.read_bytes(route.place, _memory(route, home)) or b"{}")
    except ValueError:
        return {}
    return {str(name): str(digest) for name, digest in known.items()} if isinstance(known, dict) else {}


def _documents(folder: Folder) -> dict[str, bytes]:
    paths = [path for path in files.entries(folder.root, folder.path) if path.suffix == ".md" and path.is_file()]
    return {path.name: files.read_bytes(folder.root, path) or b"" for path in paths}


def _digests(documents: dict[str, bytes]) -> Digests:
    return {name: _digest(data) for name, data in documents.items()}


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
