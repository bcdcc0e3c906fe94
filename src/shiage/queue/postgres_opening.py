"""Reaches the server of a queue; makes the queue's tables when there are none, and brings older ones up."""

import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Identifier, Literal

from shiage.queue.address import Address
from shiage.queue.postgres_troubles import other_version
from shiage.queue.tickets import MOVES

_FOLDER = Path(__file__).parent / "sql"
#: One file for each version of the schema. A queue takes those it lacks, in order; a published one never changes.
VERSIONS: Sequence[Path] = (_FOLDER / "postgres_1.sql",)
CONNECT_SECONDS = 2
#: Until a server that says nothing counts as gone. Short, because whoever cannot renew must end its agents in time.
ANSWER_SECONDS = 4.0
BRING_UP_SECONDS = 600.0
#: A machine that vanished is noticed by the other end in this time, on both ends.
_KEEPALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 4000}
_SESSION = (
    "SET search_path TO {queue}; SET client_encoding TO 'UTF8'; SET tcp_keepalives_idle TO 10;"
    " SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3; SET default_transaction_isolation TO"
    # A commit that is not on the disk may be taken back by a power cut.
    " 'read committed'; SELECT set_config('synchronous_commit', 'on', FALSE) WHERE"
    " current_setting('synchronous_commit') = 'off'"
)
T = TypeVar("T")


class Link(psycopg.Connection[DictRow]):
    """A connection that does not wait for ever for a server that has gone silent."""

    patience: float | None = None  #: for what takes longer

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ARG002  theirs
        return psycopg.Connection.wait(self, _in_time(gen, self.patience or ANSWER_SECONDS), interval)


def _in_time(asked: Generator[Any, Any, T], seconds: float) -> Generator[Any, Any, T]:
    end = time.monotonic() + seconds
    try:
        wants = next(asked)
        while True:
            ready = yield wants
            if not ready and time.monotonic() > end:
                raise psycopg.OperationalError(f"no answer within {seconds:g} s")
            wants = asked.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result


def linked(address: Address, name: str) -> Link:
    """A session of this queue."""
    told = make_conninfo(
        address.server, connect_timeout=CONNECT_SECONDS, application_name=f"shiage {name}"[:63], **_KEEPALIVE
    )
    link = Link.connect(told, autocommit=True, row_factory=dict_row, cursor_factory=psycopg.ClientCursor)
    try:
        link.execute(SQL(_SESSION).format(queue=Identifier(address.queue)))
    except BaseException:
        link.close()
        raise
    return link


def prepared(link: Link, address: Address, versions: Sequence[Path] = VERSIONS) -> None:
    """Leave with the schema of this version, or refuse."""
    if _version(link) < len(versions):
        # Before the transaction: in one that waits, what the others have made meanwhile may not be seen.
        key = SQL("hashtext({})").format(Literal(f"shiage {address.queue}"))
        link.patience = BRING_UP_SECONDS
        link.execute(SQL("SELECT pg_advisory_lock({})").format(key))
        with link.transaction():
            _bring_up(link, address, versions)
        link.execute(SQL("SELECT pg_advisory_unlock({})").format(key))
        link.patience = None
    found = _version(link)
    if found > len(versions):
        raise other_version(address, found, len(versions))


def _version(link: Link) -> int:
    if _first(link, "SELECT to_regclass('about') IS NULL"):
        return 0
    return int(_first(link, "SELECT version FROM about"))


def _first(link: Link, question: str) -> Any:
    row = link.execute(question.encode()).fetchone()
    return next(iter(row.values())) if row else 0


def _bring_up(link: Link, address: Address, versions: Sequence[Path]) -> None:
    found = _version(link)
    if found >= len(versions):
        return
    if found and link.execute("SELECT 1 FROM living").fetchone():
        raise other_version(address, found, len(versions))
    if found == 0:
        link.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(address.queue)))
    for path in versions[found:]:
        link.execute(path.read_bytes())
    if found == 0:
        moves = [(before.value, after.value) for before, nexts in MOVES.items() for after in sorted(nexts)]
        link.cursor().executemany("INSERT INTO move VALUES (%s, %s)", moves)
        link.execute("INSERT INTO about VALUES (0)")
    link.execute("UPDATE about SET version = %s", [len(versions)])
