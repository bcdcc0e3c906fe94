"""What can be wrong with the server of a queue, and what a person does about it."""

import psycopg

from shiage.domain.errors import OurBug, ShiageError, UserError, Where
from shiage.queue.address import Address
from shiage.queue.store import QueueGone

_FULL = "make room on the server's disk, then do it again; what was queued before is kept."
_RIGHTS = "let the database's owner give the rights that docs/queue.md names, or use another role."
_REFUSED = "look at user, password and database of the address; ~/.pgpass or PGPASSWORD may hold the password."
#: What the server says by number -> code, and remedy.
_BY_STATE = {
    "53100": ("queue-full", _FULL),
    "25006": ("queue-not-writable", "use the address of the primary server: this one only reads."),
    "42501": ("queue-not-writable", _RIGHTS),
    "28P01": ("queue-refused", _REFUSED),
    "28000": ("queue-refused", _REFUSED),
    "3D000": ("queue-refused", "make the database first: `createdb NAME`."),
}
#: Before the session there is no number, only a sentence.
_BY_WORDS = (
    ("password", "queue-refused", _REFUSED),
    ("does not exist", "queue-refused", "make the role and the database first; docs/queue.md shows how."),
    ("pg_hba.conf", "queue-refused", "let the server's pg_hba.conf admit this machine and role."),
    ("ermission denied", "queue-refused", _RIGHTS),
    ("invalid", "queue-unknown", "an address looks like postgresql://user@host:5432/database?queue=name."),
)
_BACK = "a worker goes on by itself when it is back; else look at the server and the way to it."


def told(error: psycopg.Error, address: Address) -> ShiageError:
    """The error as the person meets it."""
    said = address.masked(" ".join(str(error).split()))
    if isinstance(error, psycopg.IntegrityError | psycopg.errors.RaiseException):
        return OurBug(f"the queue refused: {said}")
    if error.sqlstate in _BY_STATE:
        code, remedy = _BY_STATE[error.sqlstate]
        return _trouble(code, said, remedy, address)
    if error.sqlstate is None:
        for part, code, remedy in _BY_WORDS:
            if part in said:
                return _trouble(code, said, remedy, address)
    return QueueGone("queue-gone", f"the queue does not answer: {said}", where=Where(address.shown), help=_BACK)


def _trouble(code: str, said: str, remedy: str, address: Address) -> UserError:
    return UserError(code, f"the queue cannot be used: {said}", where=Where(address.shown), help=remedy)


def other_version(address: Address, found: int, ours: int) -> UserError:
    newer = found > ours
    return UserError(
        "queue-version",
        f"the queue was made by another shiage: its schema is {found}, this one's is {ours}",
        where=Where(address.shown),
        help="use the newer shiage, or another queue in the same database with ?queue=name."
        if newer
        else "end every worker of the older shiage; the first of this one brings the schema up.",
    )
