"""Carries a spec between machines by way of a branch of the project's repository.

Each machine has a bare copy of the repository and a worktree per spec, which is a project of its own: journal, locks
and logs lie in it. What is pushed after a closed step is one commit: the work as the agents see it, and beside it the
journal, what a phase is compared with, and who owns the run. Its first parent is the work alone, so that the work's own
history has no bookkeeping in it; its second is the one that was pushed before, so that nobody can push who did not have
the newest. Whoever takes a run pushes that at once: from then on everything of an earlier owner is refused.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shiage.agents.sweep import sweep_folder
from shiage.domain.errors import UserError
from shiage.domain.events import Event
from shiage.domain.run import Run, Status
from shiage.engine import git, lock
from shiage.engine.keeping import message
from shiage.engine.places import Places
from shiage.engine.record import events_of
from shiage.engine.runbranch import JOURNAL, OWNER, REMOTE, Branch, committed, newest_of_ours, with_files, without_books
from shiage.engine.worktrees import BRANCHES, Tree, commit_all, hide_ours, require_identity
from shiage.flow.history import recall
from shiage.journal.reading import read
from shiage.specs import files
from shiage.specs.folder import BugFolder, Folder, SpecFolder, find

#: Seconds that a repository which is gone in mid-run is waited for; then whoever reaches it may go on.
PATIENCE = 600.0
AGAIN = 1.0  #: seconds between two tries
_LOOK = 20.0  #: seconds that it may take to say where a branch is
_RUN = re.compile(r"r-\d+")
#: What lies in other stores stays there: only its pointers are carried.
_POINTERS = {"GIT_LFS_SKIP_SMUDGE": "1"}


@dataclass(frozen=True, slots=True)
class Route:
    """Between which places a spec travels."""

    url: str  #: of the repository that all machines know
    place: Path  #: this machine's copy of it, and its worktrees
    inside: str = ""  #: the project's folder in the repository, with a slash behind it; empty: its top

    @property
    def copy(self) -> Path:
        return self.place / "repository.git"

    @property
    def lock(self) -> Path:
        return self.place / "locks" / "repository"


class Gone(UserError):
    """The repository cannot be reached now. It may come back: what was done stays here until then."""


@dataclass(slots=True)
class Carried:
    """A spec on this machine, for as long as this machine owns it."""

    url: str
    tree: Tree  #: its `root` is the project to run in
    folder: Folder
    inside: str = ""
    owner: str = ""  #: told on the branch
    pushed: str = ""  #: what the branch held when this machine last saw it; empty: there is no branch yet
    lost: bool = False  #: another owner went on
    ours: Callable[[], bool] = lambda: True  #: whether the queue still says so
    over: Callable[[], bool] = lambda: True  #: whether nobody waits for a repository that is gone
    say: Callable[[UserError | None], None] = lambda gone: None  #: that it is gone; None: that it is back

    @property
    def branch(self) -> Branch:
        return Branch(self.tree.root, self.folder, self.inside, self.owner)

    def keep(self, run: Run, event: Event) -> None:
        """What a run calls after every closed step: from here on another machine can go on from it."""
        try:
            self.push(message(run, event))
        except Gone as gone:
            if run.status is not Status.RUNNING:
                raise
            if not self.over():
                raise _behind(gone) from gone
            # Its end was asked for, and that comes first: what is missing is sent with the end.

    def push(self, words: str) -> None:
        """Commit the work and push it with the journal; refused for good once another owner has pushed."""
        if self.lost:
            raise _fenced(self)
        if not self.ours():
            raise _unrenewed(self)
        commit_all(self.tree, words)
        tip = self.tree.word("rev-parse", "HEAD")
        commit = committed(self.branch, tip, self.pushed, words)
        if commit != self.pushed:
            self.send(commit)

    def send(self, commit: str) -> None:
        """Push it. A repository that is gone is waited for while the run is ours and nobody asks for its end."""
        until, gone = time.monotonic() + PATIENCE, self._tried(commit)
        if gone and not self.over():
            self.say(_behind(gone))
        while gone:
            if not self.ours():
                raise _unrenewed(self)
            if self.over() or time.monotonic() > until:
                raise gone
            time.sleep(AGAIN)
            gone = self._tried(commit)
            if not gone:
                self.say(None)
        self.pushed = commit
        git.git(self.tree.root, "update-ref", _pushed(self), commit)

    def _tried(self, commit: str) -> Gone | None:
        """Whether a push arrived is asked of the branch itself: an answer may be lost, and words differ by server."""
        target = f"refs/heads/{self.tree.branch}"
        done = git.reached(self.tree.root, "push", "--quiet", "--", self.url, f"{commit}:{target}")
        if done.returncode == 0:
            return None
        told = git.reached(self.tree.root, "ls-remote", "--quiet", "--", self.url, target, patience=_LOOK)
        if told.returncode != 0:
            return _gone(self.url, told)
        now = told.stdout.split(b"\t")[0].decode()
        if now not in (commit, self.pushed):
            self.lost = True
            raise _fenced(self)
        if now != commit:
            raise git.failed(done, "push-refused", f"see to it that {self.url} takes pushes to {self.tree.branch}.")
        return None


def _pushed(carried: Carried) -> str:
    """Remembers here what was pushed: a branch that is gone afterwards was deleted, and not begun yet."""
    return f"refs/shiage/{carried.folder.key}"


def _fenced(carried: Carried) -> UserError:
    return UserError(
        "fenced", f'"{carried.folder.name}" went on elsewhere: what was done here since is not carried on',
        help=f"`shiage status {carried.folder.name}` where it runs now.",
    )  # fmt: skip


def _unrenewed(carried: Carried) -> UserError:
    return UserError(
        "fenced", f'"{carried.folder.name}" may be somebody else\'s by now: the queue was not reached for too long',
        help="nothing is pushed until somebody has it for certain, and goes on with it.",
    )  # fmt: skip


def _gone(url: str, done: subprocess.CompletedProcess[bytes]) -> Gone:
    said = git.failed(done, "push-refused")
    return Gone(said.code, said.message, help=f"see to it that {url} can be reached, then run again.")


def _behind(gone: Gone) -> UserError:
    """Nobody has to do anything: it goes on wherever the repository is reached first."""
    return UserError("repository-gone", gone.message, help="nothing is lost: it goes on when the repository is back.")


def publish(url: str, folder: Folder, *, inside: str = "", revision: str = "") -> None:
    """Put a spec of a person's own checkout on its branch as it lies there, so that any machine can take it."""
    root = folder.root
    head = git.commit_of(root, revision or "HEAD")
    if head is None and revision:
        raise UserError(
            "base-unknown", f'there is no commit "{revision[:80]}"', help="name a branch, a tag or a commit."
        )
    if head is None:
        raise UserError("no-commit", "the repository has no commit yet", help="make a first commit, and push it.")
    require_identity(root)
    listed = git.names(
        git.git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", str(folder.path))
    )
    there = (root / name for name in listed if not name.endswith((JOURNAL, ".tmp")))
    words = f"{folder.name}: the spec as it was"
    found = {inside + path.relative_to(root).as_posix(): path.read_bytes() for path in there if path.is_file()}
    tip = with_files(root, head, found, [head], words)
    sent = Carried(url, Tree(root, root, f"{BRANCHES}{folder.key}"), folder, inside)
    sent.send(committed(sent.branch, tip, "", words))


