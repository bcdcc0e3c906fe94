"""The commits of a run branch: the work and, beside it, the books; what is ours among them, and what a person added."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.engine import git
from shiage.engine.places import Places
from shiage.specs.base import Folder

JOURNAL = "event-log.jsonl"
OWNER = ".shiage/owner"  #: says on the branch who owns the run; no other branch has it
REMOTE = "refs/remotes/origin/"
_FAR = 200  #: commits of people on top of ours that are looked through


@dataclass(frozen=True, slots=True)
class Branch:
    root: Path  #: the project in a checkout
    folder: Folder
    inside: str  #: the project's folder in the repository
    owner: str

    @property
    def journal(self) -> str:
        return f"{self.inside}{self.folder.shown(JOURNAL)}"

    def is_book(self, path: str) -> bool:
        return path == self.journal or path.startswith(f"{self.inside}.shiage/")

    def books(self) -> dict[str, bytes]:
        root, folder = self.root, self.folder
        paths = [folder.path / JOURNAL, *sorted((root / ".shiage" / "snapshots").glob("*"))]
        there = [path for path in (*paths, Places(root, folder.key).head) if path.is_file()]
        kept = {self.inside + path.relative_to(root).as_posix(): path.read_bytes() for path in there}
        return {**kept, f"{self.inside}{OWNER}": f"{self.owner}\n".encode()}


def committed(branch: Branch, tip: str, before: str, words: str) -> str:
    """The commit that is pushed; the one from before if nothing is new."""
    return with_files(branch.root, tip, branch.books(), [tip, before] if before else [tip], words)


def with_files(root: Path, commit: str, found: Mapping[str, bytes], parents: list[str], words: str) -> str:
    """A commit like this one with these files in it, by their path from the top, made beside index and worktree."""
    rows = []
    for path, data in found.items():
        blob = git.git(root, "hash-object", "-w", "--stdin", stdin=data).decode().strip()
        rows.append(f"100644 {blob} 0\t{path}\0")
    tree = _tree(root, commit, rows)
    if len(parents) > 1 and _same(root, parents, tree):
        return parents[1]
    return _commit(root, tree, parents, words)


def _tree(root: Path, commit: str, rows: list[str]) -> str:
    with tempfile.TemporaryDirectory() as aside:
        index = {"GIT_INDEX_FILE": str(Path(aside) / "index")}
        git.git(root, "read-tree", commit, variables=index)
        git.git(root, "update-index", "-z", "--index-info", stdin="".join(rows).encode(), variables=index)
        return git.git(root, "write-tree", variables=index).decode().strip()


def _commit(root: Path, tree: str, parents: list[str], words: str) -> str:
    named = [word for parent in parents for word in ("-p", parent)]
    return git.git(root, "commit-tree", tree, *named, "-F", "-", stdin=words.encode()).decode().strip()


def _same(root: Path, parents: list[str], tree: str) -> bool:
    """Whether the commit from before holds this tree of this very work."""
    known = git.word(root, "rev-parse", f"{parents[1]}^{{tree}}", f"{parents[1]}^1").split("\n")
    return known == [tree, parents[0]]


def newest_of_ours(copy: Path, tip: str, branch: Branch) -> str | None:
    """The newest commit of the branch that shiage pushed: it adds books to the work before it, and nothing else."""
    lines = git.word(copy, "rev-list", "--first-parent", f"--max-count={_FAR}", tip).split("\n")
    return next((commit for commit in lines if _is_ours(copy, commit, branch)), None)


def _is_ours(copy: Path, commit: str, branch: Branch) -> bool:
    if git.commit_of(copy, f"{commit}^1") is None or not git.blobs(copy, commit, f"{branch.inside}{OWNER}"):
        return False
    changed = git.names(git.git(copy, "diff", "--name-only", "--no-renames", "-z", f"{commit}^1", commit))
    return f"{branch.inside}{OWNER}" in changed and all(map(branch.is_book, changed))


def without_books(copy: Path, tip: str, work: str, branch: Branch) -> str:
    """What people have committed on top of ours, as one commit on top of the work."""
    gone = [path for path in git.blobs(copy, tip, branch.inside or ".") if branch.is_book(path)]
    tree = _tree(copy, tip, [f"0 {'0' * 40}\t{path}\0" for path in gone])
    return _commit(copy, tree, [work], git.word(copy, "log", "-1", "--format=%B", tip))
