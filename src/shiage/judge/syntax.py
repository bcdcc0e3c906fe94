"""Q4: syntax errors, missing closers and cut-off files that the change brought in.

Only new errors count, and where a grammar is known to be wrong about valid code
(TypeScript, C, C++) a second source must agree before anything is rejected.
"""

import json
import re
import symtable
import tomllib
import warnings
from collections.abc import Callable, Iterator

from shiage.domain.verdict import Finding
from shiage.judge.balance import Imbalance, imbalance, impossible_pairs, unfinished_end, unpaired_tag
from shiage.judge.change import FileChange
from shiage.judge.cut_offs import cut_off
from shiage.judge.findings import found
from shiage.judge.languages import Oracle, suffix
from shiage.judge.lexing import OPEN, Lexed
from shiage.judge.pages import page_fault, xml_fault
from shiage.judge.prose import fences
from shiage.judge.trees import TreeErrors, tree_errors

Fault = Imbalance  #: a line and what is wrong there
Asked = Callable[[Lexed], TreeErrors | None]  #: asks a grammar, here or in a process that can be ended

THOROUGH = 400_000  #: characters per check that are parsed whole; beyond, only files that look wrong are
SMALL = 4_000  #: characters up to which a grammar is asked about text whose brackets do not fit
MAX_TEXT = 4_000_000  #: characters of a file that is looked at at all
_MEANT_BROKEN = re.compile(
    r"invalid|malformed|broken|corrupt|truncated|syntax[-_]?error|bad[-_]|[-_]bad", re.IGNORECASE
)
_TEMPLATED = re.compile(r"\{%[-+ ]|\{\{[^{}\n]*\}\}|<%[=-]?|\$\{\{|@@\w+@@")
_TEMPLATE_LANGUAGES = frozenset(("json", "yaml", "toml", "html", "xml", "sql", "shell", "css", "scss"))
_EXACT = frozenset((Oracle.AST, Oracle.JSON, Oracle.TOML, Oracle.XML))  #: are right about minified text, too
_CONFLICT = re.compile(r"^<{7} .*\n(?:(?!={7}\n).*\n){0,5000}?={7}\n(?:(?!>{7} ).*\n){0,5000}?>{7} ", re.MULTILINE)
_JSON_WITH_COMMENTS = re.compile(r"(?:^|/)(?:[tj]sconfig[^/]*|\.?eslintrc|settings|launch|tasks|extensions|devcontainer|\.babelrc|api-extractor|\.swcrc|turbo|deno|wrangler|language-configuration|renovate)[^/]*$|\.vscode/")  # fmt: skip
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_CERTAIN = (
    "indent",
    "unterminated",
    "was never closed",
    "unmatched",
    "does not match",
    "null bytes",
    "unexpected EOF",
    "expected 'except'",
)
_SUGGESTION = "Complete the text so that it parses; compare with the line named here."


def syntax_faults(files: tuple[FileChange, ...], ask: Asked = tree_errors) -> Iterator[Finding]:
    """Q4 for the whole change: small changes are parsed whole, huge ones where something looks wrong."""
    spent = 0
    for file in files:
        if file.deleted or not file.text.strip() or len(file.text) > MAX_TEXT:
            continue
        spent += len(file.text)
        yield from _file_faults(file, ask, thorough=spent <= THOROUGH)


def _file_faults(file: FileChange, ask: Asked, thorough: bool) -> Iterator[Finding]:
    conflict = _conflict(file)
    if conflict:
        yield _finding(file, conflict, "conflict-marker")
    elif not _exempt(file):
        fault = _stray_fence(file) or (
            _ORACLES[file.language.oracle](file, ask) if thorough or _doubtful(file) else None
        )
        if fault:
            yield _finding(file, fault, "syntax-error" if fault.line < _last_line(file) else "cut-off")
        elif cut := cut_off(file):
            yield _finding(file, cut, "cut-off")


def _last_line(file: FileChange) -> int:
    return file.text.rstrip().count("\n") + 1


def _finding(file: FileChange, fault: Fault, rule: str) -> Finding:
    lines = file.text.split("\n")
    line = min(max(fault.line, 1), len(lines))
    quote = next((text for text in (lines[line - 1], *reversed(lines[:line])) if text.strip()), "")
    return found("Q4", rule, file.path, line, quote, f"Not valid {file.language.name}: {fault.what}.", _SUGGESTION)


