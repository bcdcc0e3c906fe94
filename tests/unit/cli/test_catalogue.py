"""English and Japanese are complete, fit a terminal, and are the only home of what the command line says."""

import ast
import re
import string
from itertools import pairwise
from pathlib import Path

import click
import pytest

import shiage
from shiage.app.catalogue import LANGUAGES, amount, known, language_of, messages, say
from shiage.app.schemas import SCHEMAS
from shiage.cli.main import COMMANDS, command_table
from shiage.cli.text import cells
from shiage.cli.words import speak
from shiage.domain.events import EVENTS
from shiage.domain.outcome import Ending
from shiage.domain.reasons import REASONS
from shiage.domain.run import Role, Status
from shiage.journal.codec import event_type

SOURCE = Path(shiage.__file__).parent
#: Tables whose English stands where the thing itself is: reasons and details in the domain, errors and problems where they
#: arise.
JAPANESE_ONLY = ("next", "detail", "error", "remedy", "problem")


def own(language: str) -> dict[str, str]:
    return {key: text for key, text in messages(language).items() if key.partition(".")[0] not in JAPANESE_ONLY}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_keys() -> None:
    assert own("en").keys() == own("ja").keys()


def test_english_has_no_table_of_its_own_for_what_the_code_says() -> None:
    assert {key.partition(".")[0] for key in messages("en")}.isdisjoint(JAPANESE_ONLY)


@pytest.mark.parametrize("key", sorted(own("en")))
def test_both_languages_fill_in_the_same_places(key: str) -> None:
    assert places(messages("en")[key]) == places(messages("ja")[key])


def test_japanese_is_japanese() -> None:
    """A text that was copied and not translated has no kana or kanji in it."""
    same = {key for key, text in own("en").items() if messages("ja")[key] == text}
    assert {key for key in same if re.search("[A-Za-z]{4}", re.sub(r"\{\w+\}", "", messages("en")[key]))} <= {
        "doctor.ignored_help",  # commands and names only
        "doctor.python",
        "doctor.trusted_help",
        "live.log",
        "queue.spec",
        "status.spec",
    }


