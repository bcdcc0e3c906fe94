"""What a task has changed: the project now against a snapshot taken before it, cumulatively.

Git is asked one question only: which files are there that it does not ignore. Its index, objects, refs, hooks and
filters stay untouched, so bytes are compared as they lie on the disk, and an agent that commits, amends, resets,
switches branch, stashes or deletes `.git` changes nothing about the comparison.
Measured beside `git add -A` and `git write-tree` with an index of our own: `bench/evidence.py`.
"""

import contextlib
import difflib
import os
import stat
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from shiage.engine.snapshot import Entry, Snapshot, drop, keep, load, read, unreadable

__all__ = ["NO_TEXT", "Change", "Snapshot", "changes", "find", "release", "take", "unified"]

MAX_TOTAL = 64 << 20  #: bytes of text on either side of a change; files beyond are listed without
MAX_DIFF = 100_000  #: characters of a diff for people and prompts
NO_TEXT = "\0"  #: begins what stands for a text that isn't there (binary, too large); NUL keeps line rules off it
_ALIKE = 0.5  #: share of lines in common that makes a deleted and an added file one that moved; git's measure
_MOVES = 50  #: deleted and added files at most that are compared by content: pairs grow with the square
_DEEP = 2_000  #: lines in which a diff looks for the shortest edit; a larger middle is shown as replaced
_EXECUTABLE = 0o111
_KINDS = (stat.S_IFREG, stat.S_IFLNK)
_GIT_PATIENCE = 60  #: seconds
_OURS = (".git", ".shiage")
_CACHES = ("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis")  #: nobody's work
_DEPENDENCIES = ("node_modules", ".venv", "venv", ".tox", ".nox")  #: left out where no .gitignore can say so
_LIST = (
    "git",
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),  # nothing that the repository names is run
    *("-c", "safe.directory=*"),  # only names are read; a checkout that another user owns is common in containers
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."),
)


@dataclass(frozen=True, slots=True)
class Change:
    """Paths count from the project's root; bytes in them that are no UTF-8 are shown as \\xNN.

    `after` and `before` are what the judge reads: a deleted file is None in `after`, a new one is absent from `before`.
    A file without text stands there as NO_TEXT and its digest, so that it still differs.
    """

    after: Mapping[str, str | None] = field(default_factory=dict)
    before: Mapping[str, str | None] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()  #: old and new path, in none of the lists above
    modes: tuple[tuple[str, int, int], ...] = ()  #: path, permissions before and after: a program now, or no more
    links: tuple[str, ...] = ()  #: paths of `after` that are symbolic links; their text is their target
    textless: tuple[str, ...] = ()  #: paths of `after` that are binary or too large

    @property
    def total(self) -> int:
        """Files touched in any way."""
        touched = {*self.added, *self.changed, *self.deleted, *(new for _, new in self.renamed)}
        return len(touched | {path for path, _, _ in self.modes})

    def diff(self, limit: int = MAX_DIFF) -> str:
        """Unified, one file after the other, cut at the limit."""
        shown: list[str] = []
        room = limit
        for path in sorted(self.after):
            for line in unified(path, self.before.get(path), self.after[path]):
                if room < len(line):
                    return f"{''.join(shown)}… cut off; {self.total} files were changed\n"
                shown.append(line)
                room -= len(line)
        return "".join(shown)


class _File(NamedTuple):
    entry: Entry
    data: bytes | None

    @property
    def text(self) -> str:
        if self.data is None:
            return f"{NO_TEXT}{self.entry.digest or 'unreadable'}"
        return self.data.decode("utf-8", "backslashreplace")  # "replace" would make different bytes the same


_Files = dict[str, _File]


def take(project: Path, store: Path, *, exclude: Iterable[str] = (), include: Iterable[str] = ()) -> Snapshot:
    """Keep the state of the project.

    `exclude` names files or folders that do not count, anywhere or (with a slash) from the project's root;
    `include` those that count although git ignores them.
    """
    exclude, include, taken = tuple(exclude), tuple(include), time.time_ns()
    return keep(project, store, _look(project, exclude, include), taken, exclude, include)


def find(project: Path, store: Path, id: str, *, exclude: Iterable[str] = ()) -> Snapshot:
    """The snapshot of that id, after a crash too. What it excludes stays excluded."""
    found = load(store, id)
    return replace(found, exclude=tuple(dict.fromkeys((*found.exclude, *exclude))))


def release(store: Path, id: str) -> None:
    """Forget a snapshot, and the texts that no other one needs."""
    drop(store, id)


