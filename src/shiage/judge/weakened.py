"""Q5: evidence that the change itself made weaker: tests, assertions, checks that no longer speak."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.findings import found
from shiage.judge.languages import basename
from shiage.judge.lexing import Lexed

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/|(?:^|/)(?:test_[^/]*|[^/]*(?:[._-](?:test|spec|tests)|_test|Tests?|"
    r"Spec))\.\w+$"
)
_NOT_A_TEST = re.compile(r"\.(?:md|json|ya?ml|txt|toml|html|css|snap|csv)$|(?:^|/)(?:conftest|__init__)\.py$|\.kiro/")
_TEST = re.compile(
    r"^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)|(?<![\w.])(?:it|test|"
    r"specify)(?:\.each\b[^\n]{0,80}?\))?\([ \t\n]*([\"'`][^\n]{0,200}?[\"'`])[ \t]*,|"
    r"^func[ \t]+(Test\w+)|#\[(?:\w+::)?test\][^{;]{0,200}?\bfn[ \t]+(\w+)|@Test\b[^{;]{0,200}?[ \t](\w+)\(|"
    r"^[ \t]*(?:public[ \t]+)?function[ \t]+(test\w+)|\[(?:Fact|Test|Theory|TestMethod)\][^{;]{0,200}?[ \t](\w+)\(|"
    r"^[ \t]*TEST(?:_F|_P)?\(([^)\n]{1,120})\)|^(?:static[ \t]+)?void[ \t]+(test_?\w+)[ \t]*\(|"
    r"^@test[ \t]+([\"'][^\n]{0,200}[\"'])[ \t]*\{|^[ \t]*(?:it|specify|test)[ \t]+([\"'][^\n]{0,200}?[\"'])[ \t]+do\b",
    re.MULTILINE,
)
_ASSERTION = re.compile(
    r"(?<![\w.])assert\b|\bself\.(?:assert\w+|fail\w*)\(|\bexpect\(|\bassert(?:_\w+|\.\w+|[A-Z]\w*)?!?\(|"
    r"\bt\.(?:Error|Fatal|Fail)\w*\(|\brequire\.\w+\(|\bASSERT_\w+|\bEXPECT_\w+|\bpytest\.raises|\.should\b|"
    r"\bAssert\.\w+(?:<[^<>\n]{0,80}>)?\(|\bTEST_ASSERT\w*\(|(?<![\w.])(?:assert|refute)_\w+[ \t]+\S|(?<![\w.])refute\b"
)
_HOLLOW = re.compile(
    r"(?<![\w.])assert\s+(?:True|1)\s*(?:#.*)?$|\bexpect\((true|1)\)\.(?:toBe|toEqual|toBeTruthy)\((?:\1)?\)|"
    r"\bassert!?\(\s*(?:true|1)\s*\)|(?<![\w.])assert[ \t]+true\b|\b(?:EXPECT|ASSERT|TEST_ASSERT)_TRUE\(\s*true\s*\)|"
    r"\b(?:assert|require)\.(?:True\(t, true\b|Equal\(t, (\d+), \2\))|\bexpect\(true\)\.to (?:be|eq)\b|"
    r"\b(?:assert_equal|assert_eq!|assertEquals|assertSame|Assert\.Equal|EXPECT_EQ|ASSERT_EQ)[ \t]*\(?\s*(\d+|true),\s*\3\s*(?:\)|$)|"
    r"(?<![\w.])assert\b[^#\n]*\bor\s+True\s*(?:[,#)]|$)|\b(?:assert\w*|expect)!?\([^\n]*\|\|\s*true\s*\)|"
    r"\bself\.assertTrue\(True\)|\bassertTrue\(true\)|\bAssert\.(?:True|IsTrue)\(true\)"
)
_SKIP = re.compile(
    r"@(?:pytest\.mark\.|unittest\.)?(?:skip|xfail|expectedFailure)\b(?!If|Unless|if)|\bpytest\.(?:skip|xfail)\(|"
    r"\bpytestmark\s*=\s*pytest\.mark\.(?:skip|xfail)\b|\bself\.skipTest\(|"
    r"(?<![\w.])(?:it|test|describe|context|suite)\.(?:skip|todo|only|failing)\b|(?<![\w.])(?:xit|xdescribe|xtest|"
    r"fit|fdescribe|xcontext)\(|\b[tb]\.Skip(?:Now|f)?\(|"
    r"#\[ignore\b|@(?:Disabled|Ignore)\b|\[Ignore\b|Skip\s*=\s*\"|\bmarkTest(?:Skipped|Incomplete)\(|"
    r"\bGTEST_SKIP\(|^\s*TEST(?:_F|_P)?\([^)\n]{0,120}\bDISABLED_"
)
_RETURNS_AT_ONCE = re.compile(
    r"(?:\bdef[ \t]+test\w*\([^()\n]{0,200}\)[^\n]{0,60}:|(?<![\w.])(?:it|test)\([^\n]{0,200}\{|\bfunc[ \t]+Test\w+\([^\n]{0,80}\{)"
    r"[ \t]*\n(?:[ \t]*\n)?[ \t]*return(?:[ \t]+None)?;?[ \t]*(?=\n[ \t]*[^\s}])"
)
_REPEATED = re.compile(
    r"\bfor\b|parametri[sz]e|\.each\b|\bforEach\b|\bsubTest\b|@ValueSource|@CsvSource|\[InlineData|\[TestCase"
)
#: In Ruby and in shell tests a bare word skips.
_BARE_SKIP = re.compile(
    r"^\s*(?:skip(?:[ \t]+[\"'\w]|[ \t]*$|\()|(?:xit|xdescribe|xcontext|xspecify|pending)[ \t]+[\"'])"
)
#: One of these is in each line that the two expressions above find, and in each hollow assertion.
_SKIPS = re.compile(r"[Ss]kip|xfail|expectedFailure|\.(?:todo|only|failing)|xit|xtest|describe|context|fit\(|[Ii]gnore|Disabled|DISABLED|Incomplete|SKIP|xspecify|pending")  # fmt: skip
_ASSERTS = re.compile(r"assert|ASSERT|EXPECT|expect\(|require\.|Assert\.|TEST_ASSERT")
_CONDITION = re.compile(
    r"^\s*(?:if|elif|else|except|unless|when)\b|\bskipif\b|skipIf|\bif\s*\(|\bskip\b.*\b(?:if|unless)\b"
)
_SUPPRESSION = re.compile(
    r"#\s*(?:type:\s*ignore|noqa\b(?![ \t]+[a-z])|pylint:\s*disable|pyright:\s*ignore|mypy:\s*(?:ignore-errors|disable)|ruff:\s*noqa|"
    r"flake8:\s*noqa|nosec\b|pragma:\s*no cover|rubocop:disable|shellcheck\s+disable)|"
    r"(?://|/\*)\s*(?:@ts-(?:ignore|nocheck|expect-error)|eslint-disable|tslint:disable|biome-ignore|istanbul ignore|"
    r"c8 ignore|v8 ignore|nolint|NOLINT|noinspection|stylelint-disable|@phpstan-ignore|phpcs:\s*(?:disable|ignore)|"
    r"#nosec\b)|"
    r"#!?\[allow\(|@SuppressWarnings\b|#pragma\s+warning\s*\(?\s*disable|@psalm-suppress"
)
#: One of these is in each suppression; plain search is quicker than the expression above.
_SILENCERS = (
    "ignore",
    "noqa",
    "isable",
    "nocheck",
    "expect-error",
    "nosec",
    "no cover",
    "nolint",
    "NOLINT",
    "noinspection",
    "[allow",
    "uppress",
)
_BLANKET = re.compile(
    r"#\s*type:\s*ignore(?!\s*\[)|#\s*noqa(?!\s*:)|#\s*(?:ruff|flake8):\s*noqa(?!\s*:)|#\s*mypy:\s*ignore-errors|"
    r"@ts-(?:ignore|nocheck)|/\*\s*eslint-disable\s*\*/|//\s*eslint-disable(?:-next)?(?:-line)?\s*$|"
    r"#!\[allow\((?:warnings|unused|clippy::all|dead_code)\b|"
    r"#\s*pylint:\s*disable=all|@SuppressWarnings\(\"all\"\)|#\s*pyright:\s*ignore(?!\s*\[)|//\s*tslint:disable\s*$"
)
_ON_NEXT_LINE = re.compile(
    r"next-line|@ts-(?:ignore|expect-error)|biome-ignore|#\[allow|@SuppressWarnings|shellcheck|@phpstan-ignore-next|"
    r"noinspection|NOLINTNEXTLINE|#nosec|nolint|#pragma"
)
_PYTHON_SWALLOW = re.compile(
    r"^(?P<indent>[ \t]*)except(?:[ \t]+\(?[\w., ]*\b(?:Exception|BaseException|Error|"
    r"AssertionError)\b[^:\n]*)?[ \t]*:[ \t]*(?:\n[ \t]*)?(?:pass|\.\.\.|continue|return(?: None)?)[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_RUBY_SWALLOW = re.compile(
    r"^[ \t]*rescue(?:[ \t]+(?:StandardError|Exception))?(?:[ \t]*=>[ \t]*\w+)?[ \t]*\n(?:[ \t]*(?:nil)?[ \t]*\n)*+[ \t]*end\b",
    re.MULTILINE,
)
_BRACE_SWALLOW = re.compile(r"\bcatch\s*(?:\([^(){}\n]{0,120}\))?\s*\{\s*\}")
_REMOVAL_OF_TESTS = re.compile(
    r"\b(?:delete|remove|drop|prune|consolidat\w+|merge|rewrit\w+|refactor\w*|rename|replac\w+|parametri[sz]e|split|"
    r"move|migrat\w+|clean|simplif\w+|convert)\b|削除|統合|整理|書き直|置き換え|移動|リファクタ|除去",
    re.IGNORECASE,
)
_SKIPPING = re.compile(r"\b(?:skip|disable|xfail|ignore|quarantine)\b|スキップ|無効|除外", re.IGNORECASE)
_SILENCING = re.compile(
    r"noqa|type: ?ignore|suppress|silence|ignore|disable|eslint-disable|ts-ignore|lint|抑制|無視|無効", re.IGNORECASE
)
_SWALLOWING = re.compile(r"swallow|ignore|suppress|silent|best[- ]effort|無視|握りつぶ", re.IGNORECASE)


MAX_LINE = 400  #: characters of a line of a test that are looked at


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    says: str
    suggestion: str


_DELETED = _Rule(
    "test-deleted", "A test file was deleted that nobody asked to delete.", "Restore the tests and make them pass."
)
_REMOVED = _Rule(
    "test-removed", "Tests were taken away that nobody asked to remove.", "Restore the tests and make them pass."
)
_ASSERTIONS = _Rule(
    "assertion-removed", "Assertions were taken away from tests.", "Restore the assertions and make them hold."
)
_HOLLOWED = _Rule("hollow-assertion", "An assertion was added that always holds.", "Assert what the code must do.")
_SKIPPED = _Rule("test-skipped", "A test was switched off.", "Switch the test on again and make it pass.")
_SILENCED = _Rule("suppression-added", "A checker was silenced.", "Repair what the checker reports.")
_SWALLOWED = _Rule(
    "error-swallowed",
    "An error is caught and dropped around code that was there before.",
    "Handle the error, or let it be seen.",
)


def is_test(path: str) -> bool:
    """Is this the path of a test file?"""
    return _TEST_PATH.search(path.replace("\\", "/")) is not None and not _NOT_A_TEST.search(path)


def weakened(files: Sequence[FileChange], request: str) -> Iterator[Finding]:
    """All that this change made weaker."""
    tests = [file for file in files if is_test(file.path)]
    standing = {name for file in tests for name in _tests(file.text)} if any(file.before for file in tests) else set()
    for file in files:
        if file.machine_made:
            continue
        if is_test(file.path):
            yield from _fewer_tests(file, files, standing, request)
            if not file.deleted:
                yield from _idle_tests(file, request)
        if not file.deleted:
            yield from _silenced(file, request)
            yield from _swallowed(file, request)


def _finding(file: FileChange, line: int | None, quote: str, rule: _Rule) -> Finding:
    return found("Q5", rule.name, file.path, line, quote, rule.says, rule.suggestion)


def _tests(text: str) -> dict[str, int]:
    """Names of the tests of a text, each with its offset."""
    return {next(name for name in match.groups() if name): match.start() for match in _TEST.finditer(text)}


def _fewer_tests(file: FileChange, files: Sequence[FileChange], standing: set[str], request: str) -> Iterator[Finding]:
    """Tests, or assertions of tests, that were there before and are nowhere now."""
    if not file.before or _REMOVAL_OF_TESTS.search(request):
        return
    before = _tests(file.before)
    lost = [name for name in before if name not in standing]
    if file.deleted:
        if lost and not _subject_gone(file, files):
            yield _finding(file, None, lost[0], _DELETED)
        return
    now = _tests(file.text)
    if len(now) < len(before) and lost and not _subject_gone(file, files):
        yield _finding(file, None, lost[0], _REMOVED)
    elif len(now) <= len(before):
        yield from _fewer_assertions(file)


def _idle_tests(file: FileChange, request: str) -> Iterator[Finding]:
    """Tests that always pass, or do not run."""
    for number, code in _added_lines(file, _ASSERTS):
        if _HOLLOW.search(code):
            yield _finding(file, number, file.lexed.lines[number - 1], _HOLLOWED)
    if not _SKIPPING.search(request):
        yield from _skipped(file)
        yield from _left_at_once(file)


def _added_lines(file: FileChange, sign: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The added lines of code in which this sign is found: quicker than a search in each line."""
    code, end = file.lexed.code, -1
    for match in sign.finditer(code):
        if match.start() > end:
            start, end = code.rfind("\n", 0, match.start()) + 1, code.find("\n", match.start())
            end = len(code) if end < 0 else end
            number = file.lexed.line_at(start)
            if number in file.added:
                yield number, code[start : min(end, start + MAX_LINE)]


