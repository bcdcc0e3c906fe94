"""Each row of the language table: which files and fences it claims, and what its brackets and grammar are good for."""

import pytest

from shiage.judge import TreeErrors, check
from shiage.judge.languages import LANGUAGES, basename, language_named, language_of, suffix

FILES = {
    "python": "a.py a.pyi a.pyw", "javascript": "a.js a.jsx a.mjs a.cjs", "typescript": "a.ts a.mts a.cts", "tsx": "a.tsx", "go": "a.go",
    "rust": "a.rs", "java": "a.java", "c": "a.c a.h", "cpp": "a.cpp a.cc a.cxx a.hpp a.hh a.hxx a.ipp", "csharp": "a.cs",
    "ruby": "a.rb a.rake a.gemspec Rakefile Gemfile Guardfile Vagrantfile", "php": "a.php a.phtml",
    "shell": "a.sh a.bash a.zsh a.ksh a.bats .bashrc .zshrc .profile .envrc", "sql": "a.sql", "html": "a.html a.htm a.xhtml a.vue a.svelte",
    "xml": "a.xml a.svg a.xsd a.xsl", "css": "a.css", "scss": "a.scss a.less", "yaml": "a.yaml a.yml", "toml": "a.toml",
    "json": "a.json a.jsonc a.json5 a.jsonl a.ndjson a.geojson a.code-workspace", "markdown": "a.md a.markdown a.mdx", "text": "a.txt a.rst a.adoc",
    "kotlin": "a.kt a.kts", "swift": "a.swift", "scala": "a.scala", "dart": "a.dart",
    "config": "a.ini a.cfg a.conf a.env a.properties a.mk Makefile Dockerfile Containerfile .gitignore .dockerignore .editorconfig .env",
    "unknown": "a.xyz a makefile",
}  # fmt: skip
FENCES = {
    "python": "py python python3", "javascript": "js jsx javascript node", "typescript": "ts typescript", "tsx": "tsx", "go": "go golang", "rust": "rust rs",
    "java": "java", "c": "c h", "cpp": "cpp c++ cc hpp", "csharp": "cs csharp c#", "ruby": "rb ruby", "php": "php", "shell": "sh bash shell zsh", "sql": "sql",
    "html": "html vue svelte", "xml": "xml svg", "css": "css", "scss": "scss less", "yaml": "yaml yml", "toml": "toml", "json": "json jsonc",
    "markdown": "md markdown", "text": "text txt plain plaintext", "kotlin": "kotlin kt", "swift": "swift", "scala": "scala", "dart": "dart",
    "config": "ini dockerfile makefile", "unknown": "mermaid",
}  # fmt: skip


@pytest.mark.parametrize("language", FILES)
def test_a_language_is_known_by_its_file_names(language):
    assert {name: language_of(f"src/{name}").name for name in FILES[language].split()} == dict.fromkeys(
        FILES[language].split(), language
    )


@pytest.mark.parametrize("language", FENCES)
def test_a_language_is_known_by_the_word_after_a_fence(language):
    words = FENCES[language].split()
    assert [language_named(word).name for word in words] == [language] * len(words)
    assert language_named(f" {words[0].upper()} ").name == language


def test_the_tables_of_this_test_name_every_language():
    assert {row.name for row in LANGUAGES} | {"unknown"} == set(FILES) == set(FENCES)


@pytest.mark.parametrize(
    ("first", "language"),
    [("#!/usr/bin/env python3", "python"), ("#!/usr/bin/node", "javascript"), ("#!/usr/bin/env ruby", "ruby"), ("#!/usr/bin/php", "php"),
     ("#!/bin/sh", "shell"), ("#!/bin/bash -e", "shell"), ("#!/usr/bin/perl", "unknown"), ("# /bin/sh", "unknown"), ("#!/usr/bin/awk\n# not python", "unknown"),
     ("#!" + " " * 112 + "python", "python"), ("#!" + " " * 113 + "python", "unknown")],
)  # fmt: skip
def test_a_file_without_an_extension_is_known_by_its_first_line(first, language):
    assert language_of("bin/run", f"{first}\nx\n").name == language
    assert language_of("bin/run.go", f"{first}\nx\n").name == "go"


@pytest.mark.parametrize(
    ("path", "name", "extension"),
    [("src/a.PY", "a.PY", ".py"), ("src\\b.tar.gz", "b.tar.gz", ".gz"), (".env", ".env", ""), ("a/b.c/run", "run", ""), ("a.", "a.", "."), ("x", "x", "")],
)  # fmt: skip
def test_the_last_part_of_a_path_gives_name_and_extension(path, name, extension):
    assert (basename(path), suffix(path)) == (name, extension)


# ---------------------------------------------------------------- brackets and grammars

#: A complete file up to a place where a bracket may be opened.
OPENED = {
    "python": ("x = 1\ny = ", "([{"), "javascript": ("let x = 1;\ncall", "([{"), "typescript": ("let x = 1;\ncall", "([{"), "tsx": ("let x = 1;\ncall", "([{"),
    "go": ("package a\nvar x = f", "([{"), "rust": ("fn f() {}\nstatic X: u8 = f", "([{"), "java": ("class A {}\nclass B ", "([{"),
    "c": ("int x;\nint y = f", "([{"), "cpp": ("int x;\nint y = f", "([{"), "csharp": ("class A {}\nclass B ", "([{"), "php": ("<?php\n$x = f", "([{"),
    "sql": ("SELECT 1;\nSELECT f", "("), "css": (".a {}\n.b ", "([{"), "scss": (".a {}\n.b ", "([{"),
    "kotlin": ("val x = 1\nval y = f", "([{"), "swift": ("let x = 1\nlet y = f", "([{"), "scala": ("val x = 1\nval y = f", "([{"), "dart": ("var x = 1;\nvar y = f", "([{"),
}  # fmt: skip
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def faults(path, text, **given):
    found = check(after={path: text}, criteria=["Q4"], **given).findings
    return [(one.rule, one.line, one.description) for one in found]


