"""Foreign text made inert: cleaned of control characters, and fenced or flattened into a prompt."""

import re

MOST_DATA = 60_000  #: characters of foreign text in one fence: a long report still fits, a runaway log does not
MOST_QUOTE = 2_000  #: a quoted place is a few lines
MOST_LINE = 500  #: a description or suggestion is a sentence or two

#: Whole terminal sequences: colours and cursor moves, and titles or links that were properly ended.
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
#: Control characters; marks that reorder or hide text (bidi, tags, BOM); half surrogates, which no stdin can carry.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_TICKS = re.compile("`+")
_PLAIN_PLACE = re.compile(r"[\w./:+~-]+")


def clean(text: str) -> str:
    """The text without anything invisible that could act on a terminal or a reader."""
    return _HIDDEN.sub("", _NEWLINE.sub("\n", _TERMINAL.sub("", text)))


def one_line(text: str, most: int = MOST_LINE) -> str:
    """The text as one line, so that it can begin no heading, list or fence of its own."""
    line = " ".join(clean(text).split())
    return line if len(line) <= most else f"{line[:most]} (cut)"


def shortened(text: str, most: int) -> str:
    """Head and tail of a text that is too long, with the number of characters between them."""
    left_out = len(text) - most
    if left_out <= 0:
        return text
    half = most // 2
    return f"{text[:half]}\n[shiage: {left_out} characters left out]\n{text[-(most - half) :]}"


def fenced(text: str, mark: str) -> str:
    """The text in a fence longer than any run of backticks in it: nothing inside can end it."""
    body = clean(text).strip("\n")
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{mark}\n{body}\n{fence}"


def data(text: str, most: int = MOST_DATA) -> str:
    """Text by files or agents, in a fence marked as material."""
    return fenced(shortened(clean(text), most), "data")


def place(text: str) -> str:
    """A file and line: as it is when it looks like one, else as a code span."""
    line = one_line(text)
    if _PLAIN_PLACE.fullmatch(line):
        return line
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
