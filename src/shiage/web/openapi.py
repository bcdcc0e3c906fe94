"""The routes that speak JSON, described for programs: made from the table of paths, so that it cannot lag behind it."""

import re
from collections.abc import Iterable, Mapping

from shiage.app import schemas
from shiage.app.schemas import Schema
from shiage.version import VERSION
from shiage.web.row import Row

_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_STRING: Schema = {"type": "string"}
_V: Schema = {"const": 1}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_BROKEN = _object(spec=_STRING, status={"const": "error"}, reason=_STRING, detail=_STRING)
_EVENT = _object(
    spec=_STRING, seq={"type": "integer"}, event_type=_STRING, timestamp=_STRING, notify={"type": "boolean"},
    level=_STRING, text=_STRING,
)  # fmt: skip
_ERROR: Schema = {
    "type": "object",
    "properties": {"v": _V, "error": {"type": "object", "properties": {"code": _STRING}, "required": ["code"]}},
    "required": ["v", "error"],
}
#: What the routes give, by the names that stand in the table.
GIVEN: Mapping[str, Schema] = {
    "board": _object(
        v=_V, specs=_list({"anyOf": [schemas.status(), _BROKEN]}), questions=_list({"type": "object"})
    ),
    "spec": {"allOf": [schemas.status(), _object(rounds=_list({"type": "object"}), attempts=_list({"type": "object"}))]},
    "feed": _object(v=_V, cursor=_STRING, events=_list(_EVENT), anew={"type": "boolean"}),
    "hits": _object(v=_V, count={"type": "integer"}, lines=_list({"type": "integer"})),
    "done": _object(v=_V, text=_STRING, to=_STRING, status=schemas.status()),
    "moved": _object(v=_V, text=_STRING, to=_STRING),
    "entered": _object(v=_V),
    "openapi": {"type": "object"},
    "error": _ERROR,
}  # fmt: skip
_REFUSALS: Mapping[str, str] = {
    "400": "what was sent cannot be read",
    "401": "not a device that was let in",
    "403": "not our own page, or the device may not do this, or the code is wrong",
    "404": "there is no such thing",
    "408": "what was sent took too long",
    "409": "it cannot be done as things are; the error says what to do",
    "413": "more than is taken at once",
    "415": "not a form",
    "421": "not a name of this dashboard",
    "429": "too many guesses",
    "503": "too many at once",
}


def described(rows: Iterable[Row]) -> Schema:
    """OpenAPI 3.1 of the rows that give JSON."""
    paths: dict[str, dict[str, object]] = {}
    for row in (row for row in rows if row.gives):
        paths.setdefault(_PLACE.sub(r"{\1}", row.path), {})["post" if row.post else "get"] = _operation(row)
    components = {"schemas": dict(GIVEN), "securitySchemes": {"device": _device()}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "shiage dashboard", "version": VERSION},
        "security": [{"device": []}],
        "paths": paths,
        "components": components,
    }


def _device() -> Schema:
    return {"type": "apiKey", "in": "cookie", "name": "shiage-PORT", "description": "set when a code is redeemed"}


def _operation(row: Row) -> dict[str, object]:
    told: dict[str, object] = {"parameters": _parameters(row), "responses": _responses(row)}
    if row.need is None:
        told["security"] = []
    else:
        told["x-scope"] = row.need.name.lower()
    if row.post:
        fields = {"type": "object", "properties": dict.fromkeys(row.takes, _STRING)}
        told["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": fields}}}
    return told


def _parameters(row: Row) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer" if kind == "int" else "string"}}
        for name, kind in _PLACE.findall(row.path)
    ]
    if not row.post:
        found += [{"name": name, "in": "query", "schema": _STRING} for name in row.takes]
    return found


def _responses(row: Row) -> dict[str, object]:
    given = {"200": ("done", row.gives)} | {status: (why, "error") for status, why in _REFUSALS.items()}
    return {status: _response(why, name) for status, (why, name) in given.items()}


def _response(why: str, name: str) -> dict[str, object]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {"description": why, "content": content}
