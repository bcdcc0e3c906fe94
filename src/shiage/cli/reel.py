"""The lines that finished things leave above the live view: the scrollback is the report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from shiage.app.sentences import finding, sentence
from shiage.cli.block import Styled
from shiage.cli.text import clean, duration
from shiage.cli.words import language, t
from shiage.journal.entry import Entry, seconds

_FINDINGS = 5  #: of one rejection; the rest is in `shiage show`

#: Entries that are worth a line of their own; the rest is in the block while it lasts, and in the log.
_NOTABLE = frozenset(
    {
        "ATTEMPT_LOST",
        "ATTEMPT_WAITS",
        "AGENT_TAKES_OVER",
        "USAGE_UNKNOWN",
        "CLAIM_DIFFERS",
        "IMPL_LIMIT_REACHED",
        "IMPL_RERUN",
        "JOURNAL_REPAIRED",
        "JOURNAL_REWOUND",
        "PHASE_REFUSED",
        "RECORD_FAILED",
        "REVIEW_APPROVED",
        "STEP_COMPLETED",
    }
)
_ENDINGS = frozenset({"failed", "timed-out", "not-started"})


@dataclass
class Reel:
    """Remembers when things began, to say how long they took."""

    starts: dict[str, float] = field(default_factory=dict)

    def lines(self, spec: str, entry: Entry) -> Iterator[Styled]:
        """What stays of this entry."""
        content, at = entry.content, seconds(entry.timestamp)
        phase = str(content.get("phase", ""))
        match entry.event_type:
            case "PHASE_ENTERED":
                self.starts[phase] = at
            case "ROUND_STARTED":
                self.starts[_round(content)] = at
            case "PHASE_FINISHED":
                yield f"  {phase} ✓   {self._took(phase, at)}", "green"
            case "ROUND_COMPLETED":
                yield f"  {_found(content)}   {self._took(_round(content), at)}   {_file(content)}".rstrip(), ""
            case "REJECTION_DETAILS":
                yield from _rejection(content.get("issues_detected"))
            case _ if _notable(entry):
                usual = "dim" if content.get("optional") is True else "warning"  # an end that nobody forbade
                yield f"  {clean(sentence(language(), spec, entry))}", str(content.get("level", usual))

    def _took(self, key: str, at: float) -> str:
        return duration(at - self.starts.get(key, at))


def _notable(entry: Entry) -> bool:
    outcome = entry.content.get("outcome")
    failed = isinstance(outcome, Mapping) and outcome.get("ending") in _ENDINGS
    return entry.event_type in _NOTABLE or (entry.event_type == "ATTEMPT_EXITED" and failed)


def _round(content: Mapping[str, object]) -> str:
    return f"{content.get('phase')} #{content.get('round')}"


def _found(content: Mapping[str, object]) -> str:
    if "fixRequired" in content:
        counts = t("live.counts", fix=content["fixRequired"], discuss=content.get("needsDiscussion"))
        return f"{_round(content)}   {counts}"
    return f"{_round(content)}   {str(content.get('verdict', '')).upper()}"


def _file(content: Mapping[str, object]) -> str:
    names = {"document-review": "document-review-{}-reply.md", "inspection": "inspection-{}.md"}
    return names.get(str(content.get("phase")), "").format(content.get("round"))


def _rejection(found: object) -> Iterator[Styled]:
    issues = [issue for issue in found if isinstance(issue, Mapping)] if isinstance(found, Sequence) else []
    for issue in issues[:_FINDINGS]:
        yield f"  REJECT   {clean(finding(issue))}", "yellow"
    if len(issues) > _FINDINGS:
        yield f"  REJECT   +{len(issues) - _FINDINGS}", "yellow"
