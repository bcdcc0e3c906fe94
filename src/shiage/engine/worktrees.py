"""A spec's own checkout and branch beside the main checkout, which keeps the journal, the queue and its uncommitted work.

`.shiage/worktrees/F` is on the branch `shiage/F`. Its first commit brings the spec as it lies in the main checkout,
committed or not; nothing else that is uncommitted there comes along. While spec.json of the main checkout names the
worktree, the spec's state and artefacts are those of the worktree.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shiage.domain.errors import UserError, Where
from shiage.engine import git
from shiage.specs import files
from shiage.specs.base import Folder
from shiage.specs.jsonedit import edit

FOLDER = ".shiage/worktrees"
BRANCHES = "shiage/"
KEY = ("worktree",)
_BOOKS = "event-log.jsonl"


@dataclass(frozen=True, slots=True)
class Tree:
    """Where a spec's agents work, and where their work is going to."""

    home: Path  #: the project in the main checkout
    root: Path  #: the project in the worktree
    branch: str
    base: str = ""  #: the branch that it is merged into; empty: none is known
    seed: str = ""  #: the commit that work began at; empty: the making of the worktree was cut short
    foreign: bool = field(default=False, compare=False)  #: not made by shiage: never removed by it
    checkout: Path | None = field(default=None, compare=False)  #: all of it, where it does not lie in our own folder

    @property
    def there(self) -> bool:
        return bool(self.seed or self.foreign) and self.root.is_dir()

    @property
    def cut(self) -> bool:
        """Whether its making was cut short, so that nobody has worked in it."""
        return not self.seed and not self.foreign and self.root.is_relative_to(self.home / FOLDER)

    @property
    def shown(self) -> str:
        return files.shown(self.home, self.root) if self.root.is_relative_to(self.home) else str(self.root)

    def folder(self, home: Folder) -> Folder:
        """The spec's folder in the worktree."""
        return type(home)(self.root, home.name)

    @property
    def top(self) -> Path:
        """The whole checkout, where the project is only a folder of its repository."""
        if self.checkout:
            return self.checkout
        ours = self.home / FOLDER
        return ours / self.root.relative_to(ours).parts[0] if self.root.is_relative_to(ours) else self.root

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Ask git in the worktree, and in no repository above it should its link to its own be gone."""
        return git.git(self.root, *arguments, stdin=stdin, variables=self._bounds(), code="worktree-broken", help=_LOOK)

    def says(self, *arguments: str) -> bool:
        return git.asked(self.root, *arguments, variables=self._bounds()).returncode == 0

    def word(self, *arguments: str) -> str:
        return os.fsdecode(self.git(*arguments)).removesuffix("\n")

    def _bounds(self) -> Mapping[str, str]:
        return {"GIT_CEILING_DIRECTORIES": str(self.top.parent)}


_LOOK = "look at the worktree with git and repair it, then run again."


def of(home: Path, folder: Folder) -> Tree | None:
    """The worktree that the spec's state names; what is neither here nor has a branch here is another clone's."""
    said = folder.state().worktree
    path, branch = said.get("path", ""), said.get("branch", "")
    if not path or not branch:
        return None
    root, ours = (home / path).resolve(), (home / FOLDER).resolve()
    if root != ours and root.is_relative_to(ours):
        return Tree(home, root, branch, said.get("base", ""), said.get("seed", ""))
    known = git.worktrees(home) if root.is_dir() else {}
    others = [place for place, there in known.items() if there == branch and not home.is_relative_to(place)]
    if any(root.is_relative_to(place) for place in others):  # made by a person or another tool, which names no base
        return Tree(home, root, branch, said.get("base") or git.branch_of(home), foreign=True)
    return Tree(home, root, branch) if git.commit_of(home, f"refs/heads/{branch}") else None


@dataclass(frozen=True, slots=True)
class Start:
    commit: str  #: that a worktree begins at
    base: str  #: the branch that its work is meant for; empty where the person named a commit


def create(home: Path, folder: Folder, start: Start, at: str) -> Tree:
    """A new worktree with the spec in it. The state names it before it exists: a making that is cut short is repeated."""
    _require_carried(home, folder)
    top, branch, state = home / FOLDER / folder.key, f"{BRANCHES}{folder.key}", _without_key(folder)
    with files.locked(home, home / FOLDER / ".lock", git.PATIENCE):
        _clear(home, folder, top, branch, start.commit)
        tree = Tree(home, top / git.word(home, "rev-parse", "--show-prefix"), branch, start.base)
        place = {"path": tree.shown, "branch": branch, "created_at": at}
        folder.write_state({KEY: {**place, "base": start.base, "start": start.commit}})
        add = ("worktree", "add", "--quiet", "-b", branch, str(top), start.commit)
        git.git(home, *add, code="worktree-broken", help=_LOOK)
        _bring(tree, folder, state)
        commit_all(tree, f"{folder.name}: the spec as it was")
        seed = tree.word("rev-parse", "HEAD")
        folder.write_state({(*KEY, "seed"): seed})
    return Tree(home, tree.root, branch, start.base, seed)


def start_of(home: Path, folder: Folder, revision: str) -> Start:
    """Where a new worktree begins; one whose making was cut short, where it was to begin."""
    said = folder.state().worktree
    if said.get("start") and not said.get("seed") and not revision:
        return Start(_starting_point(home, said["start"]), said.get("base", ""))
    commit = _starting_point(home, revision)
    if not revision:
        return Start(commit, git.branch_of(home))
    return Start(
        commit, revision if git.says(home, "show-ref", "--verify", "--quiet", f"refs/heads/{revision}") else ""
    )


def _starting_point(home: Path, revision: str) -> str:
    """The commit to begin at, where everything that a worktree needs is there; a clear refusal elsewhere."""
    if not git.says(home, "rev-parse", "--git-dir"):
        raise UserError(
            "no-repository", f"{home} is not in a git repository", help="`git init` it and make a first commit."
        )
    if not git.says(home, "rev-parse", "--show-toplevel"):
        raise UserError("no-checkout", f"{home} is a bare repository: it has no files", help="work in a clone of it.")
    commit = git.commit_of(home, revision or "HEAD")
    if commit is None and revision:
        raise UserError(
            "base-unknown", f'there is no commit "{revision[:80]}"', help="name a branch, a tag or a commit."
        )
    if commit is None:
        raise UserError(
            "no-commit", "the repository has no commit yet", help="make a first commit: a worktree begins at one."
        )
    require_identity(home)
    return commit


def require_identity(root: Path) -> None:
    """Commits are made in the person's name, so there must be one."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if not git.says(root, "-c", "user.useConfigOnly=true", "var", who):
            remedy = '`git config user.name "…"` and `git config user.email "…"`.'
            raise UserError("no-identity", "git does not know who you are", help=remedy)


