"""What secrets look like: one row per shape.

Patterns run in linear time on any input: repeats are bounded or possessive, and where a token has no fixed length it is
tried from its first character only. The group `s` is what gets masked.
Sources of the shapes: the issuers' own pages on token formats and what the public secret scanners agree on.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

_WORD = r"[A-Za-z0-9]"
_SAFE = r"[A-Za-z0-9_-]"  # what URL-safe base64 is made of
_QUOTE = r"\\?[\"']?"
_GAP = r"[ \t]{0,8}+"
_TYPE = r"(?:[ \t]{0,8}+:[ \t]{0,8}+[\w.\[\]| ]{1,40}+(?==))?"  # the annotation in `password: str = ...`
_GIVEN = rf"{_QUOTE}\]?{_TYPE}{_GAP}(?::=|=>|[:=]){_GAP}"
_BLOCK = r"(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_SEPARATOR = r"(?:[\s\"'+,]|\\[nrt]){0,8}+"


def _starting(prefix: str) -> str:
    """A prefix before which no letter, digit, `_` or `-` stands, unless it belongs to an escape such as \\n or %3D.

    The look behind comes last: a pattern that begins with literal text is searched for seven times as fast.
    """
    return rf"{prefix}(?:(?<!{_SAFE}{prefix})|(?<=\\[nrt]{prefix})|(?<=%[0-9A-Fa-f]{{2}}{prefix}))"


def _any_case(*words: str) -> str:
    """Alternatives in any case, each with a literal first letter for the same reason."""
    return "|".join(f"{first}(?i:{word[1:]})" for word in words for first in (word[0], word[0].upper()))


#: What settings and fields that hold secrets are called.
NAME = (
    "(?:"
    + _any_case(
        "pass(?:word|wd|phrase)",
        "pwd",
        "secret",
        "credential",
        "token",
        "a(?:pi|uth|ccess|ccount)[_-]?key",
        "private[_-]?key",
        "signing[_-]?key",
        "encryption[_-]?key",
    )
    + r")[\w-]{0,20}+"
)

_ENOUGH = 64  # characters tell whether a literal is random
_PARTS = re.compile(r"[_\-.:/\s]+")
_TEMPLATE = re.compile(r"[{}<>]|\$[\w(]|%[(s]|\*\*\*|\.\.\.")
_ENCODED = re.compile(r"[A-Za-z0-9+/=]{8}")
_PLACEHOLDERS = ("token", "your", "example")


def _always(match: re.Match[str]) -> bool:
    return True


def _random(match: re.Match[str]) -> bool:
    return random_looking(match["s"])


def random_looking(secret: str) -> bool:
    """Whether a literal has the mixture of a generated secret, which words, names and paths have not."""
    part = max(_PARTS.split(secret), key=len)[:_ENOUGH]
    if len(part) < 8 or part.isdigit() or not any(map(str.isdigit, part)) or _TEMPLATE.search(secret):
        return False
    kinds = len(list(groupby(part, _kind)))
    turns = len(list(groupby(part, str.isdigit))) - 1
    return (kinds / len(part) >= 0.45 or turns >= 3) and _entropy(part) >= 2.75


def _kind(character: str) -> int:
    return 0 if character.isdigit() else 1 if character.islower() else 2 if character.isupper() else 3


def _entropy(text: str) -> float:
    """Bits for each character: 2.75 is what eight characters with one repeated have."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _assigned(match: re.Match[str]) -> bool:
    """Without quotes around it, a name in code is likelier than a secret."""
    secret = match["s"]
    telling = match["q"] or len(secret) >= 24 or (secret != secret.lower() and secret != secret.upper())
    return bool(telling) and random_looking(secret)


def _digits_or_long(match: re.Match[str]) -> bool:
    return len(match["s"]) >= 35 or any(map(str.isdigit, match["s"]))


def _not_placeholder(match: re.Match[str]) -> bool:
    """Digits make it real; capitals alone name a variable, and some words speak for themselves."""
    secret = match["s"]
    if any(map(str.isdigit, secret)):
        return True
    return secret.upper() != secret and not any(word in secret.lower() for word in _PLACEHOLDERS)


def _not_template(match: re.Match[str]) -> bool:
    return _TEMPLATE.search(match["s"]) is None


