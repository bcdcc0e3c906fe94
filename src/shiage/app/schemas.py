"""JSON Schema of what shiage prints for programs."""

from collections.abc import Callable, Mapping, Sequence

from shiage.app.tickets import WAITS
from shiage.domain.outcome import Cause, Usage
from shiage.domain.reasons import REASONS
from shiage.domain.run import Status
from shiage.domain.verdict import Judgment
from shiage.queue.tickets import State

Schema = dict[str, object]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_STRING: Schema = {"type": "string"}
_TIME: Schema = {"type": "string", "format": "date-time"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_V: Schema = {"const": 1}


def _object(properties: Mapping[str, Schema], required: Sequence[str] | None = None) -> Schema:
    """Later versions may add keys, so none is forbidden."""
    return {"type": "object", "properties": dict(properties), "required": list(required or properties)}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def status() -> Schema:
    """`status SPEC --json`, and what stop, approve, answer and reset print."""
    number, usage = {"type": "number", "minimum": 0}, Usage.__dataclass_fields__
    numbers: dict[str, Schema] = {name: _or_null({"type": "number"}) for name in usage}
    return _object(
        {
            "v": _V,
            "spec": _STRING,
            "workflow": {"enum": ["spec", "bug", "task"]},
            "status": {"enum": [state.value for state in Status]},
            "phase": _STRING,
            "reason": {"enum": ["", *REASONS]},
            "detail": _STRING,
            "path": _STRING,
            "next_action": _STRING,
            "agent_id": _STRING,
            "agent": _STRING,
            "role": _STRING,
            "run": _STRING,
            "attempt": _COUNT,
            "round": _object(dict.fromkeys(("closed", "current", "max"), _COUNT)),
            "impl": _object(dict.fromkeys(("retries", "max"), _COUNT)),
            "tasks": _object(dict.fromkeys(("done", "total"), _COUNT)),
            "inspection": _object({"rounds": _COUNT, "verdict": _or_null(_STRING)}),
            "usage": _object(numbers),
            "waits_until": _or_null(_TIME),
            "seconds": dict(number),
            "phases": {"type": "object", "additionalProperties": {"enum": ["done", "current", "todo"]}},
            "worktree": {"type": "object", "additionalProperties": _STRING},
            "since": _STRING,
            "cause": {"enum": ["", *(cause.value for cause in Cause if cause is not Cause.NONE)]},
            "answerable": {"type": "boolean"},
            "worker": _STRING,
        }
    )


def events() -> Schema:
    """One line of `log --json`, of event-log.jsonl, and of `run --json` before its last."""
    return _object(
        {
            "seq": {"type": "integer", "minimum": 1},
            "event_type": {"type": "string", "pattern": "^[A-Z_]+$"},
            "timestamp": _TIME,
            "visibility": {"enum": ["summary", "full"]},
            "run": _STRING,
            "content": {"type": "object"},
            "prev": {"type": "string", "pattern": "^([0-9a-f]{64})?$"},
        }
    )


def queue() -> Schema:
    """`queue list --json`, and what add, cancel and answer print."""
    ticket = _object(
        {
            "ticket": _COUNT,
            "spec": _STRING,
            "state": {"enum": [state.value for state in State]},
            "priority": {"type": "integer"},
            "not_before": _or_null(_TIME),
            "after": _or_null(_COUNT),
            "waits_for": {"enum": ["", *WAITS]},
            "worker": _STRING,
            "stop": {"type": "boolean"},
            "run": _STRING,
            "reason": _STRING,
            "detail": _STRING,
            "order": {"type": "object", "additionalProperties": _STRING},
            "added_at": _TIME,
            "started_at": _or_null(_TIME),
            "ended_at": _or_null(_TIME),
        }
    )
    worker = _object({"id": _STRING, "name": _STRING, "host": _STRING, "pid": _COUNT, "since": _TIME})
    hold = _object({"agent": _STRING, "until": _TIME, "why": _STRING})
    tickets: Schema = {"type": "array", "items": ticket}
    lists: dict[str, Schema] = {"tickets": tickets, "ended": tickets, "workers": {"type": "array", "items": worker}}
    return _object({"v": _V, **lists, "holds": {"type": "array", "items": hold}, "max_parallel": _COUNT})


def settings() -> Schema:
    """`config show --json`."""
    row = _object({"key": _STRING, "value": {}, "origin": _STRING, "description": _STRING})
    return _object({"v": _V, "settings": {"type": "array", "items": row}})


def check() -> Schema:
    """`check --json`."""
    result = _object({"criteria_id": _STRING, "passed": {"type": "boolean"}, "details": _STRING})
    words = ("id", "criteria_id", "rule", "path", "quote", "description", "suggestion")
    finding = _object({**dict.fromkeys(words, _STRING), "line": _or_null(_COUNT)})
    return _object(
        {
            "v": _V,
            "judgment": {"enum": [judgment.value for judgment in Judgment]},
            "criteria_results": {"type": "array", "items": result},
            "findings": {"type": "array", "items": finding},
        }
    )


def error() -> Schema:
    """What every command prints with `--json` when it cannot do what was asked."""
    told = _object({"code": _STRING, "message": _STRING, "where": _or_null(_STRING), "help": _STRING})
    return _object({"v": _V, "error": told})


SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "status": status,
    "events": events,
    "queue": queue,
    "settings": settings,
    "check": check,
    "error": error,
}


def schema(name: str) -> Schema:
    """The schema of this name, complete by itself."""
    return {"$schema": DIALECT, "title": f"shiage {name}", **SCHEMAS[name]()}
