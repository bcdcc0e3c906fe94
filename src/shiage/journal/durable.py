"""The operations that must survive a crash, one plain function each, so that a crash test can count them."""

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path

# No link is followed (an agent may have put one there) and nothing that is no file may make open() wait.
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK = 1 << 20


def create(path: Path) -> int:
    """Open for appending and reading; a new file is durable in its folder before this returns."""
    try:
        return _regular(os.open(path, os.O_RDWR | os.O_APPEND | _SAFE), path)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _SAFE, 0o644)
        sync_folder(path.parent)
        return _regular(descriptor, path)


def append(descriptor: int, data: bytes) -> None:
    """All of it is on the disk when this returns."""
    _write(descriptor, data)
    os.fsync(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def truncate(descriptor: int, size: int) -> None:
    """Cut the end off, durably."""
    os.ftruncate(descriptor, size)
    os.fsync(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Old or new when a process dies. A power cut may leave an older one or none: only for what can be done without."""
    beside = path.with_name(path.name + ".new")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()  # left by a crash, or a link put there
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o644)
    try:
        _write(descriptor, data)
    finally:
        os.close(descriptor)
    beside.replace(path)


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(path: Path, holder: str) -> int | None:
    """An exclusive lock that the system releases with the process; None if somebody else has it."""
    descriptor = _regular(os.open(path, os.O_RDWR | os.O_CREAT | _SAFE, 0o644), path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read(path: Path, start: int = 0, end: int | None = None) -> bytes:
    """The bytes of a file from `start` on, up to `end` or its own."""
    descriptor = _regular(os.open(path, os.O_RDONLY | _SAFE), path)
    try:
        return read_from(descriptor, start) if end is None else os.pread(descriptor, end - start, start)
    finally:
        os.close(descriptor)


def read_from(descriptor: int, start: int = 0) -> bytes:
    """The bytes of an open file from `start` on, up to the end it has now."""
    blocks = []
    while block := os.pread(descriptor, _BLOCK, start):
        blocks.append(block)
        start += len(block)
    return b"".join(blocks)


def _regular(descriptor: int, path: Path) -> int:
    """Refuse what is no file: a pipe would wait for ever, a device never ends."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file", str(path))
