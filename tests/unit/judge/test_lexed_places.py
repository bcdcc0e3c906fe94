"""Places in a lexed text: asked for one at a time, without a table of its lines."""

from hypothesis import given
from hypothesis import strategies as st

from shiage.judge import lex, named
from shiage.judge.lexing import STRETCH

TEXTS = st.lists(st.sampled_from(["\n", "x", " " * 50, "# a\n", '"b"', "y" * STRETCH, "\n" * 30]), max_size=12).map(
    "".join
)


@given(text=TEXTS, share=st.floats(0, 1))
def test_the_line_of_an_offset_is_one_more_than_the_line_ends_before_it(text: str, share: float) -> None:
    lexed, offset = lex(text, named("python")), int(share * len(text))
    assert lexed.line_at(offset) == text.count("\n", 0, offset) + 1
    assert lexed.raw_line(offset) == text.split("\n")[lexed.line_at(offset) - 1]


def test_a_line_is_only_comments_when_nothing_else_shows() -> None:
    text = '\n  # one\nx = 1  # two\n"# three"\n   \n/* four */\n'
    lexed = lex(text, named("python"))
    starts = [text.index(part) for part in ("  # one", "x = 1", '"# three"', "   \n", "/* four")]
    assert [lexed.only_comments(start) for start in starts] == [True, False, False, False, False]
    beside = lex("/* a */ /* b */\n/* c */ d();\n", named("c"))
    assert [beside.only_comments(start) for start in (0, 16)] == [True, False]
