"""Grammars in a process of their own: their answers are those of the judge, and one that hangs is ended."""

import sys
import time
from collections.abc import Iterator

import pytest

from shiage.engine.judging import Grammars
from shiage.judge import check, lex, named, tree_errors

TEXTS = [
    ("python", "def go():\n    return 1\n"), ("javascript", "function f( {\n"), ("go", "package a\n\nfunc f() {}\n"),
    ("typescript", "const a: number = ;\n"), ("rust", "fn f() -> u8 { '\\u{1F600}' }\n"), ("ruby", "puts '日本\u2028語'\n"),
    ("sql", "SELECT 1"),
]  # fmt: skip


@pytest.fixture
def grammars() -> Iterator[Grammars]:
    asked = Grammars(patience=20)
    yield asked
    asked.close()


def test_the_answers_are_those_of_the_judge_itself(grammars: Grammars) -> None:
    for name, text in TEXTS:
        lexed = lex(text, named(name))
        assert grammars(lexed) == tree_errors(lexed)


def test_a_grammar_that_never_comes_back_is_ended_and_the_brackets_decide() -> None:
    hanging = Grammars((sys.executable, "-c", "import time; time.sleep(60)"), patience=0.3)
    start = time.monotonic()
    verdict = check(
        report="Done it.",
        after={"a.go": "package a\n\nfunc f() {\n" + "\tgo()\n" * 15_000},
        criteria=["Q4"],
        ask=hanging,
    )
    assert verdict.criteria_failed == ("Q4",)
    assert time.monotonic() - start < 20
    assert check(report="Done it.", after={"a.go": "package a\n"}, criteria=["Q4"], ask=hanging).criteria_failed == ()
    hanging.close()


def test_a_grammar_that_dies_is_started_again() -> None:
    dying = Grammars((sys.executable, "-c", "input()"), patience=20)
    assert [dying(lex("x = 1", named("python"))) for _ in range(2)] == [None, None]
    dying.close()
