"""A folder for the temporary files of one attempt: no two agents meet in it, and nothing of it stays."""

import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

LONGEST_PARENT = 48  #: bytes; with ours below it, a socket's path (108 at most) has 40 left for its own name


def folder_of(marker: str) -> Path:
    """Follows from the marker alone: what a crash left is found again."""
    parent = tempfile.gettempdir()
    short = parent if len(os.fsencode(parent)) <= LONGEST_PARENT else "/tmp"  # noqa: S108
    return Path(short, f"shiage-{hashlib.sha256(marker.encode()).hexdigest()[:12]}")


def make(marker: str) -> Path | None:
    """None where there can be none: what somebody else has laid at this name is not used."""
    place = folder_of(marker)
    with suppress(OSError):  # it is there already, or there is no place for it: the next line tells
        place.mkdir(mode=0o700)
    return place if _is_ours(place) else None


def remove(place: Path) -> None:
    """With all that is in it, also in folders that their maker has closed, as package caches do."""
    if not _is_ours(place):
        return
    for folder, names, _ in os.walk(place):
        for inner in (Path(folder, name) for name in names):
            if not inner.is_symlink():
                with suppress(OSError):
                    inner.chmod(0o700)
    shutil.rmtree(place, ignore_errors=True)


def _is_ours(place: Path) -> bool:
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
