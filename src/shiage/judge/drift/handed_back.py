"""GD1: work that is handed back to the person who asked for it."""

from shiage.judge.drift.rules import JA_WORK, SUBJECT, WORK, WORKED, Rule, rule

_ASKED = (  # what a commit subject seldom begins with: "Create the folder if needed" tells what the program does
    r"(?:add|implement|extend|expand|refine|complete|finish|fill in|tweak|polish|adjust|improve|customi[sz]e|"
    r"integrate|hook up|wire|adapt|modify|enhance|flesh out)"
)
_ESCAPE = (
    r"(?:(?:if|as|where|when|whenever) (?:needed|necessary|required|appropriate|desired|applicable)|"
    r"if you(?:'d| would)? (?:need|want|wish|like|prefer)|as you (?:see fit|like|wish|prefer)|"
    r"if (?:time|you) permits?|when you have time|at your discretion|optionally)"
)
_JA_ESCAPE = (
    r"(?:必要に応じて|必要があれば|必要であれば|必要なら|必要な場合|必要に従って|適宜|お好みで|お好みに応じて|"
    r"ご?希望であれば|ご?希望があれば|ご?要望があれば|ご自由に|(?:よ|良)ければ|よろしければ|状況に応じて|場合に応じて|"
    r"任意で|余裕があれば|時間があれば|可能であれば)"
)
_HANDED_BACK = "Work is handed back instead of being done → Decide, do it, and say what was done"


RULES: tuple[Rule, ...] = (
    rule(
        "GD1",
        "escape-phrase",
        "needed|necessary|required|appropriate|desired|applicable|if you|as you|permit|you have time|discretion|"
        "optionally",
        (
            rf"\b(?:you|users|the team|someone)(?:'ll| will)? (?:can|could|may|might|should|want to|"
            rf"need to)\b(?! now\b)"
            rf"(?=.{{0,120}}\b{_ESCAPE}).{{0,80}}?\b{WORK}\b",
            rf"\b{_ESCAPE}\b.{{0,60}}?\byou(?:'ll| will)? (?:can|could|may|might|should|"
            rf"need to)\b(?! now\b).{{0,60}}?\b{WORK}\b",
            rf"^(?:please |then |also |just |simply |{_ESCAPE},? (?:please )?)*{_ASKED}\b.{{0,120}}?\b{_ESCAPE}",
            rf"^{_ESCAPE},? (?:please |also )?{_ASKED}\b",
            rf"\b(?:i|we)(?:'ll|'d| will| can| could| would)\b(?=.{{0,120}}\b{_ESCAPE}).{{0,60}}?\b{WORK}\b",
            rf"\b{_ESCAPE},? (?:i|we)(?:'ll|'d| will| can| could| would)\b.{{0,60}}?\b{WORK}\b",
            rf"\b(?:can|could|should|may|might|will) (?:also |then |easily |always |"
            rf"still )?be {WORKED}\b.{{0,60}}?\b{_ESCAPE}",
            rf"\b{_ESCAPE},? .{{0,60}}?\b(?:can|could|should|may|might) (?:also |then |easily )?be {WORKED}\b",
            r"\boptionally,? you (?:can|could|may|might)\b",
            rf"[:–—] {_ESCAPE}$",
        ),
        _HANDED_BACK,
        rf"{SUBJECT}|\byou can now\b|\byour (?!own\b|needs|requirements|use case|taste|liking|preference)|automatic",
    ),
    rule(
        "GD1",
        "handed-back",
        "feel free|let me know|tell me|happy to|glad to|like me to|want me to|shall i|should i|up to you|to you|"
        "for you|exercise|"
        "have to|need to|optional|yourself|on your",
        (
            r"\bfeel free to (?!(?:open|file|report|reach|contact|ask|join|submit|contribute|comment|raise|ping|"
            r"get in|"
            r"let|send|share|post|drop|use|try|ignore|skip)\b)",
            rf"\b(?:let me know|tell me) (?:if|whether|when) (?:you(?:'d| would)? (?:like|want|need|prefer)|"
            rf"i should)\b"
            rf".{{0,60}}?\b{WORK}\b",
            rf"\b(?:happy|glad) to (?:also )?{WORK}\b",
            r"\b(?:would you like|do you want) me to\b|\bif you (?:would )?(?:like|want) me to\b",
            rf"\b(?:shall|should) i (?:also )?{WORK}\b",
            r"\b(?:left|leave|leaving) (?:\S+ ){0,5}?(?:up )?(?:to|for) you\b|\bas an exercise\b",
            r"\b(?:is|are|it's|that's) up to you\b(?! (?:which|whether|how))",
            r"\byou(?:'ll| will)? (?:still |then )?(?:need|have) to (?:implement|write|complete|finish|fill in|build|"
            r"wire)\b",
            rf"^(?:please |then |just |simply )*{_ASKED}\b.{{0,80}}\b(?:yourself|on your (?:own|side|end))\b",
            rf"^optional(?:ly)?[:,] (?:please |you )?{WORK}\b",
        ),
        _HANDED_BACK,
        SUBJECT,
    ),
    rule(
        "GD1",
        "escape-phrase",
        "必要|適宜|お好み|希望|要望|自由に|ければ|状況に応じて|場合に応じて|任意で|余裕が|時間が|可能であれば",
        (
            rf"{_JA_ESCAPE}.{{0,60}}?{JA_WORK}.{{0,14}}?(?:ください|下さい|お願い|願います|いただ|頂|可能です|"
            rf"できます|"
            r"でしょう|(?:と|が)(?:良|よ)い|推奨|すべき|必要があ|必要です)",
            rf"{_JA_ESCAPE}、?.{{0,40}}?(?:追加|対応|実装|検討|修正|調整|拡張|改善|整備)(?:を)?(?:し|いたし|致し|"
            rf"行い|進め)ます",
            r"ご自由に.{0,40}?(?:ください|下さい|どうぞ)",
            rf"{JA_WORK}.{{0,24}}?(?:は|を){_JA_ESCAPE}(?:お願い|。|$|行ってください|どうぞ)",
        ),
        _HANDED_BACK,
        r"自動|お使いの|ご利用の|設定ファイル|環境変数|するように|ようになり|されます",
    ),
    rule(
        "GD1",
        "handed-back",
        "お任せ|おまかせ|委ね|お申し付け|お知らせ|ご指示|しましょうか|ご自身で|各自",
        (
            r"(?:は|を|については?)(?:お任せ|おまかせ)(?:し|いた)|に委ね(?:ます|ました)",
            rf"{JA_WORK}.{{0,30}}?(?:お申し付け|お知らせ|ご指示|お声がけ)",
            rf"{JA_WORK}しましょうか|(?:ご自身|各自)で.{{0,30}}?{JA_WORK}.{{0,10}}?(?:ください|お願い)",
        ),
        _HANDED_BACK,
    ),
)
