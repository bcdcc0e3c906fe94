"""Rules of the code that no linter of ours knows: how long a function is, and where imports stand."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "shiage"
LONGEST, USUAL = 60, 30  #: lines of a function: none is longer, and nineteen of twenty are at most so long
LONGEST_FILE = 400
#: Beside the lazy table of the command line: the library's own front, extras, one grammar for each language, the driver
#: of a queue on a server, and who works and judges in a run, which a look at it needs not.
BY_NAME = {"__init__.py", "app/extras.py", "app/workspace.py", "judge/trees.py", "queue/stores.py"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """From its first decorator to its last line, as a reader sees it."""
    first = min([function.lineno, *(mark.lineno for mark in function.decorator_list)])
    return (function.end_lineno or first) - first + 1


def imports_inside(tree: ast.Module) -> list[int]:
    inner = (node for function in functions(tree) for node in ast.walk(function))
    return sorted({node.lineno for node in inner if isinstance(node, ast.Import | ast.ImportFrom)})


def test_no_function_is_long_and_few_are_longer_than_usual() -> None:
    told = sorted((length(f), f"{name}:{f.lineno} {f.name}") for name, tree in modules() for f in functions(tree))
    assert [where for lines, where in told if lines > LONGEST] == []
    assert told[int(len(told) * 0.95)][0] <= USUAL


def test_no_import_stands_inside_a_function() -> None:
    assert {name: lines for name, tree in modules() if (lines := imports_inside(tree))} == {}


def test_modules_are_loaded_by_name_only_where_every_start_would_pay_or_a_package_may_be_missing() -> None:
    """Anywhere else it would hide a dependency from the import contracts."""
    loads = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "import_module"
    }
    assert {name for name in loads if not name.startswith("cli/")} == BY_NAME


def test_no_file_is_longer_than_a_person_reads_at_once() -> None:
    lines = {p.relative_to(SOURCE).as_posix(): p.read_text(encoding="utf-8").count("\n") for p in SOURCE.rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}


def test_the_measures_see_what_they_should() -> None:
    tree = ast.parse(
        "@mark\ndef f():\n    import os\n\n    async def g():\n        from os import path\n    return 1\n"
    )
    assert [length(function) for function in functions(tree)] == [7, 2]
    assert imports_inside(tree) == [3, 6]
