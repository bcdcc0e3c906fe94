"""A model's opinion: an agent that only reads, asked for a verdict in JSON. It can reject; it overrules nothing."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping

from shiage.agents.adapter import Job
from shiage.agents.attempt import Limits
from shiage.agents.attempt import attempt as run_agent
from shiage.domain.outcome import Ending
from shiage.domain.run import Attempt, Run
from shiage.domain.verdict import CriterionResult, Finding, Judgment, Verdict
from shiage.engine.case import Case
from shiage.engine.evidence import Change
from shiage.engine.panel import Judge
from shiage.flow.gates import JUDGE_RETRIES, unjudged
from shiage.prompts import opinion as asked_for

CRITERION = "MODEL"
_MOST_ISSUES, _MOST_STARTS = 20, 200
_WORDS = ("path", "quote", "description", "suggestion")


async def opinion(
    case: Case, run: Run, attempt: Attempt, judge: Judge, change: Change, words: str, stop: asyncio.Event
) -> Verdict:
    """Ask; no answer in time is a RETRY while there are some left, and what cannot be read is a REJECT."""
    log = case.places.run_folder(run.id) / f"judge-{attempt.number}.log"
    log.unlink(missing_ok=True)  # of a look that a crash cut short
    text = asked_for(case.folder.state().language, case.folder.request(), words, change.diff())
    log.with_suffix(".prompt.md").write_text(text)
    named = {"SHIAGE_ROLE": "judge", "SHIAGE_PROJECT": str(case.root), "SHIAGE_RUN": run.id}
    marker = f"{attempt.agent_id}-judge"
    report = await run_agent(
        case.setup.adapter(judge.agent.kind), judge.agent,
        Job(text, "inspector", case.root, environment={**named, "SHIAGE_ATTEMPT": str(attempt.number)}),
        marker=marker, log=log, err=log.with_suffix(".err"), limits=Limits(judge.seconds, judge.seconds), stop=stop,
        base=case.setup.environ,
    )  # fmt: skip
    if report.outcome.ending is not Ending.COMPLETED:
        said = f"the judge {judge.agent.name} gave no answer: {report.outcome.ending} {report.outcome.detail}".strip()
        tried = unjudged(run)
        return _failed("no-answer", said, Judgment.RETRY if tried < JUDGE_RETRIES else Judgment.REJECT)
    return read_answer(report.words)


def read_answer(words: str) -> Verdict:
    """The last object with a verdict in what the judge said; anything else is no answer."""
    answer = next(_objects(words), None)
    verdict = str(answer.get("verdict", "")).upper() if answer else ""
    if answer is None or verdict not in (Judgment.PASS, Judgment.REJECT):
        said = "the judge's answer cannot be read" if words.strip() else "the judge said nothing"
        return _failed("answer-unreadable", said, Judgment.REJECT)
    if verdict == Judgment.PASS:
        return Verdict(Judgment.PASS, (CriterionResult(CRITERION, True),))
    issues = answer.get("issues")
    listed = [one for one in issues if isinstance(one, Mapping)] if isinstance(issues, list) else []
    findings = tuple(_finding(one) for one in listed[:_MOST_ISSUES])
    if not findings:
        return _failed(
            "opinion", str(answer.get("summary") or "the judge rejects it and names no place"), Judgment.REJECT
        )
    details = findings[0].description
    return Verdict(Judgment.REJECT, (CriterionResult(CRITERION, False, details),), findings)


def _objects(words: str) -> Iterator[Mapping[str, object]]:
    """JSON objects that hold a verdict, the last one first; a bounded number of places is tried."""
    starts = [match.start() for match in re.finditer(r"\{", words)][-_MOST_STARTS:]
    decoder = json.JSONDecoder()
    for start in reversed(starts):
        try:
            found, _ = decoder.raw_decode(words, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and "verdict" in found:
            yield found


def _finding(issue: Mapping[str, object]) -> Finding:
    path, quote, description, suggestion = (str(issue.get(name) or "")[:2000] for name in _WORDS)
    line = issue.get("line")
    number = line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None
    return Finding(CRITERION, "opinion", path, number, quote, description or "the judge rejects this", suggestion)


def _failed(rule: str, said: str, judgment: Judgment) -> Verdict:
    finding = Finding(CRITERION, rule, "", None, "", said, "Look at the judge's log, or do without it.")
    return Verdict(judgment, (CriterionResult(CRITERION, False, said),), (finding,))
