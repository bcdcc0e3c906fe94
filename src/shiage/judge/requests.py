"""What a request asks for: files to be written or deleted, or only words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from shiage.judge.prose import prose_lines

_EXTENSIONS = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|go|rs|java|c|h|cc|cpp|cxx|hpp|cs|rb|php|sh|bash|zsh|sql|html?|css|scss|less|"
    "ya?ml|toml|json|jsonc|jsonl|md|mdx|rst|txt|csv|tsv|xml|svg|ini|cfg|conf|env|vue|svelte|kt|kts|swift|scala|dart|lua|"
    "proto|graphql|tf|ipynb|lock|gradle|rake|ex|exs|erl|hs|ml|pl|r|bat|ps1"
)
PATH = re.compile(
    rf"(?<![\w@/.:-])(?:\.{{1,2}}/|/|"
    rf"~/)?(?:[\w.@+\[\]()-]+/){{0,12}}(?:[\w@+\[\]-][\w.@+\[\]-]{{0,100}}\.(?:{_EXTENSIONS})|"
    r"Dockerfile|Makefile|Gemfile|Rakefile|Procfile|\.gitignore|\.env(?:\.\w+)?|\.editorconfig|"
    r"\.dockerignore)(?![\w/-]|\.\w)",
    re.ASCII,
)
_PRODUCT = re.compile(
    r"(?:node|vue|next|nuxt|express|d3|three|react|angular|ember|backbone|chart|moment|alpine|discord|socket|p5|"
    r"require|nest|asp|bun|deno|solid|electron)\.(?:js|ts|net|io)$",
    re.IGNORECASE,
)
_MAKE = r"create|add|write|implement|make|build|generate|produce|put|save|introduce|place|provide|store|define|scaffold|draft"
_ALTER = r"update|modify|edit|change|extend|rewrite|refactor|complete|adjust|append|insert|replace|document|translate|format|migrate"
_MOVE = r"move|rename|convert|port|extract|split|copy|transform"
_DROP = r"delete|remove|drop|erase"
_LOOK = (
    r"read|see|look|follow|following|according|based|like|similar|explain|review|describe|analy[sz]e|check|run|refer|"
    r"per|"
    r"inspect|summari[sz]e|open|from|using|uses?|with|for|of|about|against|by|than|as in|without|via|match(?:es|ing)?|"
    r"consult|study|compare|fix|debug|test|tested|imports?|calls?|loads?|parses?|reads|found|where|when|which|that|"
    r"keep|execute|listed|used|specified|described|defined"
)
_WORD = re.compile(
    rf"\b(?:(?P<make>{_MAKE})|(?P<alter>{_ALTER})|(?P<move>{_MOVE})|(?P<drop>{_DROP})|(?P<look>{_LOOK}))\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:do not|don't|dont|never|without|must not|should not|shouldn't|mustn't|no need to|instead of|except|"
    r"rather than|avoid|not)\b",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"^[^.\n]{0,40}(?:if (?:needed|necessary|required|appropriate|you)|optional|as needed)|^[^。\n]{0,20}必要(?:なら|に応じ|"
    r"であれば|があれば)",
    re.IGNORECASE,
)
_OPTIONAL_AHEAD = re.compile(
    r"(?:^|[.;:]\s)[\s*+-]*(?:if (?:needed|necessary|required|appropriate|you (?:like|want|need))|optionally),?[^.;\n]*$|"
    r"必要(?:なら|に応じて?|であれば|があれば)ば?、?[^。、\n]*$",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"^[\s`\"'*]*(?:,|and|&|or|plus|as well as|、|と|及び|および|並びに|や|\n\s*[-*]?)*[\s`\"'*]*$", re.IGNORECASE
)
_INTO = re.compile(
    r"\b(?:in|into|to|as|at|under)\b[\s`\"'*:]*(?:(?:the|a|new|file|called|named)\s+)*[`\"'*]*$", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"\b(?:(?:described|specified|defined|listed|found|used|documented|outlined|shown|given|explained|as|stated|"
    r"written|tested)\s+(?:in|at|by|under)|look(?:s|ing)?\s+at|(?:according|similar|identical|compared|refer(?:s|ring)?)\s+to)\b"
    r"[\s`\"'*:]*(?:the\s+)?[`\"'*]*$",
    re.IGNORECASE,
)
_OUTCOME = re.compile(r"^[`\"'*\s]*(?:pass(?:es)?|work|green|succeed|compile|build|run)\b")
_END = re.compile(r"[.!?;]\s|[。！？\n]|\.$")
_LIST_HEAD = re.compile(
    rf"\b(?:{_MAKE}|{_ALTER})\b[^.\n]*:\s*$|(?:作成|追加|実装|更新|変更)[^。\n]*[:：]\s*$", re.IGNORECASE
)

_POINT = re.compile(r"(?:^|\n)\s*(?:[-*]|\d+[.)])\s*[`*]*$")
_CHANGING = ("make", "alter", "move")
_REACH = 300  #: characters before and behind a file in which a verb is looked for

_JAPANESE = (
    ("none", re.compile(r"^[`」』\s]*[^。\n]{0,30}?(?:しない|せず|不要|するな|しなくて|触ら|そのまま|禁止|ないで)")),
    ("drop", re.compile(r"^[`」』\s]*(?:という(?:名前の)?ファイル)?を?(?:全て|すべて)?(?:削除|消し|消す|除去|取り除)")),
    ("none", re.compile(r"^[`」』\s]*(?:を|に)?[^。\n、]{0,6}?(?:参考|参照|読ん|読み|見て|確認|もとに|基に|元に|ベース|説明|レビュー|調べ|実行|使って|使い(?!方)|従っ|従い|基づ|沿っ|要約|分析|解説)(?!を(?:加筆|追記|追加|書|記))")),
    ("none", re.compile(r"^[`」』\s]*(?:から|の(?!新規|作成|実装を|追加)|のように|と同じ|と同様|が|は(?!、?新規|作成))")),
    ("make", re.compile(r"^[`」』\s]*(?:という(?:名前の)?ファイル)?(?:を|に|へ|として|の)?[^。\n]{0,40}?(?:作成|作っ|作る|作り|追加|生成|書い|書く|書き出|記述|実装|用意|新設|出力|保存|定義|まとめ)")),
    ("alter", re.compile(r"^[`」』\s]*(?:を|に)?[^。\n]{0,30}?(?:更新|修正|変更|編集|追記|加筆|書き足|書き換え|改修|リファクタ|拡張|改良|置き換え)")),
)  # fmt: skip
_READ_ONLY = re.compile(
    r"^\W*(?:please\s+|can you\s+|could you\s+)?(?:explain|describe|review|summari[sz]e|analy[sz]e|investigate|what|"
    r"why|how|list|find|show|"
    r"tell|check|audit|compare|answer|research|look|read|count|diagnose|identify|report|plan|propose|suggest|"
    r"estimate|which|where|who|"
    r"when|is|are|does|do you|discuss|evaluate|assess|outline|recommend|give me)\b",
    re.IGNORECASE,
)
_WRITING = re.compile(
    r"\b(?:create|add|write|implement|make|build|generate|fix|update|modify|edit|change|refactor|rename|delete|"
    r"remove|replace|convert|migrate|port|apply)\b",
    re.IGNORECASE,
)
_HANDS_OFF = re.compile(
    r"\b(?:do not|don't|without|never)\s+(?:chang|modif|edit|writ|touch|alter|creat|mak)\w*\s+(?:any\s*(?:thing|"
    r"files?|code|changes?)|the\s+(?:files?|code)|files?|code|changes?)|"
    r"read[- ]only|no (?:code )?changes?\b|(?:ファイル|コード|何)[をもはに]*(?:一切)?(?:変更|編集|修正)(?:しない|せず|は不要)|変更(?:しないで|せず|は不要)|"
    r"読み取りのみ",
    re.IGNORECASE,
)
MAX_QUESTION = 400  #: characters
_PROPOSAL = re.compile(r"\W*(?:how about|what about|what if|why not|why do(?:n't| not)|why can't)\b", re.IGNORECASE)
_QUESTION = re.compile(  # one question, whatever words it asks about
    r"(?:why|how|what|which|where|who|when)\s[^?!.\n]*\?|"
    r"(?![^\n]*(?:もらえ|くれ|ください|いただけ))[^。\n]*(?:なぜ|何が|何を|何の|何で|どこ|どう|どの|どれ|いつ|誰)[^。\n]*(?:ですか|でしょうか|ますか|ましたか)[。？?]?",
    re.IGNORECASE,
)
_JAPANESE_READING = re.compile(
    r"説明|教えて|調べ|調査|要約|レビュー|解説|分析|列挙|一覧|比較|確認して|どう(?:なって|やって)|なぜ|何ですか|でしょうか|ですか"
)
_JAPANESE_WRITING = re.compile(r"作成|実装|修正|追加|変更して|更新|削除|書いて|作って|直して|置き換え|移行|リファクタ")
_REMOVAL = re.compile(
    rf"\b(?:{_DROP}|clean ?up|get rid of|prune|retire|uninstall|revert)\b|削除|除去|消し|取り除|撤去", re.IGNORECASE
)
_LINE_ENDS = re.compile(r"\b(?:line[- ]end(?:ing)?s?|CRLF|LF|BOM|byte order mark)\b|改行コード", re.IGNORECASE)
_CREATION = re.compile(
    r"\b(?:create|add|write|implement|build|generate|introduce)\b|作成|追加|実装|書い|作っ|生成", re.IGNORECASE
)


class Wish(Enum):
    """What is to happen to a file that the request names."""

    WRITTEN = auto()
    DELETED = auto()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file that the request names, and what is to happen to it."""

    path: str
    wish: Wish


