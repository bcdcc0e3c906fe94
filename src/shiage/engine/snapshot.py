"""The state of a project at one moment, kept outside git so that nothing an agent does to git can lose it.

A snapshot is a manifest (paths, stat values, digests) beside packs of the texts that may have to be shown later.
The store holds each text once. Manifests are named by their digest, so an id that was journalled seals them too.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypedDict

from shiage.domain.errors import UserError, Where
from shiage.specs.files import sync_folder

MAX_TEXT = 2 << 20  #: bytes; a larger file is compared and listed, its text is not kept
MAX_HASHED = 256 << 20  #: bytes; a larger file is told apart by size and time alone: hashing it takes seconds
_BINARY_HEAD = 8_000  #: bytes in which a NUL makes a file binary; git looks as far
_RACY = 100_000_000  #: ns; a file changed this shortly before it was looked at may change again within a clock tick
_COARSE = 2_000_000_000  #: ns; the same where times have whole seconds (FAT: two)
_NEWEST = "newest"  #: the last released manifest, kept for its stat values
_LENGTH = 8  #: bytes before each text in a pack


Row = str  #: an entry as the manifest holds it; ten thousand of them are compared without being taken apart


class Entry(NamedTuple):
    """One file as it was. The first five are its identity while nobody touches it; size -1 never matches."""

    mode: int
    size: int
    mtime: int
    ctime: int
    inode: int
    digest: str = ""  #: empty: it could not be read
    pack: str = ""  #: where its text is kept; empty: it has none
    offset: int = 0

    @classmethod
    def of(cls, row: Row) -> "Entry":
        identity, digest, pack, offset = row.rsplit(" ", 3)
        mode, size, mtime, ctime, inode = map(int, identity.split(" "))
        return cls(mode, size, mtime, ctime, inode, digest, pack, int(offset))


class _Head(TypedDict):
    exclude: list[str]
    include: list[str]
    packs: list[str]
    taken: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`id` is the digest of the manifest: who journals it has also sealed what it says."""

    id: str
    store: Path
    rows: Mapping[str, Row]
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()

    def data(self, entry: Entry) -> bytes | None:
        """The bytes a file had, if they were kept."""
        if not entry.pack:
            return None
        path = self.store / entry.pack
        with trouble(path, "read"), path.open("rb") as pack:
            pack.seek(entry.offset)
            data = pack.read(int.from_bytes(pack.read(_LENGTH), "big"))
        if _digest(data) != entry.digest:
            raise _damaged(path)
        return data


def keep(
    project: Path, store: Path, there: Mapping[str, str], taken: int, exclude: tuple[str, ...], include: tuple[str, ...]
) -> Snapshot:
    """Store what is there; `there` has the identity of each path, looked at after the moment `taken`."""
    with trouble(store, "write"):
        store.mkdir(parents=True, exist_ok=True)
        for known in (_known(store), dict[str, Row]()):
            rows = _rows(project, store, there, taken, known)
            head = _Head(exclude=[*exclude], include=[*include], packs=sorted(_packs(rows)), taken=taken)
            snapshot = Snapshot(_written(store, _rendered(head, rows)), store, rows, exclude, include)
            if all((store / pack).exists() for pack in head["packs"]):
                return snapshot
            # Another process released the texts that were to be used again: once more, from nothing.
    raise _damaged(store)


def load(store: Path, id: str) -> Snapshot:
    """The snapshot of that id, after a crash too."""
    path = store / f"{id}.snapshot"
    if not id.isalnum() or not path.is_file():
        raise UserError("snapshot-missing", f"there is no snapshot {id!r}", where=Where(str(path)), help=_ANEW)
    with trouble(path, "read"):
        data = path.read_bytes()
    if _digest(data) != id:
        raise _damaged(path)
    head, rows = _parsed(data)
    return Snapshot(id, store, rows, tuple(head["exclude"]), tuple(head["include"]))


def drop(store: Path, id: str) -> None:
    """Forget a snapshot and the texts that no other one needs; its stat values stay until a newer one is released."""
    if not id.isalnum():
        return
    with trouble(store, "write"), contextlib.suppress(FileNotFoundError):
        (store / f"{id}.snapshot").replace(store / _NEWEST)
    with trouble(store, "write"):
        needed = set[str]()
        for manifest in _manifests(store):
            with contextlib.suppress(FileNotFoundError, ValueError, KeyError, TypeError), manifest.open("rb") as file:
                needed.update(_head(file.readline())["packs"])
        for pack in store.glob("*.pack"):
            if pack.name not in needed:
                pack.unlink(missing_ok=True)


# ---------------------------------------------------------------- reading


def read(project: Path, path: str, mode: int) -> tuple[Entry, bytes | None] | None:
    """The file with its digest, and its bytes if they are text of a bearable size; None when it has vanished."""
    place = f"{project}/{path}"
    try:
        if stat.S_ISLNK(mode):
            data = os.fsencode(Path(place).readlink())
            return _entry(os.lstat(place), _digest(data)), data
        descriptor = os.open(place, os.O_RDONLY | _NO_SURPRISE)
        try:
            return _content(descriptor)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unreadable(path, error) from error


#: A link or a pipe may have taken the place of the file since it was looked at.
_NO_SURPRISE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _content(descriptor: int) -> tuple[Entry, bytes | None] | None:
    at = os.fstat(descriptor)
    if not stat.S_ISREG(at.st_mode):
        return None
    if at.st_size > MAX_HASHED:
        return _entry(at, f"unread-{at.st_size}-{at.st_mtime_ns}"), None
    if at.st_size > MAX_TEXT:
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            return _entry(at, hashlib.file_digest(file, "sha256").hexdigest()), None
    data = os.read(descriptor, at.st_size)
    return _entry(at, _digest(data)), None if b"\0" in data[:_BINARY_HEAD] else data