def changes(project: Path, snapshot: Snapshot) -> Change:
    """Everything that differs from the snapshot, whoever did it and whatever git says of it."""
    counting = _Counting(project, snapshot.exclude)
    old = {path: row for path, row in snapshot.rows.items() if counting.path(path)}
    now = _look(project, snapshot.exclude, snapshot.include, old)
    # What is the same begins with the same identity; so is nearly all, and it is taken apart no further.
    suspects = [path for path, row in old.items() if not row.startswith(now.get(path, "-"))]
    after = _bounded(
        (path, read(project, path, int(now[path].split()[0])))
        for path in sorted([*(path for path in suspects if path in now), *(now.keys() - old.keys())])
    )
    touched = {path: Entry.of(old[path]) for path in sorted(suspects)}
    modes = tuple(_modes(touched, after))
    for path in [path for path, was in touched.items() if path in after and not _differ(was, after[path].entry)]:
        del touched[path], after[path]
    before = _bounded((path, (was, snapshot.data(was))) for path, was in touched.items())
    return _change(before, after, modes)


def _differ(old: Entry, new: Entry) -> bool:
    return old.digest != new.digest or stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode)


def _bounded(files: Iterable[tuple[str, tuple[Entry, bytes | None] | None]]) -> _Files:
    """Files with their bytes while there is room for them; vanished ones are left out."""
    found, room = {}, MAX_TOTAL
    for path, file in files:
        if file:
            entry, data = file
            room -= len(data or b"")
            found[path] = _File(entry, data if room >= 0 else None)
    return found


def _change(before: _Files, after: _Files, modes: tuple[tuple[str, int, int], ...]) -> Change:
    added = {path: file for path, file in after.items() if path not in before}
    deleted = {path: file for path, file in before.items() if path not in after}
    moves = _moves(deleted, added)
    was = before | {new: before[path] for path, new in moves}
    return Change(
        after={
            _name(path): after[path].text if path in after else None for path in sorted(before.keys() | after.keys())
        },
        before={_name(path): file.text for path, file in sorted(was.items())},
        added=_names(added.keys() - {new for _, new in moves}),
        changed=_names(before.keys() & after.keys()),
        deleted=_names(deleted.keys() - {path for path, _ in moves}),
        renamed=tuple((_name(path), _name(new)) for path, new in moves),
        modes=modes,
        links=_names(path for path, file in after.items() if stat.S_ISLNK(file.entry.mode)),
        textless=_names(path for path, file in after.items() if file.data is None),
    )


