"""Finds the word that a person probably meant."""

from collections.abc import Iterable

_MOST = 2  #: edits; beyond that suggestions are guesses
_LONGEST = 80  #: characters; no name of ours is longer, and hostile keys cost quadratic time


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word within two edits, the closest first, or None."""
    if len(word) > _LONGEST:
        return None
    ranked = sorted((distance(word.lower(), other.lower()), other) for other in known)
    return ranked[0][1] if ranked and ranked[0][0] <= min(_MOST, len(word) - 1) else None


def distance(one: str, two: str) -> int:
    """Insertions, deletions and replacements that turn one word into the other."""
    above = list(range(len(two) + 1))
    for row, left in enumerate(one, 1):
        line = [row]
        for column, right in enumerate(two, 1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (left != right)))
        above = line
    return above[-1]
