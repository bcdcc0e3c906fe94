"""The clause around each trigger: does it hold the rule, or deny it?"""

import re
from collections.abc import Iterator

from shiage.domain.verdict import Finding
from shiage.judge.drift.rules import Rule, compiled
from shiage.judge.drift.wording import Text

MAX_FINDINGS = 10  #: of one rule: a person or agent who repairs ten sees the pattern
MAX_CLAUSES = 500  #: looked at for one rule; a text with more triggers is no report, and is rejected unread
_REACH = 200  #: characters looked at on each side of a trigger: patterns see bounded text only
_NEGATED = (  # …, then at most six words without a turn of thought, then the phrase
    r"(?:\b(?:no|not|never|nothing|none|neither|nor|without|zero|0|no one|nobody)|\w+n't|\bcannot)"
    r"(?: (?!and\b|so\b|but\b|yet\b|because\b|as\b|then\b)[\w'/-]+){0,6} ?$"
)
_JA_NEGATED = (
    r"(?:ありません|ございません|無し|なし|していません|しておりません|しないで|せずに|ゼロ|0 ?件|０件|ではなく|"
    r"行っていません|残っていません|残していません|おりません|ないこと|なく全|なく、?すべて|一切ない)"
)
_JA_TURN = r"ため|ので|から|、|ですが|ますが|したが"
_NONE = r"^[^.。]{0,12}[:：=] ?\**(?:none|nothing|n/a|no\b|0\b|zero|なし|無し|ゼロ|特になし|ありません)"

_BOUNDARY = (
    r"[.!?](?=[\s*_)]|$)|[。！？;；]|\n[ \t]*(?=\n|[-*+•・|#>]|\d{1,3}[.)])|,? (?:but|however|although|though|"
    r"whereas) |"
    r"\w(?:ですが|ますが|したが|けど)、?|ただし、?"
)
_LEAD = r"[\s\-*_+•・#>|]*(?:\d{1,3}[.)] )?(?:\[[ xX]\] )?[*_\s]*"


def apply(rule: Rule, text: Text) -> Iterator[Finding]:
    found = 0
    for looked, (start, clause) in enumerate(_clauses(rule.triggers, text.prose)):
        if looked == MAX_CLAUSES:
            yield too_much(rule.criteria_id, text.line(start), clause)
            return
        if _holds(rule, clause):
            found += 1
            yield _finding(rule, text, start)
        if found == MAX_FINDINGS:
            return


def _finding(rule: Rule, text: Text, start: int) -> Finding:
    _, end = _bounds(text.prose, start)
    quote = " ".join(text.raw[start:end].split())[:200]
    return Finding(
        rule.criteria_id,
        rule.name,
        line=text.line(start),
        quote=quote,
        description=rule.description,
        suggestion=rule.suggestion,
    )


def too_much(criteria_id: str, line: int, quote: str) -> Finding:
    return Finding(
        criteria_id,
        "too-much-to-judge",
        line=line,
        quote=quote[:200],
        description="There is more here than can be judged",
        suggestion="Report briefly, one line for each demand",
    )


def _clauses(triggers: tuple[str, ...], prose: str) -> Iterator[tuple[int, str]]:
    """Each clause that holds a trigger, once, with its offset."""
    seen: set[int] = set()
    for trigger in triggers:
        at = prose.find(trigger)
        while at >= 0:
            start, end = _bounds(prose, at)
            if start not in seen:
                seen.add(start)
                yield start, " ".join(prose[start:end].replace("*", "").split())
            at = prose.find(trigger, max(end, at + 1))


def _bounds(prose: str, at: int) -> tuple[int, int]:
    """Where the clause around an offset begins and ends, its list mark left out."""
    low = max(0, at - _REACH)
    start = low
    for boundary in compiled(_BOUNDARY).finditer(prose, low, at):
        start = boundary.end()
    if lead := compiled(_LEAD).match(prose, start, at):
        start = lead.end()
    end = compiled(_BOUNDARY).search(prose, at, at + _REACH)
    return start, end.start() + end.group()[0].isalnum() if end else min(len(prose), at + _REACH)


def _holds(rule: Rule, clause: str) -> bool:
    if all(_negated(clause, match) for match in compiled(rule.pattern).finditer(clause)):
        return False
    return compiled(rule.spare).search(clause) is None


def _negated(clause: str, match: re.Match[str]) -> bool:
    """As in “nothing was deferred”, “no remaining work”, 「後回しにしたものはありません」."""
    before, after = clause[: match.start()], clause[match.end() : match.end() + 40]
    if compiled(_NEGATED).search(before) or compiled(_NONE).match(after):
        return True
    no = compiled(_JA_NEGATED).search(after)
    return no is not None and not compiled(_JA_TURN).search(after, 0, no.start())
