"""How far the judge looks: each bound from both sides."""

from collections.abc import Callable
from typing import Any

import pytest

from shiage.judge import check
from shiage.judge.drift import evaluate
from shiage.judge.requests import wanted_files
from shiage.judge.trees import MAX_TREE, MAX_TREE_LINE, readable

DONE = {"src/app.py": "def go() -> int:\n    return 1\n"}
CONFLICT = "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"
OPEN = "x = (\n"  #: wrong in any way of asking
Given = dict[str, Any]


def padded(text: str, size: int, pad: str = " ") -> str:
    """The text, made as long as this from the front."""
    return pad * (size - len(text)) + text


def lines(text: str, size: int, tail: str = "") -> str:
    """Short lines of text, as many characters as this in all."""
    count = size - len(tail)
    return (text * (count // len(text) + 1))[: count - 1] + "\n" + tail


#: What is bounded, the criterion that shows it, a change for a size, and the last size at which something is found.
FOUND_UP_TO: list[tuple[str, str, Callable[[int], Given], int]] = [
    ("a comment's line", "Q2", lambda n: {"after": {"a.py": "x = 1  #" + padded(" TODO: b", n - 1, "-") + "\n"}}, 303),
    ("a comment that is short enough to stand for something", "Q3", lambda n: {"after": {"a.js": "x;\n// in a real version " + "y" * (n - 18) + "\n"}}, 140),
    ("a line of code that is short enough to stand for something", "Q3", lambda n: {"after": {"a.js": "x;\n(rest omitted)" + " " * (n - 14) + "\ny;\n"}}, 140),
    ("a line of dots", "Q3", lambda n: {"after": {"a.js": "x;\n" + padded("...", n) + "\ny;\n"}}, 399),
    ("a line of prose that stands for the rest", "Q3", lambda n: {"after": {"a.md": "A.\n\n... it is omitted " + "y" * (n - 18) + "\n"}}, 140),
    ("a line of prose", "Q2", lambda n: {"after": {"a.md": "\n" * 20 + "| " + "x" * (n - 9) + " | TBD |\n"}}, 4_001),
    ("comment lines that name a mark", "Q2", lambda n: {"after": {"a.xyz": "# TODO b\n" * (n - 1) + "# TODO: b\n"}}, 4_000),
    ("lines of prose that name a mark", "Q2", lambda n: {"after": {"a.md": "the TODO b\n" * (n - 1) + "TODO: b\n"}}, 4_000),
    ("a sentence of the report", "Q6", lambda n: {"report": "x" * (n - 21) + " I did not finish it.", "after": DONE}, 604),
    ("the end of a report", "Q6", lambda n: {"report": "I did not finish it.\n" + lines("It works.\n", n - 21), "after": DONE}, 100_000),
    ("a request", "Q1", lambda n: {"request": lines("It works. \n", n - 11) + "Create a.c\n", "after": DONE}, 200_001),
    ("the words before a file", "Q1", lambda n: {"request": "Create " + "x" * (n - 8) + " a.c", "after": DONE}, 300),
    ("the words behind a file that make it optional", "Q1", lambda n: {"request": "Create a.c" + " " * (50 - n) + "if needed", "after": DONE}, 9),
    ("a text that is looked at for its syntax", "Q4", lambda n: {"after": {"a.txt": CONFLICT + "x" * (n - len(CONFLICT))}}, 4_000_000),
    ("a Python text that is parsed for its end", "Q4", lambda n: {"after": {"a.py": lines("#\n", n, "z = 1\nz.y")}}, 400_000),
    ("a Python text that is parsed for its bodies", "Q3", lambda n: {"after": {"a.py": lines("#\n", n, "def f(): ...\n")}}, 400_000),
    ("empty braces", "Q3", lambda n: {"after": {"a.ts": "{}\n" * (n - 1) + "function f(a): number {}\n"}}, 2_000),
    ("the header of a block", "Q3", lambda n: {"after": {"a.ts": "x;\nfunction f(a" + " " * (n - 22) + "): number {}\n"}}, 409),
    ("a line of a test", "Q5", lambda n: {"after": {"tests/test_a.py": padded("assert True", n) + "\n"}, "criteria": ["Q5"]}, 400),
    ("the lines of a try", "Q5", lambda n: {"before": {"a.js": "go();\n"}, "after": {"a.js": "try {\ngo();\n" + "b();\n" * (n - 3) + "} catch (e) {}\n"}}, 60),
]  # fmt: skip


@pytest.mark.parametrize(
    ("criterion", "change", "last"), [row[1:] for row in FOUND_UP_TO], ids=[row[0] for row in FOUND_UP_TO]
)
def test_the_judge_looks_so_far_and_no_further(criterion: str, change: Callable[[int], Given], last: int) -> None:
    at, beyond = (check(**{"criteria": [criterion], **change(size)}) for size in (last, last + 1))
    assert [finding.criteria_id for finding in at.findings] == [criterion]
    assert beyond.findings == ()


@pytest.mark.parametrize(
    ("text", "judged"),
    [("x" * 2_000, True), ("x" * 2_001, False), ("x" * 300 + "\n" + "x" * 300 + "\n" * 9, True), ("x" * 3_000 + "\n" * 8, False), ("x" * 2_991 + "\n" * 9, True), ("x" * 2_992 + "\n" * 9, False), ("x" * 3_000 + "\n" * 10, True)],
)  # fmt: skip
def test_a_dense_text_is_nobodys_handwriting(text: str, judged: bool) -> None:
    assert (check(after={"a.py": f"# TODO: b\n{text}"[-len(text) :]}, criteria=["Q2"]).findings == ()) is True
    wide = "#TODO: b " + text[9:]
    assert bool(check(after={"a.py": wide}, criteria=["Q2"]).findings) is judged


ENDLESS = "data = '" + "QUJD" * 2_000 + "' # TODO: c"  #: a line that no person writes


def at(criterion: str, path: str, text: str, before: str | None = None) -> list[int | None]:
    given = {"before": {path: before}} if before is not None else {}
    return [one.line for one in check(criteria=[criterion], after={path: text}, **given).findings]


def test_an_endless_line_hides_nothing_of_the_lines_around_it() -> None:
    text = f"# TODO: b\n{ENDLESS}\nx = 1\n# the rest of the code is omitted\n"
    assert (at("Q2", "a.py", text), at("Q3", "a.py", text)) == ([1], [4])
    assert at("Q2", "a.md", f"# Guide\n\n![]({ENDLESS})\n\nTODO: b\n") == [5]
    assert at("Q2", "a.py", text, before=f"# TODO: b\n{ENDLESS}\n") == []
    assert at("Q2", "a.min.js", f"{ENDLESS}\n// TODO: b\n") == []


def test_lines_that_are_dense_without_an_endless_one_are_nobodys_handwriting() -> None:
    wide = "# TODO: b ".ljust(2_000, "x")
    assert at("Q2", "a.py", f"{wide}\n{wide}") == []
    assert at("Q2", "a.py", f"{ENDLESS}\n{wide}") == []


def test_data_and_python_are_parsed_though_they_look_minified() -> None:
    values = ", ".join(f'"{number}"' for number in range(2_000))
    assert at("Q4", "a.json", f"[{values}]") == at("Q4", "a.py", f"x = [{values}]\n") == []
    for path in ("a.json", "package-lock.json", "a.xml"):
        assert at("Q4", path, f"[{values},") == [1]
    assert at("Q4", "a.toml", f"x = [{values}\n") == at("Q4", "a.py", f"x = [{values}\n") == [1]
    assert at("Q4", "a.js", f"x = [{values}\n") == at("Q4", "a.json", "\0" + values) == []


def test_a_generator_says_so_in_the_head_of_its_file() -> None:
    head = padded("@generated", 600, "#")
    mark = "\nx = 1  # TODO: b\n"
    assert check(after={"a.py": head + mark}, criteria=["Q2"]).findings == ()
    assert check(after={"a.py": "#" + head + mark}, criteria=["Q2"]).criteria_failed == ("Q2",)


def test_a_report_keeps_the_numbers_of_its_lines_when_its_head_is_not_read() -> None:
    said = "It works.\n" * 20_000 + "I did not finish it."
    assert [finding.line for finding in check(report=said, after=DONE, criteria=["Q6"]).findings] == [20_001]


def test_a_request_of_many_files_is_understood_to_its_end() -> None:
    named = [f"a{number}.py" for number in range(150)]
    assert [one.path for one in wanted_files("と".join(named) + " を作成して")] == named


# ---------------------------------------------------------------- whom a grammar is asked about


def varied(size: int) -> str:
    """Text that no one would call repetitive."""
    return "".join(f"x{number * number % 7919} = {number}\n" for number in range(size // 6))[:size]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (varied(MAX_TREE), True), (varied(MAX_TREE + 1), False),
        (varied(9) + "\n" + varied(MAX_TREE_LINE).replace("\n", " "), True), (varied(9) + "\n" + varied(MAX_TREE_LINE + 1).replace("\n", " "), False),
        ("(" * 499, True), ("(" * 500, False), ("", True), ("if x:\n" * 400, False), ("\ud800", True),
    ],
)  # fmt: skip
def test_a_grammar_is_asked_about_text_that_a_person_could_have_written(text: str, good: bool) -> None:
    assert (MAX_TREE, MAX_TREE_LINE) == (120_000, 4_000)
    assert readable(text) is good


def test_beyond_the_first_files_of_a_change_only_odd_ones_are_parsed() -> None:
    """What is parsed whole is bounded for the change as a whole."""
    quiet = "x = 1\nif x:\n    y = 2\n  z = 3\n"  # wrong, and nothing in it looks so
    odd = {
        "d.py": "class A\n    x = 1\n",
        "e.py": "x =\n",
        "f.py": "if x:\ny = 1\n",
        "g.py": OPEN,
        "h.go": "package a\nfunc f() {\n",
    }

    def faulty(size: int) -> list[str]:
        after = {"a.txt": lines("x\n", size - len(quiet)), "b.py": quiet} | odd
        return [finding.path for finding in check(after=after, criteria=["Q4"]).findings]

    assert faulty(400_000) == ["b.py", *odd]
    assert faulty(400_001) == [*odd]


def test_data_is_parsed_whole_however_large_the_change_is() -> None:
    after = {
        "a.txt": lines("x\n", 400_001),
        "b.json": "{",
        "c.toml": "a",
        "d.html": "<div>",
        "e.md": "```\n",
        "f.css": "a {",
    }
    assert [one.path for one in check(after=after, criteria=["Q4"]).findings] == [
        "b.json",
        "c.toml",
        "d.html",
        "e.md",
        "f.css",
    ]


# ---------------------------------------------------------------- the guard


def rules(report: str, request: str = "") -> list[str]:
    return [found.rule for found in evaluate(report, request)[1]]


def test_the_guard_reads_five_hundred_clauses_with_a_trigger() -> None:
    clause = "Nothing was deferred.\n\n"
    assert rules(clause * 500) == []
    assert rules(clause * 501) == ["too-much-to-judge"]


def test_the_guard_shows_ten_findings_of_a_rule() -> None:
    for count in (9, 10, 11):
        assert rules("The tests will be added later.\n\n" * count) == ["put-off"] * min(count, 10)


def test_the_guard_accounts_for_five_hundred_demands() -> None:
    demands = [f"- Add part{number}\n" for number in range(501)]
    assert rules("".join(demands[:500]), "".join(demands[:500])) == []
    assert rules("".join(demands), "".join(demands)) == ["too-much-to-judge"]


def test_the_guard_reads_a_report_to_its_bound() -> None:
    assert rules("x" * (200_000 - len(" catalog")) + " catalog", "- Repair the catalog") == []
    assert rules("x" * (200_002 - len(" catalog")) + " catalog", "- Repair the catalog") == ["demand-unmentioned"]
