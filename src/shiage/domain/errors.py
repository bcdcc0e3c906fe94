"""What can go wrong, by who must act.

ShiageError
├── UserError        exit 1: the person or the environment must act; carries place and remedy
│   └── UsageError   exit 2: the command line itself is wrong
└── OurBug           exit 3: this is our mistake
    └── IllegalEvent a fact arrived in a status that cannot have it
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file, as precise as it is known. Lines and columns count from 1."""

    path: str
    line: int | None = None
    column: int | None = None
    excerpt: tuple[str, ...] = ()  #: the source lines around, for display

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)


class ShiageError(Exception):
    """Base of everything raised on purpose."""


class UserError(ShiageError):
    """Cannot go on until somebody acts; says what failed, where, and the remedy."""

    exit_code = 1

    def __init__(self, code: str, message: str, *, where: Where | None = None, help: str = "") -> None:
        super().__init__(message)
        self.code = code  #: stable and searchable, never translated
        self.message = message
        self.where = where
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.code, self.message, self.where, self.help))


def _rebuild(kind: type[UserError], code: str, message: str, where: Where | None, help: str) -> UserError:
    return kind(code, message, where=where, help=help)


class UsageError(UserError):
    """The command line asks for something that does not exist."""

    exit_code = 2


class OurBug(ShiageError):
    """A promise of this program was broken; nothing the person did is to blame."""


class IllegalEvent(OurBug):
    """A fact arrived in a status in which it cannot have happened."""
