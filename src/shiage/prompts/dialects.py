"""Slash commands of a project, by dialect: one row each.

Sources: the project's own command files or skills. A command that is sent without its file is answered as plain text,
or swallowed, with exit code 0: so a row names the files that must be there.
"""

from collections.abc import Collection
from dataclasses import dataclass

from shiage.domain.errors import OurBug
from shiage.prompts.brief import Brief
from shiage.prompts.text import one_line

_SKILL_ROOTS = (".claude/skills", ".agents/skills")


@dataclass(frozen=True, slots=True)
class Row:
    """One slash command: who sends it when, its text, and the files of which one must exist."""

    dialect: str
    phase: str
    role: str
    text: str  #: with {feature}, {spec_dir}, {round}, {flag}, {request}
    files: tuple[str, ...]


def _kiro(name: str) -> tuple[str, ...]:
    return (f".claude/commands/kiro/{name}.md",)


def _skill(name: str) -> tuple[str, ...]:
    return tuple(f"{root}/{name}/SKILL.md" for root in _SKILL_ROOTS)


def _speckit(name: str) -> tuple[str, ...]:
    return (f".claude/commands/speckit.{name}.md",)


# Spec Kit numbers its own folders unless it is told where the feature lives; its later commands remember the place.
_SPECIFY = "SPECIFY_FEATURE_DIRECTORY={spec_dir} {request}"

#: The first row that fits wins: skills before the older dotted commands. Roles without a row get the template prompt.
ROWS: tuple[Row, ...] = (
    Row("kiro", "requirements", "author", "/kiro:spec-requirements {feature}", _kiro("spec-requirements")),
    Row("kiro", "design", "author", "/kiro:spec-design {feature} -y", _kiro("spec-design")),
    Row("kiro", "tasks", "author", "/kiro:spec-tasks {feature} -y", _kiro("spec-tasks")),
    Row("kiro", "document-review", "reviewer", "/kiro:document-review {feature}", _kiro("document-review")),
    Row(
        "kiro",
        "document-review",
        "responder",
        "/kiro:document-review-reply {feature} {round}{flag}",
        _kiro("document-review-reply"),
    ),
    Row("kiro", "impl", "implementer", "/kiro:spec-impl {feature}", _kiro("spec-impl")),
    Row("kiro", "inspection", "inspector", "/kiro:spec-inspection {feature}", _kiro("spec-inspection")),
    Row("cc-sdd", "requirements", "author", "/kiro-spec-requirements {feature}", _skill("kiro-spec-requirements")),
    Row("cc-sdd", "design", "author", "/kiro-spec-design {feature} -y", _skill("kiro-spec-design")),
    Row("cc-sdd", "tasks", "author", "/kiro-spec-tasks {feature} -y", _skill("kiro-spec-tasks")),
    Row("cc-sdd", "impl", "implementer", "/kiro-impl {feature}", _skill("kiro-impl")),
    Row("cc-sdd", "inspection", "inspector", "/kiro-validate-impl {feature}", _skill("kiro-validate-impl")),
    Row("speckit", "requirements", "author", f"/speckit-specify {_SPECIFY}", _skill("speckit-specify")),
    Row("speckit", "design", "author", "/speckit-plan", _skill("speckit-plan")),
    Row("speckit", "tasks", "author", "/speckit-tasks", _skill("speckit-tasks")),
    Row("speckit", "impl", "implementer", "/speckit-implement", _skill("speckit-implement")),
    Row("speckit", "requirements", "author", f"/speckit.specify {_SPECIFY}", _speckit("specify")),
    Row("speckit", "design", "author", "/speckit.plan", _speckit("plan")),
    Row("speckit", "tasks", "author", "/speckit.tasks", _speckit("tasks")),
    Row("speckit", "impl", "implementer", "/speckit.implement", _speckit("implement")),
)

#: The paths to look for, relative to the project.
DIALECT_MARKERS: tuple[str, ...] = tuple(path for row in ROWS for path in row.files)


def detect_dialect(names: Collection[str]) -> str | None:
    """The dialect whose files are there; with several, the first of the table."""
    present = frozenset(names)
    return next((row.dialect for row in ROWS if present.intersection(row.files)), None)


def command(brief: Brief, dialect: str | None, names: Collection[str] | None = None) -> str | None:
    """The slash command for a role, or None: then the template prompt is sent.

    `names` are the marker files that exist: without its own file a command is not sent. A rejection or a person's
    answer goes by the template prompt too, because a command cannot carry it.
    """
    if brief.rejected or brief.answer.strip():
        return None
    present = None if names is None else frozenset(names)
    for row in ROWS:
        if (row.dialect, row.phase, row.role) != (dialect, brief.phase, brief.role):
            continue
        if present is None or present.intersection(row.files):
            return _filled(row.text, brief)
    return None


def _filled(text: str, brief: Brief) -> str | None:
    """The command's text; None when it needs a description and there is none. A value is never read as a slot."""
    if "{round}" in text and brief.round < 1:
        raise OurBug(f"{text!r} needs the number of a round")
    request = one_line(brief.request, len(brief.request))
    if "{request}" in text and not request:
        return None
    flag = " --fix" if brief.fix else " --autofix" if brief.autofix else ""
    place = one_line(brief.spec_dir).rstrip("/")
    return text.format(feature=brief.feature, spec_dir=place, round=brief.round, flag=flag, request=request)
