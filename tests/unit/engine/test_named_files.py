"""Which files a report names, whatever an agent prints."""

import time

import pytest

from shiage.engine.verdicts import named_files


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Wrote src/greet.py, and tests/test_greet.py.", {"greet.py", "test_greet.py"}),
        ("`./a.b.c`/ (x.md)", {"a.b.c", "x.md"}),
        ("nothing at all", set()),
    ],
)
def test_the_files_that_a_report_names(words: str, names: set[str]) -> None:
    assert {name for name in named_files(words) if "." in name} == names


@pytest.mark.parametrize("piece", ["A", "a/", ".", "-", "a.", "_x"])
def test_a_line_of_any_length_holds_up_nothing(piece: str) -> None:
    began = time.thread_time()
    named_files(piece * 200_000)
    assert time.thread_time() - began < 2
