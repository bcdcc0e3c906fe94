"""Q2: marks of unfinished work (TODO, FIXME, TBD) in what the change added.

A mark counts where it is used, in a comment or as the head of a prose line.
Where it is talked about ("reports TODO comments", `TODO`, TODO/FIXME) it does not.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from operator import itemgetter

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.findings import found
from shiage.judge.lexing import STRING, Lexed
from shiage.judge.prose import Line, prose_lines
from shiage.judge.remarks import remarks_of
from shiage.judge.settings import JudgeSettings

_NOUN = (
    r"(?:lists?|items?|comments?|markers?|marks?|tags?|apps?|models?|entry|entries|entity|entities|keywords?|"
    r"notes?|annotations?|strings?|labels?|status(?:es)?|column|board|widget|section|placeholders?)"
)
_OTHER = r"(?:TODO|FIXME|TBD|XXX|HACK|NOTE|WIP)s?"
_ENUMERATED = re.compile(
    rf"{_OTHER}[\"'`:]?\s*(?:[/,|、・+&]|and\b|or\b|や|と|または)\s*[\"'`]?{_OTHER}(?![a-z])|"
    rf"(?<![A-Za-z0-9_]){_OTHER}\s*[,/|、・]\s*[A-Z_]{{3,}}(?![a-z])|[A-Z_]{{3,}}\s*[,/|、・]\s*{_OTHER}(?![A-Za-z0-9_:(])"
)
_NOUN_AFTER = re.compile(rf"[ -]{_NOUN}(?:$|[\s.,;)](?!\s*[:：]))|(?:ed|s)\b", re.IGNORECASE)
_JAPANESE_NOUN_AFTER = re.compile(
    r"[ 　]?(?:コメント|マーカー|マーク|リスト|一覧|アプリ|項目|タグ|形式|文字列|等|など|[がはをのやもとで](?![るれ]))"
)
_TALK_BEFORE = re.compile(
    r"(?:\b(?:no|any|an?|the|every|all|each|without|of|as|with|for|like|or|and|than|called|named|contains?|containing|"
    r"finds?|finding|reports?|reporting|flags?|flagging|detects?|detecting|counts?|counting|removes?|removed|removing|"
    r"strips?|search(?:es)?|grep|match(?:es)?|matching|says?|say|word|mark|leaves?|leaving|starting|starts|begins?|"
    r"ignores?|ignoring|skips?|allows?|forbids?|parses?|parsing|extracts?|e\.g\.|i\.e\.|eg|ie|not an?|is|are|=|==|"
    r"is an?)"
    r"|[\"'`「『“‘<=|/])\s*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?:^|[.;!?)\]:,、。…）]|\s[-–—*+>|]+|--|//|#)\s*[(\[（【]?\s*$")
_START = re.compile(r"^[\s@*+>(\[（【<!|.-]*(?:XXX|HACK|NOTE)?[\s:]*$")
_QUOTE_AFTER = re.compile(r"[\"'`」』”’>=]")
_SMALL_START = re.compile(
    r"^[\s@*+>(\[-]*(?P<mark>todo|fixme|tbd)(?:\s*\([^)]{0,80}\))?\s*"
    r"(?:[:：](?!:)(?!\s*(?:the|an?|that|which|optional|required|number|string|list|object)\b)"
    r"|-\s|$|\s+(?:add|implement|fix|handle|remove|refactor|finish|write|make|check|use|move|test|support|clean|"
    r"replace|"
    r"improve|investigate|figure|find out|update|change|document|rename|validate|complete|fill|実装|追加|修正|対応|後で|あとで))",
    re.IGNORECASE,
)
_AT_TODO = re.compile(r"@(?P<mark>todo|fixme)\b", re.IGNORECASE)
_SPHINX = re.compile(r"^\s*\.\. (?P<mark>todo)::\s*$", re.IGNORECASE)
_THROWN = re.compile(
    r"\b(?:raise|throw|panic|abort|die|fail|unimplemented|NotImplementedError|error)\b[^\"'`\n]{0,80}[\"'`]\s*$"
)
_CALLED = {"rust": re.compile(r"\btodo!\s*[(\[{]"), "kotlin": re.compile(r"(?<![\w.])TODO\(")}
_CELL = re.compile(r"^\s*(?:\*\*|__|_|\*)?\s*(?:TODO|FIXME|TBD)\s*(?:\*\*|__|_|\*)?\s*[.!?]?\s*$")
_HEAD = re.compile(
    r"^(?:\s*(?:[-*+>]|\d+[.)]|#{1,6}|\[[ xX]\]))*\s*(?:\*\*|__|_|\*)?[(\[（【]?(?P<mark>%s)(?:\([^)]{0,80}\))?"
    r"(?:\*\*|__|_|\*)?\s*(?:[:：](?:\*\*|__)?|[)\]）】]?\s*$|\s[-–—]\s)"
)
_VALUE = re.compile(r"(?:[:：=|]|\()\s*(?:\*\*|_)?(?P<mark>TBD)(?:\*\*|_)?\s*(?:$|[|)）.,;])")
_ABOUT_MARKS = re.compile(
    rf"[`\"'「“]{_OTHER}:?[`\"'」”]|\b{_OTHER}[ -](?:comments?|marks?|markers?|tags?|notes?)\b|"
    rf"{_OTHER}\s*(?:[/,、・]|and|or|や)\s*{_OTHER}(?![a-z])|TODO\s?(?:コメント|マーカー|マーク)",
)
MAX_LINES = 4_000  #: of prose that name a mark; no person writes more
_SUGGESTION = "Do the work that the mark announces, then remove the mark."


@lru_cache(maxsize=16)
def _mark_pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    """A mark as a word. It is looked at what stands before it once it is found: that is quicker."""
    words = "|".join(rf"{re.escape(mark)}(?<![A-Za-z0-9_]{re.escape(mark)})" for mark in marks) or r"(?!)"
    return re.compile(rf"(?P<mark>{words})(?![A-Za-z0-9_])")


@lru_cache(maxsize=16)
def _wanted(marks: tuple[str, ...]) -> re.Pattern[str]:
    """Any spelling that could be a mark; the cheap question before the real one."""
    words = {mark.lower() for mark in marks}
    forms = sorted({form for word in words for form in (word, word.upper(), word.capitalize())})
    return re.compile("|".join(re.escape(form) for form in forms) or r"(?!)")


def marks_left(file: FileChange, settings: JudgeSettings) -> Iterator[Finding]:
    """Q2 for one file."""
    file, wanted = file.readable, _wanted(settings.marks)
    if file.machine_made or not any(mark.lower() in file.lowered for mark in settings.marks):
        return
    if file.language.name in ("markdown", "text"):
        yield from _prose_marks(file, settings)
    seen: set[int] = set()
    for remark in remarks_of(file, wanted, lambda text: used_mark(text, settings.marks)):
        mark = used_mark(remark.text, settings.marks)
        if remark.line not in seen and _unmistakable(file, remark.text, mark):
            seen.add(remark.line)
            yield _finding(file.path, remark.line, file.lexed.raw_line(remark.start), mark, "comment-mark")
    yield from _code_marks(file, settings)


def _unmistakable(file: FileChange, text: str, mark: str) -> bool:
    """In an unknown language only a mark that heads its line, with a colon or bracket, counts."""
    if file.language.name != "unknown":
        return True
    return re.match(rf"\W*{re.escape(mark)}\s*[:(（：]", text) is not None


def used_mark(text: str, marks: tuple[str, ...]) -> str:
    """The mark that this comment line uses, not mentions; else nothing."""
    if _ENUMERATED.search(text):
        return ""
    for match in _mark_pattern(marks).finditer(text):
        if _is_used(text[: match.start()], text[match.end() :]):
            return match["mark"]
    small = _SMALL_START.search(text) or _AT_TODO.match(text)
    return small["mark"] if small and small["mark"].upper() in marks else ""


def _is_used(before: str, after: str) -> bool:
    if _QUOTE_AFTER.match(after) or before.endswith(("`", '"', "'", "「", "“", "<")):
        return False
    labelled = bool(re.match(r"\s?(?:\([^)]{0,80}\)|\[[^\]]{0,80}\])?\s?[:：]|\(", after))
    if _START.search(before):
        return labelled or not (_NOUN_AFTER.match(after) or _JAPANESE_NOUN_AFTER.match(after))
    if _TALK_BEFORE.search(before) or _NOUN_AFTER.match(after) or _JAPANESE_NOUN_AFTER.match(after):
        return False
    ends = re.match(r"[)\]）】!.。]*\s*$", after) is not None
    return labelled or ends or _SENTENCE_END.search(before) is not None


def _finding(path: str, line: int, quote: str, mark: str, rule: str) -> Finding:
    return found("Q2", rule, path, line, quote, f"{mark.upper()} was left in the added text.", _SUGGESTION)


def _code_marks(file: FileChange, settings: JudgeSettings) -> Iterator[Finding]:
    """Marks that are code: `todo!()`, an error thrown with a mark as its text, a mark in a docstring."""
    lexed = file.lexed
    called = _CALLED.get(file.language.name)
    for match in called.finditer(lexed.code) if called else ():
        line = lexed.line_at(match.start())
        if line in file.added:
            yield _finding(file.path, line, lexed.raw_line(match.start()), "TODO", "called-mark")
    for match in _mark_pattern(settings.marks).finditer(file.text):
        if lexed.kind_at(match.start()) == STRING:
            line = lexed.line_at(match.start())
            rule = _string_rule(lexed, match, settings) if line in file.added else ""
            if rule:
                yield _finding(file.path, line, lexed.raw_line(match.start()), match["mark"], rule)


def _string_rule(lexed: Lexed, match: re.Match[str], settings: JudgeSettings) -> str:
    start = lexed.line_start(match.start())
    before = lexed.text[max(start, match.start() - 200) : match.start()]
    if _THROWN.search(before):
        return "thrown-mark"
    if lexed.language.name == "python" and _in_docstring(lexed, match.start()):
        text = lexed.raw_line(match.start()).strip().removeprefix('"""').removesuffix('"""')
        headed = _head(settings.marks).match(text)
        return "docstring-mark" if headed and not _ABOUT_MARKS.search(text) else ""
    return ""


def _in_docstring(lexed: Lexed, offset: int) -> bool:
    place = bisect_right(lexed.tokens, offset, key=itemgetter(1)) - 1
    start = lexed.tokens[place][1]
    if not lexed.text.startswith(('"""', "'''"), start):
        return False
    code_before = lexed.code[max(0, start - 2000) : start].rstrip(" \trRuU")
    return not code_before.strip() or (code_before.endswith("\n") and code_before.rstrip().endswith(":"))


@lru_cache(maxsize=16)
def _head(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_HEAD.pattern % ("|".join(re.escape(mark) for mark in marks) or r"(?!)"))


def _prose_marks(file: FileChange, settings: JudgeSettings) -> Iterator[Finding]:
    """Marks that head a line of prose, fill a table cell or stand as a value."""
    wanted = _wanted(settings.marks)
    lines = tuple(islice((line for line in prose_lines(file.text) if wanted.search(line.raw)), MAX_LINES))
    about = any(_ABOUT_MARKS.search(line.raw) for line in lines)
    head = _head(settings.marks)
    for line in lines:
        if line.number not in file.added:
            continue
        sphinx = _SPHINX.match(line.raw)
        if sphinx or (not about and _prose_mark(line, head)):
            mark = _mark_pattern(settings.marks).search(line.text)
            yield _finding(file.path, line.number, line.raw, mark["mark"] if mark else "TODO", "prose-mark")


def _prose_mark(line: Line, head: re.Pattern[str]) -> bool:
    if _ENUMERATED.search(line.text):
        return False
    cells = line.text.split("|") if line.text.lstrip().startswith("|") else []
    return bool(head.match(line.text) or _VALUE.search(line.text) or any(_CELL.match(cell) for cell in cells))
