"""A sealed task may be ticked, joined by others and moved; it may not vanish or change its words."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.specs.ledger import MOST_LINES, compare, seal
from shiage.specs.tasks import parse_tasks

LINES = st.lists(st.sampled_from(["1. a", "1.1 b", "1.1 b", "2. c", "no id", "FIX-1 d"]), max_size=8)


def text(lines: list[str], mark: str = " ") -> str:
    return "".join(f"- [{mark}] {line}\n" for line in lines)


@given(LINES, LINES, st.randoms(use_true_random=False), st.sampled_from(" x-"))
@settings(max_examples=80, deadline=None)
def test_ticks_additions_and_another_order_are_free(
    lines: list[str], more: list[str], random: Random, mark: str
) -> None:
    after = [*lines, *more]
    random.shuffle(after)
    assert compare(seal(parse_tasks(text(lines))), parse_tasks(text(after, mark))) == ""


@given(LINES.filter(bool), st.data())
@settings(max_examples=80, deadline=None)
def test_a_task_that_is_lost_is_named_even_if_an_equal_one_is_left(lines: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(lines) - 1))
    diff = compare(seal(parse_tasks(text(lines))), parse_tasks(text(lines[:place] + lines[place + 1 :])))
    assert f"- {lines[place]}" in diff.splitlines()


def test_a_reworded_task_is_shown_with_its_new_words() -> None:
    sealed = seal(parse_tasks("- [ ] 1.1 check  all\n  inputs\n- [ ] 1.2 b\n"))
    assert [(task.id, task.text, task.order) for task in sealed] == [
        ("1.1", "1.1 check all inputs", 0),
        ("1.2", "1.2 b", 1),
    ]
    assert compare(sealed, parse_tasks("- [x] 1.1 check some\n- [x] 1.2 b\n- [ ] 1.3 new\n")).splitlines() == [
        "--- tasks.md when the work began",
        "+++ tasks.md now",
        "- 1.1 check all inputs",
        "+ 1.1 check some  (line 1)",
    ]


def test_what_moved_into_a_comment_a_fence_or_became_optional_is_lost() -> None:
    sealed = seal(parse_tasks("- [ ] 1.1 a\n"))
    for now in ("<!--\n- [ ] 1.1 a\n-->\n", "```\n- [ ] 1.1 a\n```\n", "- [ ]* 1.1 a\n", "- [ ] 1.1* a\n", ""):
        assert "- 1.1 a" in compare(sealed, parse_tasks(now))


def test_other_white_space_is_no_other_task() -> None:
    sealed = seal(parse_tasks("- [ ] 1.1 a b\n- [ ] 1. c\n"))
    assert compare(sealed, parse_tasks("* [x]   1. c\r\n  * [x] 1.1 a\r\n    b\r\n")) == ""


def test_a_long_diff_is_cut_and_says_so() -> None:
    sealed = seal(parse_tasks(text([f"{number}. {'x' * 900}" for number in range(1, 100)])))
    lines = compare(sealed, parse_tasks("")).splitlines()
    assert len(lines) == MOST_LINES + 3
    assert lines[-1] == "… and 59 more"
    assert max(map(len, lines)) < 250
