"""Q3: marks that stand for something left out, in comments, in code and in prose."""

import re
from collections.abc import Iterator
from functools import lru_cache

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.findings import found
from shiage.judge.lexing import STRING, Lexed
from shiage.judge.phrases import AT_END, DOTTED, EXPLICIT, LEFT_OUT, STRONG, TRIGGER, WEAK
from shiage.judge.prose import prose_lines
from shiage.judge.remarks import Remark, core_of, remarks_of
from shiage.judge.settings import JudgeSettings

MAX_PHRASE = 140  #: characters: whatever is longer is a sentence with something to say
_DOTS = r"(?:\.{2,}|…+|⋯+|・{2,}|(?:\. ){2,}\.)"
_BARE = re.compile(rf"[\s(\[{{<「（【]*{_DOTS}[\s)\]}}>」）】;,]*")
_MAY_BE_DOTS = re.compile(r"…|⋯|・・|\.\.|\. \.")
_LEAD = re.compile(rf"[\s(\[{{<「（【-]*{_DOTS}[\s-]*")
_TRAIL = re.compile(rf"[\s-]*{_DOTS}[\s)\]}}>」）】-]*$")
_WRAP = " \t()[]{}<>「」（）【】『』*_-—–:;,.。、!！…~※"
_COLONS = (":", "：")  #: what ends so speaks of what follows
_OPENERS = ("{", "(", "[", ":", "=>", "then", "do", "->", ",", "else", "begin", "|")
_CLOSER = re.compile(r"\s*(?:[})\]]|end\b|fi\b|done\b|esac\b|else\b|elsif\b|elif\b|</|;;|\?>)")
_NOTHING = re.compile(
    r"\s*(?:pass|\.\.\.|return(?:\s+(?:None|null|nil|undefined|\{\}|\[\]))?;?|raise NotImplementedError(?:\(.*\))?"
    r"|panic!?\(.*\)|throw new Error\(.*\);?|todo!\(.*\);?|unimplemented!\(.*\);?|:|true)\s*$"
)
_STANDALONE_DOTS = re.compile(r"\s*(?:\.{3,}|…+)\s*[;,]?\s*")
_ELIDED_BLOCK = re.compile(r"\{\s*(?:\.{3,}|…+)\s*[;,]?\s*\}")
_DOTTED_LINE = re.compile(r"\s*(?:\.{3,}|…+)\s*(?P<words>\S.*\s\S.*?|[^\x00-\x7f]+|(?<=\s)\w+)\s*(?:\.{3,}|…+)?\s*")
_CODE_INK = re.compile(r"[;={}\"'`]|\w\(|=>|\w\.\w")
_SPREAD = re.compile(r"\(|\w+\??[ \t]*:[ \t]*\S")  # `...rest: Args`, `...(rest as Names)`
_SPREAD_AWAY = re.compile(r"\.{3}[\w.]+,")  # a spread in code that was commented out
_DEFAULT_CORES = frozenset(("etc", "remaining", "and so on"))  #: of the default patterns; the others are strong or dots
_SUGGESTION = "Write out what the mark stands for; nothing may be left out."


def omissions(file: FileChange, settings: JudgeSettings) -> Iterator[Finding]:
    """Q3 for the marks of one file."""
    file = file.readable
    if file.minified:
        return
    if file.language.name in ("markdown", "text"):
        yield from _prose_omissions(file)
    for remark in remarks_of(file, TRIGGER, _could_omit, docs=False):
        rule = comment_rule(remark, file.lexed)
        if rule and (not file.machine_made or _no_generator_writes(remark.text)):
            yield _finding(file.path, remark.line, file.lexed.raw_line(remark.start), rule)
    yield from _code_omissions(file)
    if settings.own_omissions:
        yield from _own_omissions(file, settings.own_omissions)


def _finding(path: str, line: int, quote: str, rule: str) -> Finding:
    return found("Q3", rule, path, line, quote, "A mark stands here for something that was left out.", _SUGGESTION)


# ---------------------------------------------------------------- comments


def _could_omit(text: str) -> bool:
    """Can these words be an omission, wherever they stand?"""
    if len(text) > MAX_PHRASE or _SPREAD_AWAY.fullmatch(text):
        return False
    if _BARE.fullmatch(text):
        return True
    words, dotted = phrase_of(text)
    return _certain(words) or WEAK.fullmatch(words) is not None or (dotted and DOTTED.fullmatch(words) is not None)


def _certain(words: str) -> bool:
    return words in _DEFAULT_CORES or STRONG.fullmatch(words) is not None


