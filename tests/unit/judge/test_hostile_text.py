"""Text made to hurt: every check of a megabyte of it ends in half a second, and nothing raises."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.judge import check
from shiage.judge.languages import LANGUAGES

MEGABYTE = 1_000_000
SEEDS = {
    "open quotes": '"', "single quotes": "'", "backticks": "`", "templates": "`${", "braces": "{", "closers": "}", "parens": "(",
    "comment openers": "/*", "comment ends": "*/", "markup comments": "<!--", "tags": "<div ", "tags in braces": "<a b={", "entities": "<!ENTITY a '&b;'>", "scripts": "<script>", "mixed scripts": "<Script>\n",
    "triples": '"""', "raw strings": 'r#"', "c raw": 'R"x(', "heredocs": "cat <<EOF\n", "ruby heredocs": "x = <<~TEXT\n", "php tags": "?><?php ",
    "dollar quotes": "$a$", "escapes": "\\", "slashes": "/", "regexes": "= /a[", "dots": "...", "todos": "TODO ", "comment todos": "# TODO, \n",
    "ellipses": "# ...\n", "omissions": "// rest of the code of the file of the class\n", "japanese": "# 残りの実装は省略\n", "spaces": " ", "newlines": "\n",
    "tabs": "\t", "nul": "\0", "escape": "\x1b[31m", "crlf": "\r\n", "fences": "```\n", "fence ticks": "`" * 3, "not": "I did not ", "still": "still needs to be ",
    "paths": "create a.py, ", "long path": "a/", "at": "@", "percent": "%w[", "begin": "=begin\n", "else": "#else\n", "if": "#if X\n{\n", "catch": "catch (e) {",
    "try": "try:\n    x()\nexcept:\n    pass\n", "def": "def f(\n", "functions": "function f() {\n}\n", "empty": "{}", "fn": "fn f() -> u8 {}\n", "word": "a" * 100 + " ",
    "hashes": "#", "dashes": "-", "stars": "*", "pipes": "| TODO ", "json": "[", "json objects": '{"a":', "quotes in prose": "“", "words": "the rest of the ",
    "negations": "TODO は", "conflict": "<<<<<<< a\n", "conflict mid": "<<<<<<< a\n=======\n", "noqa": "x  # noqa\n", "tests": "def test_a():\n    assert True\n",
}  # fmt: skip
FILES = [
    "a.py",
    "a.js",
    "a.tsx",
    "a.go",
    "a.rs",
    "a.c",
    "a.cs",
    "a.rb",
    "a.php",
    "a.sh",
    "a.sql",
    "a.html",
    "a.xml",
    "a.css",
    "a.yaml",
    "a.toml",
    "a.json",
    "a.md",
    "a.txt",
    "a.xyz",
    "tests/test_a.py",
]
SMALL = 30_000  #: enough for anything worse than linear to show: it would take minutes at a megabyte
SMALL_LIMIT = 0.25
LIMIT = 1.0  #: half a second on an idle machine; a busy one must not fail the test


def repeated(name, size):
    return SEEDS[name] * (size // len(SEEDS[name]))


def seconds(**given):
    start = time.process_time()  # a busy machine must not fail the test
    check(**given)
    return time.process_time() - start


def quickest(limit, **given):
    """The best of three, so that a busy machine is not mistaken for slow code."""
    return next((took for took in (seconds(**given) for _ in range(3)) if took <= limit), limit + 1)


@pytest.mark.parametrize("path", FILES)
def test_no_hostile_file_takes_more_than_linear_time(path):
    assert not [
        name
        for name in SEEDS
        if quickest(SMALL_LIMIT, report="Done it.", after={path: repeated(name, SMALL)}) > SMALL_LIMIT
    ]


def indented(name):
    """The same thing on lines that differ in their indentation alone: it does not look repetitive."""
    return "\n".join(" " * (number % 50) + SEEDS[name].strip("\n") for number in range(SMALL // 30))


def on_one_line(name):
    """One endless line among many short ones, so that the file does not look minified."""
    return repeated(name, SMALL).replace("\n", " ") + "\n" * (SMALL // 200)


@pytest.mark.parametrize("shape", [indented, on_one_line])
@pytest.mark.parametrize("path", ["a.py", "a.c", "a.ts", "tests/test_a.py", "tests/a.test.js"])
def test_the_shape_of_hostile_text_makes_no_difference(path, shape):
    assert not [
        name for name in SEEDS if quickest(SMALL_LIMIT, report="Done it.", after={path: shape(name)}) > SMALL_LIMIT
    ]


@pytest.mark.parametrize(
    ("path", "line"), [("a.ts", "= /a["), ("a.js", "`${= /a["), ("a.py", "def f(a) -> int: pass "), ("a.c", "/* rest of the code omitted */ ")]
)  # fmt: skip
def test_an_endless_line_is_read_once(path, line):
    text = line * (200_000 // len(line)) + "\n" * 1_000
    assert quickest(LIMIT, report="Done it.", after={path: text}) <= LIMIT


@pytest.mark.parametrize("given", ["report", "answer", "request", "old"])
def test_no_hostile_report_request_or_old_text_takes_more_than_linear_time(given):
    def arguments(text):
        return {
            "report": {"report": text, "after": {"a.py": "x = 1\n"}},
            "answer": {"report": text, "after": {}},
            "request": {"report": "Done it.", "after": {"a.py": "x = 1\n"}, "request": text},
            "old": {"report": "Done it.", "after": {"a.js": text + "\nx"}, "before": {"a.js": "y\n" + text}},
        }[given]

    assert not [name for name in SEEDS if quickest(SMALL_LIMIT, **arguments(repeated(name, SMALL))) > SMALL_LIMIT]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.py", "triples"), ("a.js", "templates"), ("a.ts", "regexes"), ("a.rs", "raw strings"), ("a.c", "comment openers"), ("a.rb", "begin"), ("a.sh", "heredocs"),
     ("a.sql", "dollar quotes"), ("a.html", "scripts"), ("a.json", "json"), ("a.md", "japanese"), ("a.py", "comment todos")],
)  # fmt: skip
def test_a_hostile_megabyte_is_judged_in_time(path, name):
    assert quickest(LIMIT, report="Done it.", after={path: repeated(name, MEGABYTE)}) <= LIMIT


EXTENSIONS = sorted({extension for row in LANGUAGES for extension in row.extensions} | {".xyz", ""})
ALPHABET = st.sampled_from(
    [
        *"\"'`{}()[]<>/*#-=$\\\n\t .:;,|%@!?0aA\0\r",
        "...",
        "TODO",
        "省略",
        "残り",
        "```",
        '"""',
        "<<EOF\n",
        "rest of the code",
        "def f():\n",
        "function f() {",
        "\ud800",
        "\u2028",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    text=st.lists(ALPHABET, max_size=60).map("".join),
    extension=st.sampled_from(EXTENSIONS),
    before=st.none() | st.lists(ALPHABET, max_size=20).map("".join),
)
def test_no_text_breaks_a_criterion(text, extension, before):
    old = None if before is None else {f"a{extension}": before}
    verdict = check(report=text, after={f"a{extension}": text}, before=old, request=text)
    assert "criterion-error" not in {finding.rule for finding in verdict.findings}
    assert verdict == check(report=text, after={f"a{extension}": text}, before=old, request=text)


@given(text=st.lists(ALPHABET, max_size=80).map("".join))
def test_a_quote_never_holds_control_characters(text):
    verdict = check(report=text, after={"a.py": text, "b.md": text})
    assert all(finding.quote.isprintable() for finding in verdict.findings)
