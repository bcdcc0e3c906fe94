"""What terminals obey, made harmless: colours become classes, everything else is shown as visible text."""

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

_COLOUR = re.compile(r"\x1b\[([0-9;:]{0,40})m")
#: Other control characters, and marks that turn the direction of writing or cannot be seen.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_STYLES = {1: "b", 2: "dim", 3: "i", 4: "u", 7: "rev", 9: "s"}
_ENDS = {22: ("b", "dim"), 23: ("i",), 24: ("u",), 27: ("rev",), 29: ("s",)}


def visible(text: str) -> str:
    """The text with every hidden character shown by its picture or its number."""
    return _HIDDEN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 0x0D:
        return "" if match.string[match.end() : match.end() + 1] == "\n" else "␍"
    return chr(0x2400 + code) if code < 0x20 else f"⟨U+{code:04X}⟩"


def painted(text: str) -> Markup:
    """A line of a terminal as HTML."""
    text = text.removesuffix("\r")
    if "\x1b" not in text:
        return escape(visible(text))
    return Markup("").join(_spans(text))


def _spans(text: str) -> Iterator[Markup]:
    style, at = frozenset[str](), 0
    for match in _COLOUR.finditer(text):
        yield _span(text[at : match.start()], style)
        style, at = _changed(style, match[1]), match.end()
    yield _span(text[at:], style)


def _span(text: str, style: frozenset[str]) -> Markup:
    shown = visible(text)
    if not shown or not style:
        return escape(shown)
    return Markup('<span class="{}">{}</span>').format(" ".join(sorted(style)), shown)


def _changed(style: frozenset[str], parameters: str) -> frozenset[str]:
    codes = iter(int(part or 0) if part.isdigit() or not part else -1 for part in re.split("[;:]", parameters))
    for code in codes:
        if code == 0:
            style = frozenset()
        elif code in _STYLES:
            style |= {_STYLES[code]}
        elif code in _ENDS:
            style = style.difference(_ENDS[code])
        elif code in (38, 48):  # a palette or a mixed colour: its own numbers follow, and it stays as it is
            for _ in range({5: 1, 2: 3}.get(next(codes, -1), 0)):
                next(codes, None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = _without_colour(style) | {f"c{code % 10 + (8 if code >= 90 else 0)}"}
        elif code == 39:
            style = _without_colour(style)
    return style


def _without_colour(style: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in style if not name[1:].isdigit())
