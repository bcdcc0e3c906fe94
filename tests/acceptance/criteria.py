"""Marks a test as the proof of a numbered criterion of the seeds; the docs table is made from these marks.

The marks are read from the source of every test, so a proof may stand wherever it can be run: beside the command line,
in a real browser, on a machine that lacks what some of the tests need.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])
TESTS = Path(__file__).parents[1]


def criterion(*ids: str) -> Callable[[Test], Test]:
    """`000-1.1` is seed 000, requirement 1, criterion 1; seed 001 has `invariant-n`, `error-n`, `log-n`.

    `003-8.1.2` is seed 003, the second row of its section 8.1.
    """
    assert ids, "a proof names what it proves"
    return lambda test: test


def proven(root: Path = TESTS) -> dict[str, list[str]]:
    """Criterion -> the tests that are marked with it, in the order of their files."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in _marks(function):
                found.setdefault(name, []).append(f"{path.relative_to(root).as_posix()}::{function.name}")
    return found


def _marks(statement: ast.stmt) -> Iterator[str]:
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) or not statement.name.startswith("test_"):
        return
    for mark in statement.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "criterion":
            yield from (each.value for each in mark.args if isinstance(each, ast.Constant))


def numbered(seed: str, *counts: int) -> list[str]:
    return [f"{seed}-{req}.{n}" for req, count in enumerate(counts, 1) for n in range(1, count + 1)]


#: The dashboard's own: a row each as soon as a test proves it.
DASHBOARD = [*(f"000-7.{n}" for n in (1, 2, 3)), "003-7.3"]
ALL = [
    *numbered("000", 3, 3, 4, 3, 2, 3),
    *(f"001-invariant-{n}" for n in range(1, 5)),
    *(f"001-error-{n}" for n in range(1, 6)),
    *(f"001-log-{n}" for n in range(1, 9)),
    *numbered("002", 3, 3, 4, 4),
    *(f"003-{section}.{n}" for section, count in (("2.2", 3), ("8.1", 4), ("8.2", 4)) for n in range(1, count + 1)),
    *numbered("004", 5, 4, 4, 4, 4),
]
