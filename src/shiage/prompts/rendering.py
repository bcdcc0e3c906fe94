"""The prompt itself: the role's template, what is handed over, the ground rules."""

from collections.abc import Callable
from dataclasses import replace

from shiage.domain.errors import OurBug
from shiage.prompts.brief import Brief
from shiage.prompts.modification import modification
from shiage.prompts.slots import artefact_language, fill, load, template_language
from shiage.prompts.text import data, fenced, one_line

#: Phases in which all work is of one kind.
_BY_PHASE = {
    "requirements": "requirements",
    "design": "design",
    "tasks": "tasks",
    "impl": "impl",
    "analyze": "bug-analyze",
    "fix": "bug-fix",
    "task": "task",
}
_BY_ROLE = {
    ("document-review", "reviewer"): "document-review",
    ("document-review", "responder"): "document-review-reply",
    ("inspection", "inspector"): "inspection",
    ("inspection", "fixer"): "inspection-fix",
    ("verify", "inspector"): "bug-verify",
    ("verify", "fixer"): "inspection-fix",
}


def _person(mark: str) -> Callable[[str], str]:
    return lambda text: fenced(text, mark)


#: What is handed over, in the order it is shown: field of the brief, template of its section, fence.
_SECTIONS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("request", "section-request", _person("request")),
    ("question", "section-question", data),
    ("answer", "section-answer", _person("answer")),
    ("verdict_findings", "section-findings", data),
    ("checks", "section-checks", data),
)


def render(brief: Brief) -> str:
    """The whole prompt. After a rejection: the modification prompt around it."""
    if brief.rejected:
        original = render(replace(brief, problems=(), template_issues=None))
        return modification(brief.language, brief.problems, original, brief.template_issues)
    parts = [*_body(brief), *_handed_over(brief), ground_rules(brief.language)]
    return "\n\n".join(parts) + "\n"


def template_names(brief: Brief) -> tuple[str, ...]:
    """The templates of the role's own part."""
    name = _BY_ROLE.get((brief.phase, brief.role)) or _BY_PHASE.get(brief.phase)
    if name is None:
        raise OurBug(f"no template says what a {brief.role!r} does in {brief.phase!r}")
    if name != "document-review-reply":
        return (name,)
    if brief.fix:
        return ("document-review-fix",)
    return (name, "reply-autofix" if brief.autofix else "reply-manual")


def ground_rules(language: str) -> str:
    """What holds for every agent: evidence decides, what is not theirs, fences are data, the language."""
    template = load(template_language(language), "ground-rules")
    return fill(template, {"artefact_language": artefact_language(language)})


def _body(brief: Brief) -> list[str]:
    language, slots = template_language(brief.language), _slots(brief)
    return [fill(load(language, name), slots) for name in template_names(brief)]


def _slots(brief: Brief) -> dict[str, str]:
    """The filled slots only: a template that needs one that is empty is a bug, and says so."""
    number = str(brief.round) if brief.round > 0 else ""
    report = "verification.md" if brief.phase == "verify" else f"inspection-{number}.md" if number else ""
    slots = {
        "feature": brief.feature,
        "spec_dir": one_line(brief.spec_dir).rstrip("/"),
        "round": number,
        "report": report,
    }
    return {name: value for name, value in slots.items() if value}


def _handed_over(brief: Brief) -> list[str]:
    language = template_language(brief.language)
    texts = ((getattr(brief, field), section, fence) for field, section, fence in _SECTIONS)
    return [fill(load(language, section), {"fence": fence(text)}) for text, section, fence in texts if text.strip()]
