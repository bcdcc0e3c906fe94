"""Changes values of a foreign spec.json and no other byte.

tree-sitter gives the place of every value; the standard library says what is valid and what a value is.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import NoReturn

import tree_sitter_json
from tree_sitter import Language, Node, Parser

from shiage.domain.details import told
from shiage.domain.errors import UserError, Where

JsonObject = dict[str, object]
KeyPath = tuple[str | int, ...]  #: from the root: key of an object, index of a list
Changes = Mapping[KeyPath, object]

BOM = b"\xef\xbb\xbf"
EXCERPT_WIDTH = 200  #: a line of a terminal or two; the column says the rest
NO_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|(NaN|-?Infinity)')
PLUS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|([eE])\+')
JSON = Language(tree_sitter_json.language())


def parse(data: bytes, path: PurePath | str) -> JsonObject:
    """The object in a spec.json; anything that is not strictly one is refused with its line and column."""
    text = _decoded(data, path)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise _unreadable(path, text, error.pos, error.msg if text.strip() else "the file is empty") from error
    except RecursionError as error:
        raise _unreadable(path, text, 0, "it is nested too deeply") from error
    except ValueError as error:  # NaN and its like, or a number of more digits than Python converts
        raise _unreadable(path, text, *_odd_number(text)) from error
    if not isinstance(value, dict):
        raise _unreadable(path, text, 0, "the whole file must be one object in { }")
    return value


def _decoded(data: bytes, path: PurePath | str) -> str:
    body = data.removeprefix(BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        raise _unreadable(path, body.decode("utf-8", "replace"), len(before), "a byte that is not UTF-8") from error
    if text.startswith("\ufeff"):
        raise _unreadable(path, text, 0, "a second byte order mark")
    return text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _odd_number(text: str) -> tuple[int, str]:
    """Where and what it is; Python does not say where."""
    names = ((found.start(), f"{found[1]} is no JSON number") for found in NO_NUMBER.finditer(text) if found[1])
    return next(names, (0, "a number has too many digits"))


def _unreadable(path: PurePath | str, text: str, position: int, reason: str) -> UserError:
    file = PurePath(path)
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    lines = [each.rstrip("\r")[:EXCERPT_WIDTH] for each in text.split("\n")[max(0, line - 2) : line]]
    return UserError(
        "spec-unreadable",
        told("not-json", name=file.name, spec=file.parent.name, said=reason),
        where=Where(file.as_posix(), line, column, tuple(lines)),
        help=f"repair the file, then `shiage run {file.parent.name}`. Nothing was changed.",
    )


def edit(text: bytes, changes: Changes) -> bytes:
    """Set each value at its key path; parents that are missing, or are no container, are made.

    The text must be valid JSON (`parse` says so). A key that stands twice counts where it stands last, as everywhere.
    An index may be one past the end of its list: the value is appended.
    """
    mark = BOM if text.startswith(BOM) else b""
    body = text.removeprefix(BOM)
    for path, value in changes.items():
        body = _set(body, path, value)
    return mark + body


def _set(text: bytes, path: KeyPath, value: object) -> bytes:
    root = _root(text)
    layout = _layout(text, root)
    node = root
    for depth, key in enumerate(path):
        child = _child(node, key)
        if child is None:
            return _insert(text, node, key, _nested(path[depth + 1 :], value), layout)
        node = child
    return _replace(text, node, value, layout)


def _root(text: bytes) -> Node:
    # The grammar does not know the plus of 1e+16: it sees 1e016, the same value at the same place.
    known = PLUS.sub(lambda found: found[1] + b"0" if found[1] else found[0], text)
    top = Parser(JSON).parse(known).root_node
    if top.has_error or len(top.named_children) != 1:
        raise ValueError("only valid JSON can be edited")
    return top.named_children[0]


def _child(node: Node, key: str | int) -> Node | None:
    """The value under a key or index; None if it is missing or this is no such container."""
    if node.type == "object" and isinstance(key, str):
        named = [pair for pair in node.named_children if _key(pair) == key]
        return named[-1].child_by_field_name("value") if named else None
    if node.type == "array" and isinstance(key, int):
        return node.named_children[key] if 0 <= key < node.named_child_count else None
    return None


def _key(pair: Node) -> object:
    name = pair.child_by_field_name("key")
    return json.loads(name.text or b"null") if name else None


def _nested(path: Sequence[str | int], value: object) -> object:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else _listed(key, 0, value)
    return value


def _listed(index: int, length: int, value: object) -> list[object]:
    if index != length:
        raise ValueError(f"index {index} in a list of {length}")
    return [value]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the file is written, to write the same way."""

    eol: bytes
    unit: str  #: one step of indentation
    many_lines: bool
    tight: bool  #: no space after a colon

    def dump(self, value: object, base: bytes | None) -> bytes:
        """As JSON: over lines indented from `base`, or in one line if there is none."""
        colon = ":" if self.tight else ": "
        if base is None:
            return _encoded(value, None, ("," if self.tight else ", ", colon))
        return _encoded(value, self.unit, (",", colon)).replace(b"\n", self.eol + base)

    def member(self, key: str | int, value: object, base: bytes | None) -> bytes:
        """A pair of an object, or an item of a list."""
        name = _encoded(key, None, None) + (b":" if self.tight else b": ") if isinstance(key, str) else b""
        return name + self.dump(value, base)


