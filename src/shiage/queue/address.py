"""The address of a queue on a server, and what of it may be shown."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit

from shiage.domain.errors import UserError
from shiage.queue.store import LEASE_SECONDS

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,39}")
_HIDDEN = "…"
LEAST_LEASE, MOST_LEASE = 3, 3600  #: seconds


@dataclass(frozen=True, slots=True)
class Address:
    """`postgresql://user@host/database?queue=name`; all but `queue` and `lease` is what libpq reads."""

    server: str  #: for libpq, the password with it
    queue: str  #: name of the schema: several queues may be in one database
    shown: str  #: for people
    secrets: tuple[str, ...]  #: what no message may contain, the longest first

    def masked(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, _HIDDEN)
        return text


def read_address(url: str) -> Address:
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    queue = dict(given).get("queue", "shiage")
    if not _NAME.fullmatch(queue):
        raise UserError(
            "queue-unknown", f'"{queue}" cannot be the name of a queue',
            help="a name has lower-case letters, digits and underscores, and begins with no digit.",
        )  # fmt: skip
    rest = [(key, value) for key, value in given if key not in ("queue", "lease")]
    server = parts._replace(query=urlencode(rest, quote_via=quote)).geturl()
    if not parts.netloc:  # a socket's folder stands in the query, and the empty host must stay
        server = server.replace(f"{parts.scheme}:/", f"{parts.scheme}:///", 1) if "://" not in server else server
    return Address(server, queue, _shown(url), _secrets(url))


def lease_of(url: str) -> float:
    """The lease that an address names (`?lease=60`): whoever uses the address has the same."""
    told = parse_qs(urlsplit(url).query).get("lease", [""])[-1]
    if not told:
        return LEASE_SECONDS
    if not told.isdecimal() or not LEAST_LEASE <= int(told) <= MOST_LEASE:
        remedy = f"a whole number of seconds from {LEAST_LEASE} to {MOST_LEASE}."
        raise UserError("queue-lease", f'"{told[:20]}" is no lease', help=remedy)
    return float(told)


def _shown(url: str) -> str:
    """Without the password, and without the query, which may hold one too."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}"


def _secrets(url: str) -> tuple[str, ...]:
    parts = urlsplit(url)
    written = parts.netloc.rpartition("@")[0].partition(":")[2]
    asked = [value for key, value in parse_qsl(parts.query) if key in ("password", "sslpassword", "passfile")]
    found = {url, written, unquote(written), *asked, *(quote(value, safe="") for value in asked)}
    return tuple(sorted(filter(None, found), key=len, reverse=True))
