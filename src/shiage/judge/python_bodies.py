"""Q3 in Python: bodies that hold nothing, seen with Python's own parser."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.findings import found
from shiage.judge.lexing import Lexed

MAX_PYTHON = 400_000  #: characters of a file that is parsed for its bodies
_ELLIPSIS = re.compile(r"(?:^|:)[ \t]*\.\.\.[ \t]*$", re.MULTILINE)
_NO_RESULT = r"None|NoReturn|Never|Any|Optional|Iterator|Generator|object"
_TYPED_PASS = re.compile(rf"->(?![^\n]{{0,400}}(?:{_NO_RESULT}))[^\n]{{0,400}}:[ \t]*\n(?:\s*+\"[ \n]*+\")?\s*+pass\b")
_PASS = re.compile(r"^[ \t]*(?:pass|raise[ \t]+NotImplementedError)\b", re.MULTILINE)
_HOLLOW = re.compile(
    r"(?:^|:)[ \t]*(?:pass|return(?:[ \t]+None)?|raise[ \t]+NotImplementedError\b[^\n]*)[ \t]*$", re.MULTILINE
)
_OPEN_BASES = re.compile(
    r"Protocol|ABC|Abstract|Interface|TypedDict|NamedTuple|Enum|Exception|Error|Base|Mixin|Stub|Mock|Fake|Null|NoOp|"
    r"Noop|Dummy|Generic"
)
_HEAD = re.compile(r"[ \t]*(?:async[ \t]+def|def|class)\b")
FAR = 300  #: lines in which the head of a function, and of the block around it, is looked for
_OPEN_BLOCK = re.compile(rf"[ \t]*(?:class\b.*(?:{_OPEN_BASES.pattern}).*:|if\b.*\bTYPE_CHECKING\s*:)\s*$")
_SUGGESTION = "Write the body; nothing may be left out."
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Body:
    """One function: where it is, whether it may be empty, and whether it is."""

    name: str
    line: int
    node: Function
    free: bool  #: abstract, overload, stub, protocol: a body is not expected
    empty: bool


def python_bodies(file: FileChange, request: str) -> Iterator[Finding]:
    """Bodies that shrank to nothing, that an ellipsis replaces, or that must return and do not."""
    if file.path.endswith(".pyi") or file.minified or not _worth_parsing(file, request):
        return
    tree = _parsed(file.text)
    if tree is None:
        return
    old = {body.name: body for body in _bodies(_parsed(file.before))} if file.before else {}
    for body in _bodies(tree):
        rule = _rule(body, old.get(body.name), file, request)
        if rule:
            yield _finding(file, body.node.lineno, rule, body.name)
    yield from _loose_ellipses(file, tree)


def _worth_parsing(file: FileChange, request: str) -> bool:
    """Is there anything that only a parser can settle?"""
    if len(file.text) > MAX_PYTHON:
        return False
    if file.before is not None:
        return len(file.before) > len(file.text) or _has_ellipsis(file) or _has_hollow_line(file)
    if request or ("pass" in file.text and "->" in file.lexed.skeleton):
        code = file.lexed.code
        if _TYPED_PASS.search(code) or (request and _PASS.search(code)):
            return True
    return _has_ellipsis(file) and not all(map(partial(_settled, file.lexed.code_lines), _dotted(file.lexed)))


def _has_hollow_line(file: FileChange) -> bool:
    """Does an added line do nothing? A body may be emptied in a file that grew."""
    lexed = file.lexed
    return any(lexed.line_at(match.end()) in file.added for match in _HOLLOW.finditer(lexed.code))


def _has_ellipsis(file: FileChange) -> bool:
    return "..." in file.lexed.skeleton and _ELLIPSIS.search(file.lexed.code) is not None


def _dotted(lexed: Lexed) -> Iterator[int]:
    """Places of the lines that end in an ellipsis."""
    return (lexed.line_at(match.end()) - 1 for match in _ELLIPSIS.finditer(lexed.code))


def _settled(lines: list[str], at: int) -> bool:
    """Is this ellipsis the body of what may be empty: a class, an overload, a protocol's method? Seen from the lines alone."""
    if lines[at].strip() == "...":
        at = _only_child_of(lines, at)
    own = _indent(lines[at])
    head = next(
        (line for line in _upwards(lines, at + 1) if _indent(lines[line]) <= own and _HEAD.match(lines[line])), -1
    )
    if at < 0 or head < 0 or any(line.strip() and _indent(line) < own for line in lines[head:at]):
        return False
    return (
        lines[head].lstrip().startswith("class")
        or lines[head - 1 if head else 0].startswith("@", own)
        or _opened(lines, head)
    )


def _only_child_of(lines: list[str], at: int) -> int:
    """The line that opens the block of which this line, a docstring aside, is the only one; -1 if it is not."""
    below = next((line for line in lines[at + 1 : at + FAR] if line.strip()), "")
    above = next((number for number in _upwards(lines, at) if lines[number].strip(' "\t')), -1)
    opens = above >= 0 and _indent(lines[above]) < _indent(lines[at]) and lines[above].rstrip().endswith(":")
    return above if opens and not (below and _indent(below) >= _indent(lines[at])) else -1


def _opened(lines: list[str], head: int) -> bool:
    """Does the block around this function say that its bodies may be empty?"""
    own = _indent(lines[head])
    around = next(
        (lines[line] for line in _upwards(lines, head) if lines[line].strip() and _indent(lines[line]) < own), ""
    )
    return _OPEN_BLOCK.match(around) is not None