def _entry(at: os.stat_result, digest: str) -> Entry:
    return Entry(at.st_mode, at.st_size, at.st_mtime_ns, at.st_ctime_ns, at.st_ino, digest)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- keeping


def _rows(project: Path, store: Path, there: Mapping[str, str], taken: int, known: Mapping[str, Row]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    with _Pack(store, known) as pack:
        for path, identity in there.items():
            row = known.get(path, "")
            if row.startswith(identity) or (row := _kept(project, path, identity, pack, taken)):
                rows[path] = row
    return rows


def _kept(project: Path, path: str, identity: str, pack: "_Pack", taken: int) -> Row:
    """Read a file and keep its text. One that can't be read is noted: nothing is judged yet."""
    try:
        found = read(project, path, int(identity.partition(" ")[0]))
    except UserError:
        return f"{identity}  0"
    if found is None:
        return ""
    (mode, size, mtime, ctime, inode, digest, _, _), data = found
    place, offset = ("", 0) if data is None else pack.kept(digest, data)
    tick = _RACY if ctime % 1_000_000_000 else _COARSE
    if ctime + tick >= taken:  # it may change without a sign of it, and is read again next time
        size = -1
    return f"{mode} {size} {mtime} {ctime} {inode} {digest} {place} {offset}"


class _Pack:
    """New texts one after the other in a file; each text once in the whole store, no file where there is none."""

    def __init__(self, store: Path, known: Mapping[str, Row]) -> None:
        self._path = store / f"{os.urandom(10).hex()}.pack"
        self._known = known
        self._file: BinaryIO | None = None
        self._size = 0

    @cached_property
    def _places(self) -> dict[str, tuple[str, int]]:
        kept = (row.split(" ") for row in self._known.values())
        return {fields[5]: (fields[6], int(fields[7])) for fields in kept if len(fields) == 8 and fields[6]}

    def kept(self, digest: str, data: bytes) -> tuple[str, int]:
        """In which pack this text is, and where."""
        if digest not in self._places:
            self._places[digest] = self._path.name, self._add(data)
        return self._places[digest]

    def _add(self, data: bytes) -> int:
        self._file = self._file or self._path.open("xb", buffering=1 << 20)
        self._file.write(len(data).to_bytes(_LENGTH, "big") + data)
        offset, self._size = self._size, self._size + _LENGTH + len(data)
        return offset

    def __enter__(self) -> "_Pack":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self._file:
            return
        try:
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError:
            self._path.unlink(missing_ok=True)
            raise
        if kind:
            self._path.unlink(missing_ok=True)


def _packs(rows: Mapping[str, Row]) -> set[str]:
    return {row.rsplit(" ", 2)[1] for row in rows.values()} - {""}


def _rendered(head: _Head, rows: Mapping[str, Row]) -> bytes:
    return f"{json.dumps(head)}\n{json.dumps(rows)}\n".encode()


def _written(store: Path, data: bytes) -> str:
    """Old or new, never half; durable before the id is journalled."""
    digest = _digest(data)
    beside = store / f"{digest}.{os.getpid()}"
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(store / f"{digest}.snapshot")
        sync_folder(store)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return digest


def _head(data: bytes) -> _Head:
    head: _Head = json.loads(data[: data.index(b"\n")])
    return head


def _parsed(data: bytes) -> tuple[_Head, dict[str, Row]]:
    rows = json.loads(data[data.index(b"\n") :])
    if not isinstance(rows, dict) or not all(isinstance(row, str) for row in rows.values()):
        raise ValueError
    return _head(data), rows


def _manifests(store: Path) -> list[Path]:
    return [path for path in (*store.glob("*.snapshot"), store / _NEWEST) if path.exists()]


def _known(store: Path) -> dict[str, Row]:
    """Stat values of the newest manifest: what still matches needs no reading. Damaged: everything is read."""
    newest = max(_manifests(store), key=lambda path: path.stat().st_mtime_ns, default=None)
    try:
        return _parsed(newest.read_bytes())[1] if newest else {}
    except (OSError, ValueError):
        return {}


# ---------------------------------------------------------------- troubles

_ANEW = "start this run anew: `shiage reset`, then `shiage run`; the project's files stay as they are"
_TROUBLES = {
    "read": ("snapshot-not-readable", "the snapshot can't be read", _ANEW),
    "write": (
        "snapshot-not-written",
        "the snapshot can't be written",
        "free space or make the folder writable, then run again",
    ),
}


def unreadable(path: str, error: OSError) -> UserError:
    remedy = "make it readable for this user, or have git ignore it"
    return UserError("evidence-unreadable", f"{path} can't be read: {error.strerror}", where=Where(path), help=remedy)


def _damaged(path: Path) -> UserError:
    says = "the snapshot was changed or is incomplete"
    return UserError("snapshot-damaged", says, where=Where(str(path)), help=_ANEW)


@contextlib.contextmanager
def trouble(path: Path, doing: str) -> Iterator[None]:
    """A failing system call becomes an error that names the file and the remedy."""
    try:
        yield
    except OSError as error:
        code, says, remedy = _TROUBLES[doing]
        where = Where(os.fsdecode(error.filename or path))
        raise UserError(code, f"{says}: {error.strerror}", where=where, help=remedy) from error
