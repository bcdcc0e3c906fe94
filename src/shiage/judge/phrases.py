"""The words by which text says that something was left out, English and Japanese.

STRONG phrases mean an omission wherever they are a whole comment; AT_END ones where a block ends after
them; WEAK ones where they are all that a block holds; DOTTED ones when an ellipsis comes with them.
All are matched against a whole comment, lower case, without its ellipsis and brackets.
"""

import re

_NOUN = (
    r"(?:code|implementations?|logic|functions?|methods?|class(?:es)?|file|page|components?|module|script|handlers?|tests?|"
    r"test cases|cases|program|body|fields?|properties|props|imports?|routes?|endpoints?|items?|entries|rows|columns|"
    r"records|elements|styles?|rules?|content|contents|config(?:uration)?|settings|options|steps?|sections?|lines?|"
    r"types?|interfaces?|exports?|variables?|definitions?|parameters|attributes|setup|stuff|things|examples?|values|"
    r"members|constructors?|helpers?|utilities|models?|queries|tables|statements|checks|validations?|"
    r"error handling|markup|html|css|jsx|forms?|inputs?|layout|view|template|schema|app|application|ui|screens?|buttons?|menu|state|hooks|structs?|enums?|packages|dependencies|keys|services|tasks|jobs|documents?)"
)
_CODE = (
    r"(?:code|implementations?|logic|business logic|functionality|method body|function body|function implementation)"
)
_SAME = (
    r"(?:unchanged|the same|same|identical|as is|as-is|as before|as above|untouched|not changed|similar|omitted|intact)"
)
_STAY = rf"(?:(?:is|are|remains?|stays?|stay|remain|goes|go|were|was|left|kept|follows?|can be|will be)\s+)?(?:{_SAME}|here|follows|continues|omitted)"
_TAIL = rf"(?:\s*[,:;(—–-]*\s*{_STAY}(?:\s+(?:as|to|like)\s+(?:before|above|the\s+\w+))?\)?)"
_ADJ = r"(?:the\s+|this\s+|that\s+|your\s+|my\s+|its\s+|all\s+(?:the\s+)?|of\s+|each\s+)*"
_WORDS = r"(?:[\w'-]+\s+){0,3}"
_FOR_BREVITY = r"(?:for|due to|because of|in the interest of)\s+(?:brevity|clarity|space|length|simplicity|conciseness)"
_OMITTED = r"(?:omitted|elided|truncated|abbreviated|shortened|skipped|snipped|trimmed|removed|left out|not shown|hidden|collapsed|condensed|cut)"

