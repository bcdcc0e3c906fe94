"""Blocks of a Markdown file with their lines: what is a list, a heading, a table, and what is only quoted.

Only the block structure is parsed: inline syntax is where hostile text makes parsers slow, and nothing here needs it.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.token import Token

NESTING = 100  #: levels of blocks, so 50 of lists; each takes three frames of Python's 1,000
QUOTES = 4  #: each level of quotes reads all its lines again
MOST_TEXT = 400  #: characters of a cell or line that are looked at: what decides stands at its beginning
MOST_LINES = 50_000  #: about one second; the longest real file seen has 2,000
BLOCKS = ("code", "fence", "blockquote", "hr", "list", "heading", "lheading")
TERMINATED = ["paragraph", "blockquote", "list"]  #: what a comment or a quote ends, like a fence does
DECORATION = frozenset("*_`~\\")
LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
INNER_COMMENT = re.compile(r"<!--.*?-->")


class Outline:
    """The headings a reader stands under while it walks a file."""

    def __init__(self) -> None:
        self.path: tuple[str, ...] = ()  #: outermost first
        self._levels: tuple[int, ...] = ()

    def enter(self, level: int, text: str) -> None:
        """Begin a section: it ends those of its own level and deeper."""
        depth = sum(each < level for each in self._levels)
        self._levels = (*self._levels[:depth], level)
        self.path = (*self.path[:depth], " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text without list and quote markers, outside code, comments and tables."""

    number: int  #: from 1
    text: str
    headings: tuple[str, ...]
    is_heading: bool
    is_listed: bool  #: within a list item


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the headings it stands under; the text of its cells is as written."""

    line: int
    headings: tuple[str, ...]
    rows: list[tuple[int, list[str]]]  #: line and cells, the header first


@dataclass(frozen=True, slots=True)
class Blocks:
    """The tokens of a text, in order. Line numbers in them count from 0."""

    tokens: tuple[Token, ...]
    cut: bool  #: too long, or nested too deeply somewhere: what stands there was not parsed

    def lines(self) -> Iterator[Line]:
        return (piece for piece in self.pieces() if isinstance(piece, Line))

    def tables(self) -> Iterator[Table]:
        return (piece for piece in self.pieces() if isinstance(piece, Table))

    def pieces(self) -> Iterator[Line | Table]:
        """Lines and tables in their order."""
        outline, level, items = Outline(), 0, 0
        tokens = iter(self.tokens)
        for token in tokens:
            if token.type == "heading_open":
                level = int(token.tag[1:])
            elif token.tag == "li":
                items += token.nesting
            elif token.type == "table_open":
                yield Table(_number(token), outline.path, _rows(tokens))
            elif token.type == "inline":
                if level:
                    outline.enter(level, token.content)
                for number, text in enumerate(token.content.split("\n"), _number(token)):
                    yield Line(number, text, outline.path, bool(level), bool(items))
                level = 0


def _number(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def _rows(tokens: Iterator[Token]) -> list[tuple[int, list[str]]]:
    """The rows of the table that was just opened; takes its tokens."""
    rows: list[tuple[int, list[str]]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append((_number(token), []))
        elif token.type == "inline":
            rows[-1][1].append(token.content)
        elif token.type == "table_close":
            break
    return rows


def _comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A comment that begins a line hides all up to its `-->`, across list items too, as browsers see it.

    One that is never closed hides nothing: an open task must not vanish by a slip. Other HTML hides nothing either.
    """
    place = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or not state.src.startswith("<!--", place):
        return False
    close = _close(state, place + 4)
    last = bisect_left(state.eMarks, close)
    if close < 0 or last >= min(end, _quote_end(state, start, place)):
        return False
    if not silent:
        state.line = last + 1
        token = state.push("comment", "", 0)
        token.map = [start, state.line]
    return True


def _close(state: StateBlock, place: int) -> int:
    """The next `-->`. The last answer is kept, or many unclosed comments would each read to the end."""
    close: int = state.env.get("close", 0)
    if 0 <= close < place:
        close = state.env["close"] = state.src.find("-->", place)
    return close


def _quote_end(state: StateBlock, line: int, place: int) -> int:
    """The line after the quote this line stands in, kept as well; a comment in a quote does not reach out of it."""
    if ">" not in state.src[_line_start(state, line) : place]:
        return state.lineMax
    end: int = state.env.get("quote", 0)
    if end <= line:
        end = line + 1
        while end < state.lineMax and state.src[_line_start(state, end) : state.eMarks[end]].lstrip()[:1] == ">":
            end += 1
        state.env["quote"] = end
    return end


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Quotes in quotes in quotes are text from some depth on: a hostile file must not cost minutes."""
    depth: int = state.env.get("quotes", 0)
    if depth >= QUOTES:
        return False
    state.env["quotes"] = depth + (not silent)
    found = blockquote(state, start, end, silent)
    state.env["quotes"] = depth
    return found


def _line_start(state: StateBlock, line: int) -> int:
    return state.eMarks[line - 1] + 1 if line else 0  # bMarks move into the quote, eMarks stay


def _parser(*more: str) -> MarkdownIt:
    parser = MarkdownIt("zero", {"maxNesting": NESTING})
    parser.enable([*BLOCKS, *more])
    parser.block.ruler.at("blockquote", _quote, {"alt": TERMINATED})
    parser.block.ruler.before("fence", "comment", _comment, {"alt": TERMINATED})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


LISTS = _parser()  #: for tasks: tables are text there
TABLES = _parser("table")


def blocks(text: str, parser: MarkdownIt = TABLES) -> Blocks:
    """Parse a text; any text gives some blocks, none raises."""
    if text.count("\n") + text.count("\r") > MOST_LINES:
        return Blocks((), cut=True)
    tokens = tuple(parser.parse(text))
    return Blocks(tokens, any(token.level >= NESTING - 1 and token.nesting > 0 for token in tokens))


def bare(text: str) -> str:
    """What a cell or line says: no decoration, emoji, links and inner comments; single spaces, half-width signs."""
    text = LINK.sub(r"\1", INNER_COMMENT.sub("", text[:MOST_TEXT]))
    return " ".join("".join(filter(_is_bare, unicodedata.normalize("NFKC", text))).split())


def plain(text: str) -> str:
    """The same in lower case, for comparison."""
    return bare(text).casefold()


def _is_bare(char: str) -> bool:
    return char not in DECORATION and unicodedata.category(char) not in ("So", "Sk", "Mn", "Cf", "Co", "Cn")
