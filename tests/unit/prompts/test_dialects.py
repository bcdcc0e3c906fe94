"""Slash commands: exactly the agreed text, and only where the project has them."""

import pytest

from shiage.domain.errors import OurBug
from shiage.domain.verdict import Finding
from shiage.prompts import DIALECT_MARKERS, Brief, command, detect_dialect
from shiage.prompts.dialects import ROWS


def brief(phase: str, role: str, round: int = 2, **more: object) -> Brief:
    return Brief(phase, role, "login", ".kiro/specs/login", round, **more)  # type: ignore[arg-type]


KIRO = [
    (brief("requirements", "author"), "/kiro:spec-requirements login"),
    (brief("design", "author"), "/kiro:spec-design login -y"),
    (brief("tasks", "author"), "/kiro:spec-tasks login -y"),
    (brief("document-review", "reviewer"), "/kiro:document-review login"),
    (brief("document-review", "responder", autofix=True), "/kiro:document-review-reply login 2 --autofix"),
    (brief("document-review", "responder"), "/kiro:document-review-reply login 2"),
    (brief("document-review", "responder", fix=True), "/kiro:document-review-reply login 2 --fix"),
    (brief("impl", "implementer"), "/kiro:spec-impl login"),
    (brief("inspection", "inspector"), "/kiro:spec-inspection login"),
]
CC_SDD = [
    (brief("requirements", "author"), "/kiro-spec-requirements login"),
    (brief("design", "author"), "/kiro-spec-design login -y"),
    (brief("tasks", "author"), "/kiro-spec-tasks login -y"),
    (brief("impl", "implementer"), "/kiro-impl login"),
    (brief("inspection", "inspector"), "/kiro-validate-impl login"),
]


@pytest.mark.parametrize(("order", "text"), KIRO)
def test_kiro_commands_are_exactly_those_agreed(order: Brief, text: str) -> None:
    assert command(order, "kiro") == text


@pytest.mark.parametrize(("order", "text"), CC_SDD)
def test_cc_sdd_skills_are_exactly_those_agreed(order: Brief, text: str) -> None:
    assert command(order, "cc-sdd") == text


def test_spec_kit_is_told_what_is_wanted_and_where() -> None:
    order = brief("requirements", "author", request="Log in\nwith {feature} and a password")
    place = "SPECIFY_FEATURE_DIRECTORY=.kiro/specs/login"
    assert command(order, "speckit") == f"/speckit-specify {place} Log in with {{feature}} and a password"
    assert command(brief("requirements", "author"), "speckit") is None
    assert command(brief("design", "author"), "speckit") == "/speckit-plan"


def test_older_spec_kit_commands_have_a_dot() -> None:
    names = [".claude/commands/speckit.plan.md"]
    assert detect_dialect(names) == "speckit"
    assert command(brief("design", "author"), "speckit", names) == "/speckit.plan"
    assert command(brief("tasks", "author"), "speckit", names) is None


@pytest.mark.parametrize(
    ("order", "dialect"),
    [
        (brief("inspection", "fixer"), "kiro"),
        (brief("document-review", "reviewer"), "cc-sdd"),
        (brief("verify", "inspector"), "kiro"),
        (Brief("task", "implementer", request="do it"), "kiro"),
        (brief("impl", "implementer"), None),
        (brief("impl", "implementer"), "another"),
    ],
)
def test_a_role_without_a_command_gets_none(order: Brief, dialect: str | None) -> None:
    assert command(order, dialect) is None


def test_a_rejection_or_an_answer_goes_by_the_template_prompt() -> None:
    assert command(brief("impl", "implementer", problems=(Finding("Q2", "marker"),)), "kiro") is None
    assert command(brief("impl", "implementer", answer="use SQLite"), "kiro") is None
    assert command(brief("impl", "implementer", answer="  "), "kiro") == "/kiro:spec-impl login"


def test_a_command_whose_file_is_missing_is_not_sent() -> None:
    names = [".claude/commands/kiro/spec-impl.md"]
    assert command(brief("impl", "implementer"), "kiro", names) == "/kiro:spec-impl login"
    assert command(brief("document-review", "reviewer"), "kiro", names) is None


def test_a_reply_without_a_round_is_our_bug() -> None:
    with pytest.raises(OurBug):
        command(brief("document-review", "responder", round=0), "kiro")


@pytest.mark.parametrize(
    ("names", "dialect"),
    [
        ([".claude/commands/kiro/spec-requirements.md"], "kiro"),
        ([".claude/skills/kiro-spec-requirements/SKILL.md"], "cc-sdd"),
        ([".agents/skills/kiro-impl/SKILL.md"], "cc-sdd"),
        ([".claude/skills/speckit-specify/SKILL.md"], "speckit"),
        ([".claude/commands/speckit.specify.md"], "speckit"),
        ([".claude/skills/kiro-impl/SKILL.md", ".claude/commands/kiro/spec-impl.md"], "kiro"),
        (["README.md", ".claude/commands/kiro.md", "x/.claude/commands/kiro/spec-impl.md"], None),
        ([], None),
    ],
)
def test_a_dialect_is_detected_from_the_projects_files(names: list[str], dialect: str | None) -> None:
    assert detect_dialect(names) == dialect


def test_every_row_can_be_detected_by_its_own_marker() -> None:
    assert set(DIALECT_MARKERS) == {path for row in ROWS for path in row.files}
    for row in ROWS:
        assert {detect_dialect([path]) for path in row.files} == {row.dialect}
        assert row.text.startswith("/")
