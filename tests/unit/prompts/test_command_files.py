"""The command files that a project gets."""

import json
import re

import pytest

from shiage.prompts import DIALECT_MARKERS, detect_dialect, ground_rules, slash_commands
from shiage.prompts.slots import LANGUAGES, fill, load

FOLDER = ".claude/commands/kiro/"
BODIES = {
    "spec-requirements": ["requirements"],
    "spec-design": ["design"],
    "spec-tasks": ["tasks"],
    "document-review": ["document-review"],
    "document-review-reply": ["document-review-reply", "reply-manual", "reply-autofix", "document-review-fix"],
    "spec-impl": ["impl"],
    "spec-inspection": ["inspection"],
}
SLOTS = {"feature": "$0", "spec_dir": ".kiro/specs/$0", "round": "N"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_exactly_the_commands_of_the_kiro_dialect_are_installed(language: str) -> None:
    paths = set(slash_commands(language))
    assert paths == {f"{FOLDER}{name}.md" for name in BODIES}
    assert paths == {path for path in DIALECT_MARKERS if path.startswith(FOLDER)}
    assert detect_dialect(paths) == "kiro"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BODIES)
def test_a_command_says_what_the_prompt_says(language: str, name: str) -> None:
    content = slash_commands(language)[f"{FOLDER}{name}.md"]
    for body in BODIES[name]:
        assert fill(load(language, body), SLOTS) in content
    assert content.endswith(ground_rules(language) + "\n")
    assert "{{" not in content


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BODIES)
def test_the_front_matter_is_readable_and_first(language: str, name: str) -> None:
    content = slash_commands(language)[f"{FOLDER}{name}.md"]
    front = re.match(r"---\n(.*?)\n---\n\n", content, re.DOTALL)
    assert front
    values = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in front[1].split("\n"))}
    assert "<feature-name>" in values["description"] and "`" not in values["description"]
    assert values["argument-hint"].startswith("<feature-name>")
    assert set(values) <= {"description", "argument-hint", "allowed-tools"}


@pytest.mark.parametrize("name", BODIES)
def test_no_command_allows_itself_any_shell_command(name: str) -> None:
    tools = re.findall(r'(?m)^allowed-tools: "(.*)"$', slash_commands("en")[f"{FOLDER}{name}.md"])
    assert [tool for row in tools for tool in row.split(", ") if tool.startswith("Bash")] in (
        [],
        ["Bash(printenv SHIAGE_ROUND)"],
    )


@pytest.mark.parametrize("name", BODIES)
def test_positional_arguments_count_from_zero(name: str) -> None:
    content = slash_commands("en")[f"{FOLDER}{name}.md"]
    assert set(re.findall(r"\$\w+", content)) == {"$0", "$ARGUMENTS"}
    assert content.count("$ARGUMENTS") == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["document-review", "document-review-reply", "spec-inspection"])
def test_a_command_with_rounds_says_how_to_find_the_number(language: str, name: str) -> None:
    content = slash_commands(language)[f"{FOLDER}{name}.md"]
    assert "`SHIAGE_ROUND`" in content
    assert content.index("`SHIAGE_ROUND`") < content.index("-N.md")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_modes_names_the_parts_by_their_headings(language: str) -> None:
    modes = load(language, "command-modes")
    headings = {
        "reply-manual": load(language, "reply-manual").partition("\n")[0],
        "reply-autofix": load(language, "reply-autofix").partition("\n")[0],
        "document-review-fix": load(language, "document-review-fix").partition("\n")[0],
    }
    quoted = re.findall(r'["「]([^"」]+)["」]', modes)
    assert len(quoted) == 3
    for part, heading in zip(quoted, headings.values(), strict=True):
        assert part in heading


def test_a_language_without_templates_gets_english_commands_that_name_it() -> None:
    content = slash_commands("fr")[f"{FOLDER}spec-impl.md"]
    assert "# Implement `$0`" in content and "code `fr`" in content
