"""How many faults planted into the judge its tests notice.

    python bench/mutation.py [--count N] [--seed N ...] [--module NAME]

A random sample of small changes to the criteria modules (a comparison turned, a condition negated, a number
off by one, a text spoiled, a statement dropped), each in memory and in a process of its own, two at a time.
What no test could notice is left out by rule: docstrings, annotations, imports, decorators and `__all__`.
`mutation_tests.py` asks the tests; what none of them notices survived.
In the end a module without any fault is asked about: where that is noticed too, the run failed.
"""

import argparse
import ast
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from mutation_tests import JUDGE, Mutant, Tests, judged

SURVIVED = "survived"
TURNED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def places(path: Path) -> int:
    """In how many places a fault can be planted into a module."""
    return sum(1 for _ in _spoilable(ast.parse(path.read_text(encoding="utf-8"))))


def planted(path: Path, number: int) -> Mutant:
    """The module with the fault of this number."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = ".".join(("shiage.judge", *path.relative_to(JUDGE).with_suffix("").parts)).removesuffix(".__init__")
    node = next(islice(_spoilable(tree), number, None))
    where, line, before = _function_of(tree, node), getattr(node, "lineno", 0), _shown(node)
    _spoil(node)
    return Mutant(name, where, line, f"{before}  →  {_shown(node)}", ast.unparse(tree))


def whole(path: Path) -> Mutant:
    """The module without any fault."""
    return replace(planted(path, 0), function="", source=path.read_text(encoding="utf-8"))


def _shown(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:70]


def _function_of(tree: ast.Module, node: ast.AST) -> str:
    """The function that holds this node, or nothing: a table, or a function whose answers are kept."""
    for outer in tree.body:
        inner = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for one in inner:
            if isinstance(one, FUNCTIONS) and any(child is node for child in ast.walk(one)):
                kept = any("cache" in ast.unparse(word) for word in one.decorator_list if not prefix)
                return "" if kept else prefix + one.name
    return ""


def _hidden(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node in which a fault would change nothing that can be seen."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        yield from ast.walk(node)
    if isinstance(node, ast.JoinedStr):
        yield from (inner for value in node.values for inner in ast.walk(value) if isinstance(inner, ast.Constant))
    if isinstance(node, ast.ImportFrom | ast.Import):
        yield from ast.walk(node)
    noted = (getattr(node, "annotation", None), getattr(node, "returns", None), *getattr(node, "decorator_list", ()))
    for one in noted:
        yield from ast.walk(one) if one else ()


def _spoilable(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that can be spoiled."""
    hidden = {part for node in ast.walk(tree) for part in _hidden(node)}
    return (node for node in ast.walk(tree) if node not in hidden and _fits(node))


def _fits(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool | int) or (isinstance(node.value, str) and node.value != "")
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in TURNED
    if isinstance(node, ast.BinOp):
        return type(node.op) in TURNED and not isinstance(node.left, ast.Constant)
    return isinstance(node, ast.BoolOp | ast.IfExp | ast.If | ast.Continue | ast.Break) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _spoil(node: ast.AST) -> None:
    if isinstance(node, ast.Constant):
        node.value = _other(node.value)
    elif isinstance(node, ast.Compare):
        node.ops[0] = TURNED[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = TURNED[type(node.op)]()
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.__class__ = ast.Pass


def _other(value: bool | int | str) -> bool | int | str:
    """Marks such as brackets are taken away, for one mark more among them would seldom be another meaning."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return f"XX{value}XX" if any(char.isalnum() for char in value) else ""


def main() -> int:
    parser = argparse.ArgumentParser(description="How many faults planted into the judge its tests notice.")
    parser.add_argument("--count", type=int, default=200, help="mutants of each seed")
    parser.add_argument("--seed", type=int, nargs="+", default=[3], help="one sample for each")
    parser.add_argument("--module", default="", help="only the module whose name ends so, such as drift.demands")
    options = parser.parse_args()
    every = [(path, number) for path in _chosen(options.module) for number in range(places(path))]
    tests = Tests.of_the_judge()
    print(f"{len(every)} mutants, of which a sample is planted; {tests}", flush=True)
    for seed in options.seed:
        sample = sorted(random.Random(seed).sample(every, min(options.count, len(every))))
        print(f"\nseed {seed}, {len(sample)} mutants", flush=True)
        table(_scored((planted(path, number) for path, number in sample), tests))
    ((_, said),) = judged([whole(every[0][0])], tests)
    if said != SURVIVED:
        print(f"Without any fault the tests fail ({said}): the figures above mean nothing.")
    return int(said != SURVIVED)


def _chosen(module: str) -> list[Path]:
    names = {
        path: ".".join(path.relative_to(JUDGE.parent).with_suffix("").parts) for path in sorted(JUDGE.rglob("*.py"))
    }
    return [path for path, name in names.items() if not module or f".{name}".endswith(f".{module}")]


def _scored(mutants: Iterable[Mutant], tests: Tests) -> dict[str, Counter[str]]:
    """Per module, what noticed how many; each survivor is shown as it survives."""
    results: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, said in judged(mutants, tests):
        results[mutant.module][said] += 1
        if said == SURVIVED:
            print(f"  survived {mutant.module}:{mutant.line}  {mutant.what}", flush=True)
    return results


def table(results: dict[str, Counter[str]]) -> None:
    total = sum(results.values(), Counter())
    print(f"{'module':34} mutants  noticed", flush=True)
    for name, counts in (*sorted(results.items()), ("all", total)):
        count = sum(counts.values())
        print(f"{name:34} {count:7}  {100 * (count - counts[SURVIVED]) / max(count, 1):5.1f} %")
    print(
        "noticed by: " + ", ".join(f"{name} {count}" for name, count in total.most_common() if name != SURVIVED),
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
