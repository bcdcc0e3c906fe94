"""Points in time as a person writes them: 22:30, 2026-01-31T22:30, +90m."""

import re
from datetime import datetime, timedelta

from shiage.domain.errors import UserError

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_AFTER = re.compile(r"\+(\d{1,6})([smhd])")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def point(words: str, now: datetime) -> float:
    """Seconds since the epoch; a bare time of day is the next one, and what names no zone is local."""
    if found := _AFTER.fullmatch(words):
        return (now + timedelta(**{_UNITS[found[2]]: int(found[1])})).timestamp()
    if found := _CLOCK.fullmatch(words):
        today = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
        return (today if today > now else today + timedelta(days=1)).timestamp()
    try:
        return datetime.fromisoformat(words).astimezone().timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise UserError(
            "time-unreadable", f'"{words}" is no time', help="write 22:30, 2026-01-31T22:30, or +90m (s, m, h, d)."
        ) from error
