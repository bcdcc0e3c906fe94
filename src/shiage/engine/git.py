"""The one door to git: argument lists, never a shell; paths come back NUL-separated; nothing that a repository names is run."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from shiage.domain.errors import UserError

#: No hooks, no file-system monitor, no collection of garbage in the background, no question for a signing key.
_GIT = (
    *("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"),
    *(
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "merge.verifySignatures=false",
    ),
)
#: Variables that would lead git to another repository than the folder's own: a hook that starts shiage sets them.
_LEADING = frozenset(
    {
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
    }
)  # fmt: skip
PATIENCE = 600.0  #: seconds; a large checkout takes minutes


class Silent(UserError):
    """It did not end in the time it was given."""


def git(
    root: Path, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None, code: str = "git-failed",
    help: str = "",
) -> bytes:  # fmt: skip
    """What git answers; its last words on stderr become the error."""
    done = asked(root, *arguments, stdin=stdin, variables=variables)
    if done.returncode != 0:
        raise failed(done, code, help)
    return done.stdout


def asked(
    root: Path, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> "subprocess.CompletedProcess[bytes]":  # fmt: skip
    """The same where a failure is an answer too."""
    try:
        return subprocess.run(
            [*_GIT, *arguments], cwd=root, env=_environment(root, variables or {}), input=stdin, capture_output=True,
            check=False, timeout=patience,
        )  # fmt: skip
    except FileNotFoundError as error:
        if not root.is_dir():
            raise UserError("git-failed", f"there is no folder {root}") from error
        raise UserError("git-missing", "git was not found", help="install git.") from error
    except subprocess.TimeoutExpired as error:
        raise Silent("git-failed", f"git {arguments[0]} did not end in {patience:.0f} s") from error


def reached(root: Path, *arguments: str, patience: float = PATIENCE) -> "subprocess.CompletedProcess[bytes]":
    """The same towards another machine, whose silence is a failure like any other."""
    try:
        return asked(root, *arguments, patience=patience)
    except Silent as silent:
        return subprocess.CompletedProcess(arguments, 124, b"", f"fatal: {silent.message}".encode())


def failed(done: "subprocess.CompletedProcess[bytes]", code: str, help: str = "") -> UserError:
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line for line in said if line.startswith(("fatal:", "error:", "!", " !"))] or said[-1:]
    what = "; ".join(line.strip().removeprefix("fatal: ").removeprefix("error: ") for line in told[:3])
    return UserError(code, f"git: {what or f'it ended with {done.returncode}'}", help=help)


def _environment(root: Path, variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _LEADING}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", **variables}


def word(root: Path, *arguments: str, code: str = "git-failed", help: str = "") -> str:
    """An answer of one line: a commit, a branch, a folder."""
    return os.fsdecode(git(root, *arguments, code=code, help=help)).removesuffix("\n")


def says(root: Path, *arguments: str) -> bool:
    """A question that git answers by its exit code."""
    return asked(root, *arguments).returncode == 0


def names(listing: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listing.split(b"\0") if name]


def commit_of(root: Path, revision: str) -> str | None:
    """The commit that a revision names; whatever it looks like, it is never taken for an option."""
    done = asked(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return done.stdout.decode().strip() if done.returncode == 0 else None


def branch_of(root: Path) -> str:
    """The branch that is checked out; empty where none is."""
    return asked(root, "symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()


def blobs(root: Path, commit: str, folder: str) -> dict[str, tuple[str, str]]:
    """The files that a commit has below a folder, by their path from the repository's top: mode and content."""
    rows = names(git(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", folder))
    return {path: (mode, blob) for mode, _, blob, path in map(_row, rows)}


def staged(root: Path, folder: str) -> dict[str, tuple[str, str]]:
    """The same for the index."""
    rows = names(git(root, "ls-files", "-s", "-z", "--full-name", "--", f":(top){folder}"))
    return {path: (mode, blob) for mode, blob, _, path in map(_row, rows)}


def _row(row: str) -> tuple[str, str, str, str]:
    head, _, path = row.partition("\t")
    one, two, three = head.split(" ")
    return one, two, three, path


def changed(root: Path) -> Iterator[str]:
    """What no commit has: edited, staged, new or ignored, by path from the top; a folder ends with a slash."""
    flags = ("--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames")
    yield from (row[3:] for row in names(git(root, "status", *flags)))


def worktrees(root: Path) -> dict[str, str]:
    """Every checkout of the repository: its folder, and the branch that is checked out there."""
    found, place = dict[str, str](), ""
    for row in names(git(root, "worktree", "list", "--porcelain", "-z")):
        key, _, value = row.partition(" ")
        if key == "worktree":
            place = value
            found[place] = ""
        elif key == "branch":
            found[place] = value.removeprefix("refs/heads/")
    return found