def _upwards(lines: list[str], below: int) -> range:
    """The lines above this one, the nearest first, as far as is looked."""
    return range(below - 1, max(-1, below - FAR), -1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _parsed(text: str | None) -> ast.Module | None:
    if not text:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None


def _finding(file: FileChange, line: int, rule: str, name: str) -> Finding:
    said = {
        "emptied-body": f"The body of {name} was replaced by nothing.",
        "empty-body": f"{name} promises a result and has no body.",
        "ellipsis-body": f"An ellipsis stands for the body of {name}.",
        "bare-ellipsis": "An ellipsis stands among statements.",
    }
    return found("Q3", rule, file.path, line, file.lexed.lines[line - 1], said[rule], _SUGGESTION)


def _bodies(tree: ast.Module | None) -> Iterator[Body]:
    opened = _open_classes(tree)
    todo: list[tuple[ast.AST, str, bool]] = [(tree, "", False)] if tree else []
    while todo:
        node, prefix, free = todo.pop()
        for child in _statements(node):
            if isinstance(child, _FUNCTIONS):
                bodyless = free or bool(child.decorator_list) or _is_dunder_or_hook(child)
                yield Body(prefix + child.name, child.lineno, child, bodyless, _is_empty(child))
                todo.append((child, f"{prefix}{child.name}.", False))
            elif isinstance(child, ast.ClassDef):
                todo.append((child, f"{prefix}{child.name}.", child.name in opened))
            else:
                todo.append((child, prefix, free or _is_typing_branch(child)))


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement. Expressions hold no statement, and are most of a tree."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield branch.body


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    for block in _blocks(node):
        yield from block


def _every_statement(tree: ast.AST) -> Iterator[ast.AST]:
    """The tree itself and each statement in it."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed([*_statements(node)]))


def _open_classes(tree: ast.Module | None) -> set[str]:
    """Names of classes whose methods may be empty, and of those that derive from them."""
    classes = [node for node in _every_statement(tree) if isinstance(node, ast.ClassDef)] if tree else []
    opened = {node.name for node in classes if _is_open(node)}
    for node in classes:  # a base stands above what derives from it
        if any(isinstance(base, ast.Name) and base.id in opened for base in node.bases):
            opened.add(node.name)
    return opened


def _is_open(node: ast.ClassDef) -> bool:
    """Protocols, abstract bases, and classes that others fill in."""
    words = [ast.unparse(base) for base in (*node.bases, *(keyword.value for keyword in node.keywords))]
    abstract = any(
        isinstance(item, _FUNCTIONS) and item.decorator_list and "abstract" in ast.unparse(item.decorator_list[-1])
        for item in node.body
    )
    return abstract or any(_OPEN_BASES.search(word) for word in (*words, node.name))


def _is_typing_branch(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        "TYPE_CHECKING" in (getattr(part, "id", ""), getattr(part, "attr", "")) for part in ast.walk(node.test)
    )


def _is_dunder_or_hook(node: Function) -> bool:
    return node.name.startswith(("__", "on_", "visit_", "handle_", "setUp", "tearDown", "setup", "teardown"))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    return (
        body[1:]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        else body
    )


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def _is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass) or _is_ellipsis(node):
        return True
    if isinstance(node, ast.Raise) and node.exc is not None:
        return ast.unparse(node.exc).startswith("NotImplementedError")
    return isinstance(node, ast.Return) and (
        node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    )


def _is_empty(node: Function) -> bool:
    return all(_is_nothing(statement) for statement in _without_docstring(node.body))


def _rule(body: Body, old: Body | None, file: FileChange, request: str) -> str:
    if not body.empty or not _touched(body.node, file):
        return ""
    rest = _without_docstring(body.node.body)
    if old is not None:
        return "emptied-body" if not old.empty and not _made_abstract(body) else ""
    if body.free or file.machine_made:  # a generator may write empty bodies
        return ""
    if any(_is_ellipsis(statement) for statement in rest):
        return "ellipsis-body"
    if _must_return(body.node, rest) or (
        rest and re.search(rf"(?<!\w){re.escape(body.node.name)}(?!\w)", request) and "_" in body.node.name
    ):
        return "empty-body"
    return ""


def _made_abstract(body: Body) -> bool:
    decorators = " ".join(ast.unparse(decorator) for decorator in body.node.decorator_list)
    return "abstract" in decorators or "overload" in decorators


def _touched(node: Function, file: FileChange) -> bool:
    """Did the change write a line here, or (nothing but a docstring left) take lines away?"""
    last = node.end_lineno or node.lineno
    return file.before is not None or any(line in file.added for line in range(node.lineno, last + 1))


def _must_return(node: Function, rest: list[ast.stmt]) -> bool:
    """A result is announced and the body is `pass`."""
    returns = ast.unparse(node.returns) if node.returns else "None"
    optional = re.search(_NO_RESULT, returns)
    return bool(rest) and not optional and all(isinstance(statement, ast.Pass) for statement in rest)


def _follows_statement(lines: list[str], number: int) -> bool:
    """Is the line above neither the head of a block nor a docstring?"""
    above = next((lines[at] for at in range(number - 1, -1, -1) if lines[at].strip()), ":").rstrip()
    below = next((lines[at] for at in range(number + 1, len(lines)) if lines[at].strip()), "")
    return not above.endswith((":", '"')) or _indent(below) == _indent(lines[number])


def _loose_ellipses(file: FileChange, tree: ast.Module) -> Iterator[Finding]:
    """An ellipsis as one statement among others."""
    if not any(
        line.strip() == "..." and _follows_statement(file.lexed.code_lines, number)
        for number, line in enumerate(file.lexed.code_lines)
    ):
        return
    for node in _every_statement(tree):
        for block in _blocks(node):
            statements = _without_docstring(block) if block else []
            for statement in statements if len(statements) > 1 else ():
                if _is_ellipsis(statement) and statement.lineno in file.added and not isinstance(node, ast.ClassDef):
                    yield _finding(file, statement.lineno, "bare-ellipsis", "")