def paths_in(text: str) -> Iterator[re.Match[str]]:
    """Mentions of files, product names such as Node.js aside."""
    for match in PATH.finditer(text):
        if not _PRODUCT.search(match[0]) or "/" in match[0]:
            yield match


def wanted_files(request: str) -> tuple[Wanted, ...]:
    """The files that must be there, or gone, when the request is fulfilled."""
    text = "\n".join(line.raw for line in prose_lines(request[:200_000]))
    mentions = list(paths_in(text))
    wishes: dict[str, Wish] = {}
    previous = ""
    for place, match in enumerate(mentions):
        after = text[match.end() : match.end() + _REACH]
        wish = _wish(text, mentions, place, previous)
        previous = wish
        before = text[max(0, match.start() - _REACH, text.rfind("\n", 0, match.start()) + 1) : match.start()]
        if wish in ("make", "alter", "into") and not (_OPTIONAL.match(after) or _OPTIONAL_AHEAD.search(before)):
            wishes.setdefault(_clean(match[0]), Wish.WRITTEN)
        elif wish == "drop":
            wishes.setdefault(_clean(match[0]), Wish.DELETED)
    return tuple(Wanted(path, wish) for path, wish in wishes.items())


def _clean(path: str) -> str:
    return path.removeprefix("./")


