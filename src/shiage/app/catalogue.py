"""One catalogue of messages for every front end, English and Japanese."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "ja")
_FOLDER = Path(__file__).with_name("messages")


@cache
def messages(language: str) -> Mapping[str, str]:
    """Every message of a language by its dotted key."""
    text = (_FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    return {f"{table}.{key}": value for table, row in tomllib.loads(text).items() for key, value in row.items()}


class _Lenient(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def say(language: str, key: str, **values: object) -> str:
    """The message with its places filled in; a place without a value stays empty."""
    return messages(language)[key].format_map(_Lenient(values))


def known(language: str, key: str) -> bool:
    return key in messages(language)


def amount(language: str, unit: str, number: int) -> str:
    """A number of things, with the noun in the form that the number asks for."""
    form = "one" if number == 1 else "many"
    return say(language, f"unit.{unit}-{form}", n=number)


def language_of(chosen: str | None, environ: Mapping[str, str]) -> str:
    """What the person chose, else what the locale says, else English."""
    for value in (chosen, environ.get("LC_ALL"), environ.get("LC_MESSAGES"), environ.get("LANG")):
        if value:
            return "ja" if value.lower().startswith("ja") else "en"
    return "en"
