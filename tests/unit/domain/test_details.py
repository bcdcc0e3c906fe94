"""What shiage itself says is found again in what it wrote; what others say is theirs."""

import pytest

from shiage.app.catalogue import messages
from shiage.app.sentences import detail
from shiage.domain.details import DETAILS, read, told

VALUES = {
    "fix": 0, "discuss": 12, "round": 7, "used": "1e+03", "cap": "0.5", "code": 137, "seconds": "0.25", "unit": "usd",
    "by": "person", "spec": "login", "said": "Expecting value",
    "name": "document-review-1-reply.md", "phase": "impl", "signal": "9 (SIGKILL)",
    "tasks": "1. Write it, all of it, 2.1 test it", "tools": "Bash(rm -rf *), Edit",
}  # fmt: skip


@pytest.mark.parametrize("key", DETAILS)
def test_each_row_is_found_again_with_what_stands_in_its_places(key: str) -> None:
    found, values, said = read(told(key, **VALUES))
    assert (found, said) == (key, "") and all(str(VALUES[name]) == value for name, value in values.items())
    assert detail("en", told(key, **VALUES)) == told(key, **VALUES)
    shown = detail("ja", told(key, **VALUES))
    assert shown != told(key, **VALUES) and "{" not in shown
    assert all(str(VALUES[name]) in shown for name in values if name != "by")


@pytest.mark.parametrize(
    "text", ["", "Should the spec keep what is missing?", "x to fix, y to discuss", "Q1 greet.py:2 still open"]
)
def test_words_of_others_stay_as_they_are(text: str) -> None:
    assert read(text) == ("", {}, text) and detail("ja", text) == text


def test_the_last_words_of_a_program_stand_behind_our_sentence() -> None:
    assert detail("ja", "Ended with exit code 1. fatal: no such file.") == (
        "終了コード 1 で終わりました。 fatal: no such file."
    )


def test_every_row_has_japanese_words() -> None:
    assert {f"detail.{key}" for key in DETAILS} <= messages("ja").keys()