def _names(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(_name(path) for path in sorted(paths))


def _name(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _modes(old: Mapping[str, Entry], new: _Files) -> Iterator[tuple[str, int, int]]:
    for path, was in old.items():
        now = new[path].entry if path in new else was
        if stat.S_ISREG(was.mode) and stat.S_ISREG(now.mode) and (was.mode ^ now.mode) & _EXECUTABLE:
            yield _name(path), stat.S_IMODE(was.mode), stat.S_IMODE(now.mode)


# ---------------------------------------------------------------- looking


def _look(project: Path, exclude: Iterable[str], include: Iterable[str], known: Iterable[str] = ()) -> dict[str, str]:
    """Path and identity of what is there now. Links are never followed."""
    paths = dict.fromkeys(_listed(project))
    paths.update(dict.fromkeys(path for name in include for path in _included(project, name)))
    paths.update(dict.fromkeys(known))
    counting, root, found = _Counting(project, exclude), f"{project}/", {}
    for path in paths:
        if not (counting.path(path) and counting.real(_folder(path))):
            continue
        try:
            at = os.lstat(root + path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise unreadable(path, error) from error
        if stat.S_IFMT(at.st_mode) in _KINDS:
            found[path] = f"{at.st_mode} {at.st_size} {at.st_mtime_ns} {at.st_ctime_ns} {at.st_ino} "
    return found


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


class _Counting:
    """Which paths count; what holds for a folder is found out once."""

    def __init__(self, project: Path, exclude: Iterable[str]) -> None:
        rules = [rule.strip("/") for rule in exclude]
        self._project = project
        self._names = {*_OURS, *_CACHES, *(rule for rule in rules if "/" not in rule)}
        self._paths = {rule for rule in rules if "/" in rule}
        self._counts = {"": True}
        self._real = {"": True}

    def path(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder not in self._counts:
            self._counts[folder] = self.path(folder)
        return self._counts[folder] and name not in self._names and path not in self._paths

    def real(self, folder: str) -> bool:
        """Is this a folder of the project, and not a way out of it over a link?"""
        if folder not in self._real:
            self._real[folder] = self.real(_folder(folder)) and _is_folder(self._project, folder)
        return self._real[folder]


def _is_folder(project: Path, folder: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(f"{project}/{folder}").st_mode)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unreadable(folder, error) from error


def _listed(project: Path) -> Iterable[str]:
    """What git does not ignore; every file where there is no git, or it does not answer."""
    names = _asked(project) if any((folder / ".git").exists() for folder in (project, *project.parents)) else None
    if names is None or (not names and not (project / ".git").exists()):  # a project in a folder that git ignores
        return _walked(project)
    return (path for name in names for path in (_nested(project, name) if name.endswith("/") else (name,)))


def _nested(project: Path, name: str) -> Iterator[str]:
    """A repository within that is no submodule: git names its folder only."""
    if name.strip("./"):
        yield from (f"{name}{path}" for path in _listed(project / name))


def _asked(project: Path) -> list[str] | None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        answer = subprocess.run(
            _LIST,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(answer.stdout).split("\0")[:-1]


def _walked(root: Path) -> Iterator[str]:
    left = [""]
    while left:
        folder = left.pop()
        with contextlib.suppress(PermissionError, FileNotFoundError, NotADirectoryError):
            entries = list(os.scandir(root / folder))
            if folder and any(entry.name == ".git" for entry in entries):
                yield from (folder + path for path in _listed(root / folder))
                continue
            left += [f"{folder}{entry.name}/" for entry in entries if _entered(entry)]
            yield from (folder + entry.name for entry in entries if not entry.is_dir(follow_symlinks=False))


def _entered(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False) and entry.name not in (*_OURS, *_CACHES, *_DEPENDENCIES)


def _included(project: Path, name: str) -> Iterator[str]:
    name = name.strip("/")
    if (project / name).is_dir():
        yield from (f"{name}/{path}" for path in _walked(project / name))
    else:
        yield name


# ---------------------------------------------------------------- moves


def _moves(deleted: _Files, added: _Files) -> tuple[tuple[str, str], ...]:
    """Pairs of old and new path: the same bytes first, then mostly the same lines."""
    pairs = _identical(deleted, added)
    old = {path: file for path, file in deleted.items() if path not in pairs}
    new = {path: file for path, file in added.items() if path not in pairs.values()}
    if len(old) <= _MOVES and len(new) <= _MOVES:
        pairs |= _alike(old, new)
    return tuple(sorted(pairs.items()))


def _identical(deleted: _Files, added: _Files) -> dict[str, str]:
    there = defaultdict[str, list[str]](list)
    for path, file in added.items():
        if file.data != b"":  # empty files are all the same
            there[file.entry.digest].append(path)
    pairs = {}
    for path, file in deleted.items():
        if places := there[file.entry.digest]:
            places.sort(key=lambda new: (new.rpartition("/")[2] != path.rpartition("/")[2], new))
            pairs[path] = places.pop(0)
    return pairs


def _alike(deleted: _Files, added: _Files) -> dict[str, str]:
    old, new = _lines_of(deleted), _lines_of(added)
    shares = ((_share(lines, others), path, to) for path, lines in old.items() for to, others in new.items())
    pairs: dict[str, str] = {}
    for share, path, to in sorted(shares, reverse=True):
        if share >= _ALIKE and path not in pairs and to not in pairs.values():
            pairs[path] = to
    return pairs


def _lines_of(files: _Files) -> dict[str, Counter[bytes]]:
    counts = {
        path: Counter(filter(None, map(bytes.strip, (file.data or b"").split(b"\n")))) for path, file in files.items()
    }
    return {path: lines for path, lines in counts.items() if lines}


def _share(one: Counter[bytes], two: Counter[bytes]) -> float:
    return (one & two).total() / max(one.total(), two.total())


# ---------------------------------------------------------------- diff


def unified(path: str, before: str | None, after: str | None) -> Iterator[str]:
    """One file of a diff: two lines that name it, then its hunks."""
    if before == after:
        return
    old, new = _lines(before), _lines(after)
    yield f"--- {_quoted('a/' + path) if before is not None else '/dev/null'}\n"
    yield f"+++ {_quoted('b/' + path) if after is not None else '/dev/null'}\n"
    yield from (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in _hunks(old, new))


def _lines(text: str | None) -> list[str]:
    """Split at line feeds only: other line ends are part of the line, as in any diff."""
    if text is None:
        return []
    if text.startswith(NO_TEXT):
        return [f"(no text: binary, too large or unreadable; {text[1:17]})\n"]
    return [line + "\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.rpartition("\n")[2]) else [])


def _quoted(path: str) -> str:
    """Names with line breaks or quotes would forge lines of the diff."""
    return path if path.isprintable() and '"' not in path else '"' + path.encode("unicode_escape").decode() + '"'


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    if len(old) <= _DEEP and len(new) <= _DEEP:
        yield from list(difflib.unified_diff(old, new, n=3))[2:]
        return
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    gone, came = old[head : len(old) - tail], new[head : len(new) - tail]
    yield f"@@ -{head + 1},{len(gone)} +{head + 1},{len(came)} @@\n"
    yield from (f"-{line}" for line in gone)
    yield from (f"+{line}" for line in came)


def _common(old: list[str], new: list[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, two) in pairs if one != two), min(len(old), len(new)))