def _subject_gone(file: FileChange, files: Sequence[FileChange]) -> bool:
    """The code under test was deleted as well."""
    subject = re.sub(
        r"(?:^test_|[._-]?(?:test|tests|spec)$|_test$|Tests?$|Spec$)", "", basename(file.path).split(".")[0]
    )
    return any(
        other.deleted and not is_test(other.path) and basename(other.path).split(".")[0] == subject for other in files
    )


def _fewer_assertions(file: FileChange) -> Iterator[Finding]:
    old = list(_ASSERTION.finditer(file.lexed_before.code))
    if len(_ASSERTION.findall(file.lexed.code)) >= len(old) or _more_repeated(file):
        return
    kept = {line.strip() for line in file.text.split("\n")}
    lines = file.lexed_before.lines
    gone = [lines[file.lexed_before.line_at(match.start()) - 1] for match in old]
    quote = next((line for line in gone if line.strip() not in kept), gone[0])
    yield _finding(file, None, quote, _ASSERTIONS)


def _more_repeated(file: FileChange) -> bool:
    """Is an assertion that was written anew asked of a table now?"""
    loops = len(_REPEATED.findall(file.lexed.code)) - len(_REPEATED.findall(file.lexed_before.code))
    return loops > 0 and any(_ASSERTION.search(code) for _, code in _added_lines(file, _ASSERTS))


