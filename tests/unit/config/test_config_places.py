"""The place of each key's value in a TOML or JSON text."""

import json
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.config.places import Place, places

TOML = '''
# a = "comment [x]"
top = 1 # b = 2
"quoted key" = 'literal # no comment'
[ table . "in ner" ]
dotted.key = [ 1, "]", # ] in a comment
  { x = 1, y = [2] }, ]
text = """
fake = 1
[fake]
quote: \\""" and "" end"""
inline = { one = 1, two = { three = "}" }, four = [ ] }
when = 1979-05-27T07:32:00.5
empty = {}
[[list]]
name = QQQQquotedQQQQ
'''.replace("Q", "'")


def found(text):
    lines = text.split("\n")
    return {key: lines[place.line - 1][place.column - 1 :] for key, place in places(text).items()}


def test_every_form_of_toml_is_followed():
    assert tomllib.loads(TOML)
    keys = found(TOML)
    inner = ("table", "in ner")
    assert keys[("top",)].startswith("1 #")
    assert keys[("quoted key",)].startswith("'literal")
    assert keys[inner].startswith("[ table")
    assert keys[(*inner, "dotted", "key")].startswith("[ 1,")
    assert keys[(*inner, "text")] == '"""'
    assert keys[(*inner, "inline", "two", "three")].startswith('"}"')
    assert keys[(*inner, "inline", "four")].startswith("[ ]")
    assert keys[(*inner, "when")].startswith("1979")
    assert keys[(*inner, "empty")] == "{}"
    assert keys[("list", "name")].startswith("''''quoted")
    assert not any("fake" in key for key in keys)


def test_tables_that_are_only_implied_stand_where_they_are_first_named():
    keys = places("x = 1\na.b.c = 1\na.d = 2\n[e.f]\n")
    assert keys[("a",)] == keys[("a", "b")] == Place(2, 1)
    assert keys[("a", "b", "c")] == Place(2, 9)
    assert keys[("e",)] == keys[("e", "f")] == Place(4, 1)


def test_json_is_followed_too():
    text = '{\n "a": {"b": [{"c": 1}, 2], "d": "}"},\n "e":\n  true }'
    keys = places(text)
    assert keys[("a", "b")] == Place(2, 13)
    assert keys[("a", "d")] == Place(2, 33)
    assert keys[("e",)] == Place(4, 3)
    assert ("a", "b", "c") not in keys


NAMES = st.text("abcdeZ-_09 .\"'#=[]{}日", min_size=1, max_size=6)
SCALARS = st.one_of(
    st.integers(-99, 99), st.booleans(), st.text("ab =[]{}#,:'\"\\\n日", max_size=8), st.floats(0, 9, width=16)
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))
TABLES = st.dictionaries(NAMES, VALUES, max_size=5)


def leaves(node, path=()):
    for name, value in node.items():
        yield (*path, name), value
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))


def as_toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[ " + ", ".join(as_toml(item) for item in value) + " ]"
    return json.dumps(value)


def tables(node, path=()):
    """Every table under a header of its own."""
    lines = ["[" + ".".join(map(json.dumps, path)) + "] # header"] if path else []
    lines += [f"{json.dumps(name)} = {as_toml(value)}" for name, value in node.items() if not isinstance(value, dict)]
    for name, value in node.items():
        if isinstance(value, dict):
            lines += tables(value, (*path, name))
    return lines


def check(text, data, render):
    keys = found(text)
    for key, value in leaves(data):
        if all(json.dumps(part) == f'"{part}"' for part in key):
            shown = render(value).split("\n")[0]
            assert keys[key].startswith((shown, "[")) if isinstance(value, dict) else keys[key].startswith(shown)


@settings(max_examples=50)
@given(TABLES)
def test_every_value_in_inline_toml_is_found(data):
    text = "".join(f"{json.dumps(name)} = {as_toml(value)}\n" for name, value in data.items())
    assert tomllib.loads(text) == data
    check(text, data, as_toml)


@settings(max_examples=50)
@given(TABLES)
def test_every_value_below_headers_is_found(data):
    text = "\n".join(tables(data))
    assert tomllib.loads(text) == data
    check(text, data, as_toml)


@settings(max_examples=50)
@given(TABLES, st.sampled_from([None, 1]))
def test_every_value_in_json_is_found(data, indent):
    check(json.dumps(data, indent=indent), data, lambda value: json.dumps(value, indent=indent))


@given(st.text("ab=[]{}#,:'\"\\\n. ", max_size=60))
def test_any_text_is_scanned_without_trouble(text):
    assert all(place.line >= 1 and place.column >= 1 for place in places(text).values())
