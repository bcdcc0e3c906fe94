"""Reads every layer once and folds them into `Settings`; each value remembers where it was said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from shiage.config import entries
from shiage.config.entries import Entry, Origin, Unknown
from shiage.config.files import Document, Layer, project_documents, user_document
from shiage.config.nearest import nearest
from shiage.config.places import Key
from shiage.config.project import user_folder
from shiage.config.settings import (
    BUG_PHASES,
    BUILT_IN_AGENTS,
    COMMAND,
    PHASES,
    ROLES,
    AgentConfig,
    Budget,
    Checks,
    Criteria,
    Guard,
    Limits,
    Notify,
    Queue,
    ReviewLoop,
    Settings,
    Tools,
)
from shiage.config.table import ANY, TABLE
from shiage.domain.errors import UserError, Where

Values = dict[Key, Any]
_TEMPLATES = ("goal_drift_guard",)  #: evaluators that come with shiage; plugins may bring more


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    origins: Mapping[str, Origin]  #: by dotted key
    values: Mapping[str, Any]  #: by dotted key: what `settings` was made of
    documents: tuple[Document, ...]  #: the project's own files as they were read: what `trust` must be asked about
    warnings: tuple[str, ...] = ()


def load(
    project: Path,
    *,
    overrides: Mapping[str, object] = MappingProxyType({}),
    environ: Mapping[str, str],
    user_file: Path | None = None,
) -> Loaded:
    """Command line over environment over project over review-loop.json over user file over defaults."""
    documents, warnings = project_documents(project)
    user = user_document(user_file or user_config_file(environ))
    found = _found((*documents, user) if user else documents, overrides, environ)
    said = _strongest(entry for entry in found if isinstance(entry, Entry))
    values = {setting.path: setting.default for setting in TABLE if ANY not in setting.path}
    values |= {path: entry.value for path, entry in said.items()}
    origins = {path: said[path].origin if path in said else Origin(Layer.DEFAULT) for path in values}
    unknown = tuple(entry.text for entry in found if isinstance(entry, Unknown))
    return Loaded(
        _settings(values, said),
        MappingProxyType({".".join(path): origin for path, origin in origins.items()}),
        MappingProxyType({".".join(path): value for path, value in values.items()}),
        documents,
        warnings + unknown + _doubts(values),
    )


def user_config_file(environ: Mapping[str, str]) -> Path | None:
    """$XDG_CONFIG_HOME/shiage/config.toml; None for a person without a home folder."""
    folder = user_folder(environ, "XDG_CONFIG_HOME", ".config")
    return folder / "config.toml" if folder else None


def _found(
    documents: Iterable[Document], overrides: Mapping[str, object], environ: Mapping[str, str]
) -> list[Entry | Unknown]:
    """What every layer says, the strongest first."""
    in_files = [entry for document in documents for entry in entries.of_document(document)]
    agents = [entry.path[1] for entry in in_files if isinstance(entry, Entry) and entry.path[0] == "agents"]
    return [*entries.of_overrides(overrides), *entries.of_environment(environ, agents), *in_files]


def _strongest(said: Iterable[Entry]) -> dict[Key, Entry]:
    first: dict[Key, Entry] = {}
    for entry in said:
        first.setdefault(entry.path, entry)
    return first


def _doubts(values: Values) -> tuple[str, ...]:
    """Values that are allowed, because a plugin may know them, but look like a slip."""
    template = values[("review_loop", "template")]
    meant = nearest(template, _TEMPLATES) if template else None
    if meant in (None, template):
        return ()
    return (f'review_loop.template "{template}" is not built in; did you mean "{meant}"?',)


def _settings(values: Values, said: Mapping[Key, Entry]) -> Settings:
    review_loop = _part(values, "review_loop")
    criteria = Criteria(**_part(values, "review_loop", "criteria"))
    return Settings(
        agent=values[("agent",)],
        language=values[("language",)],
        max_parallel=values[("max_parallel",)],
        permissions=MappingProxyType({phase: values[("permissions", phase)] for phase in PHASES + BUG_PHASES}),
        roles=_of_roles(values, "roles"),
        limits=Limits(
            **_part(values, "limits"),
            attempt=_of_roles(values, "limits", "attempt"),
            idle=_of_roles(values, "limits", "idle"),
        ),
        tools=Tools(allow=_of_roles(values, "tools", "allow"), deny=_of_roles(values, "tools", "deny")),
        budget=Budget(**_part(values, "budget")),
        guard=Guard(**_part(values, "guard")),
        checks=Checks(**_part(values, "checks")),
        review_loop=ReviewLoop(**review_loop, criteria=criteria),
        agents=_agents(values, said),
        notify=Notify(**_part(values, "notify")),
        queue=Queue(**_part(values, "queue")),
    )


def _part(values: Values, *table: str) -> dict[str, Any]:
    """The values that stand directly in a table."""
    return {path[-1]: value for path, value in values.items() if path[:-1] == table}


def _of_roles(values: Values, *table: str) -> Mapping[str, Any]:
    """What is set for some of the roles."""
    return MappingProxyType({role: values[(*table, role)] for role in ROLES if values[(*table, role)]})


def _agents(values: Values, said: Mapping[Key, Entry]) -> Mapping[str, AgentConfig]:
    declared = dict.fromkeys(path[1] for path in values if path[0] == "agents")
    agents = {name: AgentConfig(kind=name) for name in BUILT_IN_AGENTS}
    for name in declared:
        fields = _part(values, "agents", name)
        agents[name] = AgentConfig(kind=_kind(name, fields, said), **fields)
    return MappingProxyType(agents)


def _kind(name: str, fields: dict[str, Any], said: Mapping[Key, Entry]) -> str:
    """A named kind wins; a command alone is a command, also under a built-in name."""
    kind = fields.pop("kind", None)
    if kind or fields.get("command"):
        return str(kind or COMMAND)
    if name in BUILT_IN_AGENTS:
        return name
    where = next(entry.where for path, entry in said.items() if path[:2] == ("agents", name))
    raise UserError(
        "setting-invalid",
        f'agents.{name} must have command = ["…"] or kind = "…": there is no built-in agent of that name',
        where=where or Where(""),
        help=f"built-in kinds: {', '.join(BUILT_IN_AGENTS)}. `shiage config show agents` lists what is set.",
    )
