"""Comment, string or code: one linear pass per file, driven by one token table per language.

Every pattern is possessive and falls back to the end of the file when its closer is missing,
so that no input is scanned twice: hostile text costs what ordinary text costs.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from operator import itemgetter

from shiage.judge.languages import Language, language_named

COMMENT, STRING, OPEN, KEPT = "c", "s", "u", "k"  #: OPEN: a string or comment without its end; KEPT: still code


STRETCH = 4_096  #: characters whose line ends are counted together
FLOW_HEAD = 1_000  #: characters in which a file says that it carries Flow's types
#: Kind, start and end of one span that is not plain code.
Token = tuple[str, int, int]


def _quoted(quote: str, inside: str) -> list[tuple[str, str]]:
    """A string with its unterminated twin right behind it."""
    body = rf"{quote}(?:{inside})*+"
    return [(STRING, body + quote), (OPEN, body)]


_LINE_ESC = r"\\[\s\S]"
_DQ = _quoted('"', rf'[^"\\\n]++|{_LINE_ESC}')
_SQ = _quoted("'", rf"[^'\\\n]++|{_LINE_ESC}")
_DQ_MULTI = _quoted('"', rf'[^"\\]++|{_LINE_ESC}')
_SQ_MULTI = _quoted("'", rf"[^'\\]++|{_LINE_ESC}")
_TRIPLE_DQ = _quoted('"""', rf'[^"\\]++|{_LINE_ESC}|"(?!"")')
_TRIPLE_SQ = _quoted("'''", rf"[^'\\]++|{_LINE_ESC}|'(?!'')")
_BACKTICK = _quoted("`", "[^`]++")
_BLOCK_BODY = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+"
_BLOCK = [(COMMENT, _BLOCK_BODY + r"\*/"), (OPEN, _BLOCK_BODY)]
_SLASHES = [(COMMENT, r"//[^\n]*+")]
# Not after a colon: an address in JSX text or in a style sheet is no comment.
_SLASHES_NOT_URL = [(COMMENT, r"(?<!:)//[^\n]*+")]
_HASH_AFTER_SPACE = [(COMMENT, r"(?:(?<=[\s;&|()])|^)#[^\n]*+")]
_MARKUP = [(COMMENT, r"<!--(?:[^-]++|-(?!->))*+-->"), (OPEN, r"<!--[\s\S]*+")]


# A class of characters that never ends is looked at so far and no further: each slash of a long line may begin one.
_REGEX_CLASS = r"\[[^\]\\\n]{0,1000}+(?:\\.[^\]\\\n]{0,200}+){0,400}+\]"
_REGEX_BODY = rf"(?:[^/\\\[\n]++|\\.|{_REGEX_CLASS})++"


def _nested(depth: int) -> str:
    """A Rust block comment that may hold others."""
    deeper = "|" + _nested(depth - 1) if depth else ""
    return rf"/\*(?:[^*/]++|\*(?!/)|/(?!\*){deeper})*+\*/"


def _template(depth: int) -> str:
    """A JavaScript template whose ${…} may hold strings, braces and further templates."""
    deeper = f"|{_template(depth - 1)}" if depth else ""
    regex = rf"(?<=[(,=])/(?![*/\s]){_REGEX_BODY}/|/"
    quoted = r"""'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+" """.strip()
    leaf = rf"""[^{{}}`'"/]++|{regex}|{quoted}{deeper}"""
    braces = rf"\{{(?:{leaf}|\{{(?:{leaf})*+\}})*+\}}"
    return rf"`(?:[^`\\$]++|\\[\s\S]|\$(?!\{{)|\${braces})*+`"


# A slash begins a regular expression only where no value can stand before it.
_REGEX_PLACE = (
    r"(?:(?<=[(,=:\[!&|?{;+~\n])|(?<=[(,=:\[!&|?{;+~] )|(?<=\n\t)|(?<=  )|(?<=\t\t)|(?<==>)|(?<==> )|(?<=return )"
    r"|(?<=case )|(?<=typeof )|(?<=when )|(?<=if )|(?<=unless )|(?<=and )|(?<=or ))"
)
_REGEX = [(STRING, _REGEX_PLACE + rf"/(?![*/\s]){_REGEX_BODY}/\w*+")]
_HEREDOC_END = r"[^\n]*+\n(?:(?![ \t]*(?P=tag)\b)[^\n]*+\n)*+"


def _heredoc(opening: str) -> list[tuple[str, str]]:
    body = opening + _HEREDOC_END
    return [
        (STRING, body + r"[ \t]*(?P=tag)\b"),
        (OPEN, opening.replace("?P<tag>", "").replace("?P<q>", "").replace("(?P=q)", "['\"]?") + r"[^\n]*+\n[\s\S]*+"),
    ]


def _one_of(*texts: str) -> list[tuple[str, str]]:
    return [(STRING, text) for text in texts]


#: language family -> (first characters of its tokens, token patterns in order of preference)
TOKENS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "python": ("\"'#", [(COMMENT, r"#[^\n]*+"), *_TRIPLE_DQ, *_TRIPLE_SQ, *_DQ, *_SQ]),
    "javascript": (
        "\"'`/",
        [
            *_SLASHES_NOT_URL, *_BLOCK, *_REGEX,
            (KEPT, r"(?<=[A-Za-z])'(?=(?:s|t|re|ve|ll|d|m)\b)"),  # an apostrophe in JSX text
            *_DQ, *_SQ, (STRING, _template(3)), (OPEN, rf"`(?:[^`\\]++|{_LINE_ESC})*+`?"),
        ],
    ),
    "go": ("\"'`/", [*_SLASHES, *_BLOCK, *_DQ, *_BACKTICK, *_SQ]),
    "rust": (
        "\"'#/",
        [
            *_SLASHES, (COMMENT, _nested(3)), (OPEN, _BLOCK_BODY),
            (STRING, r'(?<=r)(?P<tag>#*+)"(?:[^"]++|"(?!(?P=tag)))*+"(?P=tag)'), (OPEN, r'(?<=r)#*+"[\s\S]*+'),
            (STRING, r"'(?:[^'\\\n]|\\(?:u\{[0-9a-fA-F_]*+\}|x[0-9a-fA-F]{2}|.))'"),
            *_DQ_MULTI,
        ],
    ),
    "java": ("\"'/", [*_SLASHES, *_BLOCK, *_TRIPLE_DQ, *_DQ, *_SQ]),
    "c": (
        "\"'/#",
        [
            *_SLASHES, *_BLOCK, (STRING, r"#[ \t]*+(?:error|warning|include|pragma)\b(?:[^\n/]++|/(?![/*]))*+"),
            (STRING, r'(?<=R)"(?P<tag>[^()\\\s]{0,16})\((?:[^)]++|\)(?!(?P=tag)"))*+\)(?P=tag)"'),
            (OPEN, r'(?<=R)"[^()\\\s]{0,16}\([\s\S]*+'),
            (KEPT, r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])"),  # a digit separator
            *_DQ, *_SQ,
        ],
    ),
    "csharp": (
        "\"'/#",
        [
            *_SLASHES, *_BLOCK, (STRING, r"#[ \t]*+(?:region|endregion|error|warning|pragma)\b[^\n]*+"),
            (STRING, r'(?:(?<=@)|(?<=@\$))"(?:[^"]++|"")*+"'), *_TRIPLE_DQ, *_DQ, *_SQ,
        ],
    ),
    "ruby": (
        "\"'`#/<=%",
        [
            *_HASH_AFTER_SPACE, (COMMENT, r"^=begin\b[^\n]*+\n(?:(?!=end\b)[^\n]*+\n)*+=end"), (OPEN, r"^=begin\b[\s\S]*+"),
            *_heredoc(r"<<[~-]?(?P<q>['\"`]?)(?P<tag>[A-Z]\w*+)(?P=q)"), *_REGEX,
            *_one_of(r"%[wWiIqQr]\[[^\]]*+\]", r"%[wWiIqQr]\([^)]*+\)", r"%[wWiIqQr]\{[^}]*+\}"),
            (OPEN, r"%[wWiIqQr][\[({][\s\S]*+"),
            *_DQ_MULTI, *_SQ_MULTI, *_quoted("`", rf"[^`\\]++|{_LINE_ESC}"),
        ],
    ),
    "php": (
        "\"'/#<?",
        [
            (COMMENT, r"(?://|#(?!\[))[^\n?]*+(?:\?(?!>)[^\n?]*+)*+"), *_BLOCK,
            *_heredoc(r"<<<[ \t]*+(?P<q>['\"]?)(?P<tag>[A-Za-z_]\w*+)(?P=q)"),
            (STRING, r"\?>(?:[^<]++|<(?!\?(?:php|=)))*+"), *_DQ_MULTI, *_SQ_MULTI,
        ],
    ),
    "shell": (
        "\"'#<\\",
        [
            (KEPT, r"\\[\s\S]"), *_HASH_AFTER_SPACE,
            *_heredoc(r"(?<!<)<<-?+(?!<)[ \t]*+(?P<q>['\"]?)\\?+(?P<tag>[A-Za-z_]\w*+)(?P=q)"),
            *_quoted("'", r"[^']++"), *_DQ_MULTI,
        ],
    ),
    "sql": (
        "\"'-/$#`",
        [
            (COMMENT, r"--[^\n]*+"), *_BLOCK, (COMMENT, r"^#[^\n]*+"), (STRING, r"'\\'(?!')"),
            *_quoted("'", rf"[^'\\]++|''|{_LINE_ESC}"), *_quoted('"', r'[^"]++|""'), *_BACKTICK,
            (STRING, r"\$(?P<tag>(?:[A-Za-z_]\w*+)?+)\$(?:[^$]++|\$(?!(?P=tag)\$))*+\$(?P=tag)\$"), (OPEN, r"\$(?:[A-Za-z_]\w*+)?+\$[\s\S]*+"),
        ],
    ),
    "css": ("\"'/", [*_BLOCK, *_DQ, *_SQ]),
    "scss": ("\"'/", [*_SLASHES_NOT_URL, *_BLOCK, *_DQ, *_SQ]),
    "yaml": (
        "\"'#",
        [
            *_HASH_AFTER_SPACE,
            (STRING, r'(?<=[\s\[{,(:-])"(?:[^"\\]++|\\[\s\S])*+"'), (STRING, r"(?<=[\s\[{,(:-])'(?:[^']++|'')*+'"),
        ],
    ),
    "toml": ("\"'#", [(COMMENT, r"#[^\n]*+"), *_TRIPLE_DQ, *_quoted("'''", r"[^']++|'(?!'')"), *_DQ, *_quoted("'", r"[^'\n]++")]),
    "json": ("\"/'", [*_SLASHES, *_BLOCK, *_DQ]),
    "hash": ("#;", [(COMMENT, r"(?:(?<=[ \t])|^)#[^\n]*+"), (COMMENT, r"^;[^\n]*+")]),
    "xml": ("<", [*_MARKUP, (STRING, r"<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+(?:\]\]>)?+")]),
    "html": ("<", [*_MARKUP]),
    # Only marks that no text would carry by chance: a line that begins like a comment.
    "unknown": ("#/-;%<", [*_MARKUP, *_BLOCK, (COMMENT, r"(?:^|(?<=^[ \t])|(?<=\n  )|(?<=\n    ))(?:#|//|--|;|%)[^\n]*+")]),
    "markdown": ("<", [*_MARKUP]),
    "text": ("", []),
}  # fmt: skip


