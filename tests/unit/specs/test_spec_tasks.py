"""Every box that Markdown shows is found, and no other; what is unclear is open."""

import time
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.specs.tasks import TaskList, parse_tasks


def marks(text: str) -> list[tuple[int, str]]:
    return [(box.line, box.mark) for box in parse_tasks(text).boxes]


def ids(text: str) -> list[str]:
    return [box.id for box in parse_tasks(text).boxes]


@dataclass(frozen=True)
class Task:
    id: str
    title: str
    mark: str
    star: str  #: where the sign of an optional task stands
    parallel: bool
    depth: int
    requirements: tuple[str, ...]


WORDS = st.text(st.sampled_from("abcxyz日本語,"), min_size=1, max_size=6)
TASKS = st.builds(
    Task,
    id=st.sampled_from(["1.", "12.", "1.1", "2.10.3", "3.1a", "FIX-1", "FIX-2.1", ""]),
    title=st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    mark=st.sampled_from(" xX-~?"),
    star=st.sampled_from(["", "box", "id"]),
    parallel=st.booleans(),
    depth=st.integers(0, 3),
    requirements=st.lists(st.sampled_from(["1.1", "2.3", "10.4"]), max_size=3, unique=True).map(tuple),
)


def render(tasks: list[Task], bullet: str, step: int, eol: str, noise: str) -> str:
    lines, depth = ["# Plan", ""], -1
    for task in tasks:
        depth = min(task.depth, depth + 1)
        star = "*" if task.star == "box" else ""
        name = task.id + ("*" if task.star == "id" and task.id else "")
        head = " ".join(part for part in (name, "(P)" if task.parallel else "", task.title) if part)
        lines.append(f"{' ' * step * depth}{bullet} [{task.mark}]{star} {head}")
        if task.requirements:
            lines.append(f"{' ' * step * (depth + 1)}{bullet} _Requirements: {', '.join(task.requirements)}_")
    return eol.join([*lines, "", *noise.split("\n"), ""])


NOISE = st.sampled_from(
    [
        "",
        "```\n- [ ] 9.9 in a fence\n```",
        "~~~md\n- [ ] 9.9 in a fence\n```\n- [ ] 9.9 still\n~~~",
        "<!--\n- [ ] 9.9 in a comment\n\n- [ ] 9.9 still\n-->",
        "text\n\n    - [ ] 9.9 in code",
        "- [label](address) and [x](address)\n- [1]: note",
    ]
)


@given(
    st.lists(TASKS, min_size=1, max_size=8),
    st.sampled_from("-*+"),
    st.sampled_from([2, 4]),
    st.sampled_from(["\n", "\r\n"]),
    NOISE,
)
@settings(max_examples=60, deadline=None)
def test_a_rendered_task_list_is_read_as_it_was_meant(
    tasks: list[Task], bullet: str, step: int, eol: str, noise: str
) -> None:
    boxes = parse_tasks(render(tasks, bullet, step, eol, noise)).boxes
    depths, depth = [], -1
    for task in tasks:
        depth = min(task.depth, depth + 1)
        depths.append(depth)
    assert [box.id for box in boxes] == [task.id.rstrip(".") for task in tasks]
    assert [box.title for box in boxes] == [task.title for task in tasks]
    assert [box.mark for box in boxes] == [task.mark for task in tasks]
    assert [box.done for box in boxes] == [task.mark in "xX" for task in tasks]
    assert [box.optional for box in boxes] == [task.star == "box" or bool(task.star and task.id) for task in tasks]
    assert [box.parallel for box in boxes] == [task.parallel for task in tasks]
    assert [box.depth for box in boxes] == depths
    assert [box.requirements for box in boxes] == [task.requirements for task in tasks]