def _exempt(file: FileChange) -> bool:
    """Files that are no valid text on purpose: templates, fixtures of broken input, binary files; and minified code."""
    if file.binary or _MEANT_BROKEN.search(file.path) or (file.minified and file.language.oracle not in _EXACT):
        return True
    return file.language.name in _TEMPLATE_LANGUAGES and _TEMPLATED.search(file.text) is not None


def _conflict(file: FileChange) -> Fault | None:
    match = _CONFLICT.search(file.text) if "\n>>>>>>> " in file.text else None
    if not match:
        return None
    line = file.text.count("\n", 0, match.start()) + 1
    return Fault(line, "a merge conflict that was not resolved") if line in file.added else None


def _stray_fence(file: FileChange) -> Fault | None:
    """A code file that begins or ends with the fence of a chat answer."""
    if file.language.oracle in (Oracle.PROSE, Oracle.NONE):
        return None
    if _FENCED.match(file.text):
        return Fault(1, "a Markdown fence in a source file")
    last = file.text.rstrip().rpartition("\n")[2] if "```" in file.text else ""
    if last.strip() == "```" and file.language.lexer != "javascript":
        return Fault(_last_line(file), "a Markdown fence in a source file")
    return None


_FENCED = re.compile(r"\s*+```[\w+#-]*+[^\S\n]*+(?:\n|$)")


def _doubtful(file: FileChange) -> bool:
    """Is there any reason to parse? Asked without a grammar."""
    if file.language.oracle is Oracle.AST:
        return imbalance(file.lexed) is not None or unfinished_end(file.lexed) is not None or _odd_python(file.lexed)
    if file.language.oracle in (Oracle.TREE, Oracle.BOTH):
        return _second_opinion(file) is not None
    return True


# A line begins at a line end here: a search for one character is far quicker than one for a place.
_COLONLESS = re.compile(r"\n[ \t]*+(?:def|class|elif|while|try|except|finally)\b[^:\n\\(\[{]*+$", re.MULTILINE)
_VALUELESS = re.compile(r"=(?<![=!<>]=)[ \t]*+$", re.MULTILINE)
_NO_BODY = re.compile(
    r"\n([ \t]*+)(?:def|class|if|elif|else|for|while|try|except|finally|with)\b[^\n]*:[ \t]*\n(?:[ \t]*\n)*+(?!\1[ \t])",
    re.MULTILINE,
)


def _odd_python(lexed: Lexed) -> bool:
    text = f"\n{lexed.skeleton}"
    return bool(_COLONLESS.search(text) or _VALUELESS.search(text) or _NO_BODY.search(text))


# ---------------------------------------------------------------- oracles


def _none(_: FileChange, *_ask: object) -> Fault | None:
    return None


def _python(file: FileChange, ask: Asked) -> Fault | None:
    fault = _python_error(file.text)
    if fault is None:
        return None
    if file.before is not None and _python_error(file.before) is not None:
        return _tree(file, ask)
    if any(word in fault.what for word in _CERTAIN):
        return fault
    # The grammar knows what this interpreter may be too old, or too new, to accept.
    errors = ask(file.lexed)
    return fault if errors is None or errors.count else None


def _python_error(text: str) -> Fault | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable.symtable(text, "text", "exec")
        except SyntaxError as error:
            return Fault(error.lineno or 1, error.msg or "syntax error")
        except (ValueError, MemoryError, RecursionError) as error:
            return Fault(1, str(error) or "nested too deeply")
    return None


def _json(file: FileChange, *_ask: object) -> Fault | None:
    fault = _json_error(file, file.text)
    return None if fault and file.before and _json_error(file, file.before) else fault


def _json_error(file: FileChange, text: str) -> Fault | None:
    kind = suffix(file.path)
    if kind in (".jsonl", ".ndjson"):
        return _json_lines_error(text)
    if kind == ".json5":
        return imbalance(file.lexed)
    fault = _json_text_error(text)
    if fault and (kind in (".jsonc", ".code-workspace") or _JSON_WITH_COMMENTS.search(file.path) or file.spoken):
        return _json_text_error(_TRAILING_COMMA.sub(r"\1", _without_comments(file, text)))
    return fault


def _without_comments(file: FileChange, text: str) -> str:
    lexed = file.lexed if text == file.text else file.lexed_before
    parts, last = [], 0
    for kind, start, end in lexed.tokens:
        if kind == "c":
            parts.append(text[last:start])
            last = end
    return "".join((*parts, text[last:]))


def _json_text_error(text: str) -> Fault | None:
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return Fault(error.lineno, error.msg)
    except (RecursionError, ValueError) as error:
        return Fault(1, str(error))
    return None


