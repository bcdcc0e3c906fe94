"""Snapshots and cumulative changes, on real folders and with real git."""

import errno
import os
import resource
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiage.domain.errors import UserError
from shiage.engine import evidence, snapshot
from shiage.engine.evidence import NO_TEXT, Change

QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "tester"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "tester@localhost"),
}


def git(root: Path, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=root, env=os.environ | QUIET, capture_output=True, check=True)
    return done.stdout.decode().strip()


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture(params=["git", "no git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project with three files, committed where there is git."""
    root = tmp_path / "project"
    write(root, {"a.py": "one\ntwo\nthree\n", "pkg/b.py": "b = 1\n", ".config": "dot\n"})
    if request.param == "git":
        git(root, "init", "-q", "-b", "main")
        commit(root)
    return root


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    write(root, {"a.py": "one\ntwo\nthree\n", "pkg/b.py": "b = 1\n", ".gitignore": "*.log\nbuild/\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root)
    return root


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def commit(root: Path, *more: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", "work", *more)


def after(root: Path, store: Path, work: Callable[[], object], **options: tuple[str, ...]) -> Change:
    """The change that this work makes."""
    taken = evidence.take(root, store, **options)
    work()
    return evidence.changes(root, evidence.find(root, store, taken.id))


def test_nothing_done_is_no_change(root: Path, store: Path) -> None:
    change = after(root, store, lambda: None)
    assert change == Change()
    assert (change.total, change.diff()) == (0, "")


def test_added_changed_and_deleted_files_are_told_apart(root: Path, store: Path) -> None:
    def work() -> None:
        write(root, {"new/c.py": "c\n", "a.py": "one\n2\nthree\n", ".hidden": "x"})
        (root / "pkg/b.py").unlink()

    change = after(root, store, work)
    assert (change.added, change.changed, change.deleted) == ((".hidden", "new/c.py"), ("a.py",), ("pkg/b.py",))
    assert change.after == {".hidden": "x", "a.py": "one\n2\nthree\n", "new/c.py": "c\n", "pkg/b.py": None}
    assert change.before == {"a.py": "one\ntwo\nthree\n", "pkg/b.py": "b = 1\n"}
    assert change.total == 4


def test_a_file_written_back_as_it_was_is_no_change(root: Path, store: Path) -> None:
    def work() -> None:
        write(root, {"a.py": "something else\n"})
        write(root, {"a.py": "one\ntwo\nthree\n"})
        (root / "pkg/b.py").unlink()
        write(root, {"pkg/b.py": "b = 1\n"})

    assert after(root, store, work) == Change()


def test_changes_add_up_over_attempts_and_are_found_again_by_id(root: Path, store: Path) -> None:
    taken = evidence.take(root, store)
    write(root, {"a.py": "first\n"})
    assert evidence.changes(root, evidence.find(root, store, taken.id)).changed == ("a.py",)
    write(root, {"pkg/b.py": "second\n"})
    assert evidence.changes(root, evidence.find(root, store, taken.id)).changed == ("a.py", "pkg/b.py")


def test_an_edit_of_the_same_length_within_one_clock_tick_is_seen(root: Path, store: Path) -> None:
    for number in range(20):
        write(root, {"a.py": f"{number:04}"})
        assert after(root, store, lambda number=number: write(root, {"a.py": f"{number + 500:04}"})).changed == (
            "a.py",
        )


def test_stat_values_are_trusted_only_after_a_clock_tick(root: Path, store: Path) -> None:
    sizes = []
    for wait in (0, 0.15):
        write(root, {"a.py": f"{wait}\n"})
        time.sleep(wait)
        sizes.append(snapshot.Entry.of(evidence.take(root, store).rows["a.py"]).size)
    assert sizes == [-1, 5]


def test_times_put_back_do_not_hide_an_edit(root: Path, store: Path) -> None:
    time.sleep(0.15)  # the snapshot trusts stat values only after a clock tick; that is what is tried here
    path = root / "a.py"
    taken = evidence.take(root, store)
    was = path.stat()
    path.write_text("ONE\ntwo\nthree\n")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert evidence.changes(root, taken).changed == ("a.py",)


def test_becoming_a_program_is_a_change_of_mode_only(root: Path, store: Path) -> None:
    (root / "a.py").chmod(0o644)
    change = after(root, store, lambda: (root / "a.py").chmod(0o755))
    assert (change.modes, change.changed, change.total) == ((("a.py", 0o644, 0o755),), (), 1)
    assert after(root, store, lambda: (root / "a.py").chmod(0o700)).modes == (("a.py", 0o755, 0o700),)


def test_a_moved_file_is_a_rename_with_its_old_text(root: Path, store: Path) -> None:
    change = after(root, store, lambda: (root / "a.py").rename(root / "pkg/a.py"))
    assert change.renamed == (("a.py", "pkg/a.py"),)
    assert (change.added, change.deleted, change.total) == ((), (), 1)
    assert change.after == {"a.py": None, "pkg/a.py": "one\ntwo\nthree\n"}
    assert change.before == {"a.py": "one\ntwo\nthree\n", "pkg/a.py": "one\ntwo\nthree\n"}
    assert change.diff().startswith("--- a/a.py\n+++ /dev/null\n") and "pkg" not in change.diff()


def test_a_moved_and_edited_file_is_a_rename_while_half_its_lines_stay(root: Path, store: Path) -> None:
    def move(text: str) -> Callable[[], None]:
        def work() -> None:
            (root / "a.py").unlink()
            write(root, {"moved.py": text})

        return work

    change = after(root, store, move("one\ntwo\nfour\n"))
    assert change.renamed == (("a.py", "moved.py"),)
    assert change.before["moved.py"] == "one\ntwo\nthree\n"
    write(root, {"a.py": "one\ntwo\nthree\n"})
    change = after(root, store, move("nothing\nin\ncommon\n"))
    assert (change.renamed, change.changed, change.deleted) == ((), ("moved.py",), ("a.py",))


def test_of_several_equal_files_the_one_of_the_same_name_moved(root: Path, store: Path) -> None:
    write(root, {"x/one.py": "same\n", "x/empty": "", "gone": ""})

    def work() -> None:
        shutil.move(root / "x", root / "y")
        write(root, {"a/two.py": "same\n"})
        (root / "gone").unlink()

    change = after(root, store, work)
    assert change.renamed == (("x/one.py", "y/one.py"),)
    assert (change.added, change.deleted) == (("a/two.py", "y/empty"), ("gone", "x/empty"))


def test_links_are_their_targets_and_are_never_followed(root: Path, store: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret": "secret\n"})
    (root / "link").symlink_to("a.py")

    def work() -> None:
        (root / "link").unlink()
        (root / "link").symlink_to(tmp_path / "outside/secret")
        (root / "way").symlink_to(tmp_path / "outside")
        (root / "loop").symlink_to("loop")

    change = after(root, store, work)
    assert (change.added, change.changed, change.links) == (("loop", "way"), ("link",), ("link", "loop", "way"))
    assert (change.before["link"], change.after["link"]) == ("a.py", str(tmp_path / "outside/secret"))
    assert "secret\n" not in change.after.values()


def test_a_folder_replaced_by_a_link_leads_nowhere(root: Path, store: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/b.py": "b = 1\n"})

    def work() -> None:
        shutil.rmtree(root / "pkg")
        (root / "pkg").symlink_to(tmp_path / "outside")

    change = after(root, store, work)
    assert (change.added, change.deleted, change.links) == (("pkg",), ("pkg/b.py",), ("pkg",))


def test_a_file_that_becomes_a_link_of_the_same_content_is_changed(root: Path, store: Path) -> None:
    write(root, {"f": "a.py"})

    def work() -> None:
        (root / "f").unlink()
        (root / "f").symlink_to("a.py")

    assert after(root, store, work).changed == ("f",)


def test_a_file_in_place_of_a_folder_and_back(root: Path, store: Path) -> None:
    def work() -> None:
        shutil.rmtree(root / "pkg")
        write(root, {"pkg": "file\n"})
        (root / "a.py").unlink()
        write(root, {"a.py/inner": "x\n"})

    change = after(root, store, work)
    assert (change.added, change.deleted) == (("a.py/inner", "pkg"), ("a.py", "pkg/b.py"))


def test_pipes_and_sockets_are_passed_by(root: Path, store: Path) -> None:
    def work() -> None:
        os.mkfifo(root / "pipe")
        (root / "a.py").unlink()
        os.mkfifo(root / "a.py")

    assert after(root, store, work).deleted == ("a.py",)
    assert snapshot.read(root, "pipe", stat.S_IFREG | 0o644) is None


STRANGE = [
    "with space.py",
    "new\nline.py",
    "quo\"te's.py",
    "tab\there",
    "日本語.txt",
    "back\\slash",
    "-dash",
    "*glob?[x]",
]


@pytest.mark.parametrize("name", STRANGE)
def test_any_file_name_works(root: Path, store: Path, name: str) -> None:
    change = after(root, store, lambda: write(root, {name: "new\n"}))
    assert change.after == {name: "new\n"}
    change = after(root, store, lambda: write(root, {name: "newer\n"}))
    assert change.before == {name: "new\n"}
    assert after(root, store, (root / name).unlink).deleted == (name,)


def test_names_and_texts_that_are_no_utf8_stay_apart_and_printable(root: Path, store: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    write(root, {name: b"latin \xe9\n"})
    change = after(root, store, lambda: write(root, {name: b"latin \xe8\n"}))
    assert change.before == {"caf\\xe9.txt": "latin \\xe9\n"}
    assert change.after == {"caf\\xe9.txt": "latin \\xe8\n"}
    change.diff().encode()


def test_line_ends_are_compared_byte_by_byte(root: Path, store: Path) -> None:
    write(root, {".gitattributes": "* text=auto eol=lf\n", "w.txt": b"one\r\ntwo\r\n"})
    change = after(root, store, lambda: write(root, {"w.txt": b"one\ntwo\n"}))
    assert (change.before, change.after) == ({"w.txt": "one\r\ntwo\r\n"}, {"w.txt": "one\ntwo\n"})


def test_binary_and_huge_files_are_listed_without_text(root: Path, store: Path) -> None:
    write(root, {"old.png": b"\x89PNG\0\1", "big.txt": b"x" * (snapshot.MAX_TEXT + 1)})

    def work() -> None:
        write(root, {"old.png": b"\x89PNG\0\2", "new.png": b"\0", "big.txt": b"y" * (snapshot.MAX_TEXT + 1)})

    change = after(root, store, work)
    assert (change.added, change.changed) == (("new.png",), ("big.txt", "old.png"))
    assert change.textless == ("big.txt", "new.png", "old.png")
    assert all(text and text.startswith(NO_TEXT) and len(text) < 100 for text in change.after.values())
    assert change.before["old.png"] != change.after["old.png"]
    assert "no text" in change.diff()


def test_a_file_of_exactly_the_limit_keeps_its_text(root: Path, store: Path) -> None:
    text = "x" * snapshot.MAX_TEXT
    assert after(root, store, lambda: write(root, {"limit.txt": text})).after == {"limit.txt": text}


def test_a_hundred_megabytes_are_compared_and_not_kept(root: Path, store: Path) -> None:
    with (root / "huge.bin").open("wb") as file:
        file.truncate(100 << 20)
    taken = evidence.take(root, store)
    assert sum(path.stat().st_size for path in store.iterdir()) < 100_000
    with (root / "huge.bin").open("r+b") as file:
        file.seek(50 << 20)
        file.write(b"!")
    assert evidence.changes(root, taken).textless == ("huge.bin",)


def test_a_file_beyond_hashing_is_told_apart_by_size_and_time(root: Path, store: Path) -> None:
    with (root / "vast.bin").open("wb") as file:
        file.truncate(snapshot.MAX_HASHED + 1)  # sparse
    assert after(root, store, lambda: os.utime(root / "vast.bin", ns=(1, 1))).changed == ("vast.bin",)


def test_text_beyond_the_total_is_listed_without(root: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MAX_TOTAL", 10)
    change = after(root, store, lambda: write(root, {"1": "12345", "2": "1234567890", "3": "x"}))
    assert change.added == ("1", "2", "3")
    assert change.textless == ("2", "3")


def test_what_is_excluded_does_not_count(root: Path, store: Path) -> None:
    write(root, {"specs/f/spec.json": "{}", "docs/x.md": "x\n", "sub/docs/y.md": "y\n"})

    def work() -> None:
        write(root, {"specs/f/spec.json": "{1}", "specs/f/event-log.jsonl": "1", "docs/x.md": "x2\n"})
        write(root, {"sub/docs/y.md": "y2\n", ".shiage/runs/log": "x", "pkg/__pycache__/b.pyc": "x"})

    change = after(root, store, work, exclude=("spec.json", "event-log.jsonl", "/docs/x.md", "no/such/"))
    assert change.changed == ("sub/docs/y.md",) and change.added == ()
    taken = evidence.take(root, store)
    write(root, {"sub/docs/y.md": "y3\n", "a.py": "a\n"})
    assert evidence.changes(root, evidence.find(root, store, taken.id, exclude=("sub",))).changed == ("a.py",)


# ---------------------------------------------------------------- git


def test_ignored_files_are_left_out_unless_listed(repo: Path, store: Path) -> None:
    write(repo, {"debug.log": "1", "build/out.js": "1", "untracked.py": "1"})

    def work() -> None:
        write(repo, {"debug.log": "2", "build/out.js": "2", "untracked.py": "2", "new.log": "2"})

    assert after(repo, store, work).changed == ("untracked.py",)
    write(repo, {"debug.log": "1", "build/out.js": "1", "untracked.py": "1"})
    change = after(repo, store, work, include=("build", "debug.log", "nowhere"))
    assert change.changed == ("build/out.js", "debug.log", "untracked.py")


def test_ignoring_a_file_does_not_delete_it(repo: Path, store: Path) -> None:
    write(repo, {"notes.txt": "mine\n"})
    change = after(repo, store, lambda: write(repo, {".gitignore": "*.txt\n"}))
    assert (change.changed, change.deleted) == ((".gitignore",), ())


def rewrite(root: Path) -> None:
    write(root, {"a.py": "reworked\n", "c.py": "new\n"})


MEDDLING: dict[str, Callable[[Path], object]] = {
    "commits": lambda root: [rewrite(root), commit(root)],
    "amends": lambda root: [rewrite(root), commit(root, "--amend")],
    "switches branch": lambda root: [git(root, "checkout", "-qb", "other"), rewrite(root), commit(root)],
    "stashes and pops": lambda root: [rewrite(root), git(root, "stash", "-u"), git(root, "stash", "pop")],
    "resets softly": lambda root: [rewrite(root), commit(root), git(root, "reset", "-q", "--soft", "HEAD~1")],
    "empties the index": lambda root: [rewrite(root), git(root, "rm", "-rq", "--cached", ".")],
    "deletes the index": lambda root: [rewrite(root), (root / ".git/index").unlink()],
    "deletes git": lambda root: [rewrite(root), shutil.rmtree(root / ".git")],
    "damages git": lambda root: [rewrite(root), (root / ".git/index").write_bytes(b"nonsense")],
    "collects garbage": lambda root: [rewrite(root), git(root, "gc", "-q", "--prune=now")],
}


@pytest.mark.parametrize("meddling", MEDDLING.values(), ids=MEDDLING.keys())
def test_whatever_the_agent_does_to_git_the_change_is_the_same(
    repo: Path, store: Path, meddling: Callable[[Path], object]
) -> None:
    change = after(repo, store, lambda: meddling(repo))
    assert (change.added, change.changed, change.deleted) == (("c.py",), ("a.py",), ())


def test_a_hard_reset_of_uncommitted_work_is_a_change(repo: Path, store: Path) -> None:
    write(repo, {"a.py": "uncommitted\n", "untracked.py": "u\n"})
    change = after(repo, store, lambda: [git(repo, "reset", "-q", "--hard"), git(repo, "clean", "-qfd")])
    assert (change.changed, change.deleted) == (("a.py",), ("untracked.py",))
    assert change.before["a.py"] == "uncommitted\n"


def test_git_itself_is_not_touched(repo: Path, store: Path) -> None:
    write(repo, {"staged.py": "s\n", "untracked.py": "u\n"})
    git(repo, "add", "staged.py")
    (repo / "a.py").touch()

    def state() -> dict[str, bytes]:
        files = sorted(path for path in (repo / ".git").rglob("*") if path.is_file())
        return {str(path): path.read_bytes() for path in files}

    before = state()
    after(repo, store, lambda: write(repo, {"untracked.py": "more\n"}))
    assert state() == before


def test_nothing_that_the_repository_names_is_run(repo: Path, store: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/sprung\ncat\n')
    trap.chmod(0o755)
    for setting in (
        "core.fsmonitor",
        "filter.f.clean",
        "filter.f.smudge",
        "diff.external",
        "core.pager",
        "core.editor",
    ):
        git(repo, "config", setting, str(trap))
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(trap, hooks / hook)
    write(repo, {".gitattributes": "* filter=f diff=f\n"})
    assert after(repo, store, lambda: write(repo, {"a.py": "x\n"})).changed == ("a.py",)
    assert not (tmp_path / "sprung").exists()


def test_a_surrounding_git_environment_does_not_lead_astray(
    repo: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    write(repo, {"debug.log": "1"})
    change = after(repo, store, lambda: write(repo, {"a.py": "x\n", "debug.log": "2"}))
    assert change.changed == ("a.py",)


def test_a_repository_without_commits_works(tmp_path: Path, store: Path) -> None:
    root = tmp_path / "fresh"
    write(root, {".gitignore": "*.log\n", "x.log": "1"})
    git(root, "init", "-q")
    assert after(root, store, lambda: write(root, {"a.py": "1\n", "x.log": "2"})).added == ("a.py",)


def test_an_empty_folder_works(tmp_path: Path, store: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    assert after(root, store, lambda: write(root, {"a.py": "1\n"})).added == ("a.py",)


def test_a_project_in_a_subfolder_sees_only_itself(repo: Path, store: Path) -> None:
    write(repo / "pkg", {"x.log": "1"})
    change = after(repo / "pkg", store, lambda: write(repo, {"a.py": "x\n", "pkg/b.py": "b = 2\n", "pkg/x.log": "2"}))
    assert change.changed == ("b.py",)


def test_a_project_in_an_ignored_folder_is_seen_nevertheless(repo: Path, store: Path) -> None:
    write(repo, {"build/app/main.py": "1\n"})
    assert after(repo / "build/app", store, lambda: write(repo, {"build/app/main.py": "2\n"})).changed == ("main.py",)


def test_a_worktree_works(repo: Path, store: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree), "-b", "side")
    change = after(tree, store, lambda: [write(tree, {"a.py": "x\n", "n.log": "1"}), commit(tree)])
    assert (change.changed, change.added) == (("a.py",), ())


def test_submodules_are_left_out_and_other_repositories_within_are_not(repo: Path, store: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    write(library, {"lib.py": "1\n"})
    git(library, "init", "-q")
    commit(library)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendor")
    commit(repo)

    def work() -> None:
        write(repo, {"vendor/lib.py": "2\n", "inner/main.py": "1\n", "inner/.gitignore": "*.tmp\n", "inner/x.tmp": "1"})
        git(repo / "inner", "init", "-q")

    assert after(repo, store, work).added == ("inner/.gitignore", "inner/main.py")


def test_without_the_program_git_files_are_still_compared(
    repo: Path, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    write(repo, {"node_modules/x/index.js": "1", ".venv/bin/python": "1"})
    change = after(repo, store, lambda: write(repo, {"a.py": "x\n", "node_modules/x/index.js": "2"}))
    assert change.changed == ("a.py",)


def test_a_repository_within_a_folder_without_git_keeps_its_ignore_rules(tmp_path: Path, store: Path) -> None:
    root = tmp_path / "workspace"
    write(root, {"top.txt": "1", "app/.gitignore": "*.log\n", "app/main.py": "1\n", "app/x.log": "1"})
    git(root / "app", "init", "-q")
    change = after(root, store, lambda: write(root, {"top.txt": "2", "app/main.py": "2\n", "app/x.log": "2"}))
    assert change.changed == ("app/main.py", "top.txt")


def test_an_empty_folder_named_git_sends_nobody_in_circles(repo: Path, store: Path) -> None:
    (repo / "odd/.git").mkdir(parents=True)
    assert after(repo, store, lambda: write(repo, {"odd/x.py": "1\n"})).added == ("odd/x.py",)


# ---------------------------------------------------------------- the store


def test_what_has_not_changed_is_not_kept_twice(root: Path, store: Path) -> None:
    first = evidence.take(root, store)
    assert len(list(store.glob("*.pack"))) == 1
    second = evidence.take(root, store)
    write(root, {"copy.py": "one\ntwo\nthree\n"})
    third = evidence.take(root, store)
    assert len({first.id, second.id, third.id}) == 3
    assert len(list(store.glob("*.pack"))) == 1


def test_releasing_one_snapshot_leaves_the_others_whole(root: Path, store: Path) -> None:
    first = evidence.take(root, store)
    write(root, {"a.py": "second\n"})
    second = evidence.take(root, store)
    evidence.release(store, first.id)
    evidence.release(store, first.id)
    write(root, {"a.py": "third\n", "pkg/b.py": "third\n"})
    change = evidence.changes(root, evidence.find(root, store, second.id))
    assert change.before == {"a.py": "second\n", "pkg/b.py": "b = 1\n"}
    with pytest.raises(UserError) as caught:
        evidence.find(root, store, first.id)
    assert caught.value.code == "snapshot-missing" and caught.value.help


def test_texts_that_nobody_needs_are_removed(root: Path, store: Path) -> None:
    for number in range(4):
        write(root, {"a.py": f"{number}\n", "pkg/b.py": f"b{number}\n", ".config": f"c{number}\n"})
        write(root, {".gitattributes": f"#{number}\n"})
        evidence.release(store, evidence.take(root, store).id)
    assert len(list(store.glob("*.pack"))) == 1
    assert [path.name for path in store.iterdir() if path.suffix != ".pack"] == ["newest"]


@pytest.mark.parametrize("id", ["", "../../etc/passwd", "0" * 64, "a/b", "x.y"])
def test_an_unknown_id_is_refused(root: Path, store: Path, id: str) -> None:
    with pytest.raises(UserError) as caught:
        evidence.find(root, store, id)
    assert caught.value.code == "snapshot-missing"


def test_a_manifest_that_was_changed_is_refused(root: Path, store: Path) -> None:
    taken = evidence.take(root, store)
    path = store / f"{taken.id}.snapshot"
    path.write_bytes(path.read_bytes().replace(b"a.py", b"z.py"))
    with pytest.raises(UserError) as caught:
        evidence.find(root, store, taken.id)
    assert caught.value.code == "snapshot-damaged" and str(path) in str(caught.value.where)


def test_a_kept_text_that_was_changed_is_refused(root: Path, store: Path) -> None:
    taken = evidence.take(root, store)
    pack = next(store.glob("*.pack"))
    pack.write_bytes(pack.read_bytes().replace(b"two", b"TWO"))
    write(root, {"a.py": "x\n"})
    with pytest.raises(UserError) as caught:
        evidence.changes(root, taken)
    assert caught.value.code == "snapshot-damaged"


def test_a_kept_text_that_is_gone_is_refused_and_kept_anew_next_time(root: Path, store: Path) -> None:
    time.sleep(0.15)  # settled stat values: the next snapshot would not read the files again
    taken = evidence.take(root, store)
    next(store.glob("*.pack")).unlink()
    again = evidence.take(root, store)
    write(root, {"a.py": "x\n"})
    with pytest.raises(UserError) as caught:
        evidence.changes(root, taken)
    assert caught.value.code == "snapshot-not-readable"
    assert evidence.changes(root, again).before == {"a.py": "one\ntwo\nthree\n"}


@pytest.mark.parametrize(
    "nonsense", [b"", b"nonsense", b"{}\n[]\n", b"\xff\n{}\n", b'[]\n{"a.py": 1}\n', b'{}\n{"a.py": "x"}\n']
)
def test_a_damaged_cache_costs_time_only(root: Path, store: Path, nonsense: bytes) -> None:
    evidence.take(root, store)
    (store / "newest").write_bytes(nonsense)
    os.utime(store / "newest", ns=(2**62, 2**62))
    assert after(root, store, lambda: write(root, {"a.py": "x\n"})).changed == ("a.py",)
    evidence.release(store, evidence.take(root, store).id)


def test_a_store_that_cannot_be_made_is_a_clear_error(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"file": "x"})
    with pytest.raises(UserError) as caught:
        evidence.take(root, tmp_path / "file/store")
    assert caught.value.code == "snapshot-not-written"
    assert caught.value.where and caught.value.help


@pytest.fixture
def full_disk() -> Iterator[Callable[[int], None]]:
    """Writes beyond a size fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("fill", "limit"), [("x" * 10_000, 5_000), ("x", 300)], ids=["in a pack", "in the manifest"])
def test_a_full_disk_is_a_clear_error_and_leaves_nothing_half_written(
    root: Path, store: Path, full_disk: Callable[[int], None], fill: str, limit: int
) -> None:
    write(root, {"big.txt": fill})
    store.mkdir()
    full_disk(limit)
    with pytest.raises(UserError) as caught:
        evidence.take(root, store)
    full_disk(resource.RLIM_INFINITY)
    assert caught.value.code == "snapshot-not-written" and os.strerror(errno.EFBIG) in caught.value.message
    assert not [path for path in store.iterdir() if path.suffix != ".pack"]
    assert after(root, store, lambda: write(root, {"big.txt": "y"})).before == {"big.txt": fill}


# ---------------------------------------------------------------- bad days


def test_a_file_that_vanishes_while_it_is_read_is_not_there(root: Path) -> None:
    assert snapshot.read(root, "gone.py", stat.S_IFREG | 0o644) is None
    assert snapshot.read(root, "gone", stat.S_IFLNK | 0o777) is None
    assert snapshot.read(root, "a.py/inner", stat.S_IFREG | 0o644) is None


def test_a_link_in_place_of_a_file_is_not_read_through(root: Path) -> None:
    (root / "l").symlink_to("a.py")
    with pytest.raises(UserError) as caught:
        snapshot.read(root, "l", stat.S_IFREG | 0o644)
    assert caught.value.code == "evidence-unreadable"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can read too."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.fixture
def nobody(open_folder: Path) -> Iterator[None]:
    """A user whom permissions hold back, also where tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_an_unreadable_file_is_noted_and_is_an_error_once_it_matters(nobody: None, open_folder: Path) -> None:
    root, store = open_folder / "project", open_folder / "store"
    write(root, {"a.py": "1\n", "secret": "s\n"})
    (root / "secret").chmod(0)
    taken = evidence.take(root, store)
    assert evidence.changes(root, taken) == Change()
    (root / "secret").chmod(0o200)
    (root / "secret").write_text("other\n")
    with pytest.raises(UserError) as caught:
        evidence.changes(root, taken)
    assert caught.value.code == "evidence-unreadable"
    assert caught.value.where and caught.value.where.path == "secret" and caught.value.help
    (root / "secret").chmod(0o600)
    change = evidence.changes(root, taken)
    assert change.changed == ("secret",) and change.before["secret"] == f"{NO_TEXT}unreadable"


@pytest.mark.parametrize("inside", [{}, {"closed/b.py": "2\n"}], ids=["folders only", "files"])
def test_a_folder_that_was_closed_is_an_error_and_not_a_deletion(
    nobody: None, open_folder: Path, inside: dict[str, str | bytes]
) -> None:
    root, store = open_folder / "project", open_folder / "store"
    write(root, {"a.py": "1\n", "closed/deep/c.py": "3\n", **inside})
    taken = evidence.take(root, store)
    (root / "closed").chmod(0)
    with pytest.raises(UserError) as caught:
        evidence.changes(root, taken)
    (root / "closed").chmod(0o700)
    assert caught.value.code == "evidence-unreadable"


# ---------------------------------------------------------------- diff


def test_a_diff_can_be_applied(root: Path, store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git"))

    def work() -> None:
        write(root, {"a.py": "zero\none\n2\nthree\nno line end", "new dir/c.py": "c\n"})
        (root / "pkg/b.py").unlink()

    diff = after(root, store, work).diff()
    subprocess.run(["git", "apply", "-p1", "-"], input=diff.encode(), cwd=copy, check=True, capture_output=True)
    assert (copy / "a.py").read_text() == "zero\none\n2\nthree\nno line end"
    assert (copy / "new dir/c.py").read_text() == "c\n"
    assert not (copy / "pkg/b.py").exists()


def test_a_diff_of_a_large_file_shows_the_middle_as_replaced() -> None:
    old = [f"line {number}" for number in range(5_000)]
    new = [*old[:2_500], "changed", *old[2_501:]]
    diff = Change(after={"a": "\n".join(new) + "\n"}, before={"a": "\n".join(old) + "\n"}).diff()
    assert diff == "--- a/a\n+++ b/a\n@@ -2501,1 +2501,1 @@\n-line 2500\n+changed\n"
    more = Change(after={"a": "\n".join([*old, "end"]) + "\n"}, before={"a": "\n".join(old) + "\n"}).diff()
    assert more.endswith("@@ -5001,0 +5001,1 @@\n+end\n")


def test_a_diff_is_cut_at_its_limit_and_says_so() -> None:
    change = Change(after={"a": "x\n" * 1_000, "b": "y\n"}, added=("a", "b"))
    diff = change.diff(limit=100)
    assert len(diff) < 150 and diff.endswith("… cut off; 2 files were changed\n")


def test_a_name_cannot_forge_lines_of_a_diff() -> None:
    diff = Change(after={"x\n+++ b/other": "1\n"}).diff()
    assert diff.splitlines()[:2] == ["--- /dev/null", '+++ "b/x\\n+++ b/other"']


CONTENTS = st.one_of(st.binary(max_size=40), st.sampled_from([b"same\n", b"", b"a\r\nb\r\n"]))
TREES = st.dictionaries(st.sampled_from(["a", "b", "c/d", "c/e", "f/g/h", ".i"]), CONTENTS)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TREES, new=TREES)
def test_any_two_trees_are_told_apart_exactly(old: dict[str, bytes], new: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        write(root, dict(old))
        taken = evidence.take(root, Path(folder, "store"))
        for name in old.keys() - new.keys():
            (root / name).unlink()
        write(root, dict(new))
        change = evidence.changes(root, taken)
    gone = {*change.deleted, *(was for was, _ in change.renamed)}
    came = {*change.added, *(now for _, now in change.renamed)}
    assert gone == old.keys() - new.keys()
    assert came == new.keys() - old.keys()
    assert set(change.changed) == {name for name in old.keys() & new.keys() if old[name] != new[name]}
    assert all(
        old[was] == new[now] or set(old[was].split(b"\n")) & set(new[now].split(b"\n")) for was, now in change.renamed
    )
