"""A change as git or two folders tell it: the texts before and after, for a judgment outside a run."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shiage.domain.errors import UserError
from shiage.engine import git
from shiage.engine.evidence import MAX_TOTAL, NO_TEXT

_BINARY_HEAD = 8000
_SKIPPED = (".git", ".shiage")
_RESOLVED = ("rev-parse", "--verify", "--quiet", "--end-of-options")


@dataclass(frozen=True, slots=True)
class Texts:
    """`after` has None for a deleted file; `before` lacks a new one."""

    after: Mapping[str, str | None] = field(default_factory=dict)
    before: Mapping[str, str | None] = field(default_factory=dict)


def since(root: Path, revision: str, paths: Sequence[str]) -> Texts:
    """What differs between a revision and the working tree, files that git does not know yet included."""
    commit = _commit(root, revision)
    top = ("--relative", "--no-renames", "--name-only", "-z", commit, "--", *paths)
    changed = git.names(_git(root, "diff", "--no-ext-diff", "--no-textconv", *top))
    new = git.names(_git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", *paths))
    names = [name for name in dict.fromkeys([*changed, *new]) if name.split("/")[0] not in _SKIPPED]
    return Texts(_working(root, names), _committed(root, commit, [name for name in names if name not in set(new)]))


def _commit(root: Path, revision: str) -> str:
    try:
        return _git(root, *_RESOLVED, f"{revision}^{{commit}}").strip().decode()
    except UserError as error:
        if error.code != "base-unknown":
            raise
        raise UserError(
            error.code,
            f'cannot compare: there is no revision "{revision[:80]}"',
            help="name a revision that git knows, or a folder, with `--base`.",
        ) from error


def between(base: Path, root: Path, paths: Sequence[str]) -> Texts:
    """What differs between two folders."""
    old, new = _listed(base, paths), _listed(root, paths)
    before, after = _working(base, old), _working(root, new)
    gone = {name: None for name in before if name not in after}
    differing = {name: text for name, text in after.items() if before.get(name) != text}
    return Texts({**differing, **gone}, before)


def everything(root: Path, paths: Sequence[str]) -> Texts:
    """All files as if they were new: where there is nothing to compare with."""
    return Texts(_working(root, _listed(root, paths)), {})


def is_repository(root: Path) -> bool:
    return git.says(root, "rev-parse", "--verify", "--quiet", "HEAD")


def _git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    try:
        return git.git(root, *arguments, stdin=stdin)
    except UserError as error:
        if error.code == "git-missing":
            raise UserError(
                error.code, error.message, help="install git, or name a folder with `--base DIR`."
            ) from error
        what = error.message.removeprefix("git: ")
        raise UserError(
            "base-unknown", f"cannot compare: {what}", help="name a revision or a folder with `--base`."
        ) from error


def _listed(root: Path, paths: Sequence[str]) -> list[str]:
    """The files below these paths, by their path from the root; folders that nobody edits are left out."""
    found: list[str] = []
    for start in paths or ["."]:
        place = root / start
        if place.is_file():
            found.append(place.relative_to(root).as_posix())
        for folder, inner, files in os.walk(place):
            inner[:] = sorted(name for name in inner if name not in _SKIPPED)
            found += [(Path(folder) / name).relative_to(root).as_posix() for name in sorted(files)]
    return list(dict.fromkeys(found))


def _working(root: Path, names: Iterable[str]) -> dict[str, str | None]:
    texts: dict[str, str | None] = {}
    room = MAX_TOTAL
    for name in names:
        place = root / name
        if place.is_symlink() or not place.exists():
            texts[name] = f"{NO_TEXT}{place.readlink()}" if place.is_symlink() else None  # a target is no content
            continue
        size = place.stat().st_size if place.is_file() else room + 1
        if size <= room:
            text = _text(place.read_bytes())
            texts |= {name: text} if text is not None else {}
            room -= size
    return texts


def _text(data: bytes) -> str | None:
    return None if b"\0" in data[:_BINARY_HEAD] else data.decode("utf-8", "replace")


def _committed(root: Path, commit: str, names: Sequence[str]) -> dict[str, str | None]:
    """The texts of a commit in one call of git."""
    asked = b"".join(f"{commit}:./".encode() + os.fsencode(name) + b"\n" for name in names if "\n" not in name)
    answer = _git(root, "cat-file", "--batch", stdin=asked) if asked else b""
    texts: dict[str, str | None] = {}
    for name in (name for name in names if "\n" not in name):
        head, _, answer = answer.partition(b"\n")
        if head.endswith((b"missing", b"ambiguous")):
            continue
        size = int(head.rsplit(b" ", 1)[1])
        texts[name], answer = _text(answer[:size]), answer[size + 1 :]
    return texts
