"""The judge: evidence and criteria in, a verdict with findings out. Pure: no file is touched."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from shiage.domain.verdict import CriterionResult, Finding, Judgment, Verdict
from shiage.judge.admissions import admissions, early_words
from shiage.judge.brace_bodies import brace_bodies
from shiage.judge.change import FileChange, changes_of
from shiage.judge.evaluators import EVALUATORS, TemplateEvaluator, evaluator_of
from shiage.judge.evidence import Evidence, is_transient, missing_evidence
from shiage.judge.expected_files import missing_files
from shiage.judge.findings import found
from shiage.judge.marks import marks_left
from shiage.judge.omissions import omissions
from shiage.judge.python_bodies import python_bodies
from shiage.judge.report import delivered
from shiage.judge.requests import asks_line_ends
from shiage.judge.settings import JudgeSettings, settings_from
from shiage.judge.syntax import Asked, syntax_faults
from shiage.judge.trees import tree_errors

MAX_FINDINGS = 50  #: of one criterion: who repairs fifty places sees the pattern
Criterion = Callable[[Evidence, Mapping[str, str | None], Mapping[str, str | None]], Iterable[Finding]]


def check(
    report: str | None = None,
    after: Mapping[str, str | None] | None = None,
    before: Mapping[str, str | None] | None = None,
    criteria: Sequence[str] | None = None,
    request: str = "",
    template: str | None = None,
    status: str = "COMPLETE",
    settings: Mapping[str, object] | JudgeSettings | None = None,
    *,
    evaluators: tuple[TemplateEvaluator, ...] = EVALUATORS,
    ask: Asked = tree_errors,
) -> Verdict:
    """Judge one attempt.

    >>> check(report="Done.", after={"a.py": "x = 1  # TODO: the rest"}).criteria_failed
    ('Q2',)

    `after` holds the changed files (None: deleted), `before` their earlier text (absent: new).
    `report` None means that there is none to judge; an empty one is an empty output, a REJECT.
    `ask` answers for the grammars; who judges strangers' text asks them in a process that can be ended.
    """
    chosen = settings_from(settings)
    after, before = after or {}, before or {}
    files = changes_of(after, before, line_ends=asks_line_ends(request))
    deliverable = () if files or not report else delivered(report)
    standing = tuple(path for path, text in after.items() if text is not None and before.get(path) == text)
    evidence = Evidence(report, files, deliverable, request, status, chosen, standing, ask)
    results, findings = _judged(tuple(criteria or chosen.mandatory), evidence, after, before)
    evaluator = evaluator_of(template, evaluators)
    if evaluator:
        more_results, more_findings = _evaluated(evaluator, report or "", request)
        results, findings = results + more_results, findings + more_findings
    return Verdict(_judgment(results, findings, evidence), results, findings)


Results = tuple[CriterionResult, ...]
Findings = tuple[Finding, ...]


def _judgment(results: Results, findings: Findings, evidence: Evidence) -> Judgment:
    if all(result.passed for result in results):
        return Judgment.PASS
    passing = ("status", "no-change", "early-termination", "empty-output")
    if is_transient(evidence) and all(finding.rule in passing for finding in findings):
        return Judgment.RETRY
    return Judgment.REJECT


def _judged(
    enabled: tuple[str, ...], evidence: Evidence, after: Mapping[str, str | None], before: Mapping[str, str | None]
) -> tuple[Results, Findings]:
    """Every criterion once; Q6 needs to know what Q1 and Q5 say, and the report's marks belong to Q2."""
    everything: dict[str, list[Finding]] = {}
    for criteria_id in (*enabled, *("Q1", "Q5") * ("Q6" in enabled)):
        if criteria_id not in everything:
            everything[criteria_id] = _safely(criteria_id, evidence, after, before)
    if "Q6" in enabled and (everything["Q1"] or everything["Q5"]):
        everything["Q6"] += early_words(evidence.report or "", evidence.settings)
    shown = [finding for criteria_id in enabled for finding in everything[criteria_id]]
    results = tuple(
        CriterionResult(criteria_id, not everything[criteria_id], _details(everything[criteria_id]))
        for criteria_id in enabled
    )
    return results, tuple(shown)