def _json_lines_error(text: str) -> Fault | None:
    for number, line in enumerate(text.split("\n"), 1):
        fault = _json_text_error(line) if line.strip() else None
        if fault:
            return Fault(number, fault.what)
    return None


def _toml(file: FileChange, *_ask: object) -> Fault | None:
    fault = _toml_error(file.text)
    return None if fault and file.before and _toml_error(file.before) else fault


def _toml_error(text: str) -> Fault | None:
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        return Fault(int(line[1]) if line else text.rstrip().count("\n") + 1, str(error))
    return None


def _xml(file: FileChange, *_ask: object) -> Fault | None:
    fault = xml_fault(file.text)
    return None if not fault or (file.before and xml_fault(file.before)) else Fault(*fault)


def _new_errors(file: FileChange, ask: Asked) -> TreeErrors | None:
    """Errors of the grammar beyond those of the text before; None without an opinion."""
    errors = ask(file.lexed)
    if errors is None or not errors.count or file.before is None:
        return errors
    old = ask(file.lexed_before)
    return errors if old is not None and errors.count > old.count else TreeErrors()


def _tree(file: FileChange, ask: Asked) -> Fault | None:
    """The grammar decides; where it has no opinion, the brackets do. With Flow's types JavaScript has no grammar here."""
    if file.lexed.flow:
        return _both(file, ask)
    unpaired = _new_imbalance(file)
    if unpaired and len(file.text) > SMALL and not _deep_template(file):
        return unpaired
    errors = _new_errors(file, ask)
    if errors is None:
        return unpaired
    if not errors.count:
        return None
    tag = _new_tag(file) if file.language.name == "javascript" else None
    return unpaired or tag or Fault(errors.line, "syntax error")


def _deep_template(file: FileChange) -> bool:
    """A template within templates may be nested deeper than the lexer follows."""
    return file.language.lexer == "javascript" and any(
        kind == OPEN and file.text[start] == "`" for kind, start, _ in file.lexed.tokens
    )


def _both(file: FileChange, ask: Asked) -> Fault | None:
    """Grammar and a second source must both say that something new is wrong."""
    second = _second_opinion(file)
    errors = _new_errors(file, ask) if second else TreeErrors()
    return second if second and (errors is None or errors.count) else None


def _second_opinion(file: FileChange) -> Fault | None:
    tag = _new_tag(file) if file.language.name == "tsx" else None
    return _new_imbalance(file) or tag or _new_pair(file) or _new_end(file)


def _new_imbalance(file: FileChange) -> Fault | None:
    fault = imbalance(file.lexed)
    return None if fault and file.before and imbalance(file.lexed_before) else fault


def _new_tag(file: FileChange) -> Fault | None:
    fault = unpaired_tag(file.lexed)
    return None if fault and file.before and unpaired_tag(file.lexed_before) else fault


def _new_pair(file: FileChange) -> Fault | None:
    pairs = impossible_pairs(file.lexed)
    if not pairs or (file.before and len(impossible_pairs(file.lexed_before)) >= len(pairs)):
        return None
    return Fault(file.lexed.line_at(pairs[0]), "something is missing between two tokens")


def _new_end(file: FileChange) -> Fault | None:
    fault = unfinished_end(file.lexed) if file.language.oracle is not Oracle.NONE else None
    return None if fault and file.before and unfinished_end(file.lexed_before) else fault


def _balance(file: FileChange, *_ask: object) -> Fault | None:
    return _new_imbalance(file) or (_new_end(file) if file.language.name == "sql" else None)


def _page(file: FileChange, *_ask: object) -> Fault | None:
    fault = page_fault(file.text)
    if not fault or (file.before and page_fault(file.before)):
        return None
    return Fault(*fault)


def _prose(file: FileChange, *_ask: object) -> Fault | None:
    blocks = [block for block in fences(file.text) if not block.closed]
    if not blocks or (file.before and any(not block.closed for block in fences(file.before))):
        return None
    return Fault(blocks[0].line - 1, "a fence that is never closed")


_ORACLES: dict[Oracle, Callable[[FileChange, Asked], Fault | None]] = {
    Oracle.AST: _python,
    Oracle.JSON: _json,
    Oracle.TOML: _toml,
    Oracle.TREE: _tree,
    Oracle.BOTH: _both,
    Oracle.BALANCE: _balance,
    Oracle.PAGE: _page,
    Oracle.XML: _xml,
    Oracle.PROSE: _prose,
    Oracle.NONE: _none,
}
