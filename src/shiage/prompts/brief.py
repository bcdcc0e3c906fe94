"""Everything an agent has to be told for one attempt."""

import re
from dataclasses import dataclass

from shiage.domain.errors import OurBug
from shiage.domain.verdict import Finding
from shiage.prompts.modification import TemplateIssues

#: One word that is neither a flag, nor a path, nor two arguments of a command. Which names specs may have is decided
#: where they are read; free-form tasks have another form of name, or none.
_FEATURE = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_.-]*)?")


@dataclass(frozen=True, slots=True)
class Brief:
    """One attempt's order: who does what on which spec, and what is handed over."""

    phase: str  #: a phase of the workflow, of the bug lane (analyze, fix, verify), or task
    role: str  #: author, reviewer, responder, implementer, inspector, fixer
    feature: str = ""
    spec_dir: str = ""  #: as the agent sees it, relative to its working directory
    round: int = 0  #: number on disk of the review or inspection round; 0 where there is none
    language: str = "en"  #: spec.json's
    autofix: bool = False  #: the responder applies its fixes in the same pass
    fix: bool = False  #: the responder only applies a reply that exists
    request: str = ""  #: the description or free-form task, in the person's words
    question: str = ""  #: the agent's own question that stopped the run
    answer: str = ""  #: a person's answer to it
    problems: tuple[Finding, ...] = ()  #: why the attempt before was rejected
    template_issues: TemplateIssues | None = None  #: the part of it that the selected template found
    verdict_findings: str = ""  #: what a review, an inspection or a model said, as text
    checks: str = ""  #: output of the commands that shiage ran

    def __post_init__(self) -> None:
        if not _FEATURE.fullmatch(self.feature):
            raise OurBug(f"{self.feature!r} is not one word and must not reach a prompt or a command")
        if self.fix and self.autofix:
            raise OurBug("a reply is either judged and fixed in one pass or applied, never both")

    @property
    def rejected(self) -> bool:
        return bool(self.problems or (self.template_issues and self.template_issues.findings))
