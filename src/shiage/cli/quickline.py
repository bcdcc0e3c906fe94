"""The status line itself, without the parser of the command line: it is printed several times a minute."""

import json
import os
import select
import sys
from pathlib import Path

from shiage.app.catalogue import language_of
from shiage.app.headline import Headline, headlines, project_of
from shiage.cli.words import speak, t

_MOST = 3  #: specs in one line
_BYTES = 262_144
_PATIENCE = 0.02  #: seconds for the caller's JSON: it is written before we are started, or not at all
_SHOWN = frozenset({"running", "paused", "error"})


def main() -> None:
    """Print the line; nothing at all when anything is wrong, for a prompt is no place for errors."""
    try:
        speak(language_of(os.environ.get("SHIAGE_LANG"), os.environ))
        root = project_of(_folder(_given()))
        print(line(headlines(root)) if root else "")
    except (OSError, ValueError, RecursionError):
        print()


def _given() -> bytes:
    if sys.stdin is None or sys.stdin.isatty() or not select.select([sys.stdin], [], [], _PATIENCE)[0]:
        return b""
    return os.read(sys.stdin.fileno(), _BYTES)


def _folder(given: bytes) -> Path:
    """Where the caller works; Claude Code tells it in its JSON."""
    try:
        told = json.loads(given)
    except ValueError:
        told = None
    known = told if isinstance(told, dict) else {}
    places = known.get("workspace")
    known = {**known, **places} if isinstance(places, dict) else known
    folder = known.get("project_dir") or known.get("current_dir") or known.get("cwd")
    return Path(folder) if isinstance(folder, str) else Path.cwd()


def line(found: list[Headline]) -> str:
    """What is at work or waits for a person, the newest first."""
    shown = [headline for headline in found if headline.status in _SHOWN]
    more = f" +{len(shown) - _MOST}" if len(shown) > _MOST else ""
    return " · ".join(map(_words, shown[:_MOST])) + more


def _words(headline: Headline) -> str:
    number = f" #{headline.round}" if headline.round else ""
    reason = f" ({headline.reason})" if headline.reason else ""
    return f"{headline.spec} {headline.phase}{number} {t(f'state.{headline.status}')}{reason}"
