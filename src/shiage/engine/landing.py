"""Brings a run that travelled home: its work becomes a worktree of the main checkout, and its journal lies there again."""

from pathlib import Path

from shiage.domain.errors import UserError
from shiage.engine import git
from shiage.engine.carrier import Carried, Route, beginning, fetched
from shiage.engine.places import Places
from shiage.engine.runbranch import JOURNAL, REMOTE
from shiage.engine.worktrees import BRANCHES, FOLDER, KEY, Tree, hide_ours, require_identity
from shiage.specs import files
from shiage.specs.base import Folder

_REMEDY = "merge it, rename it (`git branch -m {0} …`), or delete it (`git branch -D {0}`)."


def land(route: Route, home: Folder, at: str) -> Tree:
    """`home` is the spec's folder in the main checkout. Repeated after a crash it only goes on."""
    root, branch = home.root, f"{BRANCHES}{home.key}"
    with files.locked(route.place, route.lock, git.PATIENCE):
        tip = git.commit_of(fetched(route), f"{REMOTE}{branch}") or ""
    require_identity(root)
    work, onto = _work(route, home, branch, tip), git.branch_of(root)
    seed = _seed(root, work)
    with files.locked(root, root / FOLDER / ".lock", git.PATIENCE):
        place = root / FOLDER / home.key
        tree = Tree(root, place / route.inside, branch, onto, seed)
        _check_out(tree, place, work)
        hide_ours(tree)
        _bring_books(route, home, tip)
        if not home.state_file.exists():
            _bring_folder(tree.folder(home), home)
        said = {"path": tree.shown, "branch": branch, "created_at": at, "base": onto, "start": _start(root, seed)}
        home.write_state({KEY: {**said, "seed": seed}})
    give_up(route, branch, tip)
    return tree


def _work(route: Route, home: Folder, branch: str, tip: str) -> str:
    """The work of the branch, in the main checkout's own repository."""
    held = Carried(route.url, Tree(route.place, home.root, branch), home, route.inside, pushed=tip)
    begin = git.word(route.copy, "rev-parse", beginning(held, route.copy))
    aside = f"refs/shiage/landed/{home.key}"
    git.git(route.copy, "update-ref", aside, begin)
    git.git(
        home.root,
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--",
        str(route.copy),
        f"+{aside}:{aside}",
    )
    return begin


def _seed(root: Path, work: str) -> str:
    """The commit that brought the spec: the first one that this checkout's own line does not have."""
    new = git.word(root, "rev-list", "--first-parent", "--reverse", work, "--not", "HEAD").split("\n")
    return new[0] or work


def _start(root: Path, seed: str) -> str:
    return git.commit_of(root, f"{seed}^1") or seed


def _check_out(tree: Tree, place: Path, work: str) -> None:
    known = git.commit_of(tree.home, f"refs/heads/{tree.branch}")
    if known and not git.says(tree.home, "merge-base", "--is-ancestor", known, work):
        raise UserError(
            "branch-exists", f'there is a branch "{tree.branch}" here that is not part of the run',
            help=_REMEDY.format(tree.branch),
        )  # fmt: skip
    if not (place / ".git").exists():
        git.git(tree.home, "worktree", "prune")
        git.git(
            tree.home, "worktree", "add", "--quiet", "-B", tree.branch, "--", str(place), work, code="worktree-broken"
        )


def _bring_books(route: Route, home: Folder, tip: str) -> None:
    """The journal grows from what lies here, if anything does; an older one of another run is kept beside it."""
    target, head = home.path / JOURNAL, Places(home.root, home.key).head
    for path, name in (
        (target, f"{route.inside}{home.shown(JOURNAL)}"),
        (head, f"{route.inside}.shiage/heads/{home.key}"),
    ):
        found = git.asked(route.copy, "cat-file", "blob", f"{tip}:{name}")
        if found.returncode == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.write_atomic(home.root, path, found.stdout)


def _bring_folder(there: Folder, home: Folder) -> None:
    """A checkout that never had the spec gets it as the branch has it."""
    for path in files.entries(there.root, there.path):
        data = files.read_bytes(there.root, path) if path.is_file() and path.name != JOURNAL else None
        if data is not None:
            files.write_atomic(home.root, home.path / path.name, data)


def give_up(route: Route, branch: str, tip: str) -> None:
    """Delete the run branch, unless somebody went on with it meanwhile."""
    lease = f"--force-with-lease=refs/heads/{branch}:{tip}"
    done = git.asked(route.copy, "push", "--quiet", lease, "--", route.url, f":refs/heads/{branch}")
    if done.returncode != 0 and _is_there(route, branch):
        raise git.failed(done, "push-refused", f"delete the branch {branch} of {route.url} yourself.")


def _is_there(route: Route, branch: str) -> bool:
    done = git.asked(route.copy, "ls-remote", "--quiet", "--", route.url, f"refs/heads/{branch}")
    return done.returncode != 0 or bool(done.stdout)
