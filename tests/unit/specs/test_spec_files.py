"""Reading stays in the project, writing is all or nothing, locks exclude."""

import os
import threading
from pathlib import Path

import pytest

from shiage.domain.errors import UserError
from shiage.specs import files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def target(root: Path) -> Path:
    folder = root / "login"
    folder.mkdir()
    path = folder / "spec.json"
    path.write_bytes(b"old")
    return path


def test_a_write_replaces_the_text_keeps_the_mode_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = target(tmp_path)
    path.chmod(0o640)
    files.write_atomic(tmp_path, path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(path.parent) == ["spec.json"]


@pytest.mark.parametrize("step", ["write_durably", "rename", "sync_folder"])
def test_a_failure_at_any_durable_step_is_told_and_leaves_a_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = target(tmp_path)

    def broken(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, step, broken)
    with pytest.raises(UserError) as caught:
        files.write_atomic(tmp_path, path, b"new")
    assert caught.value.code == "spec-not-writable"
    assert caught.value.message == 'spec.json of "login" cannot be written: No space left on device'
    assert str(caught.value.where) == "login/spec.json"
    assert path.read_bytes() == (b"new" if step == "sync_folder" else b"old")
    assert names(path.parent) == ["spec.json"]


def test_every_write_takes_a_fresh_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, names = target(tmp_path), []
    monkeypatch.setattr(files, "rename", lambda source, place: names.append(source))
    files.write_atomic(tmp_path, path, b"1")
    files.write_atomic(tmp_path, path, b"2")
    assert len(set(names)) == 2


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    path = target(tmp_path)
    path.with_name(".spec.json.0123.tmp").write_bytes(b"half")
    files.sweep(path)
    assert names(path.parent) == ["spec.json"]


def test_a_symlink_within_the_project_is_followed_and_kept(tmp_path: Path) -> None:
    path = target(tmp_path)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    files.write_atomic(tmp_path, link, b"new")
    assert link.is_symlink()
    assert files.read_bytes(tmp_path, link) == b"new"


def test_a_symlink_out_of_the_project_is_neither_read_nor_written(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(b"mine")
    (root / "tasks.md").symlink_to(secret)
    for act in (lambda path: files.read_text(root, path), lambda path: files.write_atomic(root, path, b"x")):
        with pytest.raises(UserError) as caught:
            act(root / "tasks.md")
        assert caught.value.code == "path-outside"
    assert secret.read_bytes() == b"mine"


def test_a_loop_of_symlinks_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UserError):
        files.read_text(tmp_path, tmp_path / "a")


def test_text_keeps_its_line_ends_loses_its_mark_and_never_fails_on_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\xff\x00b")
    assert files.read_text(tmp_path, path) == "a\r\n\ufffd\x00b"


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert files.read_text(tmp_path, tmp_path / "none.md") is None
    assert files.read_text(tmp_path, tmp_path / "file" / "none.md") is None


@pytest.mark.parametrize("kind", ["folder", "fifo", "giant", "forbidden"])
def test_what_is_no_ordinary_file_is_refused_without_a_hang(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tasks.md"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "giant":
        path.touch()
        os.truncate(path, files.MOST_BYTES + 1)
    else:
        monkeypatch.setattr(os, "open", lambda *arguments: (_ for _ in ()).throw(PermissionError(13, "denied")))
    with pytest.raises(UserError) as caught:
        files.read_text(tmp_path, path)
    assert caught.value.code == "file-unreadable"


def test_a_folder_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "specs" / "login"
    files.make_folder(tmp_path, place, {"a.md": b"1", "b.md": b"2"})
    assert names(place) == ["a.md", "b.md"]
    with pytest.raises(FileExistsError):
        files.make_folder(tmp_path, place, {"a.md": b"3"})
    assert (place / "a.md").read_bytes() == b"1"

    def broken(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "rename", broken)
    with pytest.raises(UserError, match="cannot be written"):
        files.make_folder(tmp_path, tmp_path / "specs" / "other", {"a.md": b"1"})
    assert names(tmp_path / "specs") == ["login"]


def test_what_cannot_be_listed_holds_nothing(tmp_path: Path) -> None:
    assert files.entries(tmp_path, tmp_path / "none") == []


def test_a_lock_keeps_another_thread_out_until_it_is_free(tmp_path: Path) -> None:
    lock, order = tmp_path / "locks" / "a", []
    entered = threading.Event()

    def other() -> None:
        entered.set()
        with files.locked(tmp_path, lock):
            order.append("other")

    with files.locked(tmp_path, lock):
        thread = threading.Thread(target=other)
        thread.start()
        entered.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_who_waits_too_long_for_a_lock_is_told(tmp_path: Path) -> None:
    lock = tmp_path / "a"
    with files.locked(tmp_path, lock), pytest.raises(UserError), files.locked(tmp_path, lock, patience=0):
        pass


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "locks").write_bytes(b"")
    with pytest.raises(UserError) as caught, files.locked(tmp_path, tmp_path / "locks" / "a"):
        pass
    assert caught.value.code == "spec-not-writable"


def test_a_path_out_of_the_root_is_shown_by_its_name_only(tmp_path: Path) -> None:
    assert files.shown(tmp_path, Path("/elsewhere/spec.json")) == "spec.json"
