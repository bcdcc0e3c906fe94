"""HTML pages: what is open at their end. A page may leave tags out, so only certain faults count. And XML, which may not."""

import re
from xml.parsers import expat

from shiage.judge.lexing import blank

_COMMENT = re.compile(r"<!--(?:[^-]++|-(?!->))*+-->")
_RAW = re.compile(r"<(script|style|textarea|title)\b[^>]*+>", re.IGNORECASE)
_RAW_TEXT = re.compile(r"(?<=>)[^<]*+(?:<(?!/(?:script|style|textarea|title)\b)[^<]*+)*+(?=</)", re.IGNORECASE)
_CUT_TAG = re.compile(r"</?[A-Za-z][^<>]*\Z")
_TAG = re.compile(r"<(/?)(div|section|main|article|table|ul|ol|form|nav|header|footer|span|button|select|template|script|style|html|body)\b((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>", re.IGNORECASE)  # fmt: skip


def page_fault(text: str) -> tuple[int, str] | None:
    """Line and description of the first thing that is certainly not finished."""
    plain = _COMMENT.sub(lambda match: blank(match[0]), text)
    opened = plain.find("<!--")
    if opened >= 0:
        return _line(plain, opened), "a comment that is not closed"
    lowered = plain.lower()
    for match in _RAW.finditer(plain):
        if lowered.find(f"</{match[1].lower()}", match.end()) < 0:
            return _line(plain, match.start()), f"<{match[1]}> that is not closed"
    cut = _CUT_TAG.search(plain[-2000:].rstrip())
    if cut:
        return plain.rstrip().count("\n") + 1, "the page ends inside a tag"
    return _unclosed(_without_raw_text(plain))


def _without_raw_text(text: str) -> str:
    """Scripts, styles and fields hold text: a tag in them is none."""
    parts, last = [], 0
    for match in _RAW.finditer(text):
        inner = _RAW_TEXT.match(text, match.end()) if match.end() > last else None
        if inner:
            parts += [text[last : match.end()], blank(inner[0])]
            last = inner.end()
    return "".join((*parts, text[last:]))


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _unclosed(text: str) -> tuple[int, str] | None:
    """A container tag that is opened more often than closed."""
    opened: dict[str, list[int]] = {}
    for match in _TAG.finditer(text):
        name, places = match[2].lower(), opened.setdefault(match[2].lower(), [])
        if match[1]:
            if places:
                places.pop()
        elif not match[3].rstrip().endswith("/") and name not in ("html", "body"):
            places.append(match.start())
    left = [(places[-1], name) for name, places in opened.items() if places]
    if not left:
        return None
    offset, name = min(left)
    return _line(text, offset), f"<{name}> that is not closed"


#: What a part that other files take in may hold: several roots, and entities that are declared elsewhere.
_PART = frozenset(
    expat.errors.codes[said]
    for said in (expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT, expat.errors.XML_ERROR_UNDEFINED_ENTITY)
)


def xml_fault(text: str) -> tuple[int, str] | None:
    """Where this text is not well-formed. One that declares entities is not read: they may grow without end."""
    if "<!ENTITY" in text:
        return None
    try:
        expat.ParserCreate().Parse(text.strip().encode("utf-8", "replace").decode(), True)
    except expat.ExpatError as error:
        line = _line(text, len(text) - len(text.lstrip())) + error.lineno - 1
        return None if error.code in _PART else (line, expat.ErrorString(error.code))
    return None