def _has_body(match: re.Match[str]) -> bool:
    return _ENCODED.search(match["s"].split("-----")[2]) is not None


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret."""

    kind: str
    hints: tuple[str, ...]  #: lower case; without any of them the pattern is not even tried
    pattern: str
    real: Callable[[re.Match[str]], bool] = _always  #: the last word on what the pattern found


SHAPES = (
    Shape(
        "private-key",
        ("private key",),
        rf"(?P<s>-----BEGIN {_BLOCK}(?:(?:[A-Za-z0-9+/=\s\\\"',:.()]|-(?!-))*+-{{5,6}}END {_BLOCK}"
        rf"|{_SEPARATOR}(?:[A-Za-z0-9+/=]{{32,}}+{_SEPARATOR})++))",
        _has_body,
    ),
    Shape("anthropic-key", ("sk-ant-",), rf"(?P<s>sk-ant-{_SAFE}{{16,}}+)"),
    Shape("openai-key", ("sk-",), rf"(?P<s>{_starting('sk-')}(?:proj|svcacct|admin|None|or-v1|lf)-{_SAFE}{{16,}}+)"),
    Shape("openai-key", ("sk-",), rf"(?P<s>{_starting('sk-')}{_WORD}{{20,}}+)", _digits_or_long),
    Shape("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"(?P<s>gh[pousr]_{_WORD}{{30,}}+)"),
    Shape("github-token", ("github_pat_",), r"(?P<s>github_pat_\w{30,}+)"),
    Shape("gitlab-token", ("glpat-",), rf"(?P<s>glpat-{_SAFE}{{20,}}+)"),
    Shape("aws-key", ("akia", "asia"), rf"(?P<s>{_starting('A[KS]IA')}[A-Z0-9]{{16}})(?!{_WORD})"),
    Shape(
        "aws-secret",
        ("secret", "session"),
        rf"(?:{_any_case('secret[_-]?(?:access[_-]?)?key', 'session[_-]?token')}){_GIVEN}{_QUOTE}"
        r"(?P<s>[A-Za-z0-9/+]{40}(?:[A-Za-z0-9/+=]{60,}+)?)(?![A-Za-z0-9/+])",
    ),
    Shape("slack-token", ("xox",), rf"(?P<s>{_starting('xox[abeoprs]-')}[A-Za-z0-9-]{{10,}}+)"),
    Shape("slack-token", ("xapp-",), rf"(?P<s>{_starting('xapp-')}[0-9]-[A-Za-z0-9-]{{10,}}+)"),
    Shape("webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows)/(?P<s>[\w/-]{20,}+)"),
    Shape("webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/(?P<s>[0-9]{5,}+/[\w-]{20,}+)"),
    Shape("google-key", ("aiza",), rf"(?P<s>{_starting('AIza')}{_SAFE}{{35,}}+)"),
    Shape(
        "google-key", ("ya29.", "gocspx-"), rf"(?P<s>(?:{_starting('ya29[.]')}|{_starting('GOCSPX-')}){_SAFE}{{20,}}+)"
    ),
    Shape("npm-token", ("npm_",), rf"(?P<s>{_starting('npm_')}{_WORD}{{30,}}+)"),
    Shape("pypi-token", ("pypi-",), rf"(?P<s>{_starting('pypi-')}(?:AgE{_SAFE}{{16,}}+|{_SAFE}{{50,}}+))"),
    Shape("stripe-key", ("k_live_", "k_test_"), rf"(?P<s>{_starting('[prs]k_(?:live|test)_')}{_WORD}{{10,}}+)"),
    Shape("stripe-key", ("whsec_",), rf"(?P<s>{_starting('whsec_')}[A-Za-z0-9+/]{{24,}}+)"),
    Shape(
        "model-key",
        ("gsk_", "xai-", "hf_"),
        rf"(?P<s>(?:{_starting('gsk_')}|{_starting('xai-')}|{_starting('hf_')}){_WORD}{{30,}}+)",
    ),
    Shape("jwt", ("eyj",), rf"(?P<s>{_starting('eyJ')}{_SAFE}{{8,}}+\.eyJ{_SAFE}{{8,}}+\.{_SAFE}{{8,}}+)"),
    Shape(
        "authorization",
        ("authorization",),
        rf"(?:{_any_case('authorization')}){_QUOTE}\]?{_GAP}[:=,]{_GAP}{_QUOTE}(?i:bearer|basic|token)[ \t]{{1,4}}+"
        r"(?P<s>[\w.~+/=-]{8,}+)",
        _not_placeholder,
    ),
    Shape("authorization", ("bearer",), rf"(?:{_any_case('bearer')})[ \t]{{1,4}}+(?P<s>[\w.~+/=-]{{20,}}+)", _random),
    Shape(
        "url-password",
        ("://",),
        r"://(?<=[A-Za-z0-9]://)[^\s/:@\"'<>`\\]{0,128}+:(?P<s>[^\s/@\"'<>`\\]{1,256}+)@[\w\[]",
        _not_template,
    ),
    Shape(
        "password",
        ("pass", "pwd", "secret", "credential", "token", "key"),
        rf"{NAME}{_GIVEN}(?:[bruBRU]{{0,2}}\\?(?P<q>[\"'`]))?"
        r"(?P<s>(?(q)[^\"'`\s\\]{8,256}+(?=\\?(?P=q))|[\w+/~-]{12,512}+=*+(?![\w(.\[\"'])))",
        _assigned,
    ),
)
