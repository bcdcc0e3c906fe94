"""The judge against its labelled corpus: every case that must be rejected is, and no other."""

from collections import Counter

import pytest
from labelled import HARD, HARD_KINDS, PROMISED, WEAKENED, Case, cases, promised

from shiage.judge import check

LABELS = sorted({label for label, _ in promised()})
ENOUGH = 40  #: cases of each kind that a criterion has in each language


def rejected(case: Case) -> bool:
    chosen = [] if case.label.startswith("GD") else [case.criteria_id]
    verdict = check(criteria=chosen or ["Q2"], **case.given)
    rules = {case.label} if case.label in WEAKENED else {finding.rule for finding in verdict.findings}
    found = [
        finding for finding in verdict.findings if finding.criteria_id == case.criteria_id and finding.rule in rules
    ]
    return any(finding.line == case.line for finding in found) if case.line else bool(found)


@pytest.mark.parametrize("label", LABELS)
def test_what_is_bad_is_rejected_and_what_is_good_is_not(label: str) -> None:
    wrong = [case for case in cases() if case.label == label and rejected(case) is not case.bad]
    assert [(case.language, "missed" if case.bad else "false alarm", case.given) for case in wrong] == []


def test_there_are_cases_enough_for_each_criterion_and_language() -> None:
    kinds = {(case.label, case.language, case.bad, repr(case.given)) for case in cases()}
    count = Counter((label, language, bad) for label, language, bad, _ in kinds)
    few = [(*key, bad, count[*key, bad]) for key in promised() for bad in (True, False) if count[*key, bad] < ENOUGH]
    assert few == []


def test_what_only_looks_wrong_is_there_for_each_language_that_has_it() -> None:
    there = {kind: {language for language in PROMISED if kind in HARD[language]} for kind in HARD_KINDS}
    assert there == {kind: set(languages.split()) for kind, languages in HARD_KINDS.items()}
    assert {kind for row in HARD.values() for kind in row} == set(HARD_KINDS)