@cache
def scanner(lexer: str) -> re.Pattern[str] | None:
    """The one expression that walks a file of this family: plain code, then perhaps a token."""
    firsts, rules = TOKENS[lexer]
    if not rules:
        return None
    named = "|".join(f"(?P<{kind}{number}>{pattern})" for number, (kind, pattern) in enumerate(rules))
    return re.compile(rf"[^{re.escape(firsts)}]*+(?:{named}|[\s\S])?", re.MULTILINE)


@dataclass(frozen=True)
class Lexed:
    """A text with its tokens; everything else is computed when asked for."""

    text: str
    language: Language
    tokens: list[Token] = field(default_factory=list)

    @cached_property
    def flow(self) -> bool:
        """JavaScript with Flow's types: no grammar here knows them, and `...` is one of their words."""
        return self.language.name == "javascript" and "@flow" in self.text[:FLOW_HEAD]

    @cached_property
    def _line_ends(self) -> list[int]:
        """How many lines end before each stretch: few questions are asked of a text, so no table of its lines is made."""
        counts = (self.text.count("\n", at, at + STRETCH) for at in range(0, len(self.text), STRETCH))
        return list(accumulate(counts, initial=0))

    def line_at(self, offset: int) -> int:
        """The line of this offset, from 1."""
        stretch = offset // STRETCH
        return self._line_ends[stretch] + self.text.count("\n", stretch * STRETCH, offset) + 1

    def line_start(self, offset: int) -> int:
        """Where the line of this offset begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def raw_line(self, offset: int) -> str:
        """The whole line of this offset."""
        end = self.text.find("\n", offset)
        return self.text[self.line_start(offset) : len(self.text) if end < 0 else end]

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def code(self) -> str:
        """The text with comments and the insides of strings blanked: same length, same lines."""
        parts: list[str] = []
        last = 0
        for kind, start, end in self.tokens:
            if kind != KEPT:
                parts += (self.text[last:start], _blank(kind, self.text[start:end]))
                last = end
        parts.append(self.text[last:])
        return "".join(parts)

    @cached_property
    def skeleton(self) -> str:
        """The code with a quote for each string and a space for each comment: shorter than `code`, and quicker to make."""
        parts: list[str] = []
        last = 0
        for kind, start, end in self.tokens:
            if kind != KEPT:
                parts += (self.text[last:start], " " if kind == COMMENT else '"')
                last = end
        parts.append(self.text[last:])
        return "".join(parts)

    @cached_property
    def code_lines(self) -> list[str]:
        return self.code.split("\n")

    def token_at(self, offset: int) -> Token:
        """The token that covers this offset; one without a kind where there is none."""
        place = bisect_right(self.tokens, offset, key=itemgetter(1)) - 1
        return self.tokens[place] if place >= 0 and offset < self.tokens[place][2] else ("", offset, offset)

    def kind_at(self, offset: int) -> str:
        """The kind of the token that covers this offset, or nothing."""
        return self.token_at(offset)[0]

    def only_comments(self, offset: int) -> bool:
        """Does the line that begins here hold a comment, and nothing else?"""
        end = offset + len(self.raw_line(offset))
        first = at = _ink(self.text, offset, end)
        while at < end:
            kind, _, after = self.token_at(at)
            if kind != COMMENT:
                return False
            at = _ink(self.text, after, end)
        return first < end


_GAP = re.compile(r"\s*+")


def _ink(text: str, start: int, end: int) -> int:
    """Where the next character stands that shows."""
    gap = _GAP.match(text, start, end)
    return gap.end() if gap and start < end else end


def blank(text: str) -> str:
    """As long and with as many lines, but nothing in it."""
    return "\n".join(" " * len(line) for line in text.split("\n")) if "\n" in text else " " * len(text)


def _blank(kind: str, text: str) -> str:
    if kind == COMMENT or len(text) < 2 or text.startswith("/*"):
        return blank(text)
    return '"' + blank(text[1:-1]) + ('"' if text[-1] != "\n" else "\n")


def lex(text: str, language: Language) -> Lexed:
    """Find every comment and string of a text."""
    if language.lexer == "html":
        return Lexed(text, language, _page_tokens(text, 0))
    start = max(text.find("<?"), 0) if language.lexer == "php" else 0
    return Lexed(text, language, _tokens(text, language.lexer, start, len(text)))


def _tokens(text: str, lexer: str, start: int, end: int) -> list[Token]:
    pattern = scanner(lexer)
    if pattern is None:
        return []
    found: list[Token] = []
    for match in pattern.finditer(text, start, end):
        group = match.lastgroup
        if group is not None:
            found.append((group[0], match.start(group), match.end()))
    return found


_SECTION = re.compile(r"<(script|style)\b([^>]*+)>", re.IGNORECASE)
_SECTION_LANGUAGE = re.compile(r"""\b(?:lang|type)\s*=\s*["']?(?:text/|application/)?([\w+.-]+)""")


def _page_tokens(text: str, start: int) -> list[Token]:
    """HTML comments, and the tokens of its scripts and style sheets."""
    found: list[Token] = []
    for opening in _SECTION.finditer(text, start):
        if opening.start() < start:
            continue
        found += _tokens(text, "html", start, opening.start())
        start = _section_end(text, opening)
        found += _tokens(text, _section_lexer(opening), opening.end(), start)
    return found + _tokens(text, "html", start, len(text))


def _section_end(text: str, opening: re.Match[str]) -> int:
    closing = text.find(f"</{opening[1]}", opening.end())
    return len(text) if closing < 0 else closing


def _section_lexer(opening: re.Match[str]) -> str:
    wanted = _SECTION_LANGUAGE.search(opening[2])
    if opening[1].lower() == "style":
        return "scss" if wanted else "css"
    if wanted and wanted[1].lower() not in ("module", "babel", "ecmascript"):
        return language_named(wanted[1].lower().removeprefix("x-")).lexer
    return "javascript"
