"""Every route of the table as a request: a new row is asked by every test of the doors without a word here."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shiage.web.routes import TABLE
from shiage.web.row import Row

#: What stands for a place in a path where a thing of that name exists; any other place gets `x`.
REAL = {
    "name": "login", "file": "requirements.md", "run": "r-0001", "number": "1", "chart": "rounds", "action": "reset",
}  # fmt: skip
ACTS = {"/queue/{number:int}/{action}": "cancel"}  #: where it is not an action of specs
LOG = ".shiage/runs/r-0001/attempt-1.log"
CLOSED = [row for row in TABLE if row.need is not None]
POSTS = [row for row in TABLE if row.post]
_PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")


def places(row: Row) -> list[str]:
    return _PLACE.findall(row.path)


def path(row: Row, **values: str) -> str:
    known = {**REAL, "action": ACTS.get(row.path, REAL["action"]), **values}
    filled = _PLACE.sub(lambda match: known.get(match[1], "x"), row.path)
    return f"{filled}?wait=0" if row.path == "/api/feed" else filled


def ask(client: Any, row: Row, **headers: str) -> Any:
    """`client` is a test client or one of httpx."""
    body = {"data": {}} if row.post else {}
    return client.request("POST" if row.post else "GET", path(row), headers=headers, **body)


def statuses(client: Any, rows: list[Row], **headers: str) -> Mapping[str, int]:
    return {f"{'POST' if row.post else 'GET'} {row.path}": ask(client, row, **headers).status_code for row in rows}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "shiage", *arguments]


def texts(folder: Path) -> Iterator[str]:
    """What lies below a folder, as far as it is text."""
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.read_bytes().decode("utf-8", "replace")
