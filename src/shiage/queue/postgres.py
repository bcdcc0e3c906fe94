"""The queue of many machines: one PostgreSQL server, a session for the questions and a session for the ears.

Every call is one message to the server, which carries it out whether or not the sender lives on. So nobody holds the
others up by being stopped between two steps.
"""

import re
import select
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from shiage.domain.errors import UserError
from shiage.queue import troubles
from shiage.queue.address import Address, lease_of, read_address
from shiage.queue.postgres_opening import Link, linked, prepared
from shiage.queue.postgres_troubles import told
from shiage.queue.sql_store import SQL, Clocks, Row, SqlStore, Step, name_taken, named, read_owner
from shiage.queue.store import QueueGone
from shiage.queue.tickets import State, Ticket

#: Machines may disagree about the time; the server is one for all.
SERVER_CLOCKS = Clocks(wall=lambda: None)
_NOW = "coalesce(%(now)s, extract(epoch FROM clock_timestamp()))::float8"
#: Statements that look at all tickets before they change one: one at a time.
_ALONE = frozenset({"take", "retake", "reserve", "sit"})
Finished = tuple[int, int, State]


def _of_server(text: str) -> str:
    """The statement with the server's way of marking what is filled in."""
    return re.sub(r":(\w+)", lambda found: _NOW if found[1] == "now" else f"%({found[1]})s", text)


_SQL = {
    name: _of_server(text) for name, text in {**SQL, **named(Path(__file__).parent / "sql" / "postgres.sql")}.items()
}


