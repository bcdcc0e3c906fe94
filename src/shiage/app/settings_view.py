"""What a person sees of the settings, and the yes to what a repository's own settings would run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.config import Loaded, user_state_dir
from shiage.config.rows import Row, rows
from shiage.config.table import describe
from shiage.config.trust import Fingerprint, fingerprint, is_trusted, trust


def settings_rows(loaded: Loaded, prefix: str, language: str) -> tuple[Row, ...]:
    return rows(loaded, prefix, language)


def as_json(found: tuple[Row, ...]) -> dict[str, object]:
    shown = [{"key": r.key, "value": r.value, "origin": str(r.origin), "description": r.description} for r in found]
    return {"v": 1, "settings": shown}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person is asked to accept, exactly as it was read."""

    content: Fingerprint
    accepted: bool  #: already

    def as_json(self, *, accepted: bool) -> dict[str, object]:
        items = dict(self.content.items)
        return {"v": 1, "project": str(self.content.project), "items": items, "trusted": accepted}


def ask_trust(root: Path, environ: Mapping[str, str]) -> Asked:
    content = fingerprint(root)
    return Asked(content, is_trusted(content, user_state_dir(environ)))


def accept(asked: Asked, environ: Mapping[str, str]) -> None:
    trust(asked.content, user_state_dir(environ))


def described(language: str) -> tuple[tuple[str, str, str, str], ...]:
    """Key, type, default and description of every setting."""
    return describe(language)
