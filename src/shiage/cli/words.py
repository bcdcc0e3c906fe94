"""What the command line says, in the language of this start of the program."""

from contextvars import ContextVar

from shiage.app.catalogue import amount, known, say

_LANGUAGE: ContextVar[str] = ContextVar("language", default="en")


def speak(language: str) -> None:
    """Words are looked up when they are shown, so this may be called as soon as more is known."""
    _LANGUAGE.set(language)


def language() -> str:
    return _LANGUAGE.get()


def t(key: str, **values: object) -> str:
    """The message of this key in the person's language."""
    return say(_LANGUAGE.get(), key, **values)


def counted(unit: str, number: int) -> str:
    """ "1 round", "3 rounds"."""
    return amount(_LANGUAGE.get(), unit, number)


def has(key: str) -> bool:
    return known(_LANGUAGE.get(), key)
