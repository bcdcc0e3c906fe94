"""GD3: each demand of a request that is a list, and whether the report accounts for it."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil

from shiage.domain.verdict import Finding
from shiage.judge.drift.clauses import too_much
from shiage.judge.drift.rules import compiled
from shiage.judge.drift.wording import Text, without_fences

MAX_DEMANDS = 500  #: of one request; a list longer than that can't be accounted for in one report
MAX_ACCOUNT = 200_000  #: characters of a report in which demands are looked for
_ITEM = (  # a list item (indent, number, text), a heading, or a line that introduces what follows
    r"(?m)^([ \t]{0,12})(?:[-*+•・] +(?:\[[ xX]\] +)?|[(（]?(\d{1,3})[.)）] *|[①-⑳] *)([^\s][^\n]*)$|"
    r"^(#{1,6} [^\n]*|[^\s][^\n]{0,80}[:：])$"
)
_NO_DEMAND_HEADING = (
    r"context|background|\bnotes?\b|out of scope|non-?goals?|example|references?\b|environment|constraints?|\brules\b|"
    r"背景|参考|例|対象外|前提|制約|注意|環境|ルール|備考"
)
_PROHIBITION = r"\b(?:do not|don't|never|must not|should not|no|avoid|without)\b|しない|禁止|不要"
_SAID_OF_ALL = """
a an as at be by do if in is it me my no of on or so to up we the and for with that this from into should must shall
will can have has are was been all any each every add added implement implemented create created make made update
updated fix fixed write wrote support supported use used new when then also its our your please feature function file
files not but ensure done item requirement 実装 追加 作成 対応 修正 機能 変更 更新 完了
"""
_SUFFIX = r"(?<=\w{3})(?:ing|ions?|ers?|ed|es|s|e)$"
_STOP = frozenset(_SAID_OF_ALL.split())
_NUMBERED = (
    r"(?m)^[ \t]{0,12}(?:[-*+#] *)*(?:item |requirement |req(?:uirement)?[-#]|要件|要求|項目)? *"
    r"[(（]?(\d{1,3})[.)）:：]([^\n]*)$"
)
_NOT_DONE = (
    r"\[ \]|\bnot (?:yet )?(?:done|started|implemented|finished|completed?|addressed)\b|\b(?:skipped|deferred|"
    r"omitted|pending)\b|"
    r"❌|未(?:実装|対応|着手|完了)|していません|できていません|できませんでした"
)
_JAPANESE = r"[ぁ-ヿ一-龠]"
_SHARE = 0.25  #: of a demand's own words that its account must hold: a summary words things anew


@dataclass(frozen=True, slots=True)
class _Demand:
    number: int | None
    line: int
    quote: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Account:
    """What the report takes up: words said of done things, of undone things, and numbered lines."""

    done: frozenset[str]
    undone: frozenset[str]
    numbered: dict[int, frozenset[str]]
    items: int
    japanese: bool


def unaccounted(request: str, report: str) -> list[Finding]:
    demands = _demands(request)
    if len(demands) > MAX_DEMANDS:
        return [too_much("GD3", 1, demands[MAX_DEMANDS].quote)]
    if not demands:
        return []
    account = _account(report)
    seen = Counter(word for demand in demands for word in demand.words)
    return [found for demand in demands if (found := _demand_finding(demand, seen, account, len(demands)))]


def _demand_finding(demand: _Demand, seen: Counter[str], account: _Account, demands: int) -> Finding | None:
    """Words that other demands use too tell nothing about this one, unless it has no others."""
    own = frozenset(word for word in demand.words if seen[word] == 1) or demand.words
    needed = max(1, ceil(_SHARE * len(own)))
    answered = _by_number(demand, account, demands) or _by_count(demand, account, demands)
    if answered or len(own & account.done) >= needed:
        return None
    undone = len(own & (account.done | account.undone)) >= needed
    says = "reported as not done" if undone else "not accounted for in the report"
    return Finding(
        "GD3",
        "demand-not-done" if undone else "demand-unmentioned",
        quote=demand.quote[:200],
        description=f"Demand in line {demand.line} of the request is {says}: {demand.quote[:120]}",
        suggestion="Do it, then say in the report what was done for it",
    )


def _by_number(demand: _Demand, account: _Account, demands: int) -> bool:
    """A full numbered list answers by number where its line says nothing that contradicts."""
    if demand.number not in account.numbered or len(account.numbered) < demands:
        return False
    words = account.numbered[demand.number]
    return len(words) <= 2 or bool(words & demand.words)


def _by_count(demand: _Demand, account: _Account, demands: int) -> bool:
    """Words can't be compared across languages; an account of as many points can."""
    japanese = compiled(_JAPANESE).search(demand.quote) is not None
    return japanese != account.japanese and account.items >= demands


def _demands(request: str) -> list[_Demand]:
    """The leaves of the request's lists, but for those under headings such as "Background" and for prohibitions."""
    found: list[_Demand] = []
    silent, places = False, Text(request, "")
    items = list(compiled(_ITEM).finditer(without_fences(request)))
    for item, after in zip_longest(items, items[1:]):
        if item[4]:
            silent = compiled(_NO_DEMAND_HEADING).search(item[4].lower()) is not None
        elif not silent and not _inner(item, after) and not compiled(_PROHIBITION).search(item[3].lower()):
            number = int(item[2]) if item[2] else None
            found.append(_Demand(number, places.line(item.start(3)), item[3].strip(), _words(item[3])))
        if len(found) > MAX_DEMANDS:
            break
    return [demand for demand in found if demand.words]


def _inner(item: re.Match[str], after: re.Match[str] | None) -> bool:
    return after is not None and after[1] is not None and len(after[1]) > len(item[1])


def _account(report: str) -> _Account:
    text = without_fences(report[:MAX_ACCOUNT])
    undone = _lines_with(_NOT_DONE, text.lower())
    numbered = {int(line[1]): _words(line[2]) for line in compiled(_NUMBERED).finditer(_cut(text, undone))}
    return _Account(
        done=_words(_cut(text, undone)),
        undone=_words("\n".join(text[start:end] for start, end in undone)),
        numbered=numbered,
        items=sum(1 for item in compiled(_ITEM).finditer(text) if item[3]),
        japanese=compiled(_JAPANESE).search(text) is not None,
    )


def _lines_with(pattern: str, text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    done = 0
    for at in compiled(pattern).finditer(text):
        if at.start() >= done:
            end = text.find("\n", at.end())
            done = len(text) if end < 0 else end
            spans.append((text.rfind("\n", 0, at.start()) + 1, done))
    return spans


def _cut(text: str, spans: list[tuple[int, int]]) -> str:
    starts, stops = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return "".join(text[start:stop] for start, stop in zip(starts, stops, strict=True))


def _words(text: str) -> frozenset[str]:
    """Stems of what carries meaning: six letters of a word, pairs of kanji, whole katakana words."""
    said = set(compiled(r"[a-z0-9]{2,64}|[ァ-ヴー]{2,64}|[一-龠々]{2,64}").findall(text.lower()))
    stems = {stem for word in said for stem in _stems(word)}
    return frozenset(stems - _STOP)


def _stems(word: str) -> Iterable[str]:
    if word.isascii():
        return () if word in _STOP else (compiled(_SUFFIX).sub("", word)[:6],)
    return (word,) if "ァ" <= word[0] <= "ー" else (word[at : at + 2] for at in range(len(word) - 1))
