"""The boxes of a tasks.md, read as Markdown: nesting, fences and comments matter.

Whenever it is unclear whether something is an open box, it is one: one too many is seen at once, one overlooked never.
So a box counts in text that a sloppy indentation turned into a paragraph or, within a list, into code.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it.token import Token

from shiage.specs.markdown import LISTS, Blocks, Outline, blocks

REQUIRE, SKIP = "require", "skip"  #: what the guard does with optional tasks

BOX = re.compile(r"\[(?P<mark>\s*|[^\[\]\s]\ufe0f?)\](?P<optional>\*(?!\*))?(?P<rest>.*)")
BULLETED = re.compile(r"[\s>]*+(?:(?:[-*+•]|[0-9]{1,9}[.)])[\s>]++)++(?=\[)")
ID = re.compile(
    r"(?P<id>FIX-[0-9]{1,6}(?:\.[0-9]{1,6})*|[0-9]{1,6}(?:\.[0-9]{1,6})+[a-z]?|[0-9]{1,6}[a-z]?(?=[.):]))"
    r"[.):]?(?P<optional>\*)?(?=\s|\(|$)"
)
PARALLEL = re.compile(r"\s*\(P\)(?=\s|$)")
DETAIL = re.compile(r"[_*]{1,3}[^\s:：]{1,40}(?: [^\s:：]{1,40}){0,2}[:：]")
REQUIREMENTS = re.compile(r"[_*]{0,3}(?:requirements?|要件)[_*]{0,3}[:：](.*)", re.IGNORECASE)
SEPARATORS = re.compile(r"[\s,、;]+")
LINE_ENDS = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Box:
    """One box. Lines count from 1."""

    line: int
    id: str  #: N, N.N, N.N.N, N.Na, FIX-n, FIX-n.m; empty if it has none
    title: str
    mark: str  #: between the brackets
    done: bool  #: x or X, nothing else
    optional: bool
    parallel: bool
    depth: int  #: how many boxes it stands under
    heading: str  #: the nearest above
    requirements: tuple[str, ...]
    text: str = ""  #: all after the brackets, with single spaces
    headings: tuple[str, ...] = ()  #: the sections it stands in, outermost first


@dataclass(frozen=True, slots=True)
class TaskList:
    """All boxes, in the order of their lines."""

    boxes: tuple[Box, ...]

    def counted(self, optional: str = REQUIRE, ignore_headings: Collection[str] = ()) -> tuple[Box, ...]:
        """Those that the guard looks at: its settings may leave out optional ones and those of some sections."""
        if optional != SKIP and not ignore_headings:
            return self.boxes
        ignored = {_heading_key(name) for name in ignore_headings}
        return tuple(
            box
            for box in self.boxes
            if not (box.optional and optional == SKIP) and ignored.isdisjoint(map(_heading_key, box.headings))
        )

    def open(self, optional: str = REQUIRE, ignore_headings: Collection[str] = ()) -> tuple[Box, ...]:
        """Those still to do."""
        return tuple(box for box in self.counted(optional, ignore_headings) if not box.done)

    def done_total(self, optional: str = REQUIRE, ignore_headings: Collection[str] = ()) -> tuple[int, int]:
        """How many are ticked, of how many."""
        counted = self.counted(optional, ignore_headings)
        return sum(box.done for box in counted), len(counted)


@lru_cache(maxsize=4)  # the guard, the ledger and every phase's rule ask about the same text
def parse_tasks(text: str) -> TaskList:
    """Read a tasks.md. Any text gives a list; none raises."""
    parsed = blocks(text, LISTS)
    reader = _Reader()
    for token in parsed.tokens:
        reader.take(token)
    if parsed.cut:
        reader.scan(LINE_ENDS.split(text), _quoted_lines(parsed))
    return TaskList(tuple(found.box() for found in sorted(reader.found, key=lambda found: found.line)))


def _heading_key(name: str) -> str:
    return " ".join(name.strip().strip("#").split()).casefold()


def _quoted_lines(parsed: Blocks) -> set[int]:
    maps = [token.map for token in parsed.tokens if token.type in ("fence", "comment") and token.map]
    return {line + 1 for start, end in maps for line in range(start, end)}


@dataclass(slots=True)
class _Found:
    """A box while its lines are still being read."""

    line: int
    mark: str
    optional: bool
    depth: int
    headings: tuple[str, ...]
    lines: list[str]
    requirements: list[str] = field(default_factory=list)

    def box(self) -> Box:
        text = " ".join(" ".join(self.lines).split())
        plain = text.replace("**", "")
        named = ID.match(plain)
        rest = plain[named.end() :] if named else plain
        parallel = PARALLEL.match(rest)
        return Box(
            line=self.line,
            id=named["id"] if named else "",
            title=rest[parallel.end() if parallel else 0 :].strip(),
            mark=self.mark,
            done=self.mark in ("x", "X"),
            optional=self.optional or bool(named and named["optional"]),
            parallel=bool(parallel),
            depth=self.depth,
            heading=self.headings[-1] if self.headings else "",
            requirements=tuple(self.requirements),
            text=("* " if self.optional else "") + text,
            headings=self.headings,
        )


@dataclass(slots=True)
class _Item:
    """An open list item."""

    found: _Found | None = None
    fresh: bool = True  #: nothing of it was read yet: only there a box needs no bullet


class _Reader:
    """Walks the tokens of a file, once."""

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self.items: list[_Item] = []
        self.outline = Outline()
        self.level = 0  #: of the heading whose text comes next; 0: a paragraph

    def take(self, token: Token) -> None:
        if token.type == "list_item_open":
            self.items.append(_Item())
        elif token.type == "list_item_close":
            self.items.pop()
        elif token.type == "heading_open":
            self.level = int(token.tag[1:])
        elif token.type == "inline" and token.map:
            self._text(token.map[0] + 1, token.content.split("\n"))
        elif token.type == "code_block" and token.map and self.items:
            self._lines(token.map[0] + 1, token.content.split("\n"))

    def _text(self, line: int, lines: list[str]) -> None:
        level, self.level = self.level, 0
        if not self._lines(line, lines) and level:
            self.outline.enter(level, " ".join(lines))

    def _lines(self, first: int, lines: list[str]) -> bool:
        """Look for boxes in the lines of one block; whether there was one."""
        item = self.items[-1] if self.items else _Item(fresh=False)
        own = next((each.found for each in reversed(self.items) if each.found), None)
        here: _Found | None = None
        for line, text in enumerate(lines, first):
            bullet = BULLETED.match(text)
            start = bullet.end() if bullet else 0 if item.fresh else None
            found = self._box(line, text, start)
            if found and not bullet:
                item.found = found
            item.fresh = False
            here = found or here
            if not found:
                _continue(here, here or own, text)
        return here is not None

    def _box(self, line: int, text: str, start: int | None) -> _Found | None:
        match = None if start is None else BOX.match(text.strip() if start == 0 else text, start)
        if not match or _is_label(match):
            return None
        depth = sum(item.found is not None for item in self.items)
        mark = match["mark"].strip() or " "
        found = _Found(line, mark, bool(match["optional"]), depth, self.outline.path, [match["rest"]])
        self.found.append(found)
        return found

    def scan(self, lines: Iterable[str], quoted: set[int]) -> None:
        """Take every line that looks like a box where the parser gave up."""
        known = quoted | {found.line for found in self.found}
        self.items, self.outline = [], Outline()
        for line, text in enumerate(lines, 1):
            bullet = BULLETED.match(text)
            if bullet and line not in known:
                self._box(line, text, bullet.end())


def _is_label(match: re.Match[str]) -> bool:
    """`[x](address)`, `[1]: …`, `[a]b`: a link or a label, unless its mark is blank."""
    return bool(match["mark"].strip()) and not match["optional"] and match["rest"][:1].strip() != ""


def _continue(box: _Found | None, owner: _Found | None, text: str) -> None:
    """A further line: of the title if it follows one, else a detail of the task it stands under."""
    links = REQUIREMENTS.match(text.strip())
    if links and owner:
        owner.requirements += [link for link in SEPARATORS.split(links[1].strip(" _*.")) if link]
    elif box and not DETAIL.match(text.strip()):
        box.lines.append(text)
