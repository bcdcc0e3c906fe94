"""What `shiage config show` and the settings page show of each setting."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from shiage.config import kinds
from shiage.config.entries import Origin, meant_by
from shiage.config.load import Loaded
from shiage.config.table import Setting, is_section, setting_at
from shiage.domain.errors import UserError


@dataclass(frozen=True, slots=True)
class Row:
    key: str
    value: Any  #: as JSON can hold it; secrets are shortened
    origin: Origin
    description: str

    @property
    def text(self) -> str:
        """The value for a person."""
        return "none" if self.value is None else kinds.shown(self.value)


def rows(loaded: Loaded, prefix: str = "", language: str | None = "en") -> tuple[Row, ...]:
    """Every setting at or below `prefix`, in the order of the table, declared agents last."""
    path = tuple(prefix.split(".")) if prefix else ()
    if not is_section(path) and setting_at(path) is None:
        meant = meant_by(path)
        raise UserError(
            "setting-unknown",
            f'there is no setting "{kinds.printable(prefix)}"',
            help=f"`shiage config show{f' {meant}' if meant else ''}` lists what there is.",
        )
    return tuple(_rows(loaded, prefix, language))


def _rows(loaded: Loaded, prefix: str, language: str | None) -> Iterator[Row]:
    for key, value in loaded.values.items():
        setting = setting_at(tuple(key.split(".")))
        if setting and (not prefix or f"{key}.".startswith(f"{prefix}.")):
            yield Row(key, _plain(setting, value), loaded.origins[key], setting.description(language))


def _plain(setting: Setting, value: Any) -> Any:
    if setting.key.startswith("checks.") and value:
        return shlex.join(value)
    if setting.kind.secret and value:
        return [_address(url) for url in value] if isinstance(value, tuple) else _address(value)
    return list(value) if isinstance(value, tuple) else value


def _address(url: str) -> str:
    """Scheme and host: user names, passwords, topics and tokens stand in the rest."""
    try:
        parts = urlsplit(url)
    except ValueError:  # a bracket that opens no IPv6 address
        return "…"
    hidden = parts.path.strip("/") or parts.query or parts.fragment
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" + ("/…" if hidden else "")