def _wish(text: str, mentions: list[re.Match[str]], place: int, previous: str) -> str:
    """What the words around this mention ask for: those behind it in Japanese, those before it in English."""
    match = mentions[place]
    after = text[match.end() : match.end() + _REACH]
    following = mentions[place + 1] if place + 1 < len(mentions) else None
    if following and not _JOINED.match(text[match.end() : following.start()]):
        after = text[match.end() : following.start()]
    elif following and re.match(r"[`」\s]*(?:と|、|や|及び|および|並びに)", after):
        return _wish(text, mentions, place + 1, previous) if place < 200 else ""
    japanese = (
        next((kind for kind, pattern in _JAPANESE if pattern.match(after)), "")
        if re.search(r"[ぁ-ん]", after[:40])
        else ""
    )
    return japanese or _english_wish(text, mentions, place, previous)


def _english_wish(text: str, mentions: list[re.Match[str]], place: int, previous: str) -> str:
    start, end = mentions[place].span()
    earlier = mentions[place - 1].end() if place else 0
    between = text[max(earlier, start - _REACH) : start]
    if place and _JOINED.match(between):
        return previous
    near = _END.split(between)[-1]
    if _NEGATED.search(near) or _REFERENCE.search(near) or _OUTCOME.match(text[end : end + 40]):
        return ""
    verb = _verbs(near)[-1]
    if verb != "drop" and _INTO.search(near):
        main = verb if verb in _CHANGING else _verbs(_END.split(text[max(0, start - _REACH) : start])[-1])[0]
        return "into" if main in _CHANGING else ""
    if verb or not _POINT.search(between):
        return verb if verb in ("make", "alter", "drop") else ""
    return "make" if place == 0 and _LIST_HEAD.search(text[:start].rstrip(" \t\n-*`0123456789.)")) else previous


def _verbs(text: str) -> list[str]:
    """What kinds of verbs these words hold, in order."""
    return [word.lastgroup or "" for word in _WORD.finditer(text)] or [""]


def is_read_only(request: str) -> bool:
    """Does the request ask for words, not for a change?"""
    text = request.strip()
    if not text or _PROPOSAL.match(text):
        return False
    if _HANDS_OFF.search(text) or (len(text) <= MAX_QUESTION and _QUESTION.fullmatch(text)):
        return True
    if _READ_ONLY.match(text) and not _WRITING.search(_READ_ONLY.sub("", text, count=1)):
        return True
    return bool(_JAPANESE_READING.search(text)) and not _JAPANESE_WRITING.search(text) and not _WRITING.search(text)


def asks_line_ends(request: str) -> bool:
    """Does the request speak of how lines end, or of a byte order mark?"""
    return _LINE_ENDS.search(request) is not None


def asks_removal(request: str) -> bool:
    """Does the request speak of taking something away?"""
    return _REMOVAL.search(request) is not None


def asks_creation(request: str) -> bool:
    """Does the request speak of something new?"""
    return _CREATION.search(request) is not None
