"""What the judge says of an attempt."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b


class Judgment(StrEnum):
    PASS = "PASS"  #: every enabled criterion passed
    REJECT = "REJECT"  #: something is wrong, and it can be said what
    RETRY = "RETRY"  #: nothing could be judged, for a passing reason


#: Criteria whose quote is the output of a command, which differs from run to run.
OUTPUTS = frozenset({"Q7", "Q8", "Q9", "CHECK"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong, with the place and the words that show it."""

    criteria_id: str  #: Q1…Q9, GD1…GD5, or a plugin's
    rule: str  #: the rule within the criterion, stable
    path: str = ""
    line: int | None = None
    quote: str = ""
    description: str = ""
    suggestion: str = ""

    @property
    def id(self) -> str:
        """Short, and the same as long as the same words are found in the same file, wherever they move."""
        said = "" if self.criteria_id in OUTPUTS else self.quote
        parts = "\0".join((self.criteria_id, self.rule, self.path, said))
        return blake2b(parts.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class CriterionResult:
    criteria_id: str
    passed: bool
    details: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    judgment: Judgment
    criteria_results: tuple[CriterionResult, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def criteria_failed(self) -> tuple[str, ...]:
        return tuple(result.criteria_id for result in self.criteria_results if not result.passed)

    def joined(self, other: "Verdict") -> "Verdict":
        """Both together: the worse judgment stands."""
        both = (self.judgment, other.judgment)
        judgment = next((one for one in (Judgment.REJECT, Judgment.RETRY) if one in both), Judgment.PASS)
        results, findings = self.criteria_results + other.criteria_results, self.findings + other.findings
        return Verdict(judgment, results, findings)

    def muted(self, ids: Collection[str]) -> "tuple[Verdict, tuple[Finding, ...]]":
        """The verdict without the findings that a person has muted, and those findings."""
        silent = tuple(finding for finding in self.findings if finding.id in ids)
        if not silent:
            return self, ()
        left = tuple(finding for finding in self.findings if finding.id not in ids)
        open_ids = {finding.criteria_id for finding in left}
        only = {finding.criteria_id for finding in silent} - open_ids
        results = tuple(
            CriterionResult(result.criteria_id, True, f"muted: {result.details}")
            if result.criteria_id in only
            else result
            for result in self.criteria_results
        )
        passed = all(result.passed for result in results)
        return replace(
            self, judgment=Judgment.PASS if passed else self.judgment, criteria_results=results, findings=left
        ), silent
