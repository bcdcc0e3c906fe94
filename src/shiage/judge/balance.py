"""Brackets, quotes and the last token: what can be said of a text without a grammar."""

import re
from dataclasses import dataclass
from itertools import chain

from shiage.judge.lexing import OPEN, STRING, Lexed, blank

_PAIRS = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r"[()\[\]{}]")
# Both branches of a conditional may open the same block: only the first one counts.
_OTHER_BRANCH = re.compile(
    r"^[ \t]*#[ \t]*(?:else|elif|elifdef)\b(?:(?!^[ \t]*#[ \t]*endif)[^\n]*+\n?)*+", re.MULTILINE
)
_UNFINISHED = re.compile(r"(?:[=+*%&|,(\[{?.\\]|(?<![+-])[+-]|=>|->|(?<![/*<])/)$")
_SQL_UNFINISHED = re.compile(
    r"(?:[,=(+*/]|\b(?:SELECT|FROM|WHERE|AND|OR|NOT|JOIN|ON|SET|VALUES|INTO|INSERT|UPDATE|DELETE|CREATE|TABLE|ALTER|"
    r"ADD|COLUMN|BY|ORDER|GROUP|HAVING|IN|AS|LIKE|INNER|LEFT|RIGHT|UNION|WITH|REFERENCES|DEFAULT|UNIQUE|PRIMARY|"
    r"FOREIGN|NULL,))$",
    re.IGNORECASE,
)
# Two neighbours that no grammar of the brace family allows.
_IMPOSSIBLE = re.compile(
    r"=(?<=[\w)\]\" \t]=)(?<!operator=)[ \t]*+[;)}]|=(?:(?<=\bconst =)(?![ \t]*+(?:0|default|delete)[ \t]*+;)|(?<=\blet =)|(?<=\bvar =))|"
    r"\([ \t]*+,(?![ \t]*[,)])|\((?:(?<=\bif\()|(?<=\bif \()|(?<=while \()|(?<=switch \())[ \t]*+\)|"
    r"\+(?<!\+\+)[ \t]*+[;)\]]|-(?<!--)[ \t]*+;|&&[ \t]*+;|\|\|[ \t]*+[;)]"
)


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The first place where brackets or quotes do not fit."""

    line: int
    what: str


def imbalance(lexed: Lexed) -> Imbalance | None:
    """An open string or comment, or brackets that do not pair; None when all is in order."""
    opened = next((start for kind, start, _ in lexed.tokens if kind == OPEN), None)
    if opened is not None:
        return Imbalance(lexed.line_at(opened), "a string or comment that is not closed")
    pairs = lexed.language.brackets
    if not pairs:
        return None
    if _pairs_fit(lexed.skeleton, pairs):
        return None
    code = _one_branch(lexed) if lexed.language.lexer in ("c", "csharp") else lexed.code
    return None if _pairs_fit(code, pairs) else _first_unpaired(lexed, code, pairs)


def _pairs_fit(code: str, pairs: str) -> bool:
    """As many closed as opened; order is left to the parsers."""
    return all(code.count(pairs[at]) == code.count(pairs[at + 1]) for at in range(0, len(pairs), 2))


def _one_branch(lexed: Lexed) -> str:
    return _OTHER_BRANCH.sub(lambda match: blank(match[0]), lexed.code)


def _first_unpaired(lexed: Lexed, code: str, pairs: str) -> Imbalance:
    stack: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(code):
        char = match[0]
        if char not in pairs:
            continue
        if char not in _PAIRS:
            stack.append((char, match.start()))
        elif stack and stack[-1][0] == _PAIRS[char]:
            stack.pop()
        else:
            return Imbalance(lexed.line_at(match.start()), f"'{char}' without its opening bracket")
    char, offset = stack[-1]
    return Imbalance(lexed.line_at(offset), f"'{char}' that is never closed")


def unfinished_end(lexed: Lexed) -> Imbalance | None:
    """The file stops where a further token must follow."""
    pattern = _SQL_UNFINISHED if lexed.language.name == "sql" else _UNFINISHED
    tail = _last_code(lexed)
    if not tail or not pattern.search(tail):
        return None
    code = lexed.code.rstrip()
    return Imbalance(lexed.line_at(len(code) - 1), f"the file ends after '{tail.split()[-1][-20:]}'")


def _last_code(lexed: Lexed) -> str:
    """The end of the code, comments behind it aside; a string is a quote."""
    end = len(lexed.text)
    for kind, start, stop in chain(reversed(lexed.tokens), [("", 0, 0)]):
        if lexed.text[stop:end].strip():
            return lexed.text[max(stop, end - 80) : end].rstrip()
        if kind == STRING:
            return '"'
        end = start
    return ""


def impossible_pairs(lexed: Lexed) -> list[int]:
    """Offsets of neighbouring tokens that cannot stand together."""
    if not _IMPOSSIBLE.search(lexed.skeleton):
        return []
    return [match.start() for match in _IMPOSSIBLE.finditer(lexed.code)]


# A tag of JSX: its braces may hold braces and, in them, further ones. `<T,>` and `<T extends X>` are types.
_BRACES = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
_TAG = re.compile(
    rf"(?:<(/)|(?<![\w$)\]])<)([A-Za-z][\w.:-]*+)?+(?=[\s/>])(?!\s++extends\b)(?:[^<>{{}}]++|{_BRACES})*+>"
)


def unpaired_tag(lexed: Lexed) -> Imbalance | None:
    """A tag of JSX without its other half. What looks like a tag may be a type or a comparison: the grammar must agree."""
    opened: list[re.Match[str]] = []
    for tag in _TAG.finditer(lexed.code):
        if not tag[1]:
            opened += [tag] * (not tag[0].endswith("/>"))
        elif opened and opened[-1][2] == tag[2]:
            opened.pop()
        else:
            return _unpaired(lexed, opened[-1] if opened else tag)
    return _unpaired(lexed, opened[-1]) if opened else None


def _unpaired(lexed: Lexed, tag: re.Match[str]) -> Imbalance:
    what = "that is not opened" if tag[1] else "that is not closed"
    return Imbalance(lexed.line_at(tag.start()), f"<{tag[1] or ''}{tag[2] or ''}> {what}")