def _no_generator_writes(text: str) -> bool:
    """Does it say that the rest is missing? Dots, examples and places to fill in are copied by generators."""
    words, dotted = phrase_of(text)
    return LEFT_OUT.search(words) is not None and (dotted or STRONG.fullmatch(words) is not None)


def comment_rule(remark: Remark, lexed: Lexed) -> str:
    """Which rule finds an omission in this comment line that could be one; empty when it is an ordinary comment."""
    if _BARE.fullmatch(remark.text):
        return "bare-ellipsis-comment" if _dots_stand_for_code(remark, lexed) else ""
    known = lexed.language.name != "unknown"
    if _omits_anywhere(remark.text, known):
        return "omission-comment"
    if not known or not remark.alone or remark.block or _beside_comment(remark, lexed):
        return ""
    words, _ = phrase_of(remark.text)
    aside = remark.text[:1] in "([<" and WEAK.fullmatch(words) and EXPLICIT.search(words)  # "(unchanged)"
    return "omission-comment" if aside or _certain(words) else _weak_rule(remark, lexed, words)


def _omits_anywhere(text: str, known: bool) -> bool:
    """Are these words an omission wherever they stand, in a language that is known or not?"""
    words, dotted = phrase_of(text)
    if STRONG.fullmatch(words):
        return EXPLICIT.search(words) is not None or (dotted and not (known and text.endswith(_COLONS)))
    return known and dotted and DOTTED.fullmatch(words) is not None and not text.endswith(_COLONS)


def phrase_of(text: str) -> tuple[str, bool]:
    """The words of a short text, and whether an ellipsis leads them."""
    lead = None
    if _MAY_BE_DOTS.search(text):
        lead = _LEAD.match(text)
        text = _TRAIL.sub("", text[lead.end() :] if lead else text)
    return " ".join(text.strip(_WRAP).lower().split()), lead is not None


def _weak_rule(remark: Remark, lexed: Lexed, words: str) -> str:
    if AT_END.fullmatch(words) and _ends_block(remark, lexed):
        return "omission-comment"
    if WEAK.fullmatch(words) and _fills_block(remark, lexed):
        return "body-replaced"
    return ""


def _dots_stand_for_code(remark: Remark, lexed: Lexed) -> bool:
    if remark.alone:
        return not remark.block and not _beside_comment(remark, lexed)
    code = lexed.code_lines[remark.line - 1]
    before, after = code[: remark.column].rstrip(), code[remark.column :].strip()
    if after:
        return before.endswith(("{", "(", "[")) and after.startswith(("}", ")", "]"))
    return before.endswith(("{", "[", "(", "{}")) or _NOTHING.fullmatch(before) is not None


def _beside_comment(remark: Remark, lexed: Lexed) -> bool:
    """Is the line above or below a comment as well: part of a longer text?"""
    below = lexed.text.find("\n", remark.start) + 1
    return (remark.start > 0 and lexed.only_comments(lexed.line_start(remark.start - 1))) or (
        below > 0 and lexed.only_comments(below)
    )


def _next_code(lexed: Lexed, line: int) -> str:
    return next((text for text in lexed.code_lines[line : line + 40] if text.strip()), "")


def _previous_code(lexed: Lexed, line: int) -> str:
    return next((text for text in reversed(lexed.code_lines[max(0, line - 41) : line - 1]) if text.strip()), "")


def _ends_block(remark: Remark, lexed: Lexed) -> bool:
    """Nothing follows in the block of this comment."""
    following = _next_code(lexed, remark.line)
    if not following or _CLOSER.match(following) or _NOTHING.fullmatch(following):
        return True
    return lexed.language.blocks == "indent" and len(following) - len(following.lstrip()) < remark.column


def _fills_block(remark: Remark, lexed: Lexed) -> bool:
    """The comment is all that its block holds, but for a statement that does nothing."""
    above = _previous_code(lexed, remark.line).rstrip()
    opened = above.endswith(_OPENERS) or re.match(r"\s*def\b", above) is not None
    return opened and _ends_block(remark, lexed) and not re.match(r"\s*(?:\}\s*)?(?:else|except|catch|finally)", above)


# ---------------------------------------------------------------- code


def _code_omissions(file: FileChange) -> Iterator[Finding]:
    """An ellipsis or an omission in words that stands in the code as if it were code."""
    lexed = file.lexed
    if file.language.name in ("markdown", "text", "html", "xml"):
        return
    for number in sorted(_suspects(lexed)):
        code = lexed.code_lines[number - 1]
        if number in file.added and code.strip() and len(code) < 400:
            rule = _code_rule(lexed, number, code)
            if rule:
                yield _finding(file.path, number, lexed.lines[number - 1], rule)


