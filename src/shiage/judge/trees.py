"""Syntax errors by tree-sitter grammars, each loaded when its language first asks."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from zlib import compress

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from shiage.judge.languages import Language
from shiage.judge.lexing import Lexed

# Recovery from errors is far worse than linear (16 KB of "<!--" keep the C grammar busy for a minute),
# so a grammar is asked only about text that looks written, its beginning first, and gets its text in
# pieces: one that asks for them again and again is given no more, and comes back. Who judges strangers'
# text also asks in a process that can be ended.
MAX_TREE = 120_000
MAX_TREE_LINE = 4_000
FIRST_LOOK = 1_500  #: characters; a text that is not of this language shows it here
MAX_ERRORS = 12  #: in the first look: no need to read on
PIECE = 1_024  #: bytes that a grammar gets at a time
ASKED_AGAIN = 20  #: times that each piece may be asked for; published and damaged code asks for one less than 13 times
FEW = 100  #: questions that any text may cost
_SPACES = b" \t\n"
REPETITIVE = 20  #: times smaller when compressed; source code shrinks to a third or a tenth


@dataclass(frozen=True, slots=True)
class TreeErrors:
    """How many errors a grammar finds, and the line of the first."""

    count: int = 0
    line: int = 0


@cache
def _parser(module: str, entry: str) -> Parser | None:
    try:
        grammar = import_module(module)
    except ImportError:
        return None
    return Parser(Grammar(getattr(grammar, entry)()))


def readable(text: str) -> bool:
    """Could a person have written this: small enough, in lines, not one thing over and over?"""
    if len(text) > MAX_TREE or any(len(line) > MAX_TREE_LINE for line in text.split("\n")):
        return False
    raw = text.encode("utf-8", "replace").translate(None, _SPACES)
    return len(raw) < FIRST_LOOK // 3 or len(raw) < REPETITIVE * len(compress(raw, 1))


def tree_errors(lexed: Lexed) -> TreeErrors | None:
    """None when there is no opinion: no grammar, or nothing that it should be asked about."""
    text, language = lexed.text, lexed.language
    parser = _parser(language.grammar, language.entry) if language.grammar and readable(text) else None
    if parser is None:
        return None
    plain = _plain(text, language)
    if len(text) > 2 * FIRST_LOOK:
        first = _parsed(parser, plain[: _line_outside(lexed, FIRST_LOOK)])
        if first is None or first.count >= MAX_ERRORS:
            return first
    return _parsed(parser, plain)


#: `export { one as if }`: any word is a name there, which the grammar does not know.
_NAMED_AS = re.compile(r"(?<=\bas )[a-z]+(?=\s*[,}])")


def _plain(text: str, language: Language) -> str:
    """The text without what a grammar is known to be wrong about; every offset stays."""
    if language.name != "javascript":
        return text
    return _NAMED_AS.sub(lambda match: "x" * len(match[0]), text)


def _line_outside(lexed: Lexed, offset: int) -> int:
    """The start of the last line up to here that does not lie inside a comment or string: half of one is an error."""
    start = lexed.text.rfind("\n", 0, offset) + 1
    while start and lexed.kind_at(start - 1):
        start = lexed.text.rfind("\n", 0, start - 1) + 1
    return start


class _Reader:
    """A text in pieces, so many times: a grammar that goes round in circles comes to an end."""

    def __init__(self, text: str) -> None:
        self._raw = text.encode("utf-8", "replace")
        self._left = FEW + ASKED_AGAIN * (len(self._raw) // PIECE)

    def __call__(self, offset: int, _: object) -> bytes:
        self._left -= 1
        return self._raw[offset : offset + PIECE] if self._left >= 0 else b""

    @property
    def spent(self) -> bool:
        return self._left < 0


def _parsed(parser: Parser, text: str) -> TreeErrors | None:
    reader = _Reader(text)
    root = parser.parse(reader).root_node
    if reader.spent:
        return None
    return _errors(root) if root.has_error else TreeErrors()


def _errors(root: Node) -> TreeErrors:
    """Outermost error nodes, in order, up to a limit."""
    count, first, todo = 0, 0, [root]
    while todo and count < 4 * MAX_ERRORS:
        node = todo.pop()
        if node.is_error or node.is_missing:
            count, first = count + 1, first or node.start_point[0] + 1
        elif node.has_error:
            todo.extend(reversed(node.children))
    return TreeErrors(max(count, 1), first or 1)  # the grammar of C# tells of errors that no node shows
