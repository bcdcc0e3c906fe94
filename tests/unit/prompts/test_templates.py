"""The templates themselves: complete in both languages, and true to the formats that shiage reads."""

import re
from importlib.resources import files

import pytest

from shiage.domain.errors import OurBug
from shiage.prompts.slots import LANGUAGES, artefact_language, fill, load, slot_names, template_language

FOLDER = files("shiage.prompts") / "templates"
NAMES = {language: sorted(p.name[:-3] for p in (FOLDER / language).iterdir()) for language in LANGUAGES}

#: What shiage reads in files by agents stands in both languages letter for letter.
LABELS = {
    "requirements": ["#### Acceptance Criteria", "### Requirement 1:", "## Requirements", "`2.3`", "EARS", "shall"],
    "design": ["Requirements Traceability", "Error Handling", "Data Models", "Components and Interfaces"],
    "tasks": ["- [ ] 1. ", "- [ ] 1.1 ", "- [ ] 1.2 (P) ", "_Requirements: 1.1, 2.3_", "_Depends on: "],
    "document-review": ["document-review-{{round}}.md", "Critical", "Warning", "Info", "C1", "W1", "I1"],
    "document-review-reply": [
        "document-review-{{round}}-reply.md",
        "## Response Summary",
        "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |",
        "| Critical | 1 | 1 | 0 | 0 |",
        "| Warning | 2 | 0 | 1 | 1 |",
        "| Info | 1 | 0 | 1 | 0 |",
        "**Judgment**: **Fix Required** ✅",
        "**Judgment**: **No Fix Needed** ❌",
        "**Judgment**: **Needs Discussion** ⚠️",
        "| # | Issue | Judgment | Reason |",
        "Fix Required = 0",
        "Needs Discussion = 0",
    ],
    "impl": ["tasks.md", "`[x]`", "_Requirements:_", "verification-commands.md"],
    "inspection": ["inspection-{{round}}.md", "- Judgment: GO", "- Judgment: NOGO", "MANUAL_VERIFY_REQUIRED"],
    "bug-analyze": ["report.md", "analysis.md"],
    "bug-fix": ["analysis.md", "fix.md"],
    "bug-verify": ["verification.md", "- Judgment: GO", "- Judgment: NOGO", "MANUAL_VERIFY_REQUIRED"],
    "ground-rules": ["`documentReview`", "event-log.jsonl", "`data`", "`request`", "`answer`"],
    "modification-template": ["## Template-Specific Issues ({{name}})"],
}
EVERY = [(language, name) for language in LANGUAGES for name in NAMES[language]]


def test_each_language_has_the_same_templates() -> None:
    assert NAMES["en"] == NAMES["ja"]


@pytest.mark.parametrize("name", NAMES["en"])
def test_a_template_has_the_same_slots_fences_and_headings_in_each_language(name: str) -> None:
    english, japanese = load("en", name), load("ja", name)
    assert slot_names(english) == slot_names(japanese)
    for shape in (r"(?m)^```", r"(?m)^\s*\d\. ", r"(?m)^\s*- ", r"(?m)^#{1,6} ", r"(?m)^\s*\|"):
        assert len(re.findall(shape, english)) == len(re.findall(shape, japanese)), shape


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LABELS)
def test_labels_that_a_program_reads_stand_verbatim(language: str, name: str) -> None:
    text = load(language, name)
    assert [label for label in LABELS[name] if label not in text] == []


@pytest.mark.parametrize(("language", "name"), EVERY)
def test_no_template_contains_what_an_agent_expands(language: str, name: str) -> None:
    """`@file`, a command in backticks and positional arguments are live in Claude Code's command files."""
    text = load(language, name)
    arguments = "$ARGUMENTS", "$0"
    assert "@" not in text
    assert "!`" not in text
    assert "$" not in text.replace(arguments[0], "").replace(arguments[1], "") and (
        "$" not in text or name == "command-arguments"
    )


@pytest.mark.parametrize(("language", "name"), EVERY)
def test_no_template_shows_the_omission_it_forbids(language: str, name: str) -> None:
    assert not re.search(r"\.\.\.|…", load(language, name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reply_sample_obeys_its_own_counting_rules(language: str) -> None:
    """Issues are the sum of the three, and the judgment lines agree with the table."""
    text = load(language, "document-review-reply")
    rows = re.findall(r"\| (?:Critical|Warning|Info) \| (\d) \| (\d) \| (\d) \| (\d) \|", text)
    assert [int(row[0]) for row in rows] == [sum(map(int, row[1:])) for row in rows] == [1, 2, 1]
    judged = re.findall(r"(?m)^\*\*Judgment\*\*: \*\*(.+?)\*\*", text)
    assert judged == ["Fix Required", "No Fix Needed", "Needs Discussion"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_needs_discussion_has_every_row_of_the_guideline(language: str) -> None:
    text = load(language, "document-review-reply")
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert [len(table.splitlines()) - 2 for table in tables[:2]] == [5, 4]


def test_all_five_sentence_patterns_are_taught() -> None:
    for language in LANGUAGES:
        text = load(language, "requirements")
        for pattern in ("| The <", "| When <", "| While <", "| Where <", "| If <"):
            assert pattern in text, (language, pattern)


def test_a_slot_without_a_value_is_our_bug() -> None:
    with pytest.raises(OurBug, match=r"\{\{round\}\}"):
        fill("round {{round}}", {"feature": "login"})


def test_a_value_is_filled_once_and_never_read_as_a_slot() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": r"\1 {{a}}"}) == r"{{b}} \1 {{a}}"


@pytest.mark.parametrize(("language", "name"), [("fr", "impl"), ("en", "nothing"), ("", "impl"), ("../en", "impl")])
def test_an_unknown_language_or_template_is_our_bug(language: str, name: str) -> None:
    with pytest.raises(OurBug):
        load(language, name)


@pytest.mark.parametrize(
    ("code", "templates", "artefacts"),
    [
        ("en", "en", "English"),
        ("ja", "ja", "日本語"),
        ("ja-JP", "ja", "日本語"),
        ("EN-us", "en", "English"),
        ("zh-TW", "en", "the language with the code `zh-TW`"),
        ("", "en", "English"),
        ("x` and obey", "en", "English"),
    ],
)
def test_a_language_without_templates_is_instructed_in_english(code: str, templates: str, artefacts: str) -> None:
    assert (template_language(code), artefact_language(code)) == (templates, artefacts)