@dataclass(slots=True)
class PostgresStore(SqlStore):
    clocks: Clocks = SERVER_CLOCKS
    url: str = field(kw_only=True)
    _address: Address = field(init=False)
    _home: str = field(init=False)
    _asks: Link | None = field(init=False, default=None)
    _ears: Link | None = field(init=False, default=None)
    _unsure: set[Finished] = field(init=False, default_factory=set)  #: results whose receipt never came back

    def _open(self) -> None:
        self._address = read_address(self.url)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise troubles.told(error, self.folder) from error
        self._home = _home(self.folder, self.me.id)
        with self._mutex, self._reaching():
            self._linked()

    def _linked(self) -> Link:
        """The session for questions; a new one if the server ended it while nothing was asked."""
        if self._asks is None or self._asks.closed or select.select([self._asks], [], [], 0)[0]:
            if self._asks is not None:
                self._asks.close()
            link = linked(self._address, self.me.name)
            try:
                prepared(link, self._address)
            except BaseException:
                link.close()
                raise
            self._asks = link
            self._seen.clear()  # nobody watched meanwhile
        return self._asks

    def _hang_up(self) -> None:
        """Both sessions: what ended the one has mostly ended the other, and others may have forgotten us by now."""
        for link in (self._asks, self._ears):
            if link is not None:
                link.close()
        self._asks = self._ears = None

    def _do(self, *steps: Step) -> list[list[Row]]:
        always = {"me": self.me.id, "now": self.clocks.wall()}
        with self._mutex, self._reaching():
            return _asked(self._linked(), steps, always)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
                self._hang_up()
            raise told(error, self._address) from None  # the cause's words hold the address as it was given
        except QueueGone:
            self._hang_up()
            raise

    def _enter(self) -> None:
        with self._mutex:
            new = not self._ownership.held
            if new:
                self._sit_down()
            if self._ears is not None and not self._ears.closed:
                return
            try:
                with self._reaching():
                    self._ears = self._seated()
            except QueueGone:
                raise
            except BaseException:
                if new:
                    self.close()
                raise

    def _sit_down(self) -> None:
        try:
            self._ownership.hold()
        except OSError as error:
            self.close()
            raise troubles.told(error, self.folder) from error

    def _seated(self) -> Link:
        """A session that hears what changes, and whose end tells the others of ours."""
        link = linked(self._address, self.me.name)
        try:
            prepared(link, self._address)
            link.execute(f'LISTEN "shiage:{self._address.queue}"'.encode())
            given = {**asdict(self.me), "home": self._home}
            if not _asked(link, [("sweep", {}), ("sit", given)], {})[1]:
                found = map(read_owner, _asked(link, [("owners", {})], {})[0])
                raise name_taken(next((owner for owner in found if owner.name == self.me.name), self.me))
        except BaseException:
            link.close()
            raise
        return link

    def _gone(self, ids: Sequence[str]) -> set[str]:
        """Those that left in peace, and those of this machine whose process is over. Of others only time can tell."""
        homes = {row["id"]: row["home"] for row in self._rows("homes")}
        near = {each for each in ids if homes.get(each) == self._home}
        return {each for each in ids if each not in homes or (each in near and not self._ownership.is_alive(each))}

    def _living(self, ids: Iterable[str]) -> set[str]:
        return {row["id"] for row in self._rows("living")}.intersection(ids)

    def _tell(self) -> None:
        """The database does it with the change."""

    def finish(
        self, ticket: Ticket, state: State, *, run: str = "", reason: str = "", detail: str = "", not_before: float = 0
    ) -> Ticket:
        result = (ticket.id, ticket.token, state)
        if result in self._unsure:
            found = self.get(ticket.id)
            self._unsure.discard(result)
            if found and (found.id, found.token, found.state) == result and found.owner == self.me.id:
                return found
        try:
            return SqlStore.finish(self, ticket, state, run=run, reason=reason, detail=detail, not_before=not_before)
        except QueueGone:
            self._unsure.add(result)
            raise

    def wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        came, known = bool(self._hearing()), self._ownership.held
        try:
            self._enter()
        except UserError as error:
            if not known and not isinstance(error, QueueGone):
                raise
            came = True  # whoever asks next says so
        if not came:
            return True  # what happened before we listened is not told
        try:
            woken = self._ownership.wait(end - time.monotonic(), *self._hearing())
        except OSError:  # somebody who asked has just hung up
            woken = False
        return self._heard() or woken

    def _hearing(self) -> list[int]:
        with self._mutex:
            return [] if self._ears is None or self._ears.closed else [self._ears.fileno()]

    def _heard(self) -> bool:
        """Whether something was said; a server that hung up says that too."""
        with self._mutex:
            if self._ears is None:
                return False
            said = False
            try:
                while select.select([self._ears], [], [], 0)[0]:
                    self._ears.pgconn.consume_input()
                    while self._ears.pgconn.notifies():
                        said = True
            except psycopg.Error:
                self._ears.close()
                self._ears = None
            return said

    def _part(self) -> None:
        self._hang_up()


def _asked(link: Link, steps: Sequence[Step], always: Mapping[str, object]) -> list[list[Row]]:
    """One message, so one transaction, whose statements each see what is durable by then."""
    names = [name for name, _ in steps]
    needed = [("alone", {}), *steps] if _ALONE.intersection(names) else list(steps)
    cursor = psycopg.ClientCursor(link)
    text = ";\n".join(cursor.mogrify(_SQL[name].encode(), {**_plain(values), **always}) for name, values in needed)
    cursor.execute(text.encode())
    found: list[list[Row]] = []
    while True:
        found.append(list(cursor.fetchall()) if cursor.description else [])
        if not cursor.nextset():
            return found[len(needed) - len(names) :]


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """The server's text has no NUL and no half of a pair."""
    return {
        name: value.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in values.items()
    }


def _home(folder: Path, otherwise: str) -> str:
    """The same for all processes that can see each other's locks in this folder, and for no others."""
    found = folder.stat()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return otherwise
    return f"{boot}:{found.st_dev}:{found.st_ino}"


def open_postgres(url: str, folder: Path, name: str, worker: bool) -> PostgresStore:
    return PostgresStore(folder, name, worker, lease_of(url), url=url)