def file_of(language):
    return FILES[language].split()[0]


@pytest.mark.parametrize(("language", "bracket"), [(name, one) for name, (_, kinds) in OPENED.items() for one in kinds])
def test_a_bracket_that_is_never_closed_is_named_with_its_line(language, bracket):
    text = f"{OPENED[language][0]}{bracket}1 \n\n"
    ((rule, line, said),) = faults(file_of(language), text)
    assert (rule, line) in {("cut-off", 2), ("syntax-error", 2)}
    assert said == f"Not valid {language}: '{bracket}' {'was' if language == 'python' else 'that is'} never closed."


@pytest.mark.parametrize("language", [name for name in OPENED if name != "python"])
def test_a_bracket_without_its_opener_is_named_with_its_line(language):
    before, kinds = OPENED[language]
    closer = CLOSERS[kinds[-1]]
    ((rule, line, said),) = faults(file_of(language), f"{before}{closer}\n-- end\n")
    assert (rule, line) == ("syntax-error", 2)
    assert said == f"Not valid {language}: '{closer}' without its opening bracket."


#: Brackets fit, and only the grammar knows better; the line that it names.
WRONG = {
    "javascript": ("let x = 1;\nlet let y z;\n", 2), "go": ("package a\n\nfunc f() int { return return }\n", 3),
    "rust": ("fn f() {}\nfn g() -> { let }\n", 2), "java": ("class A {}\nclass B { int int x; }\n", 2), "ruby": ("x = 1\ndef f\n", 2),
    "php": ("<?php\n$x = 1;\n$y $z = = 2;\n", 3), "shell": ("x=1\nif true; then\n  y=2\n", 4), "yaml": ("a: 1\nb: c: d\n", 1),
}  # fmt: skip


@pytest.mark.parametrize("language", WRONG)
def test_a_grammar_finds_what_brackets_do_not_show(language):
    text, at = WRONG[language]
    ((_, line, said),) = faults(file_of(language), text)
    assert (line, said) == (at, f"Not valid {language}: syntax error.")


#: Brackets do not fit for whoever cannot parse, and the grammar knows that all is well.
RIGHT = {
    "typescript": 'export function f(x: string): boolean {\n  if (x) /[(]/.test(x);\n  return true;\n}\n',
    "tsx": 'export function F(x: string): boolean {\n  if (x) /[(]/.test(x);\n  return true;\n}\n',
    "c": "// the note goes on \\\n   ( here\nint x;\n", "cpp": "// the note goes on \\\n   ( here\nint x;\n",
    "csharp": 'class A {\n  string B(string c) { return $"{C("(")}"; }\n}\n',
}  # fmt: skip


@pytest.mark.parametrize("language", RIGHT)
def test_where_grammars_err_brackets_alone_reject_nothing(language):
    assert faults(file_of(language), RIGHT[language]) == []


@pytest.mark.parametrize("language", ["typescript", "tsx", "c", "cpp", "csharp", "go", "kotlin"])
def test_without_an_answer_of_the_grammar_the_brackets_decide(language):
    text = f"{OPENED[language][0]}(1 \n\n"
    ((_, _, said),) = faults(file_of(language), text, ask=lambda _: None)
    assert said.endswith("'(' that is never closed.")


@pytest.mark.parametrize(
    "text",
    [
        "x = (1]\n",
        "x = (\n",
        "x = 'a\n",
        "x = 1)\n",
        "if x:\ny = 1\n",
        "  x = 1\n",
        "try:\n    x\ny = 1\n",
        "x = 1\n\\",
    ],
)
def test_some_faults_of_python_need_no_second_opinion(text):
    assert len(faults("a.py", text, ask=lambda _: TreeErrors())) == 1
    assert faults("a.py", "x = = 1\n", ask=lambda _: TreeErrors()) == []


#: Prose in a comment, no line of it like another, that goes on beyond the first look of a grammar.
PROSE = "\n".join(
    f"No, {number * number % 7919} of them; it's (as you see) not = {number} {{ at all" for number in range(50)
)


@pytest.mark.parametrize(
    ("path", "first", "last"),
    [
        ("a.js", "let x = 1;\n", "let y = 2;\n"),
        ("a.go", "package a\n", "var y = 2\n"),
        ("A.java", "class A {}\n", "class B {}\n"),
    ],
)
def test_a_comment_across_the_first_look_of_a_grammar_is_no_error(path, first, last):
    filled = "".join(f"// {number * number % 7919}\n" for number in range(60))
    assert faults(path, f"{first}/* {PROSE} */\n{last}") == []
    assert faults(path, f"{first}{filled}/* {PROSE} */\n{last}") == []
    assert len(faults(path, f"{first}/* {PROSE} */\n{last * 9}let let 1 = = 2;\n// end\n")) == 1


def test_templates_within_templates_are_deeper_than_brackets_can_tell():
    nested = "".join("`${" for _ in range(6)) + "1" + "".join("}`" for _ in range(6))
    padded = "".join(f"let x{number} = {number * number % 7919};\n" for number in range(300))
    assert faults("a.js", f"{padded}let y = {nested};\n") == []
    assert len(faults("a.js", f"{padded}let y = ({nested};\nlet z = 1;\n")) == 1


@pytest.mark.parametrize("language", ["text", "config", "unknown"])
def test_a_language_that_nothing_is_known_of_has_no_syntax_errors(language):
    assert faults(file_of(language), "<a> ( [ { =\n") == []