def _require_carried(home: Path, folder: Folder) -> None:
    state = files.shown(home, folder.state_file)
    if git.says(home, "check-ignore", "--quiet", "--", state):
        raise UserError(
            "spec-ignored", f"git ignores {state}", where=Where(state),
            help="a worktree gets its spec from git: take it out of .gitignore.",
        )  # fmt: skip


def _without_key(folder: Folder) -> bytes:
    """The spec's state as it goes into the worktree."""
    data = files.read_bytes(folder.root, folder.state_file) or b""
    return edit(data, {KEY: {}}) if folder.state().worktree else data


def _clear(home: Path, folder: Folder, top: Path, branch: str, commit: str) -> None:
    """Take away what a making or a cleaning that was cut short left behind, and nothing that holds work."""
    cut = bool(folder.state().worktree.get("path")) and not folder.state().worktree.get("seed")
    tip = git.commit_of(home, f"refs/heads/{branch}")
    if tip and not cut and not git.says(home, "merge-base", "--is-ancestor", tip, commit):
        raise UserError(
            "branch-exists", f'there is a branch "{branch}" that is not merged',
            help=f"merge it, rename it (`git branch -m {branch} …`), or delete it (`git branch -D {branch}`).",
        )  # fmt: skip
    erase(home, top, branch)


