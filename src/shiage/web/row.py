"""A row of the table of paths."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from shiage.app.devices import Scope

Answer = Callable[[Request], Response | Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Row:
    path: str
    answer: Answer
    need: Scope | None = Scope.LOOK  #: None: open to everybody who knows our address
    post: bool = False
    takes: tuple[str, ...] = ()  #: names of the fields of its form, or of what may stand behind `?`
    gives: str = ""  #: what its JSON is: a schema of `web/openapi.py`; empty for pages and files

    @property
    def action(self) -> str:
        """What the operator log calls it."""
        return next(part for part in reversed(self.path.split("/")) if not part.startswith("{")) or "/"
