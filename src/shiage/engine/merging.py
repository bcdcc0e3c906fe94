"""A finished worktree goes into its base branch, and no uncommitted work in the main checkout is touched on the way.

The merge is computed beside every checkout. The main checkout then goes forward to it as git itself goes forward, which
carries uncommitted work along or refuses. Only the spec's own files may be replaced: those that the worktree was begun
with, as long as they are still the same.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shiage.domain.errors import UserError, Where
from shiage.engine import git
from shiage.engine.worktrees import BRANCHES, FOLDER, KEY, Tree, commit_all, conflict, erase
from shiage.specs import files
from shiage.specs.base import Folder

_TRIES = 5  #: a base that moves so often under us is somebody else's at the moment
_OURS = ("worktree", "updated_at")  #: what shiage writes into the main checkout's state while the worktree lives
_NONE = "0" * 40

Blobs = Mapping[str, tuple[str, str]]


def deliver(tree: Tree, folder: Folder, message: str) -> None:
    """Merge the worktree into its base, bring the spec home, and clean up; repeated after a crash it only goes on."""
    with files.locked(tree.home, tree.home / FOLDER / ".lock", git.PATIENCE):
        commit_all(tree, f"{folder.name}: ready to be merged")
        tip, top = tree.word("rev-parse", "HEAD"), Path(git.word(tree.home, "rev-parse", "--show-toplevel"))
        if not tree.seed:  # somebody else's: it was begun where it left the base
            tree = replace(tree, seed=git.word(tree.home, "merge-base", "HEAD", tip))
        merged = _in_base(tree, folder, top, tip, message)
        _bring_home(tree, folder, top, merged)
        if folder.state().worktree:
            folder.write_state({KEY: {}})
        if not tree.foreign and tree.branch.startswith(BRANCHES):
            erase(tree.home, tree.top, tree.branch)


def _in_base(tree: Tree, folder: Folder, top: Path, tip: str, message: str) -> str:
    for _ in range(_TRIES):
        base = _base(tree)
        if git.says(top, "merge-base", "--is-ancestor", tip, base):
            return base
        merged = _merged(tree, base, tip, message)
        try:
            _forward(tree, folder, top, base, merged)
        except UserError:
            if git.commit_of(top, "HEAD") == base:
                raise
        else:
            return merged
    raise _blocked(tree, f'"{tree.base}" is moving all the time', tree.base)


def _base(tree: Tree) -> str:
    """The base's newest commit; only the main checkout itself, on that branch, can be taken forward."""
    here = git.branch_of(tree.home)
    if not tree.base:
        raise _blocked(tree, f'"{tree.branch}" was begun at a commit and not at a branch', tree.branch)
    if here != tree.base:
        raise _blocked(tree, f'the main checkout is on "{here or "no branch"}" and not on "{tree.base}"', tree.base)
    return git.word(tree.home, "rev-parse", "HEAD")


def _blocked(tree: Tree, what: str, path: str) -> UserError:
    help_ = f"make way in the main checkout, then run again; or merge {tree.branch} yourself."
    return UserError("merge-blocked", what, where=Where(path), help=help_)


def _merged(tree: Tree, base: str, tip: str, message: str) -> str:
    """The merge as a commit that no branch has yet."""
    done = git.asked(tree.home, "merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", base, tip)
    if done.returncode == 1:
        raise conflict(tree, list(dict.fromkeys(git.names(done.stdout)[1:])))
    if done.returncode != 0:
        raise git.failed(done, "merge-blocked")
    new = git.names(done.stdout)[0]
    return (
        git.git(tree.home, "commit-tree", new, "-p", base, "-p", tip, "-F", "-", stdin=message.encode())
        .decode()
        .strip()
    )


