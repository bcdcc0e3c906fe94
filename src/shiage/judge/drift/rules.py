"""A rule of the Goal Drift Guard: words that give a clause away, and the pattern that decides."""

import re
from dataclasses import dataclass
from functools import cache

WORK = (
    r"(?:add|implement|extend|expand|refine|complete|finish|fill in|tweak|polish|write|build|create|handle|cover|"
    r"replace|adjust|improve|customi[sz]e|integrate|hook up|wire|test|include|fix|adapt|modify|enhance|flesh out|"
    r"do|address|update|continue|port|document|refactor|support)"
)
WORKED = (
    r"(?:added|implemented|extended|expanded|refined|completed|finished|filled in|tweaked|polished|written|built|"
    r"created|handled|covered|adjusted|improved|customi[sz]ed|integrated|hooked up|wired(?: up)?|tested|included|"
    r"fixed|adapted|modified|enhanced|fleshed out|done|addressed|tackled|replaced|supported|documented|ported)"
)
SUBJECT = (  # conventional commits tell what was done
    r"^(?:feat|fix|chore|docs?|refactor|perf|test|build|ci|style|revert|deps|release|security)(?:\([^)]{0,40}\))?!?: "
)
JA_WORK = (
    r"(?:追加|修正|調整|実装|変更|拡張|対応|テスト|見直|整備|補完|補足|カスタマイズ|検討|改善|作成|完成|置き換え|"
    r"記述|検証|動作確認|追記|強化|最適化|書い|書き|直し|足し|埋め)"
)
JA_WORK_NOUN = (
    r"(?:追加|修正|調整|実装|拡張|対応|テスト|整備|検討|改善|作成|検証|追記|記述|リファクタリング|移行|最適化)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Triggers are found by plain search; only the clause around one is matched with the pattern."""

    criteria_id: str
    name: str
    triggers: tuple[str, ...]  #: lower case; every match of the pattern holds one of them
    pattern: str
    description: str
    suggestion: str
    spare: str  #: a clause with this is ordinary language


def rule(criteria_id: str, name: str, triggers: str, patterns: tuple[str, ...], says: str, spare: str = "") -> Rule:
    description, suggestion = says.split(" → ")
    joined = "|".join(f"(?:{one})" for one in patterns)
    return Rule(criteria_id, name, tuple(triggers.split("|")), joined, description, suggestion, spare or r"(?!)")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled on first use: a project without this template pays nothing."""
    return re.compile(pattern)