def _details(findings: list[Finding]) -> str:
    if not findings:
        return ""
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return f"{first.rule}{' at ' + first.place if first.place else ''}: {first.description}{more}"


def _unique(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding per criterion and line, up to the limit."""
    seen: set[tuple[str, str, int | None, str]] = set()
    for finding in findings:
        key = (finding.criteria_id, finding.path, finding.line, "" if finding.line else finding.rule + finding.quote)
        if key not in seen:
            seen.add(key)
            yield finding
        if len(seen) == MAX_FINDINGS:
            return


def _safely(
    criteria_id: str, evidence: Evidence, after: Mapping[str, str | None], before: Mapping[str, str | None]
) -> list[Finding]:
    """Fail closed: a criterion that is unknown, or that breaks, has not passed."""
    criterion = CRITERIA.get(criteria_id)
    if criterion is None:
        return [
            found(
                criteria_id,
                "unknown-criterion",
                "",
                None,
                criteria_id,
                f"{criteria_id} cannot be judged here.",
                "Enable criteria that exist.",
            )
        ]
    try:
        return list(_unique(criterion(evidence, after, before)))
    except Exception as error:  # whatever breaks here, an attempt that could not be judged is rejected
        return [
            found(
                criteria_id,
                "criterion-error",
                "",
                None,
                repr(error),
                f"{criteria_id} could not be judged.",
                "Report this as a fault of shiage.",
            )
        ]


def _evaluated(evaluator: TemplateEvaluator, report: str, request: str) -> tuple[Results, Findings]:
    try:
        results, findings = evaluator.evaluate(report, request)
    except Exception as error:  # an evaluator may come from a plugin; seed 003 §11.2: an error is a REJECT
        said = f"{evaluator.name} failed: {error!r}"
        result = CriterionResult(evaluator.template_id, False, said)
        return (result,), (
            found(evaluator.template_id, "evaluator-error", "", None, repr(error), said, "Repair the evaluator."),
        )
    return tuple(results), tuple(findings)


# ---------------------------------------------------------------- the table


def _judged_files(evidence: Evidence) -> tuple[FileChange, ...]:
    return tuple(file for file in evidence.files or evidence.deliverable if not file.deleted)


def _q1(evidence: Evidence, after: Mapping[str, str | None], before: Mapping[str, str | None]) -> Iterable[Finding]:
    return missing_files(evidence.request, after, before)


def _q2(evidence: Evidence, *_: object) -> Iterator[Finding]:
    for file in _judged_files(evidence):
        yield from marks_left(file, evidence.settings)
    yield from (
        finding for finding in admissions(evidence.report or "", evidence.settings) if finding.criteria_id == "Q2"
    )


def _q3(evidence: Evidence, *_: object) -> Iterator[Finding]:
    for file in _judged_files(evidence):
        yield from omissions(file, evidence.settings)
        if file.language.name == "python":
            yield from python_bodies(file, evidence.request)
        else:
            yield from brace_bodies(file, evidence.request)


def _q4(evidence: Evidence, *_: object) -> Iterable[Finding]:
    return syntax_faults(_judged_files(evidence), evidence.ask)


def _q5(evidence: Evidence, *_: object) -> Iterable[Finding]:
    return missing_evidence(evidence)


def _q6(evidence: Evidence, *_: object) -> Iterator[Finding]:
    yield from (
        finding for finding in admissions(evidence.report or "", evidence.settings) if finding.criteria_id == "Q6"
    )


CRITERIA: dict[str, Criterion] = {"Q1": _q1, "Q2": _q2, "Q3": _q3, "Q4": _q4, "Q5": _q5, "Q6": _q6}
