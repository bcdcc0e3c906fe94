"""Text on a terminal is measured, cut, and harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.cli.paint import paint
from shiage.cli.text import cells, clean, clock, columns, duration, fit, lines_of, pad, plain_glyphs, wrapped
from shiage.cli.words import speak

HOSTILE = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x1b[]\x07\\m0;31HJP\x9b\x00\u202e")))


@given(HOSTILE)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", clean(text)) is None


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;AAAA\x07", ""),
        ("a\x9b31mb", "a31mb"),
        ("one\ttwo\nthree", "one two three"),
        ("gp\u202ej.exe", "gpj.exe"),
        ("日本語", "日本語"),
    ],
)
def test_escape_sequences_go_whole(hostile: str, harmless: str) -> None:
    assert clean(hostile) == harmless


def test_a_giant_line_is_cut_before_it_is_looked_at() -> None:
    assert len(clean("x" * 100_000_000)) == 4096


def test_a_text_of_many_lines_becomes_clean_lines() -> None:
    assert lines_of("a\x00\r\nb\x1b[2J") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("日本", 4), ("ｱ", 1), ("e\u0301", 1), ("\u200b", 0), ("\x1b[31mab\x1b[0m", 2), ("·", 1)],
)
def test_width_is_counted_in_cells(text: str, width: int) -> None:
    assert cells(text) == width


def test_what_japanese_terminals_show_wide_counts_two_in_japanese() -> None:
    speak("ja")
    assert (cells("·"), cells("a"), cells("✓")) == (2, 1, 1)


@given(st.text(), st.integers(3, 40))
def test_what_was_fitted_fits(text: str, width: int) -> None:
    assert cells(fit(text, width)) <= width


def test_fitting_shows_that_something_is_missing() -> None:
    assert (fit("abcdefgh", 6), fit("日本語です", 7), fit("abc", 3)) == ("abc...", "日本...", "abc")


@given(st.lists(st.lists(st.text(alphabet="ab日 "), min_size=3, max_size=3), min_size=1, max_size=5))
def test_columns_stand_under_each_other(rows: list[list[str]]) -> None:
    widest = [max(cells(row[index]) for row in rows) for index in (0, 1)]
    for row, line in zip(rows, columns(rows, gap=2), strict=True):
        start = pad(pad(row[0], widest[0] + 2) + row[1], sum(widest) + 4)
        assert line == (start + row[2]).rstrip()


def test_no_rows_make_no_lines() -> None:
    assert columns([]) == []


@given(st.text(alphabet="ab 日本、`"), st.integers(10, 30))
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert "".join("".join(wrapped(text, width)).split()) == "".join(text.split())


def test_lines_are_wrapped_between_words_and_between_japanese_characters() -> None:
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("日本語の文章", 6) == ["日本語", "の文章"]
    assert wrapped("then run `shiage run login` now", 20) == ["then run", "`shiage run login`", "now"]
    assert wrapped("", 10) == [""]


@pytest.mark.parametrize(("seconds", "said"), [(0, "0s"), (59.9, "59s"), (192, "3m12s"), (3720, "1h02m")])
def test_a_duration_is_short(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(("seconds", "said"), [(9, "0:09"), (724, "12:04"), (3753, "1:02:33")])
def test_a_clock_goes_on(seconds: float, said: str) -> None:
    assert clock(seconds) == said


def test_glyphs_have_plain_forms() -> None:
    assert plain_glyphs("✓ ✗ → …").isascii()


def test_colour_needs_permission_and_a_known_style() -> None:
    assert paint("x", "red", on=True) == "\x1b[31mx\x1b[0m"
    assert (paint("x", "red", on=False), paint("x", "no-such", on=True), paint("", "red", on=True)) == ("x", "x", "")