def _forward(tree: Tree, folder: Folder, top: Path, base: str, merged: str) -> None:
    """Take the main checkout from the base to the merge."""
    ours = _replaceable(tree, folder, top, base, merged)
    touched = git.names(git.git(top, "diff", "--name-only", "--no-renames", "-z", base, merged))
    kept = [path for path in git.changed(top) if path not in ours]
    in_the_way = [path for path in touched if path not in ours and _meets(top, path, kept)]
    if in_the_way:
        named = ", ".join(in_the_way)
        raise _blocked(tree, f"uncommitted work in the main checkout would be overwritten: {named}", named)
    before = git.staged(top, _spec(top, folder))
    _stage(top, {path: row for path, row in git.blobs(top, merged, _spec(top, folder)).items() if path in ours})
    done = git.asked(top, "merge", "--ff-only", "--no-autostash", "--no-overwrite-ignore", "--quiet", merged)
    if done.returncode != 0:
        _stage(top, {path: before.get(path, ("0", _NONE)) for path in ours})
        raise git.failed(done, "merge-blocked", "make way in the main checkout, then run again.")


def _meets(top: Path, path: str, others: Iterable[str]) -> bool:
    """Whether one of these is the path, lies below it, or is a file where it needs a folder."""
    for other in others:
        if other == path or other.startswith(f"{path}/"):
            return True
        if path.startswith(f"{other.rstrip('/')}/") and (not other.endswith("/") or os.path.lexists(top / path)):
            return True
    return False


def _stage(top: Path, rows: Blobs) -> None:
    said = "".join(f"{mode} {blob} 0\t{path}\0" for path, (mode, blob) in rows.items())
    git.git(top, "update-index", "-z", "--index-info", stdin=said.encode("utf-8", "surrogateescape"))


def _spec(top: Path, folder: Folder) -> str:
    return folder.path.resolve().relative_to(top.resolve()).as_posix()


def _replaceable(tree: Tree, folder: Folder, top: Path, base: str, merged: str) -> set[str]:
    """The spec's files in the main checkout that hold nothing but what the worktree was begun with."""
    spec = _spec(top, folder)
    seed, new, old = (git.blobs(top, commit, spec) for commit in (tree.seed, merged, base))
    index, there = git.staged(top, spec), [path for path in seed if (top / path).is_file() and "\n" not in path]
    state = f"{spec}/{folder.state_name}"
    same = set()
    for path, blob in zip(there, _hashes(top, there), strict=True):
        known = {rows[path][1] for rows in (seed, new) if path in rows}
        is_ours = blob in known or (path == state and _same_state(top, folder, seed[path][1]))
        was_staged = path in index and index[path][1] not in {
            *known,
            *(rows[path][1] for rows in (old,) if path in rows),
        }
        if path in new and is_ours and (path == state or not was_staged):
            same.add(path)
    return same


def _hashes(top: Path, paths: Sequence[str]) -> list[str]:
    """What git would make of the files as they lie there."""
    plain = "".join(f"{path}\n" for path in paths)
    return git.git(top, "hash-object", "--stdin-paths", stdin=plain.encode("utf-8", "surrogateescape")).decode().split()


def _same_state(top: Path, folder: Folder, blob: str) -> bool:
    try:
        begun = json.loads(git.git(top, "cat-file", "blob", blob))
    except ValueError:
        return False
    now = folder.value()
    return {k: v for k, v in now.items() if k not in _OURS} == {k: v for k, v in begun.items() if k not in _OURS}


def _bring_home(tree: Tree, folder: Folder, top: Path, merged: str) -> None:
    """Give the spec's files in the main checkout what the merge has; the state last, for it names the worktree."""
    ours = _replaceable(tree, folder, top, merged, merged)
    state = f"{_spec(top, folder)}/{folder.state_name}"
    for path in sorted(ours, key=lambda path: (path == state, path)):
        data = git.git(top, "cat-file", "--filters", f"{merged}:{path}")
        if (top / path).read_bytes() != data:
            files.write_atomic(folder.root, top / path, data)
