"""The judge's tests, asked about one mutant: those alone that reach the function in which it was planted.

Of the labelled corpus at most half a dozen cases of each kind and language are asked, then the single decisions, then
the unit tests; suites that measure time, read published packages or draw random text prove other things and are left out.
So the score is a lower bound of what the whole of the tests would notice.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
JUDGE = ROOT / "src" / "shiage" / "judge"
UNIT = ROOT / "tests" / "unit" / "judge"
sys.path.insert(0, str(ROOT / "tests" / "corpus"))

from labelled import HERE, Case, cases, table  # noqa: E402  # the corpus is no package

HALF_DOZEN = 6  #: cases of each label, language and kind
AT_ONCE = 2  #: mutants
PATIENCE = 20  #: seconds of computing that a mutant may take; one that hangs is noticed by anybody
IDLE = 1_800  #: seconds by the clock, on however busy a machine
ANSWERS = ("survived", "corpus", "decisions", "unit tests")
OTHERS = {"test_hostile_text.py", "test_published_code.py", "test_labelled_corpus.py", "test_decisions.py"}
QUIET = [
    "-x",
    "-q",
    "-p",
    "no:xdist",
    "-p",
    "no:randomly",
    "-p",
    "no:cacheprovider",
    "-k",
    "not hostile and not any_text",
]
Row = tuple[str, dict[str, Any]]  #: a criterion, and a change with all that must be found in it
Reached = dict[str, set[object]]  #: function -> what calls it: a case's number or a test's name


@dataclass(frozen=True)
class Mutant:
    """One planted fault: where, and what it does."""

    module: str
    function: str  #: that holds it; empty for tables
    line: int
    what: str
    source: str


@dataclass(frozen=True)
class Tests:
    """The cases, decisions and unit tests of the judge, and which function each of them calls."""

    asked: list[Case | Row]
    suites: list[str]
    reached: Reached = field(repr=False)

    @classmethod
    def of_the_judge(cls) -> "Tests":
        asked = [*chosen_cases(), *decisions()]
        suites = sorted(str(path) for path in UNIT.glob("test_*.py") if path.name not in OTHERS)
        return cls(asked, suites, _in_child(lambda: _reach(asked, suites)))

    def __str__(self) -> str:
        rows = sum(1 for one in self.asked if not isinstance(one, Case))
        return f"{len(self.asked) - rows} labelled cases, {rows} decisions, then {', '.join(Path(suite).name for suite in self.suites)}"

    def of(self, mutant: Mutant) -> tuple[list[Case | Row], list[str]]:
        """What reaches this mutant; everything where that cannot be told, as for a table."""
        calling = self.reached.get(f"{mutant.module}.{mutant.function}")
        if calling is None:
            return self.asked, self.suites
        names = sorted(name for name in calling if isinstance(name, str))
        return [one for number, one in enumerate(self.asked) if number in calling], names


def chosen_cases() -> list[Case]:
    """At most half a dozen cases of each label, language and kind, in an order that asks all of them early."""
    groups: dict[tuple[str, str, bool], list[Case]] = defaultdict(list)
    for case in cases():
        groups[case.label, case.language, case.bad].append(case)
    picked = [group[:: max(1, len(group) // HALF_DOZEN)][:HALF_DOZEN] for group in groups.values()]
    return [group[at] for at in range(HALF_DOZEN) for group in picked if at < len(group)]


def decisions() -> list[Row]:
    """Every single decision."""
    tables = (table(f"decisions/{path.stem}") for path in sorted((HERE / "decisions").glob("*.toml")))
    return [(criterion, row) for rows in tables for criterion, of_it in rows.items() for row in of_it]


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"asked_{name}", UNIT / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Asking:
    """Asks single cases and decisions, without pytest: thousands of them a second."""

    def __init__(self) -> None:
        self.corpus, self.decisions = _loaded("test_labelled_corpus"), _loaded("test_decisions")

    def fails(self, one: Case | Row) -> bool:
        if isinstance(one, Case):
            return self.corpus.rejected(one) is not one.bad
        criterion, row = one
        found, wanted = self.decisions.found, self.decisions.wanted
        return any(found(criterion, change) != wanted(change) for change in self.decisions.changes(row))


# ---------------------------------------------------------------- who calls what


class _Calls:
    """A profile function, and a plugin of pytest: notes who calls which function of the judge."""

    def __init__(self) -> None:
        self.caller: object = None
        self.reached: Reached = defaultdict(set)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and self.caller is not None and "/shiage/judge/" in frame.f_code.co_filename:
            name = frame.f_code.co_qualname.split(".<", 1)[0]
            self.reached[f"{frame.f_globals['__name__']}.{name}"].add(self.caller)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.caller = item.nodeid

    def pytest_runtest_teardown(self) -> None:
        self.caller = None


def _reach(asked: list[Case | Row], suites: list[str]) -> Reached:
    calls, asking = _Calls(), _Asking()
    sys.setprofile(calls)
    failing = [one for calls.caller, one in enumerate(asked) if asking.fails(one)]
    calls.caller = None
    failed = failing or pytest.main([*QUIET, f"--rootdir={ROOT}", *suites], plugins=[calls])
    sys.setprofile(None)
    if failed:
        raise SystemExit("the tests fail without any fault planted")
    return dict(calls.reached)


def _in_child(answer: Callable[[], Reached]) -> Reached:
    """Ask a copy of this process, so that no module of the judge is loaded in this one."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            with os.fdopen(writing, "w") as answers:
                answers.write(repr(answer()))
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answers:
        text = answers.read()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit("the tests could not be asked who calls what: do they pass?")
    return eval(text)  # of our own making: names and numbers


def _silent() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


# ---------------------------------------------------------------- asking


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from the mutant's source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if name != self.mutant.module:
            return None
        origin = JUDGE.joinpath(*name.split(".")[2:])
        spec = importlib.util.spec_from_loader(name, self, is_package=origin.is_dir())
        if spec is not None and origin.is_dir():
            spec.submodule_search_locations = [str(origin)]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.source, self.mutant.module, "exec"), module.__dict__)


def _asked(mutant: Mutant, asked: list[Case | Row], named: list[str]) -> int:
    """In the child: which kind of test noticed it, as a place in ANSWERS."""
    sys.meta_path.insert(0, _Planted(mutant))
    case: Case | Row | None = None
    try:
        asking = _Asking()
        for case in asked:
            if asking.fails(case):
                return 1 + isinstance(case, tuple)
    except Exception:
        return 1 + isinstance(case, tuple)
    if not named:
        return 0
    os.chdir(ROOT)
    return 3 if pytest.main([*QUIET, f"--rootdir={ROOT}", *named]) else 0


def _begun(mutant: Mutant, tests: Tests) -> int:
    child = os.fork()
    if child == 0:
        _silent()
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        os._exit(_asked(mutant, *tests.of(mutant)))
    return child


def judged(mutants: Iterable[Mutant], tests: Tests) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with what noticed it, as they end."""
    left = iter(mutants)
    running: dict[int, tuple[Mutant, float]] = {}
    while True:
        while len(running) < AT_ONCE and (mutant := next(left, None)) is not None:
            running[_begun(mutant, tests)] = (mutant, time.monotonic() + IDLE)
        if not running:
            return
        for child, (mutant, end) in list(running.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if not done and time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                done, status = child, signal.SIGKILL
            if done:
                del running[child]
                code = os.waitstatus_to_exitcode(status)
                yield mutant, ANSWERS[code] if 0 <= code < len(ANSWERS) else "timeout" if code < 0 else "crash"
        time.sleep(0.01)
