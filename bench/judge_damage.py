"""Damaged files: bodies replaced by marks, emptied, or cut off, in every comment style and both tongues."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from judge_packages import Source

COMMENTS = {
    "python": ("# {}",),
    "javascript": ("// {}", "/* {} */"),
    "typescript": ("// {}", "/* {} */"),
    "rust": ("// {}",),
    "go": ("// {}",),
    "java": ("// {}", "/* {} */"),
    "kotlin": ("// {}",),
    "c": ("// {}", "/* {} */"),
    "cpp": ("// {}", "/* {} */"),
}
MARKS = {
    "en": (
        "...", "... rest of the code", "rest of the implementation omitted", "... existing code ...", "implementation omitted for brevity",
        "remaining methods unchanged", "etc.", "and so on", "your code here", "same as above", "... (unchanged)", "TODO: implement this",
        "rest of the function remains the same", "code omitted", "implementation goes here", "to be implemented", "implement the rest",
    ),
    "ja": (
        "残り省略", "以下同様", "省略", "以下省略", "残りは同様に実装", "既存のコードはそのまま", "ここに実装を追加", "中略", "実装は省略",
        "...省略...", "残りの実装は省略します", "以降同様", "後で実装", "残りのメソッドも同様", "同上", "（以下略）", "未実装",
    ),
}  # fmt: skip
HEADERS = {
    "python": re.compile(r"\s*(?:async )?def \w+\(.*\).*:$"),
    "braces": re.compile(
        r"\s*(?!(?:\}?\s*(?:if|for|while|switch|catch|else|do|try|return|describe|it|with|class|new)\b|"
        r"\w+(?:\.\w+)*\((?!.*\) \{$)))[^`=;{}]*\([^`{}]*\)[^`;{}]*\{$"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a function's body, by number."""

    first: int
    last: int
    indent: str


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged file beside the complete one."""

    style: str
    after: str
    before: str | None


def damages(source: Source, dice: random.Random) -> Iterator[Damage]:
    """One damage of each style that fits the file."""
    lines = source.text.split("\n")
    found = list(bodies(source.language, lines))
    if not found:
        return
    body = dice.choice(found)
    filler = [f"{body.indent}pass"] if source.language == "python" else []
    for tongue, marks in MARKS.items():
        for form in COMMENTS[source.language]:
            mark = body.indent + form.format(dice.choice(marks))
            yield Damage(f"body → {form.format(tongue)}", _replaced(lines, body, [mark, *filler]), None)
            yield Damage(
                f"end of body → {form.format(tongue)}",
                _replaced(lines, body, [*_half(lines, body, source.language), mark]),
                None,
            )
    yield Damage("emptied body", _replaced(lines, body, filler), source.text)
    cut = _cut(lines, body, dice)
    yield Damage("cut off", cut, None)
    yield Damage("cut off, was whole", cut, source.text)


def bodies(language: str, lines: list[str]) -> Iterator[Body]:
    """Functions whose body has 4 to 40 lines."""
    header = HEADERS["python" if language == "python" else "braces"]
    for number, line in enumerate(lines):
        if len(line) < 160 and header.match(line):
            body = _body_below(lines, number, language)
            if body and 4 <= body.last - body.first <= 40:
                yield body


def _body_below(lines: list[str], number: int, language: str) -> Body | None:
    own = len(lines[number]) - len(lines[number].lstrip())
    last = number + 1
    while last < len(lines) and (not lines[last].strip() or len(lines[last]) - len(lines[last].lstrip()) > own):
        last += 1
    inner = next((line for line in lines[number + 1 : last] if line.strip()), "")
    if _inside_text(lines[:number]):
        return None
    closed = language == "python" or (last < len(lines) and lines[last].strip().startswith("}"))
    while last > number + 1 and not lines[last - 1].strip():
        last -= 1
    if not inner or not closed or any("`" in line or '"""' in line for line in lines[number:last]):
        return None
    return Body(number + 1, last, inner[: len(inner) - len(inner.lstrip())])


def _inside_text(above: list[str]) -> bool:
    """Does a template, a docstring or a block comment reach from above into the next line?"""
    text = "\n".join(above)
    return any(text.count(mark) % 2 for mark in ("`", '"""', "'''")) or text.count("/*") > text.count("*/")


def _half(lines: list[str], body: Body, language: str) -> list[str]:
    """The first statement of the body, if its line is whole, else a plain one."""
    line = lines[body.first]
    whole = re.fullmatch(
        r"\s*[\w.]+ = [\w.]+(?:\([\w, ]*\))?" if language == "python" else r"\s*(?:const|let|var) \w+ = [^{(\[]*;", line
    )
    return [line if whole else body.indent + ("value = 1" if language == "python" else "work();")]


def _replaced(lines: list[str], body: Body, text: list[str]) -> str:
    return "\n".join((*lines[: body.first], *text, *lines[body.last :]))


def _cut(lines: list[str], body: Body, dice: random.Random) -> str:
    line = dice.randrange(body.first + 1, body.last)
    return "\n".join((*lines[:line], lines[line][: dice.randrange(len(lines[line]) + 1)]))