@contextmanager
def carried(route: Route, name: str, *, bug: bool = False, base: str = "", owner: str = "") -> Iterator[Carried]:
    """Take the spec from its branch to this machine and hold it: nobody else here can meanwhile.

    A branch that does not exist yet begins at the branch `base`, or where the repository's HEAD is.
    """
    kind, place = BugFolder if bug else SpecFolder, route.place
    key = kind(place, name).key
    with _making(place):
        (place / "locks").mkdir(parents=True, exist_ok=True)
    with lock.held(place / "locks" / f"{key}.lock", name, "carry"):
        with files.locked(place, route.lock, git.PATIENCE):
            copy = fetched(route)
            require_identity(copy)
            root = place / key / route.inside
            tree = Tree(place, root, f"{BRANCHES}{key}", checkout=place / key)
            held = Carried(route.url, tree, kind(root, name), route.inside, owner)
            _take(held, copy, base)
        try:
            held.push(f"{name}: taken over" if held.pushed else f"{name}: begun")
        except Gone as gone:
            raise _behind(gone) from gone
        yield held


@contextmanager
def _making(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            "state-not-writable", f"{place} cannot be made: {error.strerror}",
            help="make room there or make it writable; nothing finished is lost.",
        ) from error  # fmt: skip


def fetched(route: Route, refs: str = "*", patience: float = git.PATIENCE) -> Path:
    """This machine's copy of the repository, up to date as far as these branches go. The caller holds its lock."""
    copy = route.copy
    if not (copy / "HEAD").is_file():
        git.git(route.place, "init", "--quiet", "--bare", "--", str(copy))
    fetch = ("fetch", "--quiet", "--prune", "--no-recurse-submodules", "--", route.url)
    done = git.reached(copy, *fetch, f"+refs/heads/{refs}:{REMOTE}{refs}", patience=patience)
    if done.returncode != 0:
        raise git.failed(done, "fetch-failed", f"see to it that {route.url} can be reached, then run again.")
    return copy


