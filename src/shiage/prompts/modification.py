"""The modification prompt: what the judge found, what is demanded, and the task again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from textwrap import indent

from shiage.domain.verdict import Finding
from shiage.prompts.slots import fill, load, template_language
from shiage.prompts.text import MOST_QUOTE, clean, data, one_line, place

MOST_ISSUES = 50  #: more would bury the task; the rest shows again once these are settled

#: Which kind of issue a criterion finds. Tests, lint, types, templates and plugins find incomplete work.
_TYPES = {
    "Q1": "missing_file",
    "Q2": "incomplete",
    "Q3": "omission",
    "Q4": "syntax_error",
    "Q5": "incomplete",
    "Q6": "early_termination",
}

#: The criteria that a template adds.
_TEMPLATE_CRITERIA = {"goal_drift_guard": ("GD1", "GD2", "GD3", "GD4", "GD5")}


@dataclass(frozen=True, slots=True)
class Labels:
    """The words around an issue in one language."""

    location: str
    suggestion: str
    none: str
    more: str


_LABELS = {
    "en": Labels("Location", "Suggestion", "No single place was named", "and {count} more like these"),
    "ja": Labels("場所", "提案", "個別の箇所は示されていません", "ほかに同様の問題が {count} 件"),
}


@dataclass(frozen=True, slots=True)
class TemplateIssues:
    """What the evaluator of the selected template found."""

    name: str
    findings: tuple[Finding, ...]
    instructions: str = ""  #: the template's own demand; empty: return to the goal


def template_issues(
    name: str | None, findings: Sequence[Finding], others: Collection[str] = ()
) -> TemplateIssues | None:
    """The findings among these that are the selected template's own; None when there are none.

    A template of another package may name its criteria as it likes: its own are those that nobody else has.
    """
    ids = _TEMPLATE_CRITERIA.get(name or "")
    own = tuple(
        one for one in findings if (one.criteria_id in ids if ids else others and one.criteria_id not in others)
    )
    return TemplateIssues(name, own) if name and own else None


def issue_type(finding: Finding) -> str:
    """The kind of issue that events and prompts name for a finding."""
    return _TYPES.get(finding.criteria_id, "incomplete")


def modification(
    language: str, problems: Sequence[Finding], original: str, template: TemplateIssues | None = None
) -> str:
    """The prompt after a rejection. A finding that the template reports is listed there and not twice."""
    language = template_language(language)
    own = template.findings if template else ()
    general = [finding for finding in problems if finding not in own]
    issues = _listed(language, [_issue(language, finding) for finding in general])
    parts = [fill(load(language, "modification"), {"issues": issues})]
    if template and own:
        parts.append(_template_section(language, template))
    parts.append(fill(load(language, "modification-original"), {"original": clean(original).strip("\n")}))
    return "\n\n".join(parts) + "\n"


def _template_section(language: str, template: TemplateIssues) -> str:
    return fill(
        load(language, "modification-template"),
        {
            "name": one_line(template.name),
            "issues": _listed(language, [_violation(finding) for finding in template.findings]),
            "instructions": clean(template.instructions) or load(language, "modification-instructions"),
        },
    )


def _listed(language: str, issues: Sequence[str]) -> str:
    label = _LABELS[language]
    more = len(issues) - MOST_ISSUES
    rest = [f"- {label.more.format(count=more)}"] if more > 0 else []
    return "\n".join([*issues[:MOST_ISSUES], *rest]) or f"- {label.none}"


def _issue(language: str, finding: Finding) -> str:
    label = _LABELS[language]
    lines = [f"- **{issue_type(finding)}**: {one_line(finding.description or finding.rule)}"]
    if finding.place:
        lines.append(f"  {label.location}: {place(finding.place)}")
    if finding.suggestion:
        lines.append(f"  {label.suggestion}: {one_line(finding.suggestion)}")
    if finding.quote:
        lines.append(_quoted(finding.quote))
    return "\n".join(lines)


def _violation(finding: Finding) -> str:
    said = one_line(finding.description or finding.suggestion)
    line = f"- **{place(finding.criteria_id)}** ({place(finding.rule)}): {said}"
    if not finding.quote:
        return line
    where = f" ({place(finding.place)})" if finding.place else ""
    return f"{line}\n  Evidence{where}:\n{_quoted(finding.quote)}"


def _quoted(quote: str) -> str:
    """The fence as part of the list item above it."""
    return indent(data(quote, MOST_QUOTE), "  ")
