"""Q6 and Q2 in the report: what the agent itself says is not finished.

Quoted text and negations do not count, and words of completion decide nothing while the evidence is complete.
"""

import re
from collections.abc import Iterator

from shiage.domain.verdict import Finding
from shiage.judge.findings import found
from shiage.judge.report import PATH, Sentence, sentences
from shiage.judge.settings import JudgeSettings

_DOING = (
    r"(?:start|begin|get (?:to|around to)|finish|complete|implement|write|do|handle|address|cover|port|migrate|build|"
    r"create|wire|hook up|tackle|work on|attempt|fix|add (?:the|all|any|every|tests?|support)|manage to|have time|"
    r"fully)"
)
_DONE = (
    r"(?:started|begun|gotten to|finished|completed|implemented|written|done|handled|addressed|covered|ported|migrated|"
    r"built|created|wired|tackled|attempted|fixed|added|managed|fully)"
)
_LEFT = r"(?:incomplete|unfinished|unimplemented|outstanding|to be (?:done|implemented|completed|written|finished)|undone|pending|not done|half[- ]done)"
OWN_ADMISSIONS = re.compile(  # what "I" did not do
    "|".join(
        (
            rf"\b(?:I|we)\s+(?:did not|didn't|have not|haven't|could not|couldn't|was not able to|wasn't able to|"
            rf"were not able to|"
            rf"was unable to|were unable to|am unable to|(?:have not|haven't) been able to|cannot|can't|never|"
            rf"failed to)\s+(?:\w+\s+){{0,2}}?(?:{_DOING}|{_DONE})\b",
            r"\b(?:I|we)(?:'ll|\s+will|\s+plan to|\s+intend to)\s+(?:\w+\s+){0,2}?(?:implement|finish|complete|add|"
            r"do|write|handle|continue|fill)\b[^.]{0,80}\b(?:later|next|afterwards?|in (?:a|the) (?:next|follow|"
            r"future|later)|soon|tomorrow)",
            r"\b(?:ran|run|running)\s+out\s+of\s+(?:time|context|tokens|budget)\b",
            r"\b(?:I|we)(?:'ve|\s+have)?\s+(?:only\s+)?(?:omitted|skipped|stubbed(?: out)?|left out|mocked out|"
            r"abbreviated|shortened|deferred|postponed)\b",
            r"\bleft\s+(?:as\s+an\s+exercise|for\s+(?:later|you|the\s+(?:reader|user|future)|another|a\s+(?:later|"
            r"future|follow)))",
            r"^\s*[-*+]\s+\[ \]\s+\S|[:—|❌-]\s*not\s+(?:yet\s+)?(?:implemented|done|started|finished|completed)\W*$|"
            r"^\W*to\s+be\s+continued\b|^\W*next\s+steps?\s*[:：]\s*(?:implement|write|finish|complete)\b",
            r"\b(?:I|we)\s+stopped\s+(?:after|at|before|short|half ?way|here)\b|\bhalf\s+of\s+the\s+\w+\s+(?:is|are|was|were|"
            rf"has\s+been|have\s+been)\s+{_DONE}\b|\b(?:I|we)(?:'ve|\s+have)?\s+only\s+{_DONE}\b[^.]{{0,60}}\bso\s+far\b",
            r"\b(?:skipp(?:ed|ing)|omitt(?:ed|ing)|leaving|mock(?:ed|ing)|stubb(?:ed|ing)|stubs?|placeholders?|dummy|"
            r"hard-?coded)\b[^.]{0,60}\bfor\s+now\b|\b(?:still|currently)\s+(?:returns?|uses?)\s+(?:an?\s+)?(?:dummy|"
            r"placeholder|mock|hard-?coded|fake)\b",
            rf"\bwill\s+be\s+{_DONE}\b[^.]{{0,40}}\b(?:later|soon|separately|in\s+a\s+(?:follow|later|future|next))",
            r"\bthis\s+is\s+(?:only\s+|just\s+)?an?\s+(?:partial|incomplete|half[- ]finished|unfinished|stubbed)\s+"
            r"(?:implementation|version|solution|port|fix|migration)\b",
            r"\b(?:I|we)(?:'ve|\s+have)?\s+left\b[^.]{0,60}\b(?:as\s+(?:a\s+)?(?:stubs?|placeholders?|todos?|is)|"
            r"for\s+later|empty|unfinished|unimplemented|incomplete|undone)",
            r"\b(?:omitted|skipped|shortened|abbreviated|truncated|simplified|left out)\s+for\s+(?:brevity|space|"
            r"length|time|now)\b",
            r"\b(?:used|added|left|with|contains?)\s+(?:an?\s+|some\s+|the\s+)?(?:placeholders?|stubs?|dummy|"
            r"mock)\s+(?:for|implementation|code|values?|data|in)\b",
            r"^\W*(?:not\s+(?:yet\s+)?(?:done|implemented|started|finished|completed)|unfinished|incomplete|"
            r"remaining(?:\s+(?:work|tasks|items))?|still\s+to\s+do|to\s+do|left\s+to\s+do|"
            r"outstanding)\s*[:：—-]\s*(?!none\b|nothing\b|0\b|no\b)\S",
            r"\b(?:you(?:'ll|\s+will)?|the user|someone)\s+(?:still\s+)?(?:needs?|have|has|"
            r"will need)\s+to\s+(?:implement|finish|complete|write|fill in|add the (?:rest|remaining|actual))\b",
            r"\b(?:I|we)?\s*only\s+(?:implemented|wrote|did|finished|completed|covered|handled|"
            r"managed)\s+(?:to\s+\w+\s+)?(?:the\s+(?:first|basic|simple|main)|part|half|some|one|an?\s+(?:part|"
            r"portion|few|subset))\b",
            r"\b(?:I|we)(?:'ve|\s+have)?\s+(?:implemented|finished|completed|did|done|wrote|covered)\s+(?:most|part|parts|half|the majority)\s+of\s+"
            r"(?:it|this|them|what|the\s+(?:work|tasks?|requests?|features?|requirements?|spec|functions?|endpoints?|tests?|items?|points|list))\b",
            r"^\W*(?:wip|work[ -]in[ -]progress)\b\s*(?:[:：]|\W*$)|\b(?:leave|leaving|left)\s+the\s+(?:rest|remaining\b[^.]{0,30})\s+(?:up\s+)?(?:to|for)\s+you\b",
            rf"^\W*(?:as\s+an?|the)\s+next\s+steps?\b[^.]{{0,80}}\b(?:should|must|needs?\s+to|has\s+to|will)\s+be\s+{_DONE}|"
            r"\bnot\s?implemented\w*\b[^.]{0,40}\bfor\s+now\b",
        )
    ),
    re.IGNORECASE,
)
STATES = re.compile(  # what is said of the work
    "|".join(
        (
            rf"\b(?:is|are|remains?|has|have)\s+(?:still\s+)?(?:not\s+(?:yet\s+|been\s+|fully\s+|"
            rf"completely\s+){{0,2}}(?:{_DONE}|in place|ready)|(?:still\s+)?{_LEFT})\b",
            r"\b(?:isn't|aren't|hasn't been|haven't been)\s+(?:yet\s+|fully\s+)?(?:implemented|finished|completed|"
            r"done|written|started|handled)\b",
            r"\b(?:is|are)\s+only\s+(?:partially|partly|half)\b|\b(?:partially|partly|half)\s+(?:implemented|"
            r"complete|completed|done|finished)\b",
            rf"^\W*(?:everything|all(?:\s+of\s+it)?)\s+(?:except|but|apart\s+from|other\s+than)\b[^.]{{1,60}}\b(?:works?|(?:is|are|has\s+been|have\s+been)\s+{_DONE})\W*$|"
            r"^\W*(?:only|not\s+all|not\s+everything)\b[^.]{0,60}\b(?:is|are|has\s+been|have\s+been)\s+(?:now\s+)?(?:implemented|done|finished|completed|migrated|ported)\W*$",
            r"\b(?P<some>\d+)\s+(?:out\s+)?of\s+(?:the\s+)?(?!(?P=some)\b)\d+\s+\w+\s+(?:are|were|have\s+been)\s+(?:now\s+)?(?:implemented|done|finished|completed)\W*$",
            r"^\W*(?!(?:0|no|none)\b)(?:\w+\s+){0,3}tests?\s+(?:(?:currently|now)\s+)?(?:fails?|(?:is|are)\s+failing|(?:do|does)(?:\s+not|n't)\s+pass)(?:\s+yet)?\W*$|"
            r"^\W*the\s+build\s+(?:is|remains)\s+(?:broken|red|failing)\W*$|\b(?:is|are|remains?)\s+(?:only\s+|just\s+)?an?\s+(?:stub|skeleton)\W*$",
            r"\bstill\s+(?:needs?\s+(?:to|work|an?|the|tests?|implement\w*)|to\s+be\s+\w+|have\s+to|has\s+to|missing|"
            r"to\s+do|todo|remains?)\b|\bstill\s+(?:outstanding|pending|incomplete|unfinished)\b",
            rf"\bcould(?:\s+not|n't)\s+be\s+{_DONE}\b",
            rf"\b(?:remains?|left|need(?:s)?)\s+to\s+be\s+(?:{_DONE}|filled in)\b",
            r"\b(?:tests?|builds?|checks?|suite|they)\s+(?:are\s+|is\s+)?still\s+(?:fail(?:s|ing)?|broken|red)\b",
            r"\b(?:part|step|task|phase|item|section|tests?|implementation|the\s+rest)\b[^.]{0,30}\b(?:has|have|is|are|was|"
            r"were)\s+(?:been\s+)?(?:deferred|postponed|put\s+off|left\s+out|stubbed(?:\s+out)?)\b(?!\s+(?:of|until))",
            r"\bthe\s+rest\s+of\s+(?:the\s+|its\s+)?\w+\s+(?:follows?\s+the\s+same|(?:was|were|is|are)\s+(?:left\s+out|omitted|skipped))\b",
            r"\b(?:the\s+rest|the\s+remaining\s+\w+|remaining\s+\w+)\s+(?:(?:is|are|was|were|will\s+be|can\s+be|"
            r"should\s+be|must\s+be)\s+(?:not|left|still|done\s+later|implemented\s+(?:later|similarly)|omitted|"
            r"similar|to\s+be|unchanged\s+and\s+omitted|missing|added\s+later)|(?:needs?|follows?)\b)",
        )
    ),
    re.IGNORECASE,
)
JAPANESE_ADMISSIONS = re.compile(
    r"未(?:着手|実装|完了|完成|対応|修正|作成)(?!の)(?!(?:な|だった|であった)?\w{0,12}(?:を|は|が)?(?:ありません|なし|ない|ゼロ|解消|検出|エラー|例外|場合|対応しました|"
    r"実装しました))|"
    r"未(?:着手|実装|完了|完成|対応|修正|作成)の[^。]{0,16}(?:があり|が残|が\w{0,4}件|もあり|まま)(?!ません)|"
    r"(?:実装|完了|完成|着手|対応|作成|修正|終わ|でき|書け|書い|開始)\w{0,4}(?:していません|できていません|できませんでした|しませんでした|ていません|てません|きれていません|きれませんでした|っていません|"
    r"(?:ていない|できていない|できなかった|していない|しなかった|っていない)"
    r"(?!間|うち|とき|時|状態|環境|利用者|ユーザー|ファイル|データ|行|値|形式|ブラウザ))|"
    r"[0-9０-９一二三四五六七八九]割(?:ほど|程度|方|がた)?\w{0,4}(?:完了|実装|対応|終わ|でき)(?!ません)|テストが\w{0,8}?(?:失敗して|落ちて)(?:い|お)?ます|テストが通りません|"
    r"(?P<few>[0-9０-９]+)(?:件|個|つ|項目)中、?(?!(?P=few)(?:件|個|つ|項目))[0-9０-９]+(?:件|個|つ|項目)(?:を|まで|のみ|だけ)?\w{0,4}?(?:実装|対応|完了|修正|作成)|"
    r"間に合いません|未了(?!の)|今回は\w{0,8}見送|次の(?:作業|ステップ|フェーズ|回)で(?:行|実施|対応|実装)|以外は(?:全て|すべて)?(?:完了|実装|対応)(?:しました|済み|です)|"
    r"[0-9０-９一二三四五]つ?のうち[0-9０-９一二三四五]つ?(?:まで|だけ|のみ)|^\W*(?:後|あと)は(?:お願い|お任せ|よろしく|\w{0,10}(?:するだけ|のみ|だけ)です)|"
    r"まだ\w{0,16}(?:ません|ない(?!(?!の)\w{1,12}[をにはでも])|残って|途中|これから)|途中(?:です|で終わ|までしか|まで(?:実装|作成))|"
    r"残り(?:の\w{1,12})?(?:は|を|も)[^。]{0,12}(?:後|あと|次|明日|来週|今後|別途|お任せ|お願い|省略|同様|未|これから|お客様|ご自身)|"
    r"(?:後で|あとで|後ほど|今後|次回|後日|別途|追って)[^。]{0,16}(?:実装|対応|追加|作成|修正|完成)(?:します|する(?:予定|必要)|予定|してください|しておきます|が必要)|"
    r"(?:実装|対応|作成|修正)予定です|(?:実装|対応|作成|修正|作業)は(?:まだ)?これから|(?:まだ|後半|残り)\w{0,8}手(?:を|が)?(?:付|つ)け|"
    r"(?:仮|ダミー|スタブ|プレースホルダー?)のまま|^\W*残(?:作業|タスク|件)\s*[:：]\s*(?!なし|無し|ゼロ|0|特に)\S|(?:省略|割愛|スキップ|保留|先送り|後回しに)(?:しました|しています|しておきました|します)|"
    r"(?:一部|半分|途中|最初の\w{1,8})(?:だけ|のみ|しか)[^。]{0,12}(?:実装|作成|対応|完了|でき|終わ)|時間(?:切れ|が足り|がなく|がありません)|"
    r"(?:仮|ダミー|スタブ)(?:の)?(?:実装|値|コード)(?:に|です|を(?:入れ|置|使)|のまま|となって|で)"
)
_SPARED = re.compile(  # a reason that makes it no admission, whoever says it
    r"out of scope|outside (?:the|of|this)|not (?:requested|asked|required|needed|necessary|part of)|(?:as|"
    r"were) (?:requested|instructed)|you (?:asked|told|said|wanted|requested)|per your|"
    r"\b(?:add|fix|do|handle|create|write|implement)\w*\s+(?:any|anything|unrelated|extra|new)\b(?!\s+(?:of the|"
    r"tests?\b))|\b(?:start|add|create|write|build|implement)\s+an?\s+(?:new|separate|second|further)\b[^.]{0,80}\b(?:because|since)\b|"
    r"\b(?:no longer|any ?more|nothing|no (?:work|items?|tasks?|steps?|parts?))\b|\bnone\b|but (?:it )?(?:now|is now)|"
    r"対象外|範囲外|依頼(?:されて|に含|範囲)|ご指示|指示(?:どおり|通り)|不要(?:な|の)?ため|必要(?:が)?な(?:い|かった)ため|以前は|これまで|従来は|今回.{0,10}解消|ではなくなり|"
    r"もう.{0,8}ません|"
    r"(?<!時間)(?:は|も|が)(?:残って(?:い)?(?:ません|ない)|ありません|なし|ゼロ|存在しません)(?!でした)|検出|エラーを|例外を|場合",
    re.IGNORECASE,
)
_SPARED_STATE = re.compile(  # a sentence about what the program does, or did before
    r"\b(?:previously|before|used to|formerly|originally|earlier|was because|now (?:is|are|it|they|works?|handles?|"
    r"raises?|fixed|implemented)|is now|are now|twice|again)\b|"
    r"\b(?:if|when|whenever|until|unless|where|because|since|in case|that|which|while)\b[^,]{0,60}\b(?:is|are|has|"
    r"have|isn't|aren't)\b|"
    r"\b(?:raises?|returns?|throws?|checks?|reports?|detects?|verif\w+|tests? (?:that|for|checks?|covers?)|ensures?|"
    r"warns?|rejects?)\b",
    re.IGNORECASE,
)
_MARK_LEFT = re.compile(
    r"(?:left|leaving|remain\w*|still|later|outstanding|added|with|has|have|contains?|there (?:is|are)|後|残|今後|あり|入れ|"
    r"書い)",
    re.IGNORECASE,
)
_MARK_GONE = re.compile(
    r"\b(?:no|not|none|zero|0|without|never|any|remov\w+|resolv\w+|fix(?:ed|es)|replac\w+|clean\w*|clear\w*|"
    r"eliminat\w+|delet\w+|gone|finish\w+|complet\w+|implement(?:ed|s)|address\w+|"
    r"detect\w*|report\w*|flag\w*|count\w*|find\w*|search\w*|pars\w*|match\w*|lint\w*|rule|check\w*|list|items?|app|"
    r"state|enum|badge|filter|label|option|"
    r"model|status|column|page|component|mark(?:er|s)?|tag|keyword)\b|"
    r"ません|なし|ない|ゼロ|解消|削除|除去|対応済|完了|検出|検知|一覧|リスト|アプリ|項目|コメント(?:を|の)",
    re.IGNORECASE,
)
_MARK_STAYS = re.compile(r"\b(?:still|left|remain\w*|leav\w+|outstanding)\b|後で|残し|残って", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:no|not|none|zero|0|without|never|any|every|remov\w+|resolv\w+|clean\w*|clear\w*|eliminat\w+|delet\w+|gone|"
    r"report\w*|detect\w*|flag\w*|find\w*|count\w*|list\w*)\b|n't\b|"
    r"ません|ない|なし|ゼロ|解消|削除|除去|検出|検知",
    re.IGNORECASE,
)
_SUGGESTION = "Do what is said to be undone, then report again."


