"""What failed, as far as the output of a test run, a linter or a type checker says it line by line."""

import re

_MOST = 2_000  #: failures that are told apart
_LONGEST = 400  #: characters of a line
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: The lines that name one failure: pytest, unittest, go, cargo, jest and mocha, TAP; then anything with a place.
_FAILURE = re.compile(
    r"^\s*(?:FAILED |ERROR |FAIL: |ERROR: |--- FAIL: |not ok \d+|[✕✗×] |● |test .+ \.\.\. FAILED$|.+\bFAILED\s*(?:\[|$))"
    r"|^\s*(?:error|warning)(?:\[[\w-]+\])?: "
    r"|^\S+[:(]\d+(?:[:,]\d+)?\)?:?\s+\S"
)
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")
_DETAIL = re.compile(r"^(\s*(?:FAILED|ERROR) \S+) - .*")


def failures(output: str) -> frozenset[str]:
    """Each failure by a name that stays the same when lines move, times differ and messages carry values."""
    found = set()
    for line in output.splitlines():
        plain = _ESCAPES.sub("", line[:_LONGEST]).rstrip()
        if _FAILURE.search(plain):
            found.add(_NUMBERS.sub("#", _DETAIL.sub(r"\1", plain)).strip())
        if len(found) >= _MOST:
            break
    return frozenset(found)


def new_failures(before: str | None, after: str) -> frozenset[str] | None:
    """What fails now and did not fail before; None when everything does, because it passed or was never looked at.

    An output that names no failure cannot be told apart from the one before: it is the old failure.
    """
    if before is None:
        return None
    return failures(after) - failures(before)
