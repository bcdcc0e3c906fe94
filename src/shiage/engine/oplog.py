"""The operator log: one line of JSON per report, for whoever runs shiage on a machine. People follow the journal."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from shiage.journal.entry import Entry

_BYTES, _FILES = 2_000_000, 3

#: What an operator searches for; {} fields come from the report.
SENTENCES: Mapping[str, str] = {
    "ROUND_STARTED": "{phase} round {round} starting",
    "ROUND_COMPLETED": "{phase} round {round} completed",
    "ROUND_CONTINUING": "{phase} continuing to round {next}",
    "REVIEW_APPROVED": "{phase} approved after {round} rounds",
    "RUN_PAUSED": "{phase} paused ({reason}): {detail}",
    "RUN_FAILED": "{phase} error ({reason}): {detail}",
    "RUN_COMPLETED": "completed at {phase}",
    "IMPL_RERUN": "impl re-run {rerun} of {max}: {done} of {total} tasks done",
    "IMPL_LIMIT_REACHED": "impl re-run limit ({max}) reached: {done} of {total} tasks done",
    "ATTEMPT_WAITS": "waiting after {cause}: {detail}",
    "AGENT_TAKES_OVER": "{agent} takes over after {cause}: {detail}",
    "USAGE_UNKNOWN": "{agent} does not tell its usage ({units})",
    "CLAIM_DIFFERS": "the agent's claim differs: {claim}",
    "RECORD_FAILED": "failed to persist or read {path}: {problem}",
    "EVENT_DROPPED": "dropped a late or foreign {event}",
}

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": at, "level": record.levelname.lower(), "message": record.getMessage()}
        return json.dumps(line | getattr(record, "fields", {}), ensure_ascii=False, default=str)


def open_log(path: Path, name: str) -> logging.Logger:
    """A logger of its own for this project; it never reaches the root logger."""
    logger = logging.Logger(f"shiage.{name}")
    handler = RotatingFileHandler(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8", delay=True)
    handler.setFormatter(_Json())
    logger.addHandler(handler)
    return logger


def sentence(entry: Entry) -> str:
    """The entry in words; empty for one that no operator looks for."""
    return SENTENCES.get(entry.event_type, "").format_map(_Lenient(entry.content))


def write(logger: logging.Logger, spec: str, entry: Entry) -> None:
    """Log an entry that an operator would look for."""
    text = sentence(entry)
    if not text:
        return
    level = "error" if entry.event_type == "RECORD_FAILED" else str(entry.content.get("level", "info"))
    fields = {"spec": spec, "run": entry.run, "event": entry.event_type, **_plain(entry.content)}
    logger.log(_LEVELS.get(level, logging.INFO), "%s", text, extra={"fields": fields})


def _plain(content: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in content.items() if key not in ("level", "notify", "message", "time")}


class _Lenient(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""
