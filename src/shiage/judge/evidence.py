"""Q5: is there anything that shows that the work was done?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shiage.domain.verdict import Finding
from shiage.judge.change import FileChange
from shiage.judge.expected_files import may_be_empty, same_file
from shiage.judge.findings import found
from shiage.judge.report import PATH, read_lines
from shiage.judge.requests import asks_creation, asks_removal, is_read_only, paths_in
from shiage.judge.settings import JudgeSettings
from shiage.judge.syntax import Asked
from shiage.judge.trees import tree_errors
from shiage.judge.weakened import weakened

COMPLETE = "COMPLETE"
_STATUSES = {
    "INCOMPLETE": "The attempt ended before the work was complete.",
    "NO_EVIDENCE": "The attempt left no evidence.",
    "ERROR": "The attempt ended with an error.",
    "BLOCKED": "The attempt was blocked.",
}
_TRANSIENT = re.compile(
    r"\b(?:overloaded|rate[- ]?limit(?:ed|s)?|too many requests|timed? ?out|timeout|ECONNRESET|ETIMEDOUT|ECONNREFUSED|"
    r"EAI_AGAIN|network error|connection (?:reset|refused|error)|temporarily unavailable|service unavailable|"
    r"bad gateway|"
    r"(?:error|status|code|http)[\s:]*(?:408|429|502|503|504|529))\b|タイムアウト|一時的なエラー|過負荷|レート制限",
    re.IGNORECASE,
)
_LONGEST_ERROR = 2_000  #: characters: an error message is short, a report that mentions one is not
_CLAIM = re.compile(
    r"\b(?:created|added|wrote|written|generated|introduced|updated|modified|edited|rewrote)\s+"
    r"(?:(?:an?|the|new|file|files|module|script|page|tests?|component|called|named|both|also|my|to|in|into|"
    r"at)\s+){0,4}[`*\"']*$",
    re.IGNORECASE,
)
_NOT_CLAIMED = re.compile(
    r"\b(?:not|n't|never|no|without|would|could|should|can|will|already|previously|was|were)\b[^.]{0,40}$",
    re.IGNORECASE,
)
_JAPANESE_CLAIM = re.compile(
    r"^[`*」』\s]*(?:ファイル)?を(?:新規)?(?:に)?(?:作成|追加|更新|修正|変更|生成|実装|編集)し(?:た|まし)"
)
_BESIDE = 120  #: characters before a file in which it is said to be written
_POINT = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s*[`*]*")
_JOINED = re.compile(r"[\s`\"'*「」]*+(?:,?\s*and|,|&|plus|、|と|や|及び|および|並びに)[\s`\"'*「」]*+")
_NO_VERB = re.compile(r"[`\"'*」)]*+\s*+(?:[,.;:(&、。とやを及並]|およ|$|(?:and|plus|to|with|so|for|in|by)\b)")
_LISTING = re.compile(
    r"^\W*(?:(?:new|created|changed|modified|added|updated) files?|files? (?:created|changed|modified|added|"
    r"updated)|(?:作成|変更|追加|更新|修正)(?:した)?(?:ファイル|もの)(?:一覧)?)\W*$",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(r"[A-Za-z0-9]{2,}|[ぁ-んァ-ヶ一-龠]{2}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to look at."""

    report: str | None  #: None: nobody gave one, so none is judged
    files: tuple[FileChange, ...]
    deliverable: tuple[FileChange, ...]
    request: str
    status: str
    settings: JudgeSettings
    standing: tuple[str, ...] = ()  #: files that were given and stand as they stood: named, they are no empty claim
    ask: Asked = tree_errors  #: answers for the grammars


def is_transient(evidence: Evidence) -> bool:
    """An error that passes by itself: the same prompt may be tried again."""
    said = evidence.report or ""
    return evidence.status == "ERROR" and len(said) <= _LONGEST_ERROR and _TRANSIENT.search(said) is not None


def missing_evidence(evidence: Evidence) -> Iterator[Finding]:
    """Q5 for the whole attempt."""
    if evidence.status != COMPLETE:
        says = _STATUSES.get(
            evidence.status, f"The attempt ended as {evidence.status or 'unknown'}, which is not COMPLETE."
        )
        yield _finding("status", evidence.status, says, "Finish the work.")
    if evidence.report is not None and not evidence.report.strip():
        yield _finding("empty-output", "", "The attempt ended without a word.", "Do the work and report what was done.")
    yield from _change(evidence)
    yield from _false_claims(evidence)
    yield from weakened(evidence.files, evidence.request)


def _finding(rule: str, quote: str, says: str, suggestion: str, path: str = "", line: int | None = None) -> Finding:
    return found("Q5", rule, path, line, quote, says, suggestion)


def _change(evidence: Evidence) -> Iterator[Finding]:
    files, said = evidence.files, evidence.report or ""
    if not files:
        if not (evidence.deliverable or (is_read_only(evidence.request) and _has_substance(said, evidence.settings))):
            yield _finding(
                "no-change",
                said,
                "Nothing was changed and nothing was delivered.",
                "Make the change that was asked for.",
            )
    elif all(file.deleted for file in files):
        if asks_creation(evidence.request) and not asks_removal(evidence.request):
            yield _finding(
                "only-deletions",
                files[0].path,
                "Files were only deleted.",
                "Make the change that was asked for.",
                files[0].path,
            )
    elif all(file.deleted or (not file.text.strip() and not may_be_empty(file.path)) for file in files):
        empty = next(file for file in files if not file.deleted)
        yield _finding(
            "empty-change", empty.path, "Every file of the change is empty.", "Write the content.", empty.path
        )


def _has_substance(said: str, settings: JudgeSettings) -> bool:
    """Words beyond those of completion."""
    for pattern in settings.early_termination_patterns:
        said = said.replace(pattern, " ")
    return len(_SUBSTANCE.findall(said)) >= 3


def _false_claims(evidence: Evidence) -> Iterator[Finding]:
    """Files that the report says were written and that are not in the change."""
    if not evidence.files or not evidence.report:
        return
    listing = False
    for line in read_lines(evidence.report):
        listing = bool(_LISTING.match(line.raw)) or (listing and line.raw.lstrip()[:1] in "-*+•0123456789")
        for match in _claimed(line.raw, listing):
            if not _in_change(match[0], evidence):
                yield _finding(
                    "claim-without-file",
                    line.raw,
                    f"{match[0]} is said to be written and is not in the change.",
                    "Write it, or correct the report.",
                    PATH,
                    line.number,
                )


def _claimed(line: str, listing: bool) -> Iterator[re.Match[str]]:
    """The files of a line that are said to be written; what is said of one is said of those that are joined to it."""
    groups: list[list[re.Match[str]]] = []
    for match in paths_in(line):
        if (
            groups
            and _JOINED.fullmatch(line, groups[-1][-1].end(), match.start())
            and _NO_VERB.match(line, match.end())
        ):
            groups[-1].append(match)
        else:
            groups.append([match])
    for group in groups:
        if any(_is_claimed(line, match, listing) for match in group):
            yield from group


def _is_claimed(line: str, match: re.Match[str], listing: bool) -> bool:
    before = line[max(0, match.start() - _BESIDE) : match.start()]
    if _CLAIM.search(before) and not _NOT_CLAIMED.search(_CLAIM.sub("", before)):
        return True
    return (listing and _POINT.fullmatch(before) is not None) or _JAPANESE_CLAIM.match(line[match.end() :]) is not None


def _in_change(path: str, evidence: Evidence) -> bool:
    paths = (*(file.path for file in evidence.files), *evidence.standing)
    return any(same_file(one, path) for one in paths)
