"""Templates: Markdown files with `{{name}}` slots, one folder per language."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from shiage.domain.errors import OurBug

#: The languages with templates, and what each calls itself.
LANGUAGES = {"en": "English", "ja": "日本語"}

_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")
_LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


@cache
def load(language: str, name: str) -> str:
    """The text of one template."""
    if language not in LANGUAGES:
        raise OurBug(f"there are no templates in the language {language!r}")
    try:
        text = (files(__package__) / "templates" / language / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise OurBug(f"there is no template {language}/{name}.md") from None
    return text.rstrip("\n")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with every slot filled, in one pass: a value that looks like a slot stays text."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in slots:
            raise OurBug(f"nothing fills the slot {match[0]}")
        return slots[match[1]]

    return _SLOT.sub(value, template)


def slot_names(template: str) -> frozenset[str]:
    return frozenset(_SLOT.findall(template))


def template_language(code: str) -> str:
    """The templates' language for a spec's: its own where we have it, else English."""
    primary = code.partition("-")[0].lower()
    return primary if primary in LANGUAGES else "en"


def artefact_language(code: str) -> str:
    """How a prompt names the language that documents are written in."""
    primary = code.partition("-")[0].lower()
    if primary in LANGUAGES:
        return LANGUAGES[primary]
    # Other tools write specs in many languages: instructions in English serve there, English documents would not.
    return f"the language with the code `{code}`" if _LANGUAGE_CODE.fullmatch(code) else LANGUAGES["en"]