STRONG_ENGLISH = (
    rf"(?:and\s+)?{_ADJ}rest\s+(?:of\s+)?{_ADJ}{_WORDS}{_NOUN}{_TAIL}",
    rf"{_ADJ}rest\s+(?:of\s+)?{_ADJ}{_WORDS}(?:code|implementation)",
    rf"{_ADJ}rest{_TAIL}",
    rf"(?:keep\s+|with\s+|leave\s+)?{_ADJ}(?:existing|original|previous|prior|current|old|unchanged|"
    rf"unmodified)\s+{_WORDS}{_NOUN}{_TAIL}",
    rf"(?:keep\s+|leave\s+)?{_ADJ}(?:existing|unchanged|unmodified)\s+(?:code|implementation)",
    rf"(?:keep|leave)\s+{_ADJ}(?:existing|original|current)\s+(?:code|implementation|logic)",
    rf"{_ADJ}(?:remaining|other)\s+{_WORDS}{_NOUN}{_TAIL}",
    rf"{_ADJ}remaining\s+(?:code|implementation)",
    rf"{_WORDS}{_NOUN}\s+(?:(?:is|are|was|were)\s+)?(?:intentionally\s+)?(?:omitted|elided|unchanged|truncated|"
    rf"not shown)",
    rf"(?:{_WORDS}{_NOUN}\s+)?(?:(?:is|are|was|were)\s+)?{_OMITTED}(?:\s+here)?\s+{_FOR_BREVITY}",
    rf"{_WORDS}{_OMITTED}\s+{_FOR_BREVITY}",
    rf"{_FOR_BREVITY}(?:\W.*)?",
    rf"(?:add|put|insert|write|place|implement|fill\s+in|include|your|paste|enter|provide)\s+{_ADJ}(?:own\s+|"
    rf"actual\s+|custom\s+|real\s+)?{_WORDS}{_CODE}(?:\s+(?:goes\s+)?(?:here|below))?",
    rf"(?:your|the|actual|real|main|my)?\s*{_WORDS}{_CODE}\s+(?:goes\s+|would\s+go\s+|will\s+go\s+)?here",
    r"(?:fill\s+(?:this\s+|me\s+)?in|fill\s+in\s+(?:the\s+)?(?:rest|details|blanks|implementation|here))",
    r"implement\s+(?:me|this|it|here|later|the\s+rest|(?:the\s+)?remaining(?:\s+\w+){0,3}|this\s+(?:later|function|"
    r"method))",
    r"(?:[\w']+\s+){0,4}(?:to\s+be|will\s+be|should\s+be)\s+(?:implemented|completed|filled\s+in|continued|"
    r"written)(?:\s+(?:later|here|soon))?",
    r"(?:implementation|code|details)\s+(?:pending|to\s+follow|comes?\s+here|continues(?:\s+here)?|follows\s+here|tbd)",
    r"(?:this\s+is\s+)?(?:just\s+)?(?:an?\s+)?(?:placeholder|stub|dummy|mock|"
    r"skeleton)\s+(?:for\s+(?:the\s+)?(?:actual|real|future)\s+.{1,60}|implementation|for\s+now)",
    r"in\s+a\s+(?:real|production|full|actual|complete)[\w\s-]{0,30}\s(?:implementation|app|application|system|"
    r"version|scenario|world)\b.{0,160}",
    r".{0,60}left\s+as\s+an\s+exercise(?:\s+(?:for|to)\s+the\s+reader)?",
    r"(?:repeat|do\s+the\s+same|same\s+pattern|similar\s+(?:code|logic|implementation)s?|continue|"
    r"likewise)\s+(?:this\s+)?(?:for|with|as)\s+(?:all\s+)?(?:the\s+)?(?:other|others|rest|remaining|"
    r"additional)\b.{0,60}",
    r"(?:code|file|output|content|response)\s+(?:was\s+|is\s+)?(?:truncated|continues|cut\s+off)(?:\s+(?:here|below|"
    r"as before))?",
    r"(?:and\s+)?\(?\d+\s+more\s+\w+(?:\s+(?:here|omitted|below))\)?",
    r"(?:snip|snipped|cut here for brevity|truncated for (?:length|space))",
    r"(?:add|implement|handle|insert)\s+(?:more|additional|other|the\s+remaining|the\s+other|"
    r"the\s+rest\s+of\s+the)\s+(?:[\w']+\s+){0,3}(?:here|as needed|below|similarly)",
)
STRONG_JAPANESE = (
    r"(?:以下|以降|残り|後|中|前|他|その他|この後|ここから|途中|以上|一部|処理|実装|コード|内容|詳細|本体|中身|既存(?:の)?(?:コード|処理|実装))"
    r"(?:の\w{1,12})?(?:は|も|を|、|を?全て|すべて)?[ 　]*(?:省略|割愛|略|中略)(?:する|します|しました|しています|です|済み?|されています)?",
    r"(?:コード|実装|処理|内容|詳細|本体|中身)?(?:は|を)?(?:省略|中略|後略|前略|以下略|割愛)(?:します|しました|しています|です)?",
    r"(?:(?:以下|以降)[、 　]*)?(?:以下|以降|残り|他|その他|あと|後)(?:の\w{1,16})?(?:は|も|の(?:処理|実装|コード|関数|メソッド)も)?[、 　]*"
    r"(?:全て|すべて)?(?:上記と|上と|これと|前と|既存と|元のコードと)?[ 　]*"
    r"(?:同様|同じ|同一|変更なし|変更無し|そのまま|変わらず)(?:の?(?:処理|実装|コード|内容|パターン|形)(?:を(?:実装|記述|追加|続ける))?)?"
    r"(?:に?(?:実装|続く|続けます|続ける|記述|追加|処理|書く|定義)(?:する|します|してください)?)?(?:です|とする|とします)?",
    r"残り(?:の\w{1,16})?(?:は|を|も)?(?:後で|あとで|今後|別途|次回|後日)?(?:実装|追加|記述|対応)(?:する|します|してください|予定)?",
    r"残りの?(?:実装|コード|処理|関数|メソッド|部分|テスト|フィールド|項目)(?:など|をここに|はここ|が続く|が入る|が続きます)?",
    r"既存の?(?:コード|処理|実装|内容|ロジック|メソッド|関数|インポート|import)(?:は|を|が)?(?:そのまま|変更なし|維持|省略|と同じ|残す|ここに|入る|続く)?(?:です|する|します)?",
    r"(?:ここ|こちら|この部分|この下)(?:に|へ|で|は)(?:、)?\w{0,16}(?:実装|コード|処理|ロジック|内容)(?:を|が)?"
    r"(?:追加|記述|書く|書きます|実装|入れる|入る|入ります|挿入|記載)?(?:する|します|してください)?",
    r"(?:後で|あとで|後ほど|のちほど|今後|将来|別途|追って|次回)[、 　]*(?:\w{0,16}を)?(?:実装|追加|対応|記述|書く|修正)(?:する|します|予定|予定です|してください)?",
    r"(?:\w{0,16}は)?(?:まだ)?(?:未実装|未着手|未完成|実装予定|実装待ち|要実装|未対応)(?:です|のまま)?",
    r"(?:\w{0,16}は)?まだ(?:実装|完成|対応)(?:して|されて|でき)(?:いない|いません|ない)",
    r"(?:ダミー|仮|スタブ|プレースホルダー?)(?:の)?(?:実装|処理|コード)(?:です)?",
    r"(?:変更(?:箇所|点|部分)?以外|その他の部分|それ以外)(?:の\w{1,8})?(?:は|を)(?:全て|すべて)?(?:省略|割愛|そのまま|変更なし|前回と同じ|元のまま)(?:です|します|しています)?",
    r"省略[ 　]*[(（、:：][ 　]*(?:前回|上記|以前|元|既存|変更)[^)）]{0,12}[)）]?",
    r"(?:続く|続きます|つづく|以下続く|以下続き|コードが続く)",
    r"(?:変更なし|変更無し|変更ありません|変更はありません)",
    r"(?:実装|処理|コード|ロジック)を?(?:ここに(?:追加|記述|書く)|追加してください|記述してください|書いてください|実装してください)",
)
LISTING = (  # the end of an enumeration: means an omission at the end of a block
    r"(?:etc|and so on|and so forth|and more|more|and others|others|likewise|ditto|et cetera)",
    rf"(?:(?:the\s+)?(?:remaining|rest|other|additional|further|more)(?:\s+{_WORDS}{_NOUN})?(?:\s+(?:here|below|"
    rf"similarly))?)",
    rf"{_ADJ}rest\s+of\s+{_ADJ}{_WORDS}{_NOUN}",
    r"(?:same|similar|identical)\s+(?:as|to|for|with)\s+(?:above|before|the\s+(?:above|others?|rest|previous)|"
    r"previous|earlier|others)(?:\s+\w+){0,2}",
    r"(?:など|等|等々|などなど|以下|以降|残り|その他|他|他にも|同様|同上|以下同じ|上記と同様|上記同様|上と同じ|同様に|略)",
)
WEAK_ENGLISH = (
    rf"{_ADJ}(?:existing|original|previous)\s+{_WORDS}{_NOUN}",
    r"(?:unchanged|omitted|truncated|no changes?|not changed|same|similar|continued?|continues|skipped|elided|"
    r"as before|as above)",
    r"(?:not\s+(?:yet\s+)?implemented(?:\s+yet)?|unimplemented|implementation|implementation here|details|body|stub|"
    r"placeholder|logic|do something|do stuff|something|code|your code|tbc)",
    r"(?:continue|repeat|similarly|same)\s+(?:for|with)\s+.{1,60}",
    r"(?:implement|add|handle|write|do|process|perform|put)\s+.{1,40}\s+(?:here|later)",
)
WEAK_JAPANESE = (
    r"(?:前回と?同じ|前回と同様|元のまま|同じ|省略可?|実装|処理|ここに処理|何か|何らかの処理)",
    r"(?:同様の|同じ)(?:処理|実装|パターン|コード)(?:を繰り返す|を続ける|が続く)?",
    r"\w{1,16}の?(?:実装|処理|ロジック|コード)(?:を|は)?(?:ここに|ここ)(?:書く|記述|追加)?",
)
_DOT_ENGLISH = (
    rf"(?:and\s+|with\s+|plus\s+)?{_ADJ}(?:rest|remaining|remainder|other|others|more|many more|additional|further|"
    rf"existing|previous|original|"
    rf"unchanged|same|similar|similarly|omitted|truncated|etc|and so on|continued?|snip|skipped)(?:\W.{{0,80}})?",
    rf"{_WORDS}{_NOUN}(?:\s+(?:here|as before|unchanged|omitted|goes here|continues?|follows?|above|below))?",
    r"(?:implement|implementation|your|add|handle|do|insert|logic|code)\b.{0,60}",
    r"\(?\d+\s+(?:more\s+)?\w+(?:\s+\w+)?\)?",
    r".{0,40}\b(?:omitted|unchanged|brevity|truncated|as before|goes here|same as)\b.{0,40}",
)
_DOT_JAPANESE = (
    r".{0,20}(?:省略|同様|同じ|略|残り|既存|変更なし|そのまま|続く|実装|コード|処理|その他|など|他の|以下|ここに|追加).{0,20}",
)