@given(st.text(st.sampled_from("-*+>#`~<!x[] 1.\n\r\t_Requirements:(P)"), max_size=200) | st.text(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_text_is_read(text: str) -> None:
    tasks = parse_tasks(text)
    done, total = tasks.done_total()
    assert len(tasks.open()) == total - done
    assert all(1 <= box.line <= text.count("\n") + text.count("\r") + 1 for box in tasks.boxes)


def test_all_kinds_of_lists_hold_boxes() -> None:
    assert marks("- [ ] a\n\n* [x] b\n\n+ [X] c\n\n1. [-] d\n2) [~] e\n") == [
        (1, " "), (3, "x"), (5, "X"), (7, "-"), (8, "~"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "- [x] 1. a\n  - [ ] 1.1 b",
        "- [x] 1. a\n\n    - [ ] 1.1 b",
        "- [x] 1. a\n\t- [ ] 1.1 b",
        "- [x] 1. a\n      - [ ] 1.1 six spaces, so a paragraph goes on",
        "- [x] 1. a\n\n      - [ ] 1.1 six spaces after a gap, so code in a list",
        "- [x] 1. a\n  2. [ ] 1.1 a number that cannot interrupt",
        "> - [x] 1. a\n>   - [ ] 1.1 b",
        "- [x] 1. a\n  > - [ ] 1.1 b",
        "> > > > > > - [ ] 1.1 b",
        "-     [ ] 1.1 five spaces",
        "- [ ]1.1 no space",
        "- [] 1.1 nothing within",
        "- [  ] 1.1 two spaces",
        "-\u00a0[ ] 1.1 a space that is none",
        "- [ ] 1.1 underlined\n  ---",
        "<details>\n- [ ] 1.1 b\n</details>",
        "<!-- never closed\n- [ ] 1.1 b",
        "> <!-- closed outside of its quote\n> - [ ] 1.1 b\n\n-->",
        "- [x] 1. a <!-- begins within a line\n- [ ] 1.1 b\n-->",
        "- - - [ ] 1.1 b",
        "- ```\n  fence\n  ```\n  - [ ] 1.1 b",
    ],
)
def test_an_open_box_is_never_overlooked(text: str) -> None:
    assert [box.id for box in parse_tasks(text).open()] == ["1.1"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n- [ ] a\n```",
        "- [x] 1. a\n  ```\n  - [ ] b\n  ```",
        "<!-- - [ ] a -->",
        "- [x] 1. a\n<!--\n- [ ] b\n-->",
        "- [x] 1. a\n  <!--\n- [ ] b, which a browser hides too\n  -->\n- [x] 2. c",
        "> <!--\n> - [ ] b\n> -->",
        "- > <!--\n  > - [ ] b\n  > -->",
        "text\n<!--\n- [ ] b\n-->",
        "para\n\n    - [ ] code",
        "- [x](https://example.org)\n- [a][b]\n- [1]: c\n- [word] d\n- text [ ] e",
        "# [ ] heading",
        "[ ] paragraph",
        "- ~~~\n  - [ ] a",
    ],
)
def test_what_is_no_box_is_not_open(text: str) -> None:
    assert parse_tasks(text).open() == ()


def test_a_comment_that_is_closed_hides_no_further_line() -> None:
    assert ids("<!-- a\nb --> - [ ] 8.1 c\n- [ ] 1.1 d\n<!--\n- [ ] 8.2\n-->\n- [ ] 1.2 e") == ["1.1", "1.2"]


def test_only_x_is_done() -> None:
    text = "\n".join(f"- [{mark}] {number}.1 a" for number, mark in enumerate("xX-~✓ ?oх", 1))
    assert [box.id for box in parse_tasks(text).boxes if box.done] == ["1.1", "2.1"]


def test_optional_tasks_and_ignored_sections_count_as_the_guard_says() -> None:
    text = (
        "- [x] 1. a\n- [ ]* 1.1 b\n- [ ] 1.2* c\n## Later ##\n### Coverage  validation\n- [ ] d\n## Next\n- [ ] 2. e\n"
    )
    tasks = parse_tasks(text)
    assert tasks.done_total() == (1, 5)
    assert tasks.done_total("skip") == (1, 3)
    assert tasks.done_total(ignore_headings=["### coverage Validation"]) == (1, 4)
    assert [box.id for box in tasks.open("skip", ("Later",))] == ["2"]


def test_a_box_knows_the_headings_above_it() -> None:
    box = parse_tasks("# Plan\n## A\n### B\n## C\nunder\n---\n- [ ] 1. a\n").boxes[0]
    assert box.heading == "under"
    assert box.headings == ("Plan", "under")


def test_requirements_belong_to_the_task_they_stand_under() -> None:
    text = "- [ ] 1. a\n  - b\n    - _Requirements: 1.1, 2.3_\n  - [ ] 1.1 b\n    _要件: 3.1、3.2_\n- _Requirements: 9_"
    assert [box.requirements for box in parse_tasks(text).boxes] == [("1.1", "2.3"), ("3.1", "3.2")]


def test_a_title_goes_on_over_lines_but_not_into_details() -> None:
    box = parse_tasks("- [ ] **1.1** (P) a title\n  that goes on\n  _Verify: run it_\n  - detail\n").boxes[0]
    assert (box.id, box.title, box.text) == ("1.1", "a title that goes on", "**1.1** (P) a title that goes on")


HOSTILE = {
    "one line": "- [ ] " + "x" * 2**20,
    "brackets": "[" * 2**20,
    "markers": "- " * 2**19,
    "quotes": ">" * 2**20,
    "nested": "".join("  " * depth + "- [ ] 1.1 a\n" for depth in range(1000)),
    "comments": "<!--\n" * 40_000,
    "quoted comments": "> <!--\n" * 40_000 + "\n-->\n",
    "lazy lines": "> " * 40 + "a\n" + "b\n" * 40_000,
    "lines": "a\n" * 2**19,
    "returns": "- [ ] a\r" * 2**16,
    "nothing": "\x00" * 2**20,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_malice_takes_about_a_second(name: str) -> None:
    begun = time.process_time()
    parse_tasks(HOSTILE[name])
    assert time.process_time() - begun < 6  # several times what was measured: a blow-up takes minutes


def test_boxes_that_are_nested_too_deeply_to_be_parsed_are_found_by_their_lines() -> None:
    text = "```\n- [ ] 9.9\n```\n" + "".join("  " * depth + f"- [ ] {depth}.1 a\n" for depth in range(120))
    assert len(parse_tasks(text).open()) == 120


def test_boxes_in_a_file_that_is_too_long_are_found_by_their_lines() -> None:
    tasks = parse_tasks("- [x] 1. a\n" + "\n" * 50_001 + "```\n- [ ] 2. b\n```\n")
    assert [(box.line, box.done) for box in tasks.boxes] == [(1, True), (50_004, False)]


def test_an_empty_list_has_no_boxes() -> None:
    assert parse_tasks("") == TaskList(())