def _skipped(file: FileChange) -> Iterator[Finding]:
    """Tests switched off without a condition."""
    bare = _BARE_SKIP if file.language.name in ("ruby", "shell") else _SKIP
    for number, code in _added_lines(file, _SKIPS):
        if (_SKIP.search(code) or bare.search(code)) and not _CONDITION.search(code):
            lines = file.lexed.code_lines
            above = next((line for line in reversed(lines[max(0, number - 4) : number - 1]) if line.strip()), "")
            if not _CONDITION.search(above):
                yield _finding(file, number, file.lexed.lines[number - 1], _SKIPPED)


def _left_at_once(file: FileChange) -> Iterator[Finding]:
    """Tests that were given a return before all that they do."""
    for match in _RETURNS_AT_ONCE.finditer(file.lexed.code):
        number = file.lexed.line_at(match.end() - 1)
        if number in file.added:
            yield _finding(file, number, file.lexed.lines[number - 1], _SKIPPED)


def _silenced(file: FileChange, request: str) -> Iterator[Finding]:
    """A blanket suppression, or one on a line that was there before."""
    if file.language.name in ("markdown", "text", "json", "unknown") or _SILENCING.search(request):
        return
    if not any(word in file.text for word in _SILENCERS):
        return
    old = {_bare(line) for line in (file.before or "").split("\n")} - {""}
    for match in _SUPPRESSION.finditer(file.text):
        lexed = file.lexed
        number = lexed.line_at(match.start())
        kind = lexed.kind_at(match.start())
        line = lexed.lines[number - 1]
        if number not in file.added or (kind == "s" and not line.lstrip().startswith("#pragma")):
            continue
        if _BLANKET.search(line) or _bare(line) in old or _silences_old(lexed, number, line, file):
            yield _finding(file, number, line, _SILENCED)


