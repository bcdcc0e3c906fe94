"""Comment lines, stripped of their decoration and told apart by where they stand."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from shiage.judge.change import FileChange
from shiage.judge.lexing import COMMENT, OPEN, Lexed

# What a comment line begins and ends with, in every language that is known.
_LEADER = re.compile(r"[ \t]*+(?:/\*+!?|\*+(?!\w)/?|//+[!/]?|#+!?|--+\[*|;+|%+|<!--+|=begin|=end)?[ \t=*~_-]*+")
_TRAILER = re.compile(r"(?:\*+/|--+>|\]\])?[ \t]*$")
_INDENT = re.compile(r"[ \t{]*+")
_RULER = " \t=*~_-#/"
MAX_REMARKS = 4_000  #: per file; no person writes more comment lines that look like marks
MAX_REMARK = 300  #: characters of a comment line that are looked at: marks stand at its start or are short


Says = Callable[[str], object]  #: asked of what a comment line says


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of a comment."""

    line: int
    text: str  #: without leader and trailer
    start: int  #: where its source line begins
    alone: bool  #: no code on its line
    doc: bool  #: documentation for readers of an interface, which may hold examples
    block: bool  #: inside a comment of several lines
    column: int


def core_of(raw: str) -> str:
    """What a comment line says, without its leader, rulers and trailer."""
    bounded = raw[:MAX_REMARK]
    rest = _LEADER.sub("", bounded, count=1).rstrip(_RULER)
    return _TRAILER.sub("", rest).rstrip(_RULER) if rest.endswith((">", "]]")) else rest


def remarks_of(file: FileChange, wanted: re.Pattern[str], says: Says, docs: bool = True) -> Iterator[Remark]:
    """Added comment lines in which `wanted` is found and that say what is asked for; documentation only if asked for."""
    remarks = (remark for remark in _remarks(file.lexed, wanted, says, docs) if remark.line in file.added)
    return islice(remarks, MAX_REMARKS)


def _remarks(lexed: Lexed, wanted: re.Pattern[str], says: Says, docs: bool) -> Iterator[Remark]:
    text, search = lexed.text, wanted.search
    for kind, start, end in lexed.tokens:
        if kind != COMMENT and not (kind == OPEN and text[start] in "/<#-"):
            continue
        if (docs or not _is_doc(text, start)) and search(text, start, end):
            yield from _lines(lexed, start, end, wanted, says)


def _is_doc(text: str, start: int) -> bool:
    """Documentation comments of C-like languages; they may hold examples."""
    return text.startswith(("/**", "///", "//!", "/*!"), start) and not text.startswith(("////", "/**/"), start)


def _lines(lexed: Lexed, start: int, end: int, wanted: re.Pattern[str], says: Says) -> Iterator[Remark]:
    """The lines of one comment token that say it. Most say nothing, so where they stand is asked last."""
    parts = lexed.text[start:end].split("\n")
    last = len(parts) - 1
    offset = start
    for number, part in enumerate(parts):
        said = core_of(part) if not last or wanted.search(part) else ""
        if said and says(said):
            opening = lexed.line_start(offset)
            first = number > 0 or _INDENT.fullmatch(lexed.text, opening, start) is not None
            after = _rest_of_line(lexed.text, end) if number == last else ""
            column = max(start - opening, 0)
            alone = first and not after.strip(" \t}")
            yield Remark(lexed.line_at(offset), said, opening, alone, _is_doc(lexed.text, start), last > 0, column)
        offset += len(part) + 1


def _rest_of_line(text: str, offset: int) -> str:
    end = text.find("\n", offset, offset + MAX_REMARK)
    return text[offset : offset + MAX_REMARK if end < 0 else end]
