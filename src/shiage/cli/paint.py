"""Colour, where there is any. It repeats what the words say, never more."""

from collections.abc import Mapping

_CODES: Mapping[str, str] = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
}
#: States of a run and levels of a report.
STYLES: Mapping[str, str] = {
    "idle": "dim",
    "running": "blue",
    "paused": "magenta",
    "completed": "green",
    "error": "red",
    "warning": "yellow",
}


def paint(text: str, style: str, *, on: bool) -> str:
    """The text in this style; unchanged without colour or for a style that has none."""
    code = _CODES.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if on and code and text else text
