"""What is known of each language: one row per language, found by file name."""

from dataclasses import dataclass
from enum import Enum, auto


class Oracle(Enum):
    """Who says that a text is not valid."""

    AST = auto()  #: Python's own compiler, with the grammar as second opinion
    JSON = auto()
    TOML = auto()
    TREE = auto()  #: the grammar alone: no false alarm on valid code was measured
    BOTH = auto()  #: the grammar, and brackets or impossible token pairs must agree
    BALANCE = auto()  #: brackets, quotes and the end of the file only
    PAGE = auto()  #: HTML: open comments, scripts, tags and pages
    XML = auto()
    PROSE = auto()  #: Markdown: an open fence
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Language:
    """One row: how the language is recognised, lexed and parsed."""

    name: str
    extensions: tuple[str, ...]
    lexer: str  #: key of the token table in `lexing`
    oracle: Oracle = Oracle.NONE
    grammar: str = ""  #: module of the tree-sitter grammar
    entry: str = "language"  #: its function that returns the language
    filenames: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  #: words after an opening fence
    brackets: str = ""  #: which pairs must balance
    blocks: str = ""  #: "brace", "indent" or "end": how a body is delimited


UNKNOWN = Language("unknown", (), "unknown")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python", (".py", ".pyi", ".pyw"), "python", Oracle.AST, "tree_sitter_python",
        aliases=("py", "python", "python3"), brackets="()[]{}", blocks="indent",
    ),
    Language(
        "javascript", (".js", ".jsx", ".mjs", ".cjs"), "javascript", Oracle.TREE, "tree_sitter_javascript",
        aliases=("js", "jsx", "javascript", "node"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "typescript", (".ts", ".mts", ".cts"), "javascript", Oracle.BOTH, "tree_sitter_typescript",
        "language_typescript", aliases=("ts", "typescript"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "tsx", (".tsx",), "javascript", Oracle.BOTH, "tree_sitter_typescript", "language_tsx",
        aliases=("tsx",), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "go", (".go",), "go", Oracle.TREE, "tree_sitter_go",
        aliases=("go", "golang"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "rust", (".rs",), "rust", Oracle.TREE, "tree_sitter_rust",
        aliases=("rust", "rs"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "java", (".java",), "java", Oracle.TREE, "tree_sitter_java",
        aliases=("java",), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "c", (".c", ".h"), "c", Oracle.BOTH, "tree_sitter_c",
        aliases=("c", "h"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "cpp", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"), "c", Oracle.BOTH, "tree_sitter_cpp",
        aliases=("cpp", "c++", "cc", "hpp"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "csharp", (".cs",), "csharp", Oracle.BOTH, "tree_sitter_c_sharp",
        aliases=("cs", "csharp", "c#"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "ruby", (".rb", ".rake", ".gemspec"), "ruby", Oracle.TREE, "tree_sitter_ruby",
        filenames=("Rakefile", "Gemfile", "Guardfile", "Vagrantfile"), aliases=("rb", "ruby"), blocks="end",
    ),
    Language(
        "php", (".php", ".phtml"), "php", Oracle.TREE, "tree_sitter_php", "language_php",
        aliases=("php",), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "shell", (".sh", ".bash", ".zsh", ".ksh", ".bats"), "shell", Oracle.TREE, "tree_sitter_bash",
        filenames=(".bashrc", ".zshrc", ".profile", ".envrc"),
        aliases=("sh", "bash", "shell", "zsh"), blocks="brace",
    ),
    Language("sql", (".sql",), "sql", Oracle.BALANCE, aliases=("sql",), brackets="()"),
    Language(
        "html", (".html", ".htm", ".xhtml", ".vue", ".svelte"), "html", Oracle.PAGE,
        aliases=("html", "vue", "svelte"),
    ),
    Language("xml", (".xml", ".svg", ".xsd", ".xsl"), "xml", Oracle.XML, aliases=("xml", "svg")),
    Language(
        "css", (".css",), "css", Oracle.BALANCE, aliases=("css",), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "scss", (".scss", ".less"), "scss", Oracle.BALANCE, aliases=("scss", "less"), brackets="()[]{}", blocks="brace",
    ),
    Language(
        "yaml", (".yaml", ".yml"), "yaml", Oracle.TREE, "tree_sitter_yaml",
        aliases=("yaml", "yml"), blocks="indent",
    ),
    Language("toml", (".toml",), "toml", Oracle.TOML, aliases=("toml",)),
    Language(
        "json", (".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".code-workspace"), "json", Oracle.JSON,
        aliases=("json", "jsonc"), brackets="[]{}",
    ),
    Language("markdown", (".md", ".markdown", ".mdx"), "markdown", Oracle.PROSE, aliases=("md", "markdown")),
    Language("text", (".txt", ".rst", ".adoc"), "text", aliases=("text", "txt", "plain", "plaintext")),
    Language(
        "kotlin", (".kt", ".kts"), "java", Oracle.BALANCE, aliases=("kotlin", "kt"), brackets="()[]{}", blocks="brace",
    ),
    Language("swift", (".swift",), "java", Oracle.BALANCE, aliases=("swift",), brackets="()[]{}", blocks="brace"),
    Language("scala", (".scala",), "java", Oracle.BALANCE, aliases=("scala",), brackets="()[]{}", blocks="brace"),
    Language("dart", (".dart",), "java", Oracle.BALANCE, aliases=("dart",), brackets="()[]{}", blocks="brace"),
    Language(
        "config", (".ini", ".cfg", ".conf", ".env", ".properties", ".mk"), "hash",
        filenames=("Makefile", "Dockerfile", "Containerfile", ".gitignore", ".dockerignore", ".editorconfig", ".env"),
        aliases=("ini", "dockerfile", "makefile"), blocks="indent",
    ),
)  # fmt: skip

_BY_EXTENSION = {extension: row for row in LANGUAGES for extension in row.extensions}
_BY_FILENAME = {name: row for row in LANGUAGES for name in row.filenames}
_BY_ALIAS = {alias: row for row in LANGUAGES for alias in row.aliases}
_SHEBANGS = (("python", "python"), ("node", "javascript"), ("ruby", "ruby"), ("php", "php"), ("sh", "shell"))
_BY_NAME = {row.name: row for row in LANGUAGES}


def basename(path: str) -> str:
    """The last part of a path, whichever slash it uses."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def suffix(path: str) -> str:
    """The last extension in lower case, with its dot, or nothing."""
    stem, dot, extension = basename(path).rpartition(".")
    return f".{extension.lower()}" if dot and stem else ""


def language_of(path: str, text: str = "") -> Language:
    """The row of this file: by name, by extension, else by its first line."""
    name = basename(path)
    row = _BY_FILENAME.get(name) or _BY_EXTENSION.get(suffix(path))
    if row is None and text.startswith("#!"):
        first = text[:120].split("\n", 1)[0]
        row = next((_BY_NAME[language] for word, language in _SHEBANGS if word in first), None)
    return row or UNKNOWN


def language_named(word: str) -> Language:
    """The row that a fence's info word means."""
    return _BY_ALIAS.get(word.strip().lower(), UNKNOWN)


def named(name: str) -> Language:
    """The row of this name."""
    return _BY_NAME.get(name, UNKNOWN)
