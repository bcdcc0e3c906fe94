"""What a report says in its own voice: fences, code, block quotes and quotations blanked, nothing moved."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from shiage.judge.drift.rules import compiled


@dataclass(frozen=True, slots=True)
class Text:
    """A report beside its masked lower-case twin of the same length: prose only, no quotations."""

    raw: str
    prose: str

    def line(self, offset: int) -> int:
        return self.raw.count("\n", 0, offset) + 1


def text(report: str) -> Text:
    raw = report.replace("\r\n", "\n").replace("\r", "\n")
    return Text(raw, _prose(raw))


def _prose(raw: str) -> str:
    """Lower case of the same length, with fences, code, block quotes and quotations blanked."""
    # U+0130 is the one character whose lower case is longer than itself.
    plain = raw.replace("\u0130", "i").replace("\u2019", "'").replace("\u00a0", " ").lower()
    plain = without_fences(plain)
    for pattern, blank in _QUOTED:
        plain = compiled(pattern).sub(blank, plain)
    return plain


def _blank(match: re.Match[str]) -> str:
    return _spaces(match.group())


def _spaces(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _blank_code(match: re.Match[str]) -> str:
    """Code spans of one line: a run of backticks up to the next run of the same length."""
    line = match.group()
    closing: dict[int, int] = {}  # length of a run -> where the nearest later run of that length ends
    spans: list[tuple[int, int]] = []
    for start, end in reversed([run.span() for run in re.finditer("`+", line)]):
        if end - start in closing:
            spans.append((start, closing[end - start]))
        closing[end - start] = end
    parts: list[str] = []
    done = 0
    for start, end in reversed(spans):
        if start >= done:
            parts += (line[done:start], " " * (end - start))
            done = end
    return "".join(parts) + line[done:]


def without_fences(text: str) -> str:
    """A fence that is never closed hides nothing: unlike in Markdown, what follows it is judged."""
    parts: list[str] = []
    done = 0
    opening: re.Match[str] | None = None
    for fence in compiled(_FENCE).finditer(text):
        if opening is None:
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2].strip():
            parts += (text[done : opening.start()], _spaces(text[opening.start() : fence.end()]))
            opening, done = None, fence.end()
    return "".join(parts) + text[done:]


_FENCE = r"(?m)^[ \t]{0,12}(?:[-*] )?(`{3,}|~{3,})([^\n]*)$"
_QUOTED: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"(?m)^[^`\n]*`+[^`\n]+`.*$", _blank_code),
    (r"(?m)^[ \t]{0,3}>.*$", _blank),
    (r'"[^"\n]{1,200}"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』', _blank),
    (r"(?<![\w'])'[^'\n]{1,200}'(?!\w)", _blank),
)
