"""Q7 to Q9: the configured commands, run by shiage after an attempt and compared with how they ended before the task."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from shiage.domain.run import Attempt, Run
from shiage.domain.verdict import CriterionResult, Finding, Judgment, Verdict
from shiage.engine.case import Case
from shiage.engine.checks import Ran, perform
from shiage.engine.outputs import new_failures
from shiage.engine.panel import COMMANDS
from shiage.flow.workflows import JUDGED


@dataclass(frozen=True, slots=True)
class Before:
    """How a command ended before the task."""

    passed: bool
    output: str


def due(case: Case, run: Run) -> bool:
    """Whether the state before the task is still to be learnt: nobody has worked at it yet."""
    begun = [a for a in run.attempts if a.order.phase == run.phase and a.order.role in JUDGED and not a.cut]
    return bool(_commands(case)) and not begun and not _kept(case, run).exists()


async def learn(case: Case, run: Run, stop: asyncio.Event) -> None:
    """Run each enabled command once before anybody works, and keep how it ended."""
    ended: dict[str, Before] = {}
    for criterion, argv in _commands(case).items():
        ran = await perform(case, run, argv, f"before-{run.phase}-{criterion}", f"{run.id}-before-{criterion}", stop)
        ended[criterion] = Before(ran.passed, ran.output)
    if not stop.is_set():
        _kept(case, run).write_text(json.dumps({name: asdict(one) for name, one in ended.items()}))


async def look(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> Verdict:
    """Run each enabled command after the attempt; what failed before is not held against the agent."""
    before, verdict = _read(_kept(case, run)), Verdict(Judgment.PASS)
    for criterion, argv in _commands(case).items():
        verdict = verdict.joined(await _one(case, run, attempt, criterion, argv, before.get(criterion), stop))
    return verdict


def _commands(case: Case) -> Mapping[str, tuple[str, ...]]:
    panel = case.setup.panel()
    enabled = panel.commands if panel else ()
    return {name: case.setup.checks[COMMANDS[name]] for name in enabled if COMMANDS[name] in case.setup.checks}


def _kept(case: Case, run: Run) -> Path:
    return case.places.run_folder(run.id) / f"before-{run.phase}.json"


def _read(path: Path) -> Mapping[str, Before]:
    """What was never learnt is nobody's excuse."""
    try:
        return {name: Before(**one) for name, one in json.loads(path.read_text()).items()}
    except (OSError, ValueError, TypeError):
        return {}


async def _one(
    case: Case, run: Run, attempt: Attempt, criterion: str, argv: tuple[str, ...], before: Before | None,
    stop: asyncio.Event,
) -> Verdict:  # fmt: skip
    """A test that fails is run again, since some fail only now and then; linters and type checkers do not."""
    most, wanted = case.setup.flaky if criterion == "Q7" else (1, 1)
    good, runs = 0, 0
    while True:
        runs += 1
        ran = await perform(
            case, run, argv, f"check-{attempt.number}-{criterion}-{runs}", f"{attempt.agent_id}-{criterion}", stop
        )
        fresh = _fresh(before, ran)
        good += fresh is None
        if runs == 1 and fresh is None:
            return _passed(criterion, "" if ran.passed else "fails as it did before the task")
        if good >= wanted:
            return _passed(criterion, f"flaky: passed {good} of {runs} times")
        if stop.is_set() or good + most - runs < wanted:
            return _failed(criterion, argv, ran, fresh or frozenset())


def _fresh(before: Before | None, ran: Ran) -> frozenset[str] | None:
    """What fails that did not fail before; None when that is nothing."""
    if ran.passed:
        return None
    fresh = new_failures(before.output if before and not before.passed else None, ran.output)
    return frozenset() if fresh is None else fresh or None


def _passed(criterion: str, details: str) -> Verdict:
    return Verdict(Judgment.PASS, (CriterionResult(criterion, True, details),))


def _failed(criterion: str, argv: tuple[str, ...], ran: Ran, fresh: frozenset[str]) -> Verdict:
    command, named = " ".join(argv), "; ".join(sorted(fresh)[:5])
    said = f"`{command}` failed: {ran.how}" + (f"; new: {named}" if named else "")
    finding = Finding(criterion, COMMANDS[criterion], "", None, ran.tail, said, f"Make `{command}` pass again.")
    return Verdict(Judgment.REJECT, (CriterionResult(criterion, False, said),), (finding,))
