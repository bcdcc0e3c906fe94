"""Q1: the files that the request names are there, with something in them."""

from collections.abc import Iterator, Mapping

from shiage.domain.verdict import Finding
from shiage.judge.findings import found
from shiage.judge.languages import basename
from shiage.judge.requests import Wanted, Wish, wanted_files

#: Files that are rightly empty.
_EMPTY_NAMES = frozenset(
    (
        "__init__.py",
        "conftest.py",
        "requirements.txt",
        "MANIFEST.in",
        "WORKSPACE",
        "BUILD",
        "__init__.pyi",
        "settings.gradle",
    )
)
#: Settings without a setting, and marks whose name says all.
_EMPTY_ENDS = (".toml", ".typed", ".keep", ".stamp", ".lock")


def may_be_empty(path: str) -> bool:
    """Is this a file that is there for its name alone?"""
    name = basename(path)
    return name in _EMPTY_NAMES or name.startswith(".") or name.endswith(_EMPTY_ENDS)


def missing_files(request: str, after: Mapping[str, str | None], before: Mapping[str, str | None]) -> Iterator[Finding]:
    """Q1 for the whole change."""
    for wanted in wanted_files(request):
        yield from _judge(wanted, after, before)


def _judge(wanted: Wanted, after: Mapping[str, str | None], before: Mapping[str, str | None]) -> Iterator[Finding]:
    texts = [text for path, text in after.items() if same_file(path, wanted.path)]
    if wanted.wish is Wish.DELETED:
        if None not in texts:
            yield _finding("file-not-deleted", wanted.path, "was to be deleted and was not.", "Delete it.")
        return
    written = [text for text in texts if text is not None]
    known = not texts and any(same_file(path, wanted.path) and text for path, text in before.items())
    if not written and not known:
        yield _finding("file-missing", wanted.path, "was asked for and is not there.", "Write the file, whole.")
    elif written and not any(text.strip() for text in written) and not may_be_empty(wanted.path):
        yield _finding("file-empty", wanted.path, "was asked for and is empty.", "Write its content.")


def _finding(rule: str, path: str, says: str, suggestion: str) -> Finding:
    return found("Q1", rule, path, None, path, f"{path} {says}", suggestion)


def same_file(actual: str, named: str) -> bool:
    """Do a path of the change and a path in prose mean the same file?"""
    one, two = _rooted(actual), _rooted(named)
    return one.endswith(two) or two.endswith(one)


def _rooted(path: str) -> str:
    return "/" + path.replace("\\", "/").removeprefix("./").lstrip("/").casefold()
