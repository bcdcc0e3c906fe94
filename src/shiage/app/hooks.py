"""The gate as a Stop hook: an agent that wants to stop is told what is still wrong, seven times at most in a row."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from shiage.app.checks import Asked, change_of
from shiage.app.hands import panel_of
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.domain.verdict import Finding, Judgment
from shiage.specs.files import write_atomic

#: Claude Code goes on without its hook after eight blocks in a row; who is told as often will not be helped by more.
MOST_BLOCKS = 7
_MOST_TRANSCRIPT = 2_000_000
_SESSION = re.compile(r"[\w.-]{1,200}")


@dataclass(frozen=True, slots=True)
class Stop:
    """What the agent's program says of the stop: the words of Claude Code and Codex."""

    session: str
    report: str | None

    @classmethod
    def read(cls, said: str) -> "Stop":
        try:
            found = json.loads(said) if said.strip() else {}
        except (ValueError, RecursionError) as error:
            raise UserError("hook-input", f"the hook's input is not JSON: {error}", help=_HELP) from error
        if not isinstance(found, dict):
            raise UserError("hook-input", "the hook's input is not an object", help=_HELP)
        session, words = found.get("session_id"), found.get("last_assistant_message")
        name = session if isinstance(session, str) and _SESSION.fullmatch(session) else "none"
        return cls(name, words if isinstance(words, str) else _last_words(found.get("transcript_path")))


_HELP = "it is meant to be called by an agent as its Stop hook."


@dataclass(frozen=True, slots=True)
class Blocked:
    findings: tuple[Finding, ...]
    count: int  #: which block in a row this is


def stop(workspace: Workspace, asked: Stop) -> Blocked | None:
    """What keeps the agent from stopping, if anything: only a change is judged, a conversation is not."""
    texts = change_of(workspace.root, Asked())
    verdict = panel_of(workspace).verdict(asked.report or None, texts.after, texts.before) if texts.after else None
    place = _place(workspace, asked.session)
    if verdict is None or verdict.judgment is Judgment.PASS:
        place.unlink(missing_ok=True)
        return None
    count = _count(place) + 1
    if count > MOST_BLOCKS:
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(workspace.root, place, json.dumps({"blocks": count}).encode())
    return Blocked(verdict.findings, count)


def _place(workspace: Workspace, session: str) -> Path:
    name = blake2b(session.encode(), digest_size=8).hexdigest()
    return workspace.root / ".shiage" / "hooks" / f"{name}.json"


def _count(place: Path) -> int:
    try:
        found = json.loads(place.read_text())["blocks"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return found if isinstance(found, int) else 0


def _last_words(path: object) -> str | None:
    """The last text of the assistant in a transcript of Claude Code: one JSON object per line."""
    try:
        with Path(str(path)).open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _MOST_TRANSCRIPT))
            lines = file.read().split(b"\n")
    except OSError:
        return None
    return next((text for line in reversed(lines) if (text := "\n".join(_texts(line)))), None)


def _texts(line: bytes) -> Iterator[str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return
    message = entry.get("message") if isinstance(entry, Mapping) and entry.get("type") == "assistant" else None
    content = message.get("content") if isinstance(message, Mapping) else None
    for part in content if isinstance(content, list) else []:
        if isinstance(part, Mapping) and part.get("type") == "text":
            yield str(part.get("text", ""))