def _encoded(value: object, indent: str | None, separators: tuple[str, str] | None) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators).encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8, only an escape
        return json.dumps(value, indent=indent, separators=separators).encode()


def _layout(text: bytes, root: Node) -> _Layout:
    members = root.named_children
    indents = [indent for member in members if (indent := _indent(text, member)) is not None]
    return _Layout(
        eol=b"\r\n" if b"\r\n" in text[: text.find(b"\n") + 1] else b"\n",
        unit=indents[0].decode() if indents else "  ",
        many_lines=bool(indents) or not members,
        tight=bool(members) and _is_tight(text, members[-1]),
    )


def _is_tight(text: bytes, pair: Node) -> bool:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    return key is not None and value is not None and text[key.end_byte : value.start_byte] == b":"


def _indent(text: bytes, node: Node) -> bytes | None:
    """The white space before a node that begins its line; None if it stands within one."""
    start = text.rfind(b"\n", 0, node.start_byte) + 1
    before = text[start : node.start_byte]
    return before if start and not before.strip() else None


def _margin(text: bytes, node: Node) -> bytes | None:
    """The indentation that continues this value on further lines; None if all of it belongs in one line."""
    owner = node.parent if node.parent is not None and node.parent.type == "pair" else node
    is_root = owner.parent is None or owner.parent.parent is None
    return b"" if is_root else _indent(text, owner)


def _replace(text: bytes, node: Node, value: object, layout: _Layout) -> bytes:
    if _same(json.loads(node.text or b"null"), value):
        return text
    base = _margin(text, node) if layout.many_lines else None
    return text[: node.start_byte] + layout.dump(value, base) + text[node.end_byte :]


def _same(one: object, other: object) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values there."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _insert(text: bytes, node: Node, key: str | int, value: object, layout: _Layout) -> bytes:
    if node.type != ("object" if isinstance(key, str) else "array"):
        return _replace(text, node, _nested([key], value), layout)
    if isinstance(key, int):
        _listed(key, node.named_child_count, value)
    if not node.named_children:
        return _fill(text, node, key, value, layout)
    last = node.named_children[-1]
    base = _indent(text, last)
    gap = layout.eol + base if base is not None else b"" if layout.tight else b" "
    return text[: last.end_byte] + b"," + gap + layout.member(key, value, base) + text[last.end_byte :]


def _fill(text: bytes, node: Node, key: str | int, value: object, layout: _Layout) -> bytes:
    """The first member of an empty container."""
    opening, closing = (b"{", b"}") if isinstance(key, str) else (b"[", b"]")
    base = _margin(text, node) if layout.many_lines else None
    if base is None:
        inner = layout.member(key, value, None)
    else:
        deeper = base + layout.unit.encode()
        inner = layout.eol + deeper + layout.member(key, value, deeper) + layout.eol + base
    return text[: node.start_byte] + opening + inner + closing + text[node.end_byte :]
