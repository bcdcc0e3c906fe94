"""Q3 in languages with braces, and in Ruby: bodies that shrank to nothing or must return and do not."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.findings import found
from shiage.judge.lexing import Lexed

_EMPTY = re.compile(
    r"\{\s*+(?:(?:return(?:[ \t]+(?:null|nil|undefined|None))?|None|pass|:|true|throw\s+(?:new\s+)?[\w:.\\]+\([^(){};]{0,120}\)"
    r"|panic!?\([^(){};]{0,120}\)|(?:todo|unimplemented)!\([^(){};]{0,120}\))\s*+;?\s*+)?\}"
)
_HOLLOW = re.compile(r"\{[\s\";]*+(?:\}|return|throw|panic|todo|unimplemented|:|true|None)")
_RUBY_EMPTY = re.compile(
    r"^[ \t]*def[ \t]+(?:self\.)?(?P<name>\w+[?!=]?)[^\n;]*[\n;](?:\s*+(?:nil|raise NotImplementedError[^\n]*)?\s*+)end\b",
    re.MULTILINE,
)
_NO_BODIES = ("=", "struct", "interface")  #: a default value, a type; in Ruby a setter's name ends so
#: A constructor whose header does the work: parameters that are properties, or a list of initializers.
_IN_HEADER = re.compile(
    r"(?:\bconstructor|\b__construct)\s*\([^()]*\b(?:private|public|protected|readonly)\b|\)\s*(?:noexcept\s*)?:\s*\w+\s*\([^()]*\)[^{}]*$"
)
_CONTROL = frozenset(("if", "for", "while", "switch", "catch", "else", "do", "try", "match", "loop", "with", "synchronized", "lock", "using", "foreach", "return", "function", "fn", "func", "unless", "elif", "defined"))  # fmt: skip
_CALLED = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:<[^<>()]{0,80}>|\[[^\[\]()]{1,80}\])?\s*\(")
_ASSIGNED = re.compile(
    r"([A-Za-z_$][\w$]*)\s*(?::[^=;{}]{0,120})?=\s*(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)|"
    r"([A-Za-z_$][\w$]*)\s*:\s*(?:async\s+)?(?:function\b|\()"
)
_OPENING = re.compile(r"\s*+\{")
MAX_EMPTY = 2_000  #: empty braces of a file that are looked at
_HEADER = 400  #: characters before a brace in which its header stands
_SUGGESTION = "Write the body; nothing may be left out."

# What a header looks like whose function must give a result.
_TYPED = re.compile(
    r"\)\s*:\s*(?!.*\b(?:void|any|never|unknown|undefined|asserts|this|Generator|AsyncGenerator|IterableIterator|"
    r"Iterator)\b)[^={;]+$"
)
_RUST = re.compile(r"\bfn\b.*\)\s*->\s*+(?!\(\s*\)$)[^{;]+$", re.DOTALL)
_GO = re.compile(r"(?:^|\n)func\s*(?:\([^()]*\)\s*)?\w+(?:\[[^\[\]]*\])?\([^()]*\)\s*(?!$)[\w*\[\]().,\s]+$")
_JAVA = re.compile(r"\b(?:public|private|protected|internal|static)\b(?:(?:\s+(?:static|final|override|virtual|synchronized|sealed))*)\s+(?:<[^<>(){}]{0,80}>\s+)?(?!void\b|class\b|async\b|interface\b|record\b|enum\b|Task\b|ValueTask\b|partial\b|extern\b|abstract\b|implicit\b|explicit\b|new\b)[\w.]+(?:<.*>)?(?:\[\])?\??\s+\w+\s*(?:<[\w, ]+>)?\([^{}]*\)\s*(?:throws[\w., ]+)?$")  # fmt: skip
_C = re.compile(
    r"^\s*(?:(?:static|inline|extern|const|unsigned|struct)\s+)*(?:int|char|float|double|long|short|bool|size_t|"
    r"\w+_t)\s*\**\s*(?!main\b)\w+\s*\([^{}]*\)$"
)
_PHP = re.compile(
    r"\bfunction\s+\w+\s*\([^{}]*\)\s*:\s*(?!\?|void\b|never\b|static\b|self\b|mixed\b|null\b|\w*Generator\b|"
    r"iterable\b)[\w\\|]+\s*$"
)
_MUST_RETURN: dict[str, re.Pattern[str]] = {
    "typescript": _TYPED, "tsx": _TYPED, "rust": _RUST, "go": _GO, "java": _JAVA, "csharp": _JAVA, "c": _C, "php": _PHP,
}  # fmt: skip


def brace_bodies(file: FileChange, request: str) -> Iterator[Finding]:
    """Emptied and empty bodies of one file; a generator may write empty ones."""
    if file.minified:
        return
    if file.language.name == "ruby":
        yield from _emptied(file, _RUBY_EMPTY, lambda match: match["name"], _ruby_had_body)
        for match in islice(_RUBY_EMPTY.finditer(file.lexed.code), MAX_EMPTY) if request else ():
            yield from _asked(file, match, match["name"], request)
    elif file.language.blocks == "brace":
        if _HOLLOW.search(file.lexed.skeleton):
            yield from _emptied(file, _EMPTY, lambda match: header_of(file.lexed.code, match.start()), _had_body)
        if not file.machine_made and _announces(file, request):
            yield from _must_return(file, request)


def header_of(code: str, brace: int) -> str:
    """The text that belongs to the block opened here."""
    text = code[max(0, brace - _HEADER) : brace]
    cut = max(text.rfind(";"), text.rfind("{"), text.rfind("}"), text.rfind("\n\n"))
    return text[cut + 1 :].strip()


def name_of(header: str) -> str:
    """The function, or style rule, that a header announces; empty for control flow."""
    assigned = _ASSIGNED.search(header)
    if assigned:
        return assigned[1] or assigned[2]
    called = next((match[1] for match in _CALLED.finditer(header) if match[1] not in _CONTROL), "")
    first = re.match(r"\W*(\w+)", header)
    return "" if first and first[1] in _CONTROL - {"function", "fn", "func"} else called


def _emptied(
    file: FileChange,
    pattern: re.Pattern[str],
    name: Callable[[re.Match[str]], str],
    had_body: Callable[[Lexed, str], bool],
) -> Iterator[Finding]:
    if not file.before:
        return
    answers: dict[str, bool] = {}
    for match in islice(pattern.finditer(file.lexed.code), MAX_EMPTY):
        called = name(match)
        if _IN_HEADER.search(called) and called not in file.before:
            continue
        if called.endswith(_NO_BODIES) and file.language.name != "ruby":
            continue
        if called not in answers:
            answers[called] = had_body(file.lexed_before, called)
        if answers[called]:
            known = name_of(called) or called.split("\n")[-1].strip()[:60]
            yield _finding(file, match, "emptied-body", f"The body of {known} was replaced by nothing.")


def _finding(file: FileChange, match: re.Match[str], rule: str, said: str) -> Finding:
    line = file.lexed.line_at(match.start())
    return found("Q3", rule, file.path, line, file.lexed.lines[line - 1], said, _SUGGESTION)


def _had_body(old: Lexed, header: str) -> bool:
    """In the text before, every block with this header had something in its braces."""
    last = header.split("\n")[-1].strip()
    if "(" not in header and old.language.lexer not in ("css", "scss"):
        return False
    bodies = [_EMPTY.match(old.code, brace) is None for brace in _braces_after(old.code, last)]
    if not bodies and (name := name_of(header)):
        bodies = [_EMPTY.match(old.code, brace) is None for brace in _braces_of(old.code, name)]
    return bool(bodies) and all(bodies)


def _braces_after(code: str, header: str) -> Iterator[int]:
    """The braces that follow this very text."""
    at = code.find(header) if header else -1
    while at >= 0:
        if opening := _OPENING.match(code, at + len(header)):
            yield opening.end() - 1
        at = code.find(header, at + len(header))


def _braces_of(code: str, name: str) -> Iterator[int]:
    """The braces of functions with this name."""
    for match in re.finditer(rf"(?<![\w$.]){re.escape(name)}\s*(?:<[^<>()]{{0,80}}>)?\s*[(:=]", code):
        brace = code.find("{", match.end(), match.end() + _HEADER)
        if brace >= 0 and name_of(header_of(code, brace)) == name:
            yield brace


def _ruby_had_body(old: Lexed, name: str) -> bool:
    defined = re.search(rf"^[ \t]*def[ \t]+(?:self\.)?{re.escape(name)}(?![\w?!=])", old.code, re.MULTILINE)
    return defined is not None and not any(match["name"] == name for match in _RUBY_EMPTY.finditer(old.code))


#: Before empty braces that are a value or a type; or nothing at all.
_VALUE_AHEAD = "=:(,|&?<"
_TYPE_AHEAD = re.compile(r"\b(?:struct|interface|return)$")
_BARE_BRACES = re.compile(r"\{\s*\}")
_UNWRITTEN = re.compile(r"\{\s*+(?::|(?:throw|panic|todo|unimplemented)\b[^{};]{0,200})\s*+;?\s*+\}")
_HOLDS_NOTHING = re.compile(rf"{_BARE_BRACES.pattern}|{_UNWRITTEN.pattern}")
_BARREN = re.compile(r"\{[\s\"]*+\}")


def _is_body(header: str, following: str) -> bool:
    """Are these empty braces a body, and not a type or a value among others?"""
    return (
        header[-1:] not in _VALUE_AHEAD
        and following.lstrip()[:1] not in (*",)>&|]?:=.",)
        and "constructor" not in header
        and not _TYPE_AHEAD.search(header)
    )


def _announces(file: FileChange, request: str) -> bool:
    """Could any empty braces of this file be a body that must hold something? Asked of the shorter skeleton."""
    typed, skeleton = _MUST_RETURN.get(file.language.name), file.lexed.skeleton
    if not request and not typed:
        return False
    if request and _UNWRITTEN.search(skeleton):
        return True
    for match in islice(_BARREN.finditer(skeleton), MAX_EMPTY):
        header = header_of(skeleton, match.start()).rstrip('" \t\n')
        if header[-1:] not in _VALUE_AHEAD and (request or (typed and "(" in header and typed.search(header))):
            return True
    return False


def _must_return(file: FileChange, request: str) -> Iterator[Finding]:
    """New functions with braces that hold nothing, though a result is announced or the request names them."""
    typed, code = _MUST_RETURN.get(file.language.name), file.lexed.code
    pattern = _HOLDS_NOTHING if request else _BARE_BRACES
    for match in islice(pattern.finditer(code), MAX_EMPTY):
        if file.lexed.line_at(match.start()) not in file.added:
            continue
        header = header_of(code, match.start())
        if not _is_body(header, code[match.end() : match.end() + _HEADER]):
            continue
        announced = (
            typed
            and _BARE_BRACES.fullmatch(match[0])
            and "(" in header
            and ("$" not in header or typed is _PHP)
            and typed.search(header)
        )
        name = name_of(header) if announced or request else ""
        if name and announced:
            yield _finding(file, match, "empty-body", f"{name} promises a result and has no body.")
        else:
            yield from _asked(file, match, name, request)


def _asked(file: FileChange, match: re.Match[str], name: str, request: str) -> Iterator[Finding]:
    """A function that the request names; a plain word may be said of anything."""
    telling = len(name) > 3 and ("_" in name or not name.islower())
    if telling and _names(request, name) and file.lexed.line_at(match.start()) in file.added:
        yield _finding(file, match, "empty-body", f"{name} was asked for and has no body.")


def _names(request: str, name: str) -> bool:
    return name in request and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", request) is not None
