"""Why a run failed, from what every agent may say: an HTTP status, or words. Each adapter has a table before this one."""

import re
import time
from datetime import datetime, timedelta

from shiage.domain.outcome import Cause

Table = tuple[tuple[re.Pattern[str], Cause], ...]


def row(words: str, cause: Cause) -> tuple[re.Pattern[str], Cause]:
    return re.compile(words, re.IGNORECASE), cause


#: Words that providers and HTTP libraries share.
COMMON: Table = (
    row(
        r"usage limit|hit your \S* ?limit|quota exceeded|exceeded your current quota"
        r"|exhausted your .{0,40}(?:quota|capacity)",
        Cause.USAGE_LIMIT,
    ),
    row(
        r"not logged in|authentication failed|(?:invalid|incorrect) (?:x-)?api.?key|api key not valid|authentication_error",
        Cause.NOT_LOGGED_IN,
    ),
    row(r"prompt is too long|context.?(?:window|length|overflow)|context_length_exceeded", Cause.CONTEXT_OVERFLOW),
    row(
        r"overloaded|rate.?limit|too many requests|connection (?:error|refused|reset)|fetch failed|socket hang up"
        r"|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|request timed out"
        r"|premature close|other side closed|connection was closed|cannot connect|internal server error"
        r"|service unavailable|bad gateway|gateway time-?out",
        Cause.TRANSIENT,
    ),
)


def by_text(text: str, table: Table = ()) -> Cause | None:
    return next((cause for pattern, cause in (*table, *COMMON) if pattern.search(text)), None)


def by_status(status: int | None) -> Cause | None:
    if status in (401, 403):
        return Cause.NOT_LOGGED_IN
    again = status is not None and (status in (408, 429) or 500 <= status < 600)
    return Cause.TRANSIENT if again else None


#: Behind a bar stands an old way of Claude Code: "usage limit reached|1760000000".
_EPOCH = re.compile(r"\|(\d{10})\b")
_AT = re.compile(r"try again at (?:(\w{3} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d{2} [AP]M)", re.IGNORECASE)
_IN = re.compile(r"(?:try again|resets?) (?:in|after) ((?:\d+ ?[a-z]+[ ,]*)+)", re.IGNORECASE)
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def reset_in(text: str, now: float | None = None) -> float | None:
    """When a usage limit resets, if the text says so; only a time without a date or a span is counted from now."""
    if found := _EPOCH.search(text):
        return float(found[1])
    now = time.time() if now is None else now
    if found := _AT.search(text):
        return _moment(found[1], found[2], found[3], now)
    if found := _IN.search(text):
        parts = re.findall(r"(\d+) ?([dhms])", found[1].lower())
        return now + sum(int(count) * _SECONDS[unit] for count, unit in parts) if parts else None
    return None


def _moment(day: str | None, year: str | None, clock: str, now: float) -> float | None:
    """A time as people write it where the machine stands; without a day it is the next such time."""
    today = datetime.fromtimestamp(now).astimezone()
    try:
        date = datetime.strptime(f"{day} {year}", "%b %d %Y") if day else today  # noqa: DTZ007  made local below
        hour = datetime.strptime(clock.upper(), "%I:%M %p").time()  # noqa: DTZ007
    except ValueError:
        return None
    # The clock has no seconds: its minute must be over.
    moment = datetime.combine(date.date(), hour).astimezone() + timedelta(minutes=1)
    if not day and moment < today:
        moment += timedelta(days=1)
    return moment.timestamp()
