"""Findings are made here, so that each names its place and shows its words in the same form."""

from shiage.domain.verdict import Finding

MAX_QUOTE = 200  #: characters: enough to recognise the line, short enough for a prompt


def quote_of(text: str) -> str:
    """The words that show it: one line, trimmed, without control characters."""
    line = next((part for part in text.splitlines() if part.strip()), "").strip()
    clean = "".join(char if char.isprintable() else "�" for char in line[:MAX_QUOTE].replace("\t", " "))
    return clean + ("…" if len(line) > MAX_QUOTE else "")


def found(
    criteria_id: str, rule: str, path: str, line: int | None, quote: str, description: str, suggestion: str
) -> Finding:
    """A finding whose quote is safe to show."""
    return Finding(criteria_id, rule, path, line, quote_of(quote), description, suggestion)