def erase(home: Path, top: Path, branch: str) -> None:
    """Remove a checkout below our own folder and its branch."""
    git.asked(home, "worktree", "remove", "--force", "--force", "--", str(top))
    if top.is_relative_to(home / FOLDER) and top.exists():
        shutil.rmtree(top)
    git.git(home, "worktree", "prune")
    if git.commit_of(home, f"refs/heads/{branch}"):
        git.git(home, "branch", "--quiet", "-D", "--", branch, code="worktree-broken", help=_LOOK)


def _bring(tree: Tree, folder: Folder, state: bytes) -> None:
    """Put the spec as it lies in the main checkout into the worktree."""
    hide_ours(tree)
    place = tree.folder(folder)
    place.path.mkdir(parents=True, exist_ok=True)
    known = git.git(tree.home, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", str(folder.path))
    for name in git.names(known):
        source, target = tree.home / name, tree.root / name
        if source.name == _BOOKS or source.name.endswith(".tmp"):
            continue
        if not source.exists():
            target.unlink(missing_ok=True)
        elif source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    place.state_file.write_bytes(state)


def ready(tree: Tree, spec: str) -> Tree:
    """The worktree, checked out again if only its folder is gone."""
    if tree.there:
        return tree
    name = tree.branch
    if not tree.seed or not git.commit_of(tree.home, f"refs/heads/{name}"):
        raise UserError(
            "worktree-lost", f'the worktree {tree.shown} and its branch "{name}" are gone', where=Where(tree.shown),
            help=f"`git worktree add {tree.shown} {name}` restores it; `shiage reset {spec} --discard` gives it up.",
        )  # fmt: skip
    git.git(tree.home, "worktree", "prune")
    git.git(tree.home, "worktree", "add", "--quiet", str(tree.top), name, code="worktree-broken", help=_LOOK)
    hide_ours(tree)
    return tree


def hide_ours(tree: Tree) -> None:
    """Our own folder in the worktree is none of git's business."""
    (tree.root / ".shiage").mkdir(parents=True, exist_ok=True)
    (tree.root / ".shiage" / ".gitignore").write_text("*\n")


def commit_all(tree: Tree, message: str) -> None:
    """Commit what was done, in the person's name; nothing is committed where nothing changed."""
    if tree.word("rev-parse", "--symbolic-full-name", "HEAD") != f"refs/heads/{tree.branch}":
        raise UserError(
            "worktree-broken", f'{tree.shown} is not on its branch "{tree.branch}" any more', where=Where(tree.shown),
            help=_LOOK,
        )  # fmt: skip
    conflicts = git.names(tree.git("diff", "--name-only", "--diff-filter=U", "-z"))
    if conflicts:
        raise conflict(tree, conflicts)
    tree.git("add", "--all", "--", ":/", f":(top,exclude,glob)**/{_BOOKS}")
    if tree.says("diff", "--cached", "--quiet", "HEAD") and not tree.says("rev-parse", "-q", "--verify", "MERGE_HEAD"):
        return
    tree.git("commit", "--quiet", "--no-verify", "--file=-", stdin=message.encode())


def conflict(tree: Tree, paths: list[str]) -> UserError:
    named = ", ".join(paths)
    return UserError(
        "merge-conflict", f"{named}: changed on {tree.branch} and on {tree.base or 'its base'}", where=Where(named),
        help=f"in {tree.shown}: `git merge {tree.base}`, settle the conflicts, `git commit`; then run again.",
    )  # fmt: skip


def discard(tree: Tree, folder: Folder) -> None:
    """Forget the worktree and everything in it; a foreign one is only forgotten, never removed."""
    if not tree.foreign:
        with files.locked(tree.home, tree.home / FOLDER / ".lock", git.PATIENCE):
            erase(tree.home, tree.top, tree.branch)
    folder.write_state({KEY: {}})


def summary(tree: Tree) -> dict[str, str]:
    """What status tells of it."""
    return {"path": tree.shown, "branch": tree.branch, "base": tree.base}
