"""A repository's own settings may not make shiage run, send or open anything before the person accepted exactly them.

Relevant, in shiage.toml, pyproject.toml and .claude/review-loop.json:

- `checks.*`: commands that shiage runs;
- `agents.*`, except `model`: programs, arguments, variables handed on, permission modes;
- `tools.*`: what an agent may do without asking;
- `roles.*`, and `agent` when it names no built-in agent: which of those programs run;
- `notify.webhooks`, `notify.apprise`, `queue.url`, `queue.remote`: where text of the project is sent, who may give work;
- `review_loop.judge`: a further agent or model that sees the project.

Not relevant: limits, budget, permissions of phases, guard, criteria, patterns, `model`, language. They can make a run
longer, shorter, stricter or laxer, but never make it run or contact something else. Unknown keys below a relevant
table count: a later version may know them. What a command's own script does is not covered, as with direnv.

The environment, the command line and the user file are the person's own and need no trust. The record is bound to the
project's path and to the values, so comments and layout may change freely, and going back to accepted values is
accepted already.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiage.config.files import Document, project_documents
from shiage.config.kinds import shown
from shiage.config.places import Key
from shiage.config.settings import BUILT_IN_AGENTS
from shiage.config.table import ALIASES, dotted
from shiage.domain.errors import UserError, Where

_VERSION = 1  #: of the record and of the rule above: a new rule asks again
_NAMED = 6  #: keys that one sentence can hold
_TABLES = frozenset({"checks", "agents", "roles", "tools"})
_KEYS = frozenset(
    {("notify", "webhooks"), ("notify", "apprise"), ("queue", "url"), ("queue", "remote"), ("review_loop", "judge")}
)
_PLAIN_TABLES = frozenset(path[:1] for path in _KEYS)  #: relevant also when something else than a table stands there


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a project's own settings would run, send or open, and the digest that stands for it."""

    project: Path
    digest: str
    items: tuple[tuple[str, str], ...]  #: dotted key and the whole value, for the person to read

    @property
    def empty(self) -> bool:
        return not self.items


def fingerprint(project: Path) -> Fingerprint:
    """The fingerprint of the settings as they are on disk now."""
    return of_documents(project, project_documents(project)[0])


def of_documents(project: Path, documents: Iterable[Document]) -> Fingerprint:
    """The fingerprint of settings that were read already: what is judged is what is used."""
    relevant: dict[str, Any] = {}
    for document in documents:
        for path, value in _leaves(document.raw, document.prefix):
            if _matters(path, value):
                relevant.setdefault(".".join(ALIASES.get(path, path)), value)
    canonical = json.dumps([_VERSION, sorted(relevant.items())], sort_keys=True, default=repr)
    items = tuple((dotted((key,)), shown(value)) for key, value in sorted(relevant.items()))
    return Fingerprint(project.resolve(), hashlib.sha256(canonical.encode()).hexdigest(), items)


def _leaves(node: Any, path: Key) -> Iterator[tuple[Key, Any]]:
    """Every value with its path; tables nest no deeper than the parsers allow."""
    if isinstance(node, Mapping) and node:
        for name, value in node.items():
            yield from _leaves(value, (*path, name))
    elif node != {}:
        yield path, node


def _matters(path: Key, value: Any) -> bool:
    path = ALIASES.get(path, path)
    if path[0] == "agents":
        return path[2:] != ("model",)
    if path == ("agent",):
        return value not in BUILT_IN_AGENTS
    return path[0] in _TABLES or path[:2] in _KEYS or path in _PLAIN_TABLES


def is_trusted(project: Path | Fingerprint, state_dir: Path) -> bool:
    """Whether the person accepted exactly this; a project that names nothing relevant needs no trust."""
    found = _fingerprint(project)
    if found.empty:
        return True
    try:
        record = json.loads(_record(found, state_dir).read_bytes())
    except (OSError, ValueError, RecursionError):  # unknown is never a yes
        return False
    return isinstance(record, dict) and (record.get("project"), record.get("digest")) == (
        str(found.project),
        found.digest,
    )


def trust(project: Path | Fingerprint, state_dir: Path) -> Fingerprint:
    """Accept it. Give the fingerprint that was shown to the person: the files may have changed since."""
    found = _fingerprint(project)
    if not found.empty:
        content = {"v": _VERSION, "project": str(found.project), "digest": found.digest, "items": found.items}
        _write(_record(found, state_dir), json.dumps(content, indent=1).encode())
    return found


def require_trust(project: Path | Fingerprint, state_dir: Path) -> None:
    """Refuse to go on with settings that the person has not accepted."""
    found = _fingerprint(project)
    if is_trusted(found, state_dir):
        return
    raise UserError(
        "not-trusted",
        f"this project's own settings were not accepted yet: {_summary(found)}",
        where=Where(str(found.project)),
        help="look at what it would run with `shiage trust`, which then accepts it. Nothing was run.",
    )


def _summary(found: Fingerprint) -> str:
    keys = [key for key, _ in found.items]
    return ", ".join(keys[:_NAMED]) + (f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")


def _fingerprint(project: Path | Fingerprint) -> Fingerprint:
    return project if isinstance(project, Fingerprint) else fingerprint(project)


def _record(found: Fingerprint, state_dir: Path) -> Path:
    name = hashlib.sha256(f"{found.project}\0{found.digest}".encode(errors="surrogateescape")).hexdigest()
    return state_dir / "trust" / f"{name}.json"


def _write(path: Path, content: bytes) -> None:
    """Beside it, then rename: a crash leaves the old record or the new one. Readable by the person alone."""
    beside = path.with_name(f".{path.stem[:16]}.{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            "state-not-writable",
            f"cannot remember the trust: {error.strerror}",
            where=Where(str(path)),
            help=f"make {path.parent} writable, then `shiage trust`.",
        ) from error