def _suspects(lexed: Lexed) -> set[int]:
    """Lines in which a word or an ellipsis is found that could be an omission in code."""
    return {
        lexed.line_at(offset)
        for word in _SUSPICIOUS
        if word in lexed.skeleton
        for offset in _offsets(lexed.text, word)
        if word not in ("...", "…") or _LINE_HEAD.match(lexed.text[max(0, offset - 80) : offset][::-1])
    }


_SUSPICIOUS = ("...", "…", "snip", "omitted", "brevity", "unchanged", "省略", "同様", "割愛")
_LINE_HEAD = re.compile(r"[ \t(\[{<（【.]*+(?:\n|$)|.{0,60}\{")


def _offsets(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _code_rule(lexed: Lexed, number: int, code: str) -> str:
    if _STANDALONE_DOTS.fullmatch(code):
        return "bare-ellipsis" if _dots_are_no_code(lexed, number) else ""
    if lexed.language.name != "python" and not lexed.flow and _ELIDED_BLOCK.search(code):
        return "elided-block"
    return "omission-line" if _dotted_words(code) or _omitted_in_words(lexed.language.name, code) else ""


def _dotted_words(code: str) -> bool:
    """Words with an ellipsis before them, and nothing of which code is made."""
    line = _DOTTED_LINE.fullmatch(code)
    if not line or _CODE_INK.search(line["words"]) or _SPREAD.match(line["words"]):
        return False
    words = line["words"].strip(_WRAP).lower()
    return DOTTED.fullmatch(words) is not None or STRONG.fullmatch(words) is not None


def _omitted_in_words(language: str, code: str) -> bool:
    """A line such as "(rest of the code omitted)" where code should stand."""
    if language in ("json", "unknown", "config") or len(code) > MAX_PHRASE or _CODE_INK.search(code):
        return False
    words, _ = phrase_of(core_of(code))
    wrapped = code.strip().startswith(("(", "[", "<")) or not words.isascii() or " " in words
    return wrapped and EXPLICIT.search(code.lower()) is not None and STRONG.fullmatch(words) is not None


def _dots_are_no_code(lexed: Lexed, number: int) -> bool:
    """A line of dots alone is code in Python and YAML, and in lists of parameters and tags."""
    if lexed.language.name in ("python", "yaml", "unknown", "config"):
        return False
    above, below = _previous_code(lexed, number).rstrip(), _next_code(lexed, number).lstrip()
    variadic = above.endswith((",", "(")) and below.startswith(")")
    cast = lexed.language.lexer == "javascript" and below.startswith("(")  # a spread whose type is told in a comment
    inexact = lexed.flow and above.endswith((",", "{", "|")) and below.startswith(("}", "|"))
    return not variadic and not cast and not inexact and not (above.endswith(">") and below.startswith("<"))


# ---------------------------------------------------------------- prose


def _prose_omissions(file: FileChange) -> Iterator[Finding]:
    """A line of its own in Markdown or text that says that the rest is missing."""
    for line in prose_lines(file.text):
        text = line.text.strip()
        if not text or len(text) > MAX_PHRASE or "`" in line.raw or line.number not in file.added:
            continue
        if file.language.name == "markdown" and _BARE.fullmatch(text) and not file.machine_made:
            yield _finding(file.path, line.number, line.raw, "bare-ellipsis")
        elif stands_for_rest(text):
            yield _finding(file.path, line.number, line.raw, "omission-line")


def stands_for_rest(text: str) -> bool:
    """A whole line such as "(rest omitted)", "… rest of the document …", "以下省略"."""
    if text[:1] in "-*+|#>" or not TRIGGER.search(text):
        return False
    words, dotted = phrase_of(text)
    wrapped = text[:1] in "([（【<"
    if STRONG.fullmatch(words) and (dotted or (EXPLICIT.search(words) and (wrapped or not text.endswith((".", "。"))))):
        return True
    return dotted and EXPLICIT.search(words) is not None


# ---------------------------------------------------------------- the user's own patterns


@lru_cache(maxsize=16)
def _own(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(text) for text in patterns), re.IGNORECASE)


def _own_omissions(file: FileChange, patterns: tuple[str, ...]) -> Iterator[Finding]:
    """Literal text of the user's, wherever it is not inside a string."""
    for match in _own(patterns).finditer(file.text):
        line = file.lexed.line_at(match.start())
        if line in file.added and file.lexed.kind_at(match.start()) != STRING:
            yield _finding(file.path, line, file.lexed.lines[line - 1], "omission-pattern")
