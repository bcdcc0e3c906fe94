"""Reads below the project only, writes all or nothing, locks between processes.

Everything durable goes through `write_durably`, `rename` and `sync_folder`: a harness that replaces these three sees,
delays or fails every step that can be cut short.
"""

import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from shiage.domain.errors import UserError, Where

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MOST_BYTES = 4 * 2**20  #: 200 times the largest tasks.md seen; parsing more would stall everybody who waits
PATIENCE = 30.0  #: seconds; a lock is held for milliseconds, so a longer wait means a frozen holder
PAUSE = 0.002  #: seconds between two tries for a lock
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a FIFO must not hang the open
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_durably(path: Path, data: bytes, mode: int) -> None:
    """Create a file that was not there; on the disk when this returns."""
    with os.fdopen(os.open(path, CREATE_FLAGS, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def rename(source: Path, target: Path) -> None:
    """Give the finished file its name, replacing what had it."""
    source.replace(target)


def sync_folder(folder: Path) -> None:
    """Make the new name itself durable; Windows has no such call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomic(root: Path, path: Path, data: bytes) -> None:
    """Replace a file: readers see the old text or the new one, whatever is cut short."""
    place = inside(root, path)
    # A fresh name each time: after a failed fsync nothing is known of the pages of the old one.
    temp = place.with_name(f".{place.name}.{secrets.token_hex(6)}.tmp")
    try:
        write_durably(temp, data, _mode(place))
        rename(temp, place)
        sync_folder(place.parent)
    except OSError as error:
        raise not_writable(root, path, error) from error
    finally:
        _discard(temp)


def make_folder(root: Path, path: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder with its files: all of them or none. FileExistsError if something has the name already."""
    place = inside(root, path)
    temp = place.with_name(f".{place.name}.{secrets.token_hex(6)}.new")
    try:
        temp.mkdir(parents=True)
        for name, data in contents.items():
            write_durably(temp / name, data, 0o666)
        sync_folder(temp)
        rename(temp, place)
        sync_folder(place.parent)
    except OSError as error:
        if os.path.lexists(place):
            raise FileExistsError(str(place)) from error
        raise not_writable(root, path / next(iter(contents)), error) from error
    finally:
        shutil.rmtree(temp, ignore_errors=True)


def sweep(path: Path) -> None:
    """Remove what writers that were killed left beside the file. Only under its lock: else one may be at work."""
    for temp in path.parent.glob(f".{path.name}.*.tmp"):
        _discard(temp)


def _mode(place: Path) -> int:
    try:
        return stat.S_IMODE(place.stat().st_mode)
    except OSError:
        return 0o666


def _discard(temp: Path) -> None:
    with suppress(OSError):  # the failure that brought us here is the one to tell
        temp.unlink(missing_ok=True)


def not_writable(root: Path, path: Path, error: OSError) -> UserError:
    """The one error for everything that could not be put on the disk."""
    return UserError(
        "spec-not-writable",
        f'{path.name} of "{path.parent.name}" cannot be written: {error.strerror or error}',
        where=Where(shown(root, path)),
        help="make room or give the right to write there, then run again. The file is whole: its old text or its new.",
    )


def shown(root: Path, path: Path) -> str:
    """How a person is told of a path: from the project's root, with slashes."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def inside(root: Path, path: Path) -> Path:
    """The real place of a path, refused when symlinks lead out of the root."""
    if _plain(str(root), str(path)):
        return path
    try:
        place = path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symlinks before Python 3.13
        raise _unreadable(root, path, "its symlinks lead nowhere") from error
    if place.is_relative_to(root.resolve()):
        return place
    raise UserError(
        "path-outside",
        f"{path.name} leads out of the project",
        where=Where(shown(root, path)),
        help="replace the symlink by the file or folder itself",
    )


def _plain(root: str, path: str) -> bool:
    """Whether no link is on the way from the root: nearly always, and a tenth of what resolving it costs."""
    if not path.startswith(f"{root}{os.sep}") or f"{os.sep}.." in path:
        return False
    while path != root:
        try:
            if stat.S_ISLNK(os.lstat(path).st_mode):
                return False
        except FileNotFoundError:
            pass
        except OSError:
            return False
        path = path.rpartition(os.sep)[0]
    return True


def entries(root: Path, folder: Path) -> list[Path]:
    """What a folder holds; nothing where there is none, or none that may be read."""
    return [Path(entry) for entry in scanned(root, folder)]


def scanned(root: Path, folder: Path) -> "list[os.DirEntry[str]]":
    """The same with what the system tells of each for nothing: a thousand of them are looked at within one command."""
    try:
        with os.scandir(inside(root, folder)) as found:
            return list(found)
    except OSError:
        return []


def read_bytes(root: Path, path: Path) -> bytes | None:
    """The content of a regular file below the root; None if there is none."""
    place = inside(root, path)
    try:
        descriptor = os.open(place, READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(root, path, error.strerror or str(error)) from error
    try:
        return _content(descriptor)
    except (OSError, ValueError) as error:
        raise _unreadable(root, path, str(error)) from error
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise ValueError("it is no regular file")
    data = bytearray()
    while piece := os.read(descriptor, 2**20):
        data += piece
        if len(data) > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES // 2**20} MiB")
    return bytes(data)


def read_text(root: Path, path: Path) -> str | None:
    """A Markdown file as text, line ends kept; bytes that are no UTF-8 become U+FFFD. None if there is none."""
    data = read_bytes(root, path)
    return None if data is None else as_text(data)


def as_text(data: bytes) -> str:
    return data.decode("utf-8-sig", errors="replace")


def _unreadable(root: Path, path: Path, reason: str) -> UserError:
    return UserError(
        "file-unreadable",
        f'{path.name} of "{path.parent.name}" cannot be read: {reason}',
        where=Where(shown(root, path)),
        help="put a readable text file in its place, then run again",
    )


@contextmanager
def locked(root: Path, lock: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Keep every other process and thread that locks the same file out; never nest it."""
    try:
        place = inside(root, lock)
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise not_writable(root, lock, error) from error
    try:
        _acquire(descriptor, root, lock, time.monotonic() + patience)
        try:
            yield
        finally:
            _unlock(descriptor)  # closing is not enough while a forked child holds the descriptor
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, root: Path, lock: Path, deadline: float) -> None:
    while True:
        try:
            return _lock(descriptor)
        except OSError as error:
            if time.monotonic() >= deadline:
                raise not_writable(root, lock, error) from error
        time.sleep(PAUSE)


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
