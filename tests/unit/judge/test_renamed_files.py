"""A renamed file is not new: what stood in it before is nobody's addition."""

import pytest

from shiage.judge import check

OLD = "def one():\n    # TODO: old\n    return 1\n\n\ndef two():\n    return 2\n"


def rules(after: dict[str, str | None], before: dict[str, str | None], request: str = "Create a helper") -> set[str]:
    verdict = check(report="Moved it.", after=after, before=before, request=request)
    return {finding.rule for finding in verdict.findings}


def test_the_old_lines_of_a_renamed_file_are_not_judged() -> None:
    assert rules({"a.py": None, "lib/b.py": OLD}, {"a.py": OLD}) == set()
    assert rules({"a.py": None, "lib/b.py": OLD + "\n\ndef three():\n    return 3\n"}, {"a.py": OLD}) == set()


def test_six_tenths_of_the_old_lines_make_a_file_a_renamed_one() -> None:
    old = "".join(f"x{number} = 1  # TODO: {number}\n" for number in range(10))
    six, five = ("".join(old.splitlines(keepends=True)[:count]) for count in (6, 5))
    assert rules({"a.py": None, "b.py": six}, {"a.py": old}) == set()
    assert rules({"a.py": None, "b.py": five}, {"a.py": old}) == {"comment-mark"}


@pytest.mark.parametrize(
    ("gone", "new", "found"), [(200, 200, set()), (201, 1, {"comment-mark"}), (1, 201, {"comment-mark"})]
)
def test_a_move_of_more_than_two_hundred_files_is_judged_as_new(gone: int, new: int, found: set[str]) -> None:
    texts = [f"{OLD}x = {number}\n" for number in range(max(gone, new))]
    before: dict[str, str | None] = {f"a/{number}.py": texts[number] for number in range(gone)}
    after = dict.fromkeys(before) | {f"b/{number}.py": texts[number] for number in range(new)}
    verdict = check(after=after, before=before, criteria=["Q2"])
    assert {finding.rule for finding in verdict.findings} == found


def test_a_file_that_was_there_before_is_no_renamed_one() -> None:
    assert rules({"a.py": None, "b.py": OLD}, {"a.py": OLD, "b.py": "x = 1\n"}) == {"comment-mark"}


def test_what_was_added_to_a_renamed_file_is_judged() -> None:
    assert rules({"a.py": None, "lib/b.py": OLD + "\n# TODO: more\n"}, {"a.py": OLD}) == {"comment-mark"}


def test_a_body_that_was_lost_on_the_way_is_seen() -> None:
    emptied = OLD.replace("    return 2\n", "    pass\n")
    assert rules({"a.py": None, "lib/b.py": emptied}, {"a.py": OLD}) == {"emptied-body"}


def test_a_new_file_beside_a_deletion_is_new_when_it_holds_something_else() -> None:
    other = "def four():\n    # TODO: old\n    return 4\n"
    assert rules({"a.py": None, "lib/b.py": other}, {"a.py": OLD}) == {"comment-mark"}
    assert rules({"a.py": None, "lib/b.js": OLD}, {"a.py": OLD}) >= {"syntax-error"}
