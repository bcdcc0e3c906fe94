"""A value changes and no other byte; what is not valid is refused with its place."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.domain.errors import UserError
from shiage.specs.jsonedit import KeyPath, edit, parse

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
KEYS = st.sampled_from(["a", "b", "phase", "日本", 'q"', "", "x:y"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)
PATHS = st.lists(KEYS, min_size=1, max_size=4).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A document in one of the ways people and programs write them."""
    value = draw(DOCUMENTS)
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    eol, end = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["", "\n", " \n\n"]))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + (text + end).replace("\n", eol).encode("utf-8", "surrogatepass")


def expected(value: Any, path: KeyPath, new: Any) -> Any:
    """The same edit on values."""
    if not path:
        return new
    if isinstance(path[0], int):
        held = value if isinstance(value, list) else []
        return [*held[: path[0]], expected([*held, None][path[0]], path[1:], new), *held[path[0] + 1 :]]
    held = value if isinstance(value, dict) else {}
    return {**held, path[0]: expected(held.get(path[0]), path[1:], new)}


def value_of(text: bytes) -> Any:
    return json.loads(text.decode("utf-8-sig"))


@given(texts(), st.dictionaries(PATHS, VALUES, min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_an_edited_text_says_what_the_edited_value_says_and_a_second_edit_changes_nothing(
    text: bytes, changes: dict[KeyPath, Any]
) -> None:
    wanted = value_of(text)
    for path, value in changes.items():
        wanted = expected(wanted, path, value)
    after = edit(text, changes)
    assert json.dumps(value_of(after)) == json.dumps(wanted)
    if len(changes) == 1:
        assert edit(after, changes) == after


SPACES = st.text(st.sampled_from(" \t\r\n"), max_size=3)
RAW = st.builds(lambda value, indent: json.dumps(value, indent=indent), VALUES, st.sampled_from([None, 1, "\t"]))
MEMBERS = st.lists(st.tuples(KEYS, RAW), min_size=1, max_size=4, unique_by=lambda member: member[0])


@given(MEMBERS, SPACES, SPACES, SCALARS, st.data())
@settings(max_examples=60, deadline=None)
def test_every_byte_outside_the_edited_span_stays(
    members: list[tuple[str, str]], before: str, after: str, new: object, data: st.DataObject
) -> None:
    def text(of: list[tuple[str, str]]) -> str:
        return "{" + ",".join(f"{before}{json.dumps(key)}{after}:{before}{raw}{after}" for key, raw in of) + "}" + after

    key, raw = data.draw(st.sampled_from(members))
    same = json.dumps(json.loads(raw)) == json.dumps(new)
    wanted = [(each, json.dumps(new, ensure_ascii=False) if each == key and not same else old) for each, old in members]
    assert edit(text(members).encode(), {(key,): new}) == text(wanted).encode("utf-8", "surrogatepass")


@given(MEMBERS, SPACES, SPACES, VALUES)
@settings(max_examples=100, deadline=None)
def test_a_new_key_is_put_behind_the_last_one_and_moves_nothing(
    members: list[tuple[str, str]], before: str, after: str, new: object
) -> None:
    head = "{" + ",".join(f"{before}{json.dumps(key)}:{raw}" for key, raw in members)
    tail = after + "}" + after
    edited = edit((head + tail).encode(), {("new",): new}).decode()
    assert edited.startswith(head + ",")
    assert edited.endswith(tail)
    assert json.loads(edited)["new"] == new


def test_a_change_touches_one_line_only() -> None:
    text = b'{\n  "a": 1.0,\n  "phase": "x",   "z": [1,2 ],\n  "n": {"k":  null}\n}\n'
    assert edit(text, {("phase",): "y"}) == text.replace(b'"x"', b'"y"')


def test_what_is_appended_follows_the_style_of_its_neighbours() -> None:
    text = b'{\r\n\t"list": [\r\n\t\t{"n": 1}\r\n\t],\r\n\t"flat": {"a":1},\r\n\t"none": {}\r\n}\r\n'
    after = edit(text, {("list", 1): {"n": 2}, ("flat", "b"): 2, ("none", "c"): "日"})
    assert after.decode() == (
        '{\r\n\t"list": [\r\n\t\t{"n": 1},\r\n\t\t{\r\n\t\t\t"n": 2\r\n\t\t}\r\n\t],\r\n'
        '\t"flat": {"a":1, "b": 2},\r\n\t"none": {\r\n\t\t"c": "日"\r\n\t}\r\n}\r\n'
    )


def test_a_minified_file_stays_minified() -> None:
    assert edit(b'{"a":1}', {("b", "c"): [1, {"x": 2}]}) == b'{"a":1,"b":{"c":[1,{"x":2}]}}'


def test_of_two_equal_keys_the_last_one_counts() -> None:
    assert edit(b'{"a": 1, "a": 2}', {("a",): 3}) == b'{"a": 1, "a": 3}'


def test_a_number_a_truth_and_a_fraction_are_three_values() -> None:
    assert edit(b'{"a": 1}', {("a",): True}) == b'{"a": true}'
    assert edit(b'{"a": 1}', {("a",): 1.0}) == b'{"a": 1.0}'
    assert edit(b'{"a": 1.50}', {("a",): 1.5}) == b'{"a": 1.50}'


def test_what_is_in_the_way_of_a_path_gives_way() -> None:
    assert value_of(edit(b'{"a": 3, "b": {"x": 1}}', {("a", "k"): 1, ("b", 0): 2})) == {"a": {"k": 1}, "b": [2]}


def test_a_number_with_a_plus_is_known_to_be_valid() -> None:
    assert edit(b'{"a": 1e+16, "b": "1e+1", "c": 0}', {("c",): 1}) == b'{"a": 1e+16, "b": "1e+1", "c": 1}'


def test_half_a_surrogate_is_written_as_an_escape() -> None:
    assert edit(b"{}", {("a",): "\ud800日"}) == b'{\n  "a": "\\ud800\\u65e5"\n}'


@pytest.mark.parametrize("path", [("list", 3), ("new", 1)])
def test_a_list_grows_only_at_its_end(path: KeyPath) -> None:
    with pytest.raises(ValueError, match="in a list of"):
        edit(b'{"list": [1]}', {path: 1})


@pytest.mark.parametrize("text", [b"", b"{} {}", b'{"a": }'])
def test_invalid_text_is_not_edited(text: bytes) -> None:
    with pytest.raises(ValueError, match="valid JSON"):
        edit(text, {("a",): 1})


@given(texts())
@settings(max_examples=60, deadline=None)
def test_a_valid_object_is_read_as_the_standard_library_reads_it(text: bytes) -> None:
    assert json.dumps(parse(text, "login/spec.json")) == json.dumps(value_of(text))


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        (b"", 1, 1, "the file is empty"),
        (b" \n", 2, 1, "the file is empty"),
        (b'{\n  "a": 1,\n  ]\n}', 3, 3, "property name"),
        (b'{"a": 1}\n}', 2, 1, "Extra data"),
        (b'{"NaN": 1,\r\n "b": -Infinity}', 2, 7, "-Infinity is no JSON number"),
        (b"[1]", 1, 1, "one object"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", 1, 1, "second byte order mark"),
        (b'{"a":\n "\xe6\xff"}', 2, 3, "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000, 1, 1, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", 1, 1, "too many digits"),
    ],
)
def test_what_is_no_object_is_refused_with_its_place(text: bytes, line: int, column: int, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, ".kiro/specs/login/spec.json")
    error = caught.value
    assert error.code == "spec-unreadable"
    assert error.message.startswith('spec.json of "login" is not valid JSON: ')
    assert reason in error.message
    assert str(error.where) == f".kiro/specs/login/spec.json:{line}:{column}"
    assert "shiage run login" in error.help


def test_the_excerpt_ends_with_the_line_that_is_wrong() -> None:
    with pytest.raises(UserError) as caught:
        parse(b'{\r\n  "a": 1,\r\n  ]\r\n}', "login/spec.json")
    assert caught.value.where is not None
    assert caught.value.where.excerpt == ('  "a": 1,', "  ]")


@given(st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_an_object_or_an_error_of_the_user(data: bytes) -> None:
    try:
        assert isinstance(parse(data, "login/spec.json"), dict)
    except UserError as error:
        assert error.code == "spec-unreadable"
