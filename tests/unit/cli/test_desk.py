"""The board of `status --watch`: what keys do, and what is shown."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shiage.app.board import Board
from shiage.app.views import SpecView
from shiage.cli.desk import Deed, Desk, Mode

View = Callable[..., SpecView]


@pytest.fixture
def desk(view: View) -> Desk:
    rows = (
        view(spec="alpha", status="completed"),
        view(spec="beta", status="running"),
        view(spec="gamma", status="paused", reason="needs-discussion", phase="document-review"),
    )
    return Desk(Board(rows))


def pressed(desk: Desk, keys: str) -> tuple[Desk, list[Deed]]:
    done: list[Deed] = []
    for key in keys:
        desk, deed = desk.press(key)
        done += [deed] if deed else []
    return desk, done


def test_what_needs_a_person_stands_first_and_is_chosen(desk: Desk) -> None:
    assert [row.spec for row in desk.rows] == ["gamma", "beta", "alpha"]
    lines = desk.lines(100, 12, colored=False)
    assert lines[1].startswith("> gamma") and lines[2].startswith("  beta")
    assert len(lines) == 12


def test_j_and_k_and_arrows_move_and_stay_within_the_list(desk: Desk) -> None:
    assert pressed(desk, "jjjj")[0].at == 2
    assert pressed(desk, "jk")[0].at == 0
    assert desk.press("\x1b[B")[0].at == 1
    assert desk.press("\x1b[A")[0].at == 0


def test_the_choice_follows_its_spec_when_the_order_changes(desk: Desk) -> None:
    chosen, _ = desk.press("j")
    ended = replace(chosen.board.views[1], status="error", reason="agent-failed", spec="beta")
    later = replace(chosen, board=Board((chosen.board.views[0], ended, chosen.board.views[2])))
    assert (later.at, later.view and later.view.spec) == (0, "beta")


def test_enter_opens_the_spec_and_escape_comes_back(desk: Desk) -> None:
    opened, _ = desk.press("\r")
    assert opened.mode is Mode.PAGE and "gamma" in opened.lines(80, 20, colored=False)[0]
    assert opened.press("\x1b")[0].mode is Mode.LIST


def test_a_stop_is_asked_once_and_only_a_yes_does_it(desk: Desk) -> None:
    assert pressed(desk, "jsy")[1] == [Deed("stop", "beta")]
    assert pressed(desk, "jsn")[1] == []
    assert pressed(desk, "js")[0].lines(80, 10, colored=False)[-1].startswith("Stop the run of beta?")


def test_a_resume_needs_no_question(desk: Desk) -> None:
    assert pressed(desk, "r")[1] == [Deed("run", "gamma")]


def test_a_key_that_cannot_be_used_says_why(desk: Desk) -> None:
    after, done = pressed(desk, "s")
    assert (done, after.notice) == ([], "gamma: it is not running")


def test_letters_of_a_filter_are_no_commands(desk: Desk) -> None:
    filtered, done = pressed(desk, "/al\x7flpha\r")
    assert ([row.spec for row in filtered.rows], done) == (["alpha"], [])
    assert [row.spec for row in pressed(filtered, "\x1b")[0].rows] == ["gamma", "beta", "alpha"]
    assert [row.spec for row in pressed(desk, "/running\r")[0].rows] == ["beta"]


def test_the_keys_are_told_and_any_key_goes_back(desk: Desk) -> None:
    told, _ = desk.press("?")
    assert "asks first" in "\n".join(told.lines(80, 24, colored=False))
    assert told.press("x")[0].mode is Mode.LIST


def test_more_rows_than_the_screen_has_move_with_the_choice(view: View) -> None:
    many = Desk(Board(tuple(view(spec=f"spec-{n:02}", status="idle") for n in range(40))), chosen="spec-30")
    lines = many.lines(80, 12, colored=False)
    assert any(line.startswith("> spec-30") for line in lines) and len(lines) == 12


def test_an_empty_board_says_how_to_begin_and_keys_do_nothing() -> None:
    empty = Desk(Board(()))
    assert "shiage new" in empty.lines(100, 8, colored=False)[0]
    assert pressed(empty, "jksra\r")[1] == []