def _whole(*tables: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for table in tables for pattern in table))


STRONG = _whole(STRONG_ENGLISH, STRONG_JAPANESE)
AT_END = _whole(LISTING)
WEAK = _whole(LISTING, WEAK_ENGLISH, WEAK_JAPANESE)
DOTTED = _whole(_DOT_ENGLISH, _DOT_JAPANESE)

#: Says in so many words that something is not there: enough even beside other comments or code.
EXPLICIT = re.compile(
    r"omitted|elided|brevity|truncated|unchanged|as before|snip|left as an exercise|goes here|go here|your code|"
    r"to be implemented|implement (?:me|this|later|the rest)|remains? the same|stays? the same|"
    r"省略|割愛|中略|後略|残り.{0,12}同様|以下.{0,4}(?:同様|同じ|略)|変更なし|既存.{0,12}そのまま|未実装|後で実装|実装予定"
)
#: Of the STRONG ones, those that no generator writes into its files.
LEFT_OUT = re.compile(
    r"\brest\b|\bremain|existing|unchanged|omitted|elided|brevity|truncated|省略|割愛|中略|後略|以下略|残り|既存|同様|変更なし"
)
#: One of these stems is in every phrase above; asked before anything dearer.
TRIGGER = re.compile(
    r"[…⋯・省略割愛以残他後前中同既変未仮続等実処何こなまダスプ今将別追次つ]|\.\.|\. \.|"
    r"\b(?:[Rr](?:est\b|emain|epeat)|[Ee](?:xisting|tc\b|t cet|lided|xercise)|[Oo](?:riginal|ld\b|ther|mitted)|"
    r"[Pp](?:revious|rior\b|laceholder|ending)|[Cc](?:urrent|larity|ontinu|ode\b)|[Uu]n(?:changed|modified|touched|"
    r"impl)|"
    r"[Tt](?:runcated|o be\b|he rest|bc\b)|[Bb](?:revity|e (?:comp|cont|writ|fill|impl)|ody\b)|[Hh](?:ere\b|idden)|"
    r"[Ff](?:ill\b|urther|or (?:now|space|length|brev))|[Ii](?:mplement|n a\b|dentical)|[Ss](?:tub|keleton|ame\b|"
    r"imilar|nip|kipped|omething)|"
    r"[Dd](?:ummy|itto|etails\b|o s)|[Mm](?:ock|ore\b)|[Ll](?:ikewise|ogic|ater\b)|[Aa](?:nd (?:so|more)|dditional|"
    r"s (?:before|above)|dd )|"
    r"[Nn]o(?:t\b| change)|IMPLEMENT|REST\b|SAME|ETC|CODE\b|TBC)"
)
