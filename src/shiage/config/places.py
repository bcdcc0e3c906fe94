"""Where each key's value stands in a TOML or JSON text that a real parser has already accepted.

Neither tomllib nor json tells positions. Because the text is known to be valid, a token scan with a stack is enough;
a JSON document is the same thing as a TOML inline table with `:` for `=`.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

Key = tuple[str, ...]

# Patterns stand here as text: `re` compiles and keeps them at first use, and many commands use none.
_TOKEN = r"""(?P<skip>[ \t\r]+|\#[^\n]*)
    |(?P<string>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    |(?P<newline>\n)
    |(?P<mark>[\[\]{}=:,.])
    |(?P<bare>[^\s\[\]{}=:,.\#"']+)"""
_IN_LIST: Key = ("[]",)  #: tables inside lists hold no settings; their keys get this prefix and are never asked for


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    column: int


def places(text: str) -> dict[Key, Place]:
    """Line and column of the value of every key, and of the header of every table."""
    scan = _Scan()
    for match in re.finditer(_TOKEN, text, re.VERBOSE | re.DOTALL):
        if match.lastgroup != "skip":
            scan.token(match.lastgroup or "", match.group(), match.start())
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return {key: _place(starts, offset) for key, offset in scan.offsets.items()}


def _place(starts: list[int], offset: int) -> Place:
    line = bisect_right(starts, offset)
    return Place(line, offset - starts[line - 1] + 1)


def place_at(text: str, offset: int) -> Place:
    """Line and column of a character."""
    before = text[:offset]
    return Place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


class _Scan:
    def __init__(self) -> None:
        self.offsets: dict[Key, int] = {}
        self.frames: list[Key | None] = [()]  #: open tables, innermost last; None is a list
        self.key: list[str] = []  #: parts of the key being read
        self.reading = "key"  #: key, header (inside its brackets) or value
        self.pending: Key | None = None  #: the key whose value comes next
        self.key_at = 0  #: where the key or the header begins

    def token(self, kind: str, token: str, offset: int) -> None:
        if kind == "newline":
            self._newline()
        elif self.reading == "value":
            self._value(kind, token, offset)
        elif self.reading == "header":
            self._header(kind, token)
        else:
            self._key(kind, token, offset)

    def _newline(self) -> None:
        if len(self.frames) == 1:  # inside brackets a line break means nothing
            self.reading, self.key = "key", []

    def _key(self, kind: str, token: str, offset: int) -> None:
        if kind != "mark":
            self.key_at = self.key_at if self.key else offset
            self.key.append(_unquoted(token))
        elif token in "=:":
            self.reading, self.pending = "value", (*(self.frames[-1] or ()), *self.key)
            self._place(self.pending[:-1])
        elif token == "[":
            self.reading, self.key_at = "header", offset
        elif token == "{":  # the root of a JSON document
            self.frames.append(())
        elif token in "}]":
            self._close()

    def _header(self, kind: str, token: str) -> None:
        if kind != "mark":
            self.key.append(_unquoted(token))
        elif token == "]":
            table = tuple(self.key)
            self.frames[0] = table
            self._place(table)
            self.reading = "value"  # nothing but a comment, or the second bracket, until the line ends

    def _place(self, table: Key) -> None:
        """A table, and those around it, stand where they are first named."""
        for depth in range(1, len(table) + 1):
            self.offsets.setdefault(table[:depth], self.key_at)

    def _value(self, kind: str, token: str, offset: int) -> None:
        if self.pending is not None:
            self.offsets[self.pending] = offset
        if kind == "mark":
            self._bracket(token)
        self.pending = None

    def _bracket(self, token: str) -> None:
        if token == "{":
            self.frames.append(self.pending if self.pending is not None else _IN_LIST)
            self.reading, self.key = "key", []
        elif token == "[":
            self.frames.append(None)
        elif token in "]}":
            self._close()
        elif token == "," and self.frames[-1] is not None:
            self.reading, self.key = "key", []

    def _close(self) -> None:
        if len(self.frames) > 1:
            self.frames.pop()
        self.reading = "value"


def _unquoted(token: str) -> str:
    return token[1:-1] if token[0] in "\"'" else token
