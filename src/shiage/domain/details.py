"""What shiage itself says of why things stand as they do: one row each, with places for what differs.

Journals and JSON carry these English words. As every place is known, a front end finds the row again and says it in a
person's language; words of agents and of programs are in no row and stay as they are.
"""

import re
from collections.abc import Mapping
from functools import cache

DETAILS: Mapping[str, str] = {
    "left": "{fix} to fix, {discuss} to discuss",
    "left-after": "{fix} to fix, {discuss} to discuss after round {round}",
    "rounds-used": "{used} of {cap} rounds are closed",
    "nogo": "NOGO in round {round}",
    "nogo-failed": "NOGO in round {round}: {failed}",
    "by-hand": "the inspector asks for a check by hand",
    "open-tasks": "still open: {tasks}",
    "may-use": "May it use {tools}? Answer allow, deny, or what to do instead.",
    "budget": "{used} of {cap} {unit} are used",
    "stopped-by": "stopped by a {by}",
    "interrupted": "shiage ended in the middle of the run",
    "no-tasks": "tasks.md is missing or has no task with a box",
    "missing": "{name} is missing",
    "missing-or-empty": "{name} is missing or empty",
    "no-box": "{name} has no task with a box",
    "no-verdict": "{name} has no labelled verdict line",
    "reply-too-long": "the reply is too long or too deeply nested to be read",
    "reply-uncounted": "the reply has neither a summary table nor a judgment line",
    "not-json": '{name} of "{spec}" is not valid JSON: {said}',
    "no-state": '"{spec}" has no spec.json',
    "not-permitted": "autoExecution does not permit {phase}",
    "exit-code": "Ended with exit code {code}.",
    "signal": "Ended by signal {signal}.",
    "stopped": "Stopped by a person.",
    "silent": "No output and no work for {seconds} s: ended.",
    "too-long": "Still running after {seconds} s: ended.",
    "hung": "Gave its result and did not leave within {seconds} s: ended.",
}
_NUMBERS = frozenset({"fix", "discuss", "round", "used", "cap", "code", "seconds"})
_NAMES = frozenset({"name", "spec", "phase", "by", "unit"})


def told(key: str, **values: object) -> str:
    """The words of a row."""
    return DETAILS[key].format_map(values)


def read(text: str) -> tuple[str, Mapping[str, str], str]:
    """The row of these words, what stands in its places, and what a program said behind them; no row has an empty key."""
    for key, pattern in _patterns().items():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            return key, values, values.pop("_said", None) or ""
    return "", {}, text


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {key: re.compile(_pattern(words) + _behind(words), re.DOTALL) for key, words in DETAILS.items()}


def _behind(words: str) -> str:
    """A whole sentence may be followed by the last words of a program."""
    return r"(?: (?P<_said>.*))?" if words.endswith(".") else ""


def _pattern(words: str) -> str:
    parts = re.split(r"\{(\w+)\}", words)
    return "".join(_place(part) if at % 2 else re.escape(part) for at, part in enumerate(parts))


def _place(name: str) -> str:
    kind = r"[\d.e+-]+" if name in _NUMBERS else r"\S+" if name in _NAMES else r".+?"
    return rf"(?P<{name}>{kind})"
