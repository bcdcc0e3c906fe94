"""Reads the files that hold settings, with the place of each key for messages and `config show`."""

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from shiage.config.kinds import printable
from shiage.config.places import Key, Place, place_at, places
from shiage.domain.errors import UserError, Where

_MOST_BYTES = 1 << 20  #: far beyond any real settings file
_WIDEST = 200  #: characters of a source line in an excerpt


class Layer(StrEnum):
    """Where a value can come from, the strongest first."""

    COMMAND_LINE = "command line"
    ENVIRONMENT = "environment"
    PROJECT = "project"  #: shiage.toml, or [tool.shiage] in pyproject.toml
    REVIEW_LOOP = "review-loop.json"  #: .claude/review-loop.json, for review_loop only
    USER = "user"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Document:
    """One settings file as it was read; everything else about it is asked of this value."""

    layer: Layer
    label: str  #: how messages name the file
    text: str
    raw: Mapping[str, Any]
    places: Mapping[Key, Place]
    inside: Key = ()  #: where in the file our settings stand: ("tool", "shiage") in pyproject.toml
    prefix: Key = ()  #: where in the settings the file's keys belong: ("review_loop",) for review-loop.json

    def where(self, path: Key) -> Where:
        """The place of a setting's value, or of the nearest thing around it that has one."""
        steps = (*self.inside, *path[len(self.prefix) :])
        for depth in range(len(steps), 0, -1):
            place = self.places.get(steps[:depth])
            if place:
                return _where(self.label, self.text, place)
        return Where(self.label)


def project_documents(project: Path) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """What the repository itself says, the strongest first, and what to warn of."""
    own = _toml(project / "shiage.toml", "shiage.toml", Layer.PROJECT, root=project)
    warnings: tuple[str, ...] = ()
    if own and has_our_table(project / "pyproject.toml"):
        warnings = ("pyproject.toml: [tool.shiage] is ignored because there is a shiage.toml",)
    documents = (own or _pyproject(project), _review_loop(project))
    return tuple(document for document in documents if document), warnings


def user_document(path: Path | None) -> Document | None:
    return _toml(path, str(path), Layer.USER) if path else None


def _toml(path: Path, label: str, layer: Layer, *, root: Path | None = None) -> Document | None:
    text = _text(path, label, root)
    if text is None:
        return None
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad_toml(label, text, str(error)) from error
    except (RecursionError, ValueError) as error:  # nested too deep; a number with thousands of digits
        raise _unreadable(label, f"cannot be read as TOML: {error}") from error
    return Document(layer, label, text, raw, places(text))


def _pyproject(project: Path) -> Document | None:
    """pyproject.toml, when it has a [tool.shiage] table; otherwise its faults are not ours to report."""
    path = project / "pyproject.toml"
    document = _toml(path, "pyproject.toml", Layer.PROJECT, root=project) if has_our_table(path) else None
    tool = document.raw.get("tool") if document else None
    if document is None or not isinstance(tool, dict) or "shiage" not in tool:
        return None  # the header stood inside a text
    inside = ("tool", "shiage")
    return Document(Layer.PROJECT, document.label, document.text, tool["shiage"], document.places, inside)


_OUR_TABLE = rb"(?m)^[ \t]*\[{1,2}[ \t]*tool[ \t]*\.[ \t]*[\"']?shiage\b"


def has_our_table(pyproject: Path) -> bool:
    """Whether the file seems to have a [tool.shiage] table: cheaper than parsing every project's packaging."""
    try:
        if not stat.S_ISREG(pyproject.stat().st_mode):
            return False
        with pyproject.open("rb") as file:
            return bool(re.search(_OUR_TABLE, file.read(_MOST_BYTES)))
    except OSError:
        return False


def _review_loop(project: Path) -> Document | None:
    label = ".claude/review-loop.json"
    text = _text(project / ".claude" / "review-loop.json", label, project)
    if text is None:
        return None
    plain = _without_comments(text)
    try:
        raw = json.loads(plain)
    except json.JSONDecodeError as error:
        place = place_at(plain, min(error.pos, len(plain)))
        raise _unreadable(label, f"is not valid JSON: {error.msg}", _where(label, text, place)) from error
    except (RecursionError, ValueError) as error:
        raise _unreadable(label, f"cannot be read as JSON: {error}") from error
    if not isinstance(raw, dict):
        raise UserError("setting-invalid", f"{label} must hold one object", where=Where(label, 1, 1))
    return Document(Layer.REVIEW_LOOP, label, text, raw, places(plain), prefix=("review_loop",))


_COMMENT = r'(?s)("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/'


def _without_comments(text: str) -> str:
    """Blanks out comments, as the file's own documentation shows one; positions stay as they are."""
    return re.sub(_COMMENT, lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


def _text(path: Path, label: str, root: Path | None) -> str | None:
    data = _bytes(path, label, root)
    if data is None:
        return None
    if len(data) > _MOST_BYTES:
        raise _unreadable(label, f"is larger than {_MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unreadable(label, "is not UTF-8 text", Where(label, line)) from error


def _bytes(path: Path, label: str, root: Path | None) -> bytes | None:
    """The first bytes of a regular file below the root; None when there is none."""
    try:
        if not os.path.lexists(path):
            return None
        if root is not None and not path.resolve(strict=True).is_relative_to(root.resolve()):
            raise _unreadable(label, "is a link that leads out of the project")
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            raise _unreadable(label, "is not a regular file")
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
        raise _unreadable(label, f"cannot be read: {getattr(error, 'strerror', error)}") from error


# The two forms tomllib gives: "… (at line 3, column 7)" and "… (at end of document)".
_TOML_PLACE = r"(?s)(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)"


def _bad_toml(label: str, text: str, message: str) -> UserError:
    match = re.fullmatch(_TOML_PLACE, message)
    place = place_at(text, len(text))
    if match and match["line"]:
        place = Place(int(match["line"]), int(match["column"]))
    what = printable(match["what"] if match else message)
    return _unreadable(label, f"is not valid TOML: {what}", _where(label, text, place))


def _where(label: str, text: str, place: Place) -> Where:
    """The place with the line before and the line itself, which is the last of the excerpt."""
    lines = text.split("\n")[max(place.line - 2, 0) : place.line]
    return Where(label, place.line, place.column, tuple(printable(line.rstrip("\r"))[:_WIDEST] for line in lines))


def _unreadable(label: str, what: str, where: Where | None = None) -> UserError:
    return UserError(
        "settings-unreadable",
        f"{label} {what}",
        where=where or Where(label),
        help=f"repair {label}, then run the command again. Nothing was changed.",
    )
