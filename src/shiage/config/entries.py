"""Turns each layer into entries: which setting it names, with what value, and where it says so."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shiage.config import kinds
from shiage.config.files import Document, Layer
from shiage.config.nearest import nearest
from shiage.config.places import Key
from shiage.config.settings import BUILT_IN_AGENTS
from shiage.config.table import ANY, BY_PATH, TABLE, Setting, dotted, is_section, pattern, setting_at
from shiage.domain.errors import UsageError, UserError, Where

_VARIABLE_PREFIX = "SHIAGE_"
# What a running agent finds in its environment; it may call shiage itself, so these are no settings.
CONTRACT = frozenset(
    f"{_VARIABLE_PREFIX}{name}"
    for name in ("SPEC", "SPEC_DIR", "PHASE", "ROLE", "ROUND", "ATTEMPT", "RUN", "AGENT_ID", "PROJECT", "TASK")
)
_AGENT_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was said."""

    layer: Layer
    path: str = ""  #: the file, or the variable
    line: int | None = None

    def __str__(self) -> str:
        return str(Where(self.path, self.line)) if self.path else self.layer.value


@dataclass(frozen=True, slots=True)
class Entry:
    path: Key
    setting: Setting
    value: Any  #: converted and checked
    origin: Origin
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A key that names no setting."""

    text: str


def of_document(document: Document) -> Iterator[Entry | Unknown]:
    """What one file says."""
    yield from _walk(document, document.raw, document.prefix)


def _walk(document: Document, node: Any, path: Key) -> Iterator[Entry | Unknown]:
    if not isinstance(node, Mapping):
        raise _invalid(path or document.inside, "a table", node, document.where(path))
    for name, value in node.items():
        key = (*path, name)
        setting = setting_at(key)
        if setting:
            yield _entry(document, key, setting, value)
        elif is_section(key):
            _check_agent_name(key, document.where(key))
            yield from _walk(document, value, key)
        else:
            yield Unknown(f"{_line(document.where(key))}: {_unknown(key)}")


def _line(where: Where) -> str:
    return str(Where(where.path, where.line))


def _entry(document: Document, path: Key, setting: Setting, value: Any) -> Entry:
    where = document.where(path)
    checked = _checked(setting, path, value, where)
    return Entry(_canonical(path, setting), setting, checked, Origin(document.layer, where.path, where.line), where)


def _canonical(path: Key, setting: Setting) -> Key:
    """The setting's own path, also when an alias was used."""
    return path if ANY in setting.path else setting.path


def _checked(setting: Setting, path: Key, value: Any, where: Where | None) -> Any:
    try:
        return setting.kind.parse(value)
    except kinds.Mismatch as mismatch:
        raise _invalid(path, str(mismatch), value, where) from mismatch


def _check_agent_name(path: Key, where: Where | None) -> None:
    if pattern(path) == ("agents", ANY) and not re.fullmatch(_AGENT_NAME, path[1]):
        expected = "a name of letters, digits, hyphens and underscores"
        raise _invalid(("agents", "NAME"), expected, path[1], where)


def _invalid(path: Key, expected: str, value: Any, where: Where | None) -> UserError:
    return UserError(
        "setting-invalid",
        f"{dotted(path)} must be {expected}, not {kinds.quoted(value)}",
        where=where,
        help=f"`shiage config show{_section(path)}` lists the keys, their values and where each comes from.",
    )


def _section(path: Key) -> str:
    """What `config show` is to be asked for to see the key among its siblings."""
    return f" {path[0]}" if is_section(path[:1]) or setting_at(path[:1]) else ""


def _unknown(path: Key) -> str:
    meant = meant_by(path)
    return f'unknown setting "{dotted(path)}"' + (f'; did you mean "{meant}"?' if meant else "")


def meant_by(path: Key) -> str | None:
    """The setting or section that a wrong key probably stands for."""
    siblings = {known[len(path) - 1] for known in BY_PATH if known[: len(path) - 1] == pattern(path)[: len(path) - 1]}
    meant = nearest(path[-1], siblings - {ANY})
    return dotted((*path[:-1], meant)) if meant else None


# -- environment --------------------------------------------------------------


def _variable(path: Key, joint: str) -> str:
    return _VARIABLE_PREFIX + joint.join(path).upper().replace("-", "_")


#: SHIAGE_LIMITS__REVIEW_ROUNDS, and SHIAGE_LIMITS_REVIEW_ROUNDS for whoever does not think of tables.
_VARIABLES: Mapping[str, Key] = {
    _variable(setting.path, joint): setting.path
    for joint in ("_", "__")
    for setting in TABLE
    if ANY not in setting.path
}
_LANGUAGE = "SHIAGE_LANG"  #: the short name of SHIAGE_LANGUAGE


def of_environment(environ: Mapping[str, str], declared: Iterable[str]) -> Iterator[Entry | Unknown]:
    """What SHIAGE_* says; `declared` are the agents that files name. An empty variable is one that is not set."""
    agents = {name.upper().replace("-", "_"): name for name in (*BUILT_IN_AGENTS, *declared)}
    for variable in sorted(environ):
        if not variable.startswith(_VARIABLE_PREFIX) or variable in CONTRACT or not environ[variable]:
            continue
        path = _path_of(variable, agents)
        setting = setting_at(path) if path else None
        if path and setting:
            yield _from_text(path, setting, environ[variable], Origin(Layer.ENVIRONMENT, variable))
        else:
            yield Unknown(_unknown_variable(variable))


def _path_of(variable: str, agents: Mapping[str, str]) -> Key | None:
    if variable == _LANGUAGE:
        return ("language",)
    parts = variable.removeprefix(_VARIABLE_PREFIX).split("__")
    if parts[0] == "AGENTS" and len(parts) == 3:
        return ("agents", agents.get(parts[1], parts[1].lower()), parts[2].lower())
    return _VARIABLES.get(variable)


def _unknown_variable(variable: str) -> str:
    meant = nearest(variable, (*_VARIABLES, _LANGUAGE))
    return f"{kinds.printable(variable)} is no setting" + (f"; did you mean {meant}?" if meant else "")


def _from_text(path: Key, setting: Setting, text: str, origin: Origin) -> Entry:
    where = Where(origin.path or origin.layer.value)
    if ANY in setting.path:
        _check_agent_name(path[:2], where)
    value = _checked(setting, path, setting.kind.read(text), where)
    return Entry(path, setting, value, origin, where)


# -- command line -------------------------------------------------------------


def of_overrides(overrides: Mapping[str, object]) -> Iterator[Entry]:
    """What the command line says by dotted key, as text or already converted; None is an option not given."""
    for key, value in overrides.items():
        if value is None:
            continue
        path = tuple(key.split("."))
        setting = setting_at(path)
        if setting is None:
            raise UsageError("setting-unknown", _unknown(path), help="`shiage config show` lists every setting.")
        given = setting.kind.read(value) if isinstance(value, str) else value
        where = Where(Layer.COMMAND_LINE.value)
        checked = _checked(setting, path, given, where)
        yield Entry(_canonical(path, setting), setting, checked, Origin(Layer.COMMAND_LINE), where)
