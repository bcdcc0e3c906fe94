"""GD5: demanded work that is put off."""

from shiage.judge.drift.rules import JA_WORK_NOUN, WORK, WORKED, Rule, rule

_LATER = r"(?:(?<!or )(?<!and )later(?: on)?|soon|afterwards?|next|tomorrow|eventually|another time|at a later)"
_OTHER_TIME = (
    r"(?:in|as|for|to|until|with|through|into|via) (?:an? |the |my |our |another |some )?(?:separate |small |"
    r"dedicated )?"
    r"(?:follow-?ups?|(?:follow-?up|future|separate|subsequent|later|next|another) (?:pr|pull request|change|commit|"
    r"task|"
    r"step|iteration|phase|session|patch|ticket|issue|sprint|work|pass|stage|round)(?:e?s)?)(?! (?:to|of|from)\b)\b"
)
_FUTURE = r"in (?:an? |the |some )?(?:later |next |future ?)(?:releases?|versions?|updates?)?\b"
_DEPRECATION = r"\b(?:remov(?:e|ed|al)|drop(?:ped)?|deprecat\w+|become|raise[sd]?|renamed?|sunset|end of life)\b"
_PUT_OFF = "Demanded work is put off → Do it now; nothing that was asked may be left for later"


RULES: tuple[Rule, ...] = (
    rule(
        "GD5",
        "put-off",
        "follow|future|subsequent|later|next|separate|another|defer|postpon|soon|afterward|tomorrow|eventually|"
        "future work|"
        "remain|the rest|get back|come back|return to|revisit|look at|deal with|take care|to be |yet to|still need|"
        "still to|put off|backlog|on my list",
        (
            rf"\b(?:will|can|could|should|shall|may|must|would|needs? to|to|be|'ll|going to|plan(?:s|ned)?|left|"
            rf"leave|leaving|"
            rf"remains?|save[d]?|better|reserved?|kept?|keep|moved?|pushed?|scheduled|tracked|deferred|postponed|"
            rf"dealt|"
            rf"intend\w*|belongs?)\b.{{0,100}}?\b{_OTHER_TIME}",
            rf"\b(?:(?:will|can|could|should|to) be {WORKED}|(?:i|we)(?:'ll| will| plan to| intend to| can|"
            rf" could) (?:\w+ )?{WORK})\b"
            rf".{{0,60}}?\b{_FUTURE}",
            rf"\b(?:will|can|could|should|shall|would|to|'ll|going to|plan to|needs? to|must) (?:still |also |then )?"
            rf"(?:be )?(?:{WORKED}|{WORK})\b.{{0,60}}?\b{_LATER}\b",
            r"\b(?:i|we|you)(?:'ll| will| can| could| plan to| intend to) (?:get (?:back )?to|return to|come back to|"
            r"revisit|look at|"
            r"deal with|take care of)\b",
            r"\b(?:left|leave|leaving|saved?|kept) (?:\S+ ){0,5}?(?:for|as|until) (?:the )?(?:future|later|another|"
            r"a later|next|follow-?up)",
            r"\b(?:is|are|was|were|been|be|i|we|i've|we've|have|has|got|being) (?:(?!not |never )\w+ )?(?:deferred|postponed|"
            r"put off|pushed back)\b",
            r"^(?:deferred|postponed)(?: to| until|:| for| items?| work)\b|\b(?:deferred|postponed) (?:to|until|"
            r"for) (?:a |the )?"
            r"(?:later|future|next|follow)|\b(?:i|we) (?:defer|postpone)\b",
            r"(?:^|left (?:for|as|to) |as |for )(?:future|follow-?up) work\b|\bremaining (?:work|tasks?|items?|"
            r"todos?|steps?|parts?|pieces?)\b",
            rf"\b(?:still|yet) to be {WORKED}\b|\bstill needs? to be\b|\bthe rest (?:will|can|is left|remains|"
            rf"to be)\b",
            r"\b(?:next|following) (?:steps?|phase|iteration) (?:is|are|would be|will be|could be) (?:to )?" + WORK,
        ),
        _PUT_OFF,
        rf"{_DEPRECATION}|\b(?:allow|enabl)\w* .*\bto be\b|"
        rf"\b(?:previously|formerly|originally|earlier) (?:deferred|postponed|left)|\bnow (?:done|"
        rf"complete|implemented)|"
        rf"\b(?:deferred|postponed) (?:import|load|evaluat|execut|annotation|call|constraint|shading|render|initiali)|"
        rf"\bfix(?:es|ed)? (?:a |an |the )?\b.*\bdeferred\b|\b(?:each|every) (?:subsequent|later|next|following)\b",
    ),
    rule(
        "GD5",
        "put-off",
        "後で|あとで|後ほど|のちほど|後日|後回し|後続|次の|次回|今後|将来|別途|別の|別pr|別タスク|別チケット|別issue|"
        "先送り|見送|残りの|残作業|"
        "残タスク|残課題|フォローアップ|追って|いずれ|後から",
        (
            rf"(?:後で|あとで|後ほど|のちほど|後日|追って|いずれ|後から|別途|次回(?:以降)?(?:に|で)?|"
            rf"後続の?\S{{0,8}}?で)、?(?:\S{{0,16}}?){JA_WORK_NOUN}"
            r"(?!され|できる)(?:し(?!た|まし)|を|予定|いた|$|す|と|が)",
            r"(?:後で|あとで|後ほど|のちほど|後日)(?:\S{0,8}?)(?:やり|行い|書き|直し|足し|進め|入れ)ます",
            rf"(?:次|別)の?(?:ステップ|段階|フェーズ|タスク|pr|プルリクエスト|イテレーション|スプリント|コミット|"
            rf"セッション|チケット|issue)(?:で|に|として)"
            rf"(?!了)\S{{0,16}}?(?:{JA_WORK_NOUN}|行|回|予定|やり|進め)",
            rf"(?:今後|将来)(?:的に|は|に)?、?(?:の(?:課題|対応|作業|タスク|実装)|"
            rf"\S{{0,16}}?{JA_WORK_NOUN}(?:し(?!た|まし)|予定|を(?:行|予定|検討)|が必要|すべき|する))",
            r"後回し|先送り|フォローアップ(?:pr|タスク|の?\S{0,6}?で)|(?:対応|実装|追加|導入|テスト)(?:は|"
            r"を)\S{0,12}?見送(?:り|っ|る)",
            r"残(?:りの)?(?:作業|タスク|課題|項目|実装|部分|機能)(?:は|が|を|として|[:：])",
        ),
        _PUT_OFF,
        r"廃止|削除(?:される|予定|されます)|非推奨|サポート(?:を)?終了|変更される|解消|対応済|よろしく",
    ),
)
