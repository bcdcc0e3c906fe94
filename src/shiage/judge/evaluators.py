"""Evaluators that a template brings along. No template, or an unknown one: none runs."""

from collections.abc import Callable
from dataclasses import dataclass

from shiage.domain.verdict import CriterionResult, Finding
from shiage.judge import drift

Judged = tuple[tuple[CriterionResult, ...], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class TemplateEvaluator:
    """One evaluator: the template it belongs to, its name for people, and what it makes of a report."""

    template_id: str
    name: str
    evaluate: Callable[[str, str], Judged]  #: of the report and of what was asked for


EVALUATORS: tuple[TemplateEvaluator, ...] = (TemplateEvaluator(drift.TEMPLATE_ID, drift.NAME, drift.evaluate),)


def evaluator_of(
    template: str | None, registry: tuple[TemplateEvaluator, ...] = EVALUATORS
) -> TemplateEvaluator | None:
    """The evaluator of this template, if there is one."""
    return next((row for row in registry if row.template_id == template), None)