def reported() -> set[str]:
    """The types of all reports, as they stand in the code that makes them."""
    text = (SOURCE / "flow" / "reports.py").read_text() + (SOURCE / "engine" / "record.py").read_text()
    return set(re.findall(r'(?:Report|Draft)\(\s*"([A-Z_]+)"', text)) | set(re.findall(r'\("(RUN_[A-Z]+)"', text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_has_a_sentence(language: str) -> None:
    kept = {"JOURNAL_REPAIRED", "JOURNAL_REWOUND"}
    types = {event_type(kind) for kind in EVENTS} | reported() | kept
    told = {key.removeprefix("event.").partition("-")[0] for key in messages(language) if key.startswith("event.")}
    assert len(types) > 30
    assert types - told == set()


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_has_a_next_action_in_japanese_with_the_same_places(reason: str) -> None:
    assert places(messages("ja")[f"next.{reason}"]) == places(REASONS[reason].next)


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_a_japanese_next_action_names_the_same_commands(reason: str) -> None:
    commands = re.compile(r"`([^`]+)`")
    assert set(commands.findall(messages("ja")[f"next.{reason}"])) == set(commands.findall(REASONS[reason].next))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_a_closed_set_has_a_word(language: str) -> None:
    wanted = {f"why.{reason}" for reason in REASONS} | {f"state.{status}" for status in Status}
    wanted |= {f"role.{role}" for role in Role} | {f"doing.{role}" for role in Role}
    wanted |= {f"ending.{ending}" for ending in Ending} | {f"end.{status}" for status in Status}
    wanted |= {f"status.now_{status}" for status in Status}
    wanted |= {f"help.{row.name}" for row in COMMANDS} | {f"group.{row.group}" for row in COMMANDS}
    assert wanted - messages(language).keys() == set()


def codes() -> set[str]:
    """The code of every error that a person can meet."""
    raised = re.compile(r'(?:UserError|UsageError|Ours)\(\s*"([a-z-]+)"')
    return {code for path in SOURCE.rglob("*.py") for code in raised.findall(path.read_text())}


def test_every_error_is_said_in_japanese_too() -> None:
    missing = {code for code in codes() if not (known("ja", f"error.{code}") and known("ja", f"remedy.{code}"))}
    assert missing == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_is_wider_than_a_terminal(language: str) -> None:
    speak(language)
    flowing = {"next", "event", "remedy"}  # these are wrapped, or part of a line that has no end
    texts = {key: text for key, text in messages(language).items() if key.partition(".")[0] not in flowing}
    wide = {key for key, text in texts.items() for line in text.splitlines() if cells(line) > 88}
    screens = {key for key in texts if key.startswith(("help.", "flag.", "live.", "group."))}
    assert wide == set()
    assert {key for key in screens for line in texts[key].splitlines() if cells(line) > 86} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_digits_are_half_width(language: str) -> None:
    assert [key for key, text in messages(language).items() if re.search("[０-９]", text)] == []


def test_the_toasts_of_the_guard_are_the_agreed_ones() -> None:
    again = say("ja", "event.IMPL_RERUN-counted", rerun=2, max=7, left=3)
    limit = say("ja", "event.IMPL_LIMIT_REACHED-counted", max=7, spec="login")
    assert again == "impl を再実行します (2/7): 未完了タスク 3 件"
    assert limit == "impl の再実行が上限 (7 回) に達しました。`shiage reset login` で解除できます"


def test_a_number_chooses_the_form_of_its_noun() -> None:
    assert [amount("en", "round", n) for n in (0, 1, 2)] == ["0 rounds", "1 round", "2 rounds"]


def test_a_place_without_a_value_stays_empty() -> None:
    assert say("en", "verify.bad") == ": the journal is not what was written"


@pytest.mark.parametrize(
    ("chosen", "environ", "expected"),
    [
        (None, {}, "en"),
        (None, {"LANG": "ja_JP.UTF-8"}, "ja"),
        (None, {"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ("ja", {"LANG": "en_US.UTF-8"}, "ja"),
        ("en", {"LANG": "ja_JP.UTF-8"}, "en"),
    ],
)
def test_the_language_is_the_chosen_one_else_that_of_the_locale(
    chosen: str | None, environ: dict[str, str], expected: str
) -> None:
    assert language_of(chosen, environ) == expected


def literals(path: Path) -> list[str]:
    """Texts in a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    bodies = [
        node.body
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    docs = {id(first.value) for body in bodies for first in body if isinstance(first, ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [node.value for node in found if id(node) not in docs]


def test_no_command_says_anything_that_is_not_in_the_catalogue() -> None:
    """Three words in a row are a sentence, unless they are a command line."""
    words = re.compile(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
    said = {
        (path.name, text)
        for path in (SOURCE / "cli").glob("*.py")
        for text in literals(path)
        if path.name != "mcp_tools.py"  # speaks to agents, who are told in English what a tool does
        if words.search(text) and not text.startswith(("shiage ", "cd "))
    }
    assert said == set()


def test_every_key_that_a_command_names_is_there() -> None:
    texts = [path.read_text() for path in (SOURCE / "cli").glob("*.py")]
    named = {key for text in texts for key in re.findall(r"""\bt\(f?["']([\w.-]+)["']""", text)}
    assert len(named) > 50
    assert named - messages("en").keys() == set()


def test_every_flag_of_a_command_has_words() -> None:
    params = [param for row in COMMANDS for param in command_table().get_command(None, row.name).params]  # type: ignore
    found = {param.name for param in params if isinstance(param, click.Option)}
    assert {"agent", "until", "detach", "fix", "watch", "all", "follow", "full", "bug", "speed", "keep"} <= found
    assert {name for name in found if not known("en", f"flag.{name}")} == set()


def test_no_message_is_dead() -> None:
    """A key that no module names, whole or by its beginning, is not shown by anybody."""
    files = [path for ending in ("py", "html") for path in SOURCE.rglob(f"*.{ending}")]
    text = "\n".join(path.read_text() for path in files)
    scripts = "\n".join(path.read_text() for path in (SOURCE / "web" / "static").glob("*.js"))
    named = {"event", "why", "next", "error", "remedy", "unit", "state", "role", "doing", "ending", "help", "flag"}
    named |= {
        "group",
        "doctor",
        "end",
        "fact",
        "config",
        "status",
        "show",
        "wait",
        "usage",
        "live_key",
        "live_help",
    }  # looked up by a name that is a value
    named |= {"act", "sure", "done", "obstacle", "phase", "web", "door", "settings", "numbers", "series", "queue"}
    rest = [key for key in messages("en") if key.partition(".")[0] not in named]
    spoken = {key for key in rest if key.startswith("js.")}
    assert {key for key in spoken if f"words.{key[3:]}" not in scripts} == set()
    rest = [key for key in rest if key not in spoken]
    assert [key for key in rest if f'"{key}"' not in text and f"'{key}'" not in text] == []


def test_every_schema_can_be_asked_for() -> None:
    assert set(SCHEMAS) == {"status", "events", "queue", "settings", "check", "error"}
    assert all(one != two for one, two in pairwise(SCHEMAS.values()))