def _take(held: Carried, copy: Path, base: str) -> None:
    """Make the worktree what the branch says, unless it is that already and further."""
    tree, held.pushed = held.tree, git.commit_of(copy, f"{REMOTE}{held.tree.branch}") or ""
    _end_what_is_left(held)
    if _is_further(held, copy):
        return
    begin = beginning(held, copy) if held.pushed else _base(held.url, copy, base)
    git.asked(copy, "worktree", "remove", "--force", "--force", "--", str(held.tree.top))
    shutil.rmtree(held.tree.top, ignore_errors=True)
    git.git(copy, "worktree", "prune")
    add = ("worktree", "add", "--quiet", "-B", tree.branch, "--", str(held.tree.top), begin)
    git.git(copy, *add, variables=_POINTERS, code="state-not-writable", help="make room there, then run again.")
    hide_ours(tree)
    if held.pushed:
        _unpack(held, copy)
    find(tree.root, held.folder.name)


def beginning(held: Carried, copy: Path) -> str:
    """The work that the branch holds, with what people have added to it since it was pushed."""
    ours = newest_of_ours(copy, held.pushed, held.branch)
    if ours is None:
        raise UserError(
            "branch-foreign", f'"{held.tree.branch}" holds no run: what is on it was not pushed by shiage',
            help=f"put it under another name (`git push {held.url} {held.pushed[:12]}:refs/heads/…`) and delete it.",
        )  # fmt: skip
    return f"{ours}^1" if ours == held.pushed else without_books(copy, held.pushed, f"{ours}^1", held.branch)


def _is_further(held: Carried, copy: Path) -> bool:
    """Whether this machine was the last owner: what it has written continues what was pushed."""
    journal = held.folder.path / JOURNAL
    if not (held.tree.top / ".git").exists() or not journal.exists():
        return False
    if not held.pushed:
        return git.commit_of(copy, _pushed(held)) is None
    if newest_of_ours(copy, held.pushed, held.branch) != held.pushed:
        return False
    pushed = git.asked(copy, "cat-file", "blob", f"{held.pushed}:{held.inside}{held.folder.shown(JOURNAL)}")
    work = held.tree.says("merge-base", "--is-ancestor", f"{held.pushed}^1", f"refs/heads/{held.tree.branch}")
    return work and journal.read_bytes().startswith(pushed.stdout)


def _end_what_is_left(held: Carried) -> None:
    """An agent that outlived an earlier owner on this machine works for nobody any more."""
    history = recall(events_of(read(held.folder.path / JOURNAL)))
    places = Places(held.tree.root, held.folder.key)
    for run in (history.main, history.step):
        if run:
            sweep_folder(places.run_folder(run.id), markers=[run.in_flight.agent_id] if run.in_flight else [])


def _base(url: str, copy: Path, base: str) -> str:
    told = "" if base else git.word(copy, "ls-remote", "--symref", "--", url, "HEAD", code="fetch-failed")
    named = base or told.partition("\t")[0].removeprefix("ref: refs/heads/")
    commit = git.commit_of(copy, f"{REMOTE}{named}")
    if commit is None:
        raise UserError("base-unknown", f'{url} has no branch "{named[:80]}"', help="name one of its branches.")
    return commit


def _unpack(held: Carried, copy: Path) -> None:
    """Put journal and snapshots where a run looks for them; numbers of runs that are taken stay taken."""
    books = git.blobs(copy, held.pushed, f"{held.inside}.shiage")
    journal = git.blobs(copy, held.pushed, f"{held.inside}{held.folder.shown(JOURNAL)}")
    for path, (_, blob) in {**books, **journal}.items():
        target = held.tree.top / path
        if path == f"{held.inside}{OWNER}":
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomic(held.tree.root, target, git.git(copy, "cat-file", "blob", blob))
    for run in {entry.run for entry in read(held.folder.path / JOURNAL)}:
        if _RUN.fullmatch(run):
            Places(held.tree.root, held.folder.key).run_folder(run).mkdir(parents=True, exist_ok=True)
