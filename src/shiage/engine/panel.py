"""Which criteria judge an attempt, and by whose hand: the judge's, a command's, another package's, a template's."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from shiage.agents.adapter import AgentSettings
from shiage.domain.verdict import CriterionResult, Finding, Judgment, Verdict
from shiage.engine.judging import check
from shiage.judge import EVALUATORS, TemplateEvaluator

Texts = Mapping[str, str | None]
#: A criterion of another package: called with keywords report, after, before and request.
Further = Callable[..., Iterable[Finding]]

#: Criteria that a command decides, and the [checks] setting that names it.
COMMANDS = {"Q7": "test", "Q8": "lint", "Q9": "types"}
_TEXTS = re.compile(r"Q[1-6]")
_TEMPLATES = re.compile(r"GD[1-5]")


@dataclass(frozen=True, slots=True)
class Judge:
    """A model whose opinion is asked for, and how long it may take."""

    agent: AgentSettings
    seconds: float


@dataclass(frozen=True, slots=True)
class Panel:
    texts: tuple[str, ...] = ()  #: Q1 to Q6, as far as they are enabled
    commands: tuple[str, ...] = ()  #: Q7 to Q9
    further: Mapping[str, Further] = field(default_factory=dict)
    template: str | None = None
    evaluators: tuple[TemplateEvaluator, ...] = EVALUATORS
    settings: Mapping[str, object] = field(default_factory=dict)  #: of the built-in criteria
    judge: Judge | None = None

    @property
    def ids(self) -> frozenset[str]:
        """Every criterion beside the template's own."""
        return frozenset((*self.texts, *self.commands, *self.further, "Q1", "CHECK", "MODEL"))

    def verdict(self, report: str | None, after: Texts, before: Texts, request: str = "") -> Verdict:
        """Everything that can be said from texts alone."""
        own = check(
            report=report,
            after=after,
            before=before,
            criteria=self.texts,
            request=request,
            template=self.template if report is not None else None,
            settings=self.settings,
            evaluators=self.evaluators,
        )
        for name, criterion in self.further.items():
            own = own.joined(_asked(name, criterion, report or "", after, before, request))
        return own


def sorted_out(enabled: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    """Ids by who decides them: texts, commands, further ones, and whether the drift template's are among them."""
    ids = tuple(dict.fromkeys(enabled))
    texts = tuple(name for name in ids if _TEXTS.fullmatch(name))
    drift = tuple(name for name in ids if _TEMPLATES.fullmatch(name))
    further = tuple(name for name in ids if name not in (*texts, *drift, *COMMANDS))
    return texts, tuple(name for name in ids if name in COMMANDS), further, bool(drift)


def _asked(name: str, criterion: Further, report: str, after: Texts, before: Texts, request: str) -> Verdict:
    """Fail closed: a criterion that breaks, or gives anything but findings, has not passed."""
    try:
        found = tuple(criterion(report=report, after=after, before=before, request=request))
        wrong = next((one for one in found if not isinstance(one, Finding)), None)
        if wrong is not None:
            raise TypeError(f"{wrong!r} is no Finding")
    except Exception as error:
        said = f"{name} could not be judged: {type(error).__name__}: {error}"
        found = (Finding(name, "criterion-error", "", None, "", said, "Repair or disable the criterion."),)
    details = found[0].description if found else ""
    judgment = Judgment.REJECT if found else Judgment.PASS
    return Verdict(judgment, (CriterionResult(name, not found, details),), found)