_ATTRIBUTE = re.compile(r"^.{0,200}?(?:\]|\*/|$)")  # a suppression that stands before its code, on one line


def _bare(line: str) -> str:
    """A line without its suppression."""
    match = _SUPPRESSION.search(line)
    if not match:
        return line.strip()
    return line[: match.start()].strip() or _ATTRIBUTE.sub("", line).strip()


def _silences_old(lexed: Lexed, number: int, line: str, file: FileChange) -> bool:
    if not _ON_NEXT_LINE.search(line) or not file.before:
        return False
    following = next(
        (at for at in range(number + 1, min(number + 4, len(lexed.lines) + 1)) if lexed.lines[at - 1].strip()), 0
    )
    return following != 0 and following not in file.added


def _swallowed(file: FileChange, request: str) -> Iterator[Finding]:
    """`except: pass` and empty catches around lines that were there before, or in a test."""
    if _SWALLOWING.search(request) or not (file.before or is_test(file.path)):
        return
    pattern = {"python": _PYTHON_SWALLOW, "ruby": _RUBY_SWALLOW}.get(file.language.name, _BRACE_SWALLOW)
    if not file.language.blocks or not any(word in file.text for word in ("except", "catch", "rescue")):
        return
    for match in pattern.finditer(file.lexed.code):
        number = file.lexed.line_at(match.start())
        if number in file.added and (is_test(file.path) or _guards_old(file, number)):
            yield _finding(file, number, file.lexed.lines[number - 1], _SWALLOWED)


def _guards_old(file: FileChange, number: int) -> bool:
    """Does the `try` above hold a line that is not new?"""
    lines = file.lexed.code_lines
    for at in range(number - 1, max(0, number - 60), -1):
        if re.match(r"\s*(?:try\b|\}?\s*try\b|begin\b)", lines[at - 1]):
            return any(
                between not in file.added and lines[between - 1].strip(" \t}") for between in range(at + 1, number)
            )
    return False
