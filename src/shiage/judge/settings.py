"""The judge's settings: the keys of `.claude/review-loop.json`, checked at the door."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shiage.domain.errors import UserError

MANDATORY = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6")
OMISSION_PATTERNS = (
    "...", "// 残り省略", "// etc.", "// 以下同様", "/* 省略 */", "// ...", "// remaining", "// and so on",
)  # fmt: skip
EARLY_TERMINATION_PATTERNS = ("これで完了です", "以上です", "完了しました", "This completes", "Done.", "That's all")
MARKS = ("TODO", "FIXME", "TBD")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What the judge needs of the settings; patterns are literal text."""

    mandatory: tuple[str, ...] = MANDATORY
    omission_patterns: tuple[str, ...] = OMISSION_PATTERNS
    early_termination_patterns: tuple[str, ...] = EARLY_TERMINATION_PATTERNS
    marks: tuple[str, ...] = field(default=MARKS)  #: what Q2 looks for

    @property
    def own_omissions(self) -> tuple[str, ...]:
        """Patterns that the user added to the built-in ones."""
        return tuple(text for text in self.omission_patterns if text not in OMISSION_PATTERNS)


def settings_from(given: Mapping[str, object] | JudgeSettings | None) -> JudgeSettings:
    """Read the keys that concern the judge; the rest belongs to the loop."""
    if isinstance(given, JudgeSettings):
        return given
    values = given or {}
    criteria = values.get("criteria", {})
    if not isinstance(criteria, Mapping):
        raise _wrong("criteria", "an object with the lists mandatory and optional")
    return JudgeSettings(
        _texts(criteria, "mandatory", MANDATORY, "criteria."),
        _texts(values, "omission_patterns", OMISSION_PATTERNS),
        _texts(values, "early_termination_patterns", EARLY_TERMINATION_PATTERNS),
        _texts(values, "marks", MARKS),
    )


def _texts(values: Mapping[str, object], key: str, default: tuple[str, ...], parent: str = "") -> tuple[str, ...]:
    found = values.get(key, default)
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise _wrong(parent + key, "a list of texts")
    return tuple(text for text in found if text.strip())


def _wrong(key: str, expected: str) -> UserError:
    return UserError(
        "setting-invalid", f"review_loop.{key} must be {expected}", help=f"correct `{key}` in the settings"
    )
