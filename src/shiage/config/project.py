"""Finds the project that a command was started in, and the folder for what shiage remembers about a person."""

from collections.abc import Mapping
from pathlib import Path

from shiage.config.files import has_our_table
from shiage.domain.errors import UserError

_MARKS = ("shiage.toml", ".kiro", ".shiage", ".git")
# Home folders are often under git, and editors keep a ~/.kiro of their own; neither makes everything below a project.
_MARKS_AT_HOME = ("shiage.toml", ".kiro/specs")


def find_project(start: Path, *, home: Path | None = None) -> Path:
    """The nearest folder, from `start` upwards, that is a project."""
    folder = _folder(start)
    homes = {_home(home), Path(folder.anchor)}
    for place in (folder, *folder.parents):
        if _is_project(place, _MARKS_AT_HOME if place in homes else _MARKS):
            return place
    raise UserError(
        "no-project",
        f"{folder} is not inside a project: no {', '.join(_MARKS)} there or above",
        help="run `shiage init` in the project's folder, or name the folder with `--project DIR`.",
    )


def _folder(start: Path) -> Path:
    try:
        real = start.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:  # missing or unreadable; a loop of links; a NUL
        raise UserError(
            "no-project", f"there is no folder {str(start)!r}", help="name an existing folder with `--project DIR`."
        ) from error
    return real if real.is_dir() else real.parent


def _home(home: Path | None) -> Path | None:
    try:
        return (home or Path.home()).resolve()
    except RuntimeError:  # a person without a home folder
        return None


def _is_project(folder: Path, marks: tuple[str, ...]) -> bool:
    return any(_exists(folder / mark) for mark in marks) or has_our_table(folder / "pyproject.toml")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder above that may not be looked into
        return False


def user_folder(environ: Mapping[str, str], variable: str, below_home: str) -> Path | None:
    """The person's own folder of shiage by the XDG rules; None for a person without a home folder."""
    base = Path(environ.get(variable, ""))
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "")
    if base.is_absolute():  # a relative one is to be ignored
        return base / "shiage"
    return home / below_home / "shiage" if home.is_absolute() else None


def user_state_dir(environ: Mapping[str, str]) -> Path:
    """$XDG_STATE_HOME/shiage: what belongs to the person and not to the project."""
    folder = user_folder(environ, "XDG_STATE_HOME", ".local/state")
    if folder is None:
        raise UserError(
            "no-home",
            "there is no home folder to keep state in",
            help="set HOME, or XDG_STATE_HOME to an absolute path.",
        )
    return folder