def admissions(report: str, settings: JudgeSettings) -> Iterator[Finding]:
    """Q6 and Q2 for the agent's own words."""
    marks = "|".join(re.escape(mark) for mark in settings.marks) or r"(?!)"
    mark = re.compile(rf"(?<![\w])(?:{marks})(?![A-Za-z0-9_])", re.ASCII)
    for sentence in sentences(report):
        if is_admission(sentence.text):
            yield _finding("Q6", "admission", sentence, "The report says that something is not finished.")
        elif mark.search(sentence.text) and _mark_is_left(sentence.text, mark):
            yield _finding("Q2", "report-mark", sentence, "The report says that a mark of unfinished work is left.")


def is_admission(sentence: str) -> bool:
    """Does this sentence, in the agent's own voice, say that asked work is not done?"""
    bounded = sentence[:600].replace("’", "'")
    if _SPARED.search(bounded):
        return False
    if OWN_ADMISSIONS.search(bounded) or JAPANESE_ADMISSIONS.search(bounded):
        return True
    return STATES.search(bounded) is not None and not _SPARED_STATE.search(bounded)


def _mark_is_left(sentence: str, mark: re.Pattern[str]) -> bool:
    headed = (
        re.match(rf"[\s*_#>+-]*(?:\d+[.)]\s*)?(?:{mark.pattern})(?:\([^)]{{0,60}}\))?[*_]*\s*[:：]\s*\S", sentence)
        is not None
    )
    if headed or (_MARK_STAYS.search(sentence) and not _NEGATION.search(sentence)):
        return True
    return not _MARK_GONE.search(sentence) and _MARK_LEFT.search(sentence) is not None


def _finding(criteria_id: str, rule: str, sentence: Sentence, says: str) -> Finding:
    return found(criteria_id, rule, PATH, sentence.line, sentence.raw, says, _SUGGESTION)


def early_words(report: str, settings: JudgeSettings) -> Iterator[Finding]:
    """Words of completion; asked only when the evidence is not complete."""
    for sentence in sentences(report):
        lowered = sentence.text.casefold()
        if any(pattern.casefold() in lowered for pattern in settings.early_termination_patterns):
            yield found(
                "Q6", "early-termination", PATH, sentence.line, sentence.raw,
                "Completion is declared while the evidence for it is missing.", "Do the work; whether it is done is decided by its evidence.",
            )  # fmt: skip
            return
