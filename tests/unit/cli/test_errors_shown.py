"""Trouble has one shape: what failed, where, what to do."""

import json
import pickle

import click
import pytest

from shiage.cli.bug import leave
from shiage.cli.errors import as_object, error_lines, show_error
from shiage.cli.usage import NoSuchCommand, explained
from shiage.cli.words import speak
from shiage.domain.errors import UserError, Where

INVALID = UserError(
    "spec-unreadable",
    'spec.json of "login" is not valid JSON',
    where=Where(".kiro/specs/login/spec.json", 14, 3, ('    "tasks": { "generated": true },', "  ],")),
    help="repair the file, then `shiage run login`. Nothing was changed.",
)


def test_an_error_shows_its_place_with_the_source_around_it() -> None:
    assert list(error_lines(INVALID)) == [
        'error[spec-unreadable]: spec.json of "login" is not valid JSON',
        "  --> .kiro/specs/login/spec.json:14:3",
        '   13 |     "tasks": { "generated": true },',
        "   14 |   ],",
        "      |   ^",
        "help: repair the file, then `shiage run login`. Nothing was changed.",
    ]


def test_the_caret_stands_under_what_is_meant_behind_wide_characters() -> None:
    error = UserError("setting-invalid", "no", where=Where("shiage.toml", 1, 9, ('名 = "値" x',)))
    *_, source, caret = error_lines(error)
    assert source.index("|") == caret.index("|")
    assert caret.index("^") == source.index("x") + 2  # two characters of two cells each stand before it


def test_a_place_far_to_the_right_gets_no_caret_and_a_long_line_is_cut() -> None:
    error = UserError("x", "no", where=Where("f", 1, 5000, ("a" * 9000,)))
    lines = list(error_lines(error))
    assert max(map(len, lines)) < 120
    assert not any("^" in line for line in lines)


def test_an_error_without_place_and_remedy_is_one_line() -> None:
    assert list(error_lines(UserError("x", "no"))) == ["error[x]: no"]


def test_what_an_error_quotes_cannot_command_the_terminal() -> None:
    error = UserError("x", "a\x1b[2Jb", where=Where("f", 1, 1, ("\x1b[31m!",)), help="\x07do")
    assert "\x1b" not in "".join(error_lines(error))


def test_a_program_gets_an_object() -> None:
    assert as_object(INVALID) == {
        "v": 1,
        "error": {
            "code": "spec-unreadable",
            "message": 'spec.json of "login" is not valid JSON',
            "where": ".kiro/specs/login/spec.json:14:3",
            "help": "repair the file, then `shiage run login`. Nothing was changed.",
        },
    }


def test_a_person_reads_errors_on_stderr_a_program_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(INVALID, as_json=False)
    show_error(INVALID, as_json=True)
    told = capsys.readouterr()
    assert told.err.startswith("error[spec-unreadable]: ")
    assert json.loads(told.out)["error"]["code"] == "spec-unreadable"


def test_in_japanese_the_code_stays_and_the_commands_stay() -> None:
    speak("ja")
    error = UserError(
        "busy", '"login" is held by process 7', help="`shiage status login` shows it, `shiage stop login`."
    )
    assert list(error_lines(error)) == [
        'error[busy]: 「login」は別の shiage が使用中です ("login" is held by process 7)',
        "対処: `shiage status login` / `shiage stop login` で状態の確認や停止ができます",
    ]


def test_in_japanese_a_suggestion_is_a_sentence_of_its_own() -> None:
    speak("ja")
    error = UserError("spec-unknown", 'there is no spec "lgoin" here', help='did you mean "login"?')
    assert list(error_lines(error))[-1] == "対処: 「login」のことですか?"


def test_a_code_that_nobody_translated_keeps_its_english_words() -> None:
    speak("ja")
    assert list(error_lines(UserError("never-heard", "no", help="do"))) == ["error[never-heard]: no", "対処: do"]


def context() -> click.Context:
    return click.Context(click.Command("run", params=[click.Option(["--agent"]), click.Argument(["spec"])]))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            NoSuchCommand("statsu", ["status", "stop"], context()),
            'there is no command "statsu". Did you mean "status"?',
        ),
        (NoSuchCommand("frobnicate", ["status"], context()), 'there is no command "frobnicate".'),
        (click.NoSuchOption("--agnet", ctx=context()), 'there is no option "--agnet". Did you mean "--agent"?'),
        (click.NoSuchOption("--xyzzy", ctx=context()), 'there is no option "--xyzzy".'),
        (click.MissingParameter(ctx=context(), param=click.Argument(["spec"], metavar="SPEC")), "SPEC is missing."),
        (click.BadParameter("not a number", param=click.Option(["--speed"])), "--speed: not a number"),
        (click.UsageError("something else"), "something else"),
    ],
)
def test_a_mistake_on_the_command_line_says_what_was_meant(error: click.ClickException, said: str) -> None:
    found = explained(error)
    assert (found.code, found.message, found.exit_code) == ("usage", said, 2)


def test_an_option_without_its_value_is_named() -> None:
    found = explained(click.BadOptionUsage("--agent", "Option '--agent' requires an argument.", ctx=context()))
    assert found.message.startswith("--agent: ")
    assert "--help` shows" in found.help


def test_our_own_mistake_leaves_a_report_without_secrets(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    secret = "ghp_" + "a1B2" * 9
    code = leave(ValueError(f"token {secret}"), as_json=False)
    told = capsys.readouterr().err
    report = next(word.strip(",") for word in told.split() if "report.txt" in word)
    assert code == 3
    assert "error[our-bug]: this is our mistake: ValueError" in told
    with open(report) as file:  # noqa: PTH123
        assert secret not in file.read()


def test_an_error_survives_the_way_between_processes() -> None:
    again = pickle.loads(pickle.dumps(INVALID))
    assert as_object(again) == as_object(INVALID)
