"""Views that need not be computed again, because nothing that they were computed from has changed.

Only a help for speed: it may be deleted at any time, and a view of a run that is going on is never taken from it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from shiage.app.views import SpecView
from shiage.domain.errors import UserError
from shiage.engine import lock
from shiage.engine.places import Places
from shiage.specs.base import Folder
from shiage.specs.files import write_atomic
from shiage.version import VERSION


class Kept(msgspec.Struct):
    stamp: str  #: of everything that the view was computed from
    view: SpecView


class Memory:
    """The views of one project, kept in `.shiage/`."""

    def __init__(self, root: Path, settings: object) -> None:
        self._root = root
        self._path = root / ".shiage" / "views.json"
        self._basis = f"{VERSION} {settings}"
        self._kept: Mapping[str, Kept] = self._load()
        self._written = self._kept
        self._fresh: dict[str, Kept] = {}

    def _load(self) -> dict[str, Kept]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Kept])
        except (OSError, ValueError):  # msgspec's errors are ValueErrors
            return {}

    def stamp(self, folder: Folder) -> str:
        """Changes with every file of the folder and with the settings."""
        with os.scandir(folder.path) as found:
            rows = sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in found)
        seen = ";".join(f"{name} {row.st_mtime_ns} {row.st_size} {row.st_ino}" for name, row in rows)
        return blake2b(f"{self._basis}\n{seen}".encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()

    def recall(self, folder: Folder, stamp: str) -> SpecView | None:
        kept = self._fresh.get(folder.key) or self._kept.get(folder.key)
        if kept is None or kept.stamp != stamp or self._taken_up(folder, kept.view):
            return None
        self._fresh[folder.key] = kept
        return kept.view

    def _taken_up(self, folder: Folder, view: SpecView) -> bool:
        """Whether a run that was interrupted is being gone on with: its lock tells before its journal does."""
        return view.reason == "interrupted" and lock.holder(Places(self._root, folder.key).lock) is not None

    def keep(self, folder: Folder, stamp: str, view: SpecView) -> None:
        """A stamp says nothing of files in a worktree, so a view of one is computed anew."""
        if not view.worktree and view.status != "running":
            self._fresh[folder.key] = Kept(stamp, view)

    def turn(self) -> None:
        """Another look begins: what the last one found is what is remembered."""
        self._kept, self._fresh = self._fresh, {}

    def save(self) -> None:
        """Write what is new; a project that cannot be written to is only slower."""
        if self._fresh != self._written and self._path.parent.is_dir():
            self._written = self._fresh
            with suppress(UserError):
                write_atomic(self._root, self._path, msgspec.json.encode(self._fresh))
