"""Q4: files that stop in the middle though what is there still parses."""

import ast
import re
import warnings

from shiage.judge.balance import Imbalance
from shiage.judge.change import FileChange

MAX_PYTHON = 400_000
_INDENTED = re.compile(r"[ \t]+\S")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)$")
_BLOCKS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def cut_off(file: FileChange) -> Imbalance | None:
    """The text is the beginning of what was there before, or a Python file ends as no author ends one."""
    if file.before:
        return _beginning_only(file.text.rstrip(), file.before)
    if file.language.name == "python" and not file.text.endswith("\n") and len(file.text) <= MAX_PYTHON:
        what = _python_tail(file.text)
        return Imbalance(file.text.count("\n") + 1, what) if what else None
    return None


def _beginning_only(text: str, before: str) -> Imbalance | None:
    """A proper beginning of the old text that stops inside a line or inside a block."""
    if not text or len(text) >= len(before.rstrip()) or not before.startswith(text):
        return None
    rest = before[len(text) :]
    inside_line = not rest[0].isspace()
    following = next((line for line in rest.split("\n")[1:] if line.strip()), "")
    if inside_line or _INDENTED.match(following):
        return Imbalance(text.count("\n") + 1, "the file stops in the middle of what it was before")
    return None


def _python_tail(text: str) -> str:
    """Why the end of this Python text, which has no line end, is no end; empty when it may be one."""
    last = text.rsplit("\n", 1)[-1]
    if last and not last.strip():
        return "the file ends in the indentation of a line"
    if last.startswith((" ", "\t")) and last.lstrip().startswith("#"):
        return "the file ends in a comment inside a block"
    word = _LAST_WORD.search(last)
    if word and _is_torn(word[1], text):
        return f"the file ends in the middle of a word: {word[1]}"
    return _pointless_end(text)


def _is_torn(word: str, text: str) -> bool:
    """A word that occurs once, while a longer one begins with it."""
    if len(re.findall(rf"(?<!\w){word}(?!\w)", text)) > 1 or word in _COMPLETE:
        return False
    return re.search(rf"(?<!\w){word}\w", text) is not None


_COMPLETE = frozenset(
    (
        "None",
        "True",
        "False",
        "pass",
        "return",
        "break",
        "continue",
        "self",
        "cls",
        "raise",
        "int",
        "str",
        "list",
        "dict",
        "set",
        "float",
        "object",
    )
)


def _pointless_end(text: str) -> str:
    """The last statement does nothing that could matter: a bare name, or a local that nobody reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            node: ast.stmt = ast.parse(text).body[-1]
        except (SyntaxError, ValueError, MemoryError, RecursionError, IndexError):
            return ""
    function: ast.stmt | None = None
    while isinstance(node, _BLOCKS):
        function = node if isinstance(node, _FUNCTIONS) else None if isinstance(node, ast.ClassDef) else function
        node = _last_of(node)
    if isinstance(node, ast.Expr) and isinstance(
        node.value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare
    ):
        return "the last statement is a bare value"
    local = isinstance(node, ast.Assign | ast.AnnAssign) and function is not None
    if local and isinstance(_target(node), ast.Name) and not _declared(function, _target(node)):
        return "the last statement sets a local that nothing reads"
    return ""


def _last_of(node: ast.stmt) -> ast.stmt:
    """The last statement inside a block statement."""
    for field in ("finalbody", "orelse", "handlers", "body"):
        inner = getattr(node, field, None)
        if inner:
            last = inner[-1]
            return last.body[-1] if isinstance(last, ast.ExceptHandler) else last
    return node


def _target(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Assign):
        return node.targets[-1]
    return node.target if isinstance(node, ast.AnnAssign) else None


def _declared(function: ast.stmt | None, target: ast.expr | None) -> bool:
    """Is this name global, nonlocal, or read again in a loop or closure?"""
    name = target.id if isinstance(target, ast.Name) else ""
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            return True
    return False
