"""Markdown from agents as HTML: no raw HTML, no pictures, no addresses but those of the web."""

import re
from collections.abc import Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from shiage.web.escapes import visible

MOST = 400_000  #: characters; more is shown as it is written: inline syntax is slow where text is hostile
PLACE = "requirement-"  #: begins the anchor of a requirement
_REQUIREMENT = re.compile(r"(?:requirement|要件)\s*([0-9]{1,4})\b|([0-9]{1,4})[.:)]", re.IGNORECASE)


def _of_the_web(url: str) -> bool:
    return url.startswith(("https://", "http://", "#"))


_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
_PARSER.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
_PARSER.validateLink = _of_the_web  # type: ignore[method-assign]  # the parser's own way to say it


def rendered(text: str) -> Markup:
    """The document as HTML that can do nothing."""
    shown = visible(text)
    if len(shown) > MOST:
        return Markup('<pre class="scroll" tabindex="0">{}</pre>').format(shown)
    tokens = _PARSER.parse(shown)
    _fit(tokens)
    for token, place in _numbered(tokens):
        token.attrSet("id", place)
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))  # noqa: S704  html is off: all text is escaped


def places(text: str) -> frozenset[str]:
    """The numbers of requirements that a rendered document has a place for."""
    shown = visible(text)
    if len(shown) > MOST:
        return frozenset()
    return frozenset(place.removeprefix(PLACE) for _, place in _numbered(_PARSER.parse(shown)))


def _numbered(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Headings like "Requirement 2", and what is listed under them by number: each place once."""
    known, requirement, depth = set[str](), "", 0
    for at, token in enumerate(tokens):
        number = ""
        if token.type == "heading_open":
            found = _REQUIREMENT.match(tokens[at + 1].content)
            requirement = number = found[1] or found[2] if found else ""
        elif token.type == "list_item_open" and depth == 1 and token.info:
            number = f"{requirement}.{token.info}" if requirement else token.info
        depth += {"ordered_list_open": 1, "ordered_list_close": -1}.get(token.type, 0)
        if number and number not in known:
            known.add(number)
            yield token, f"{PLACE}{number}"


def _fit(tokens: Iterable[Token]) -> None:
    """Headings below those of the page, tables that scroll by keyboard, no inline styles, links that tell nothing."""
    level = 1  # of the page's own heading: no level is left out on the way down
    for token in tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, level + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{level}"
        elif token.type in ("th_open", "td_open"):
            token.attrs = {}
        elif token.type in ("table_open", "fence", "code_block"):
            token.attrSet("tabindex", "0")
        elif token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer nofollow")
        _fit(token.children or ())
