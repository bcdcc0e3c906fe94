"""The embedded queue: one SQLite file for the processes of one machine, nothing to start."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from shiage.queue.opening import opened
from shiage.queue.sql_store import SQL, Row, SqlStore, Step, name_taken, read_owner
from shiage.queue.troubles import gone, told

FILE = "tickets.db"


@dataclass(slots=True)
class SqliteStore(SqlStore):
    _db: sqlite3.Connection = field(init=False)
    _file: tuple[int, int] = field(init=False)

    @property
    def path(self) -> Path:
        return self.folder / FILE

    def _open(self) -> None:
        self._connect(create=True)

    def _connect(self, *, create: bool) -> None:
        self._db = opened(self.folder, self.path, create=create)
        found = self.path.stat()
        self._file = (found.st_dev, found.st_ino)
        self._db.create_function("is_alive", 1, self._ownership.is_alive)

    def _enter(self) -> None:
        with self._mutex:
            if not self._ownership.held:
                try:
                    self._ownership.hold()
                    self._register()
                except OSError as error:
                    self.close()
                    raise told(error, self.path) from error
                except BaseException:
                    self.close()
                    raise

    def _register(self) -> None:
        with self._transaction("BEGIN IMMEDIATE") as db:
            for other in map(read_owner, db.execute(SQL["owners"]).fetchall()):
                if not self._ownership.is_alive(other.id):
                    db.execute(SQL["leave"], {"id": other.id})
                    self._ownership.forget(other.id)
                elif other.name == self.me.name:
                    raise name_taken(other)
            db.execute(SQL["enter"], asdict(self.me))

    def _gone(self, ids: Sequence[str]) -> set[str]:
        return {each for each in ids if not self._ownership.is_alive(each)}

    def _living(self, ids: Iterable[str]) -> set[str]:
        return {each for each in ids if self._ownership.is_alive(each)}

    def _tell(self) -> None:
        self._ownership.wake_all()

    def wait(self, seconds: float) -> bool:
        self._enter()
        return self._ownership.wait(seconds)

    def _part(self) -> None:
        self._db.close()

    def _do(self, *steps: Step) -> list[list[Row]]:
        always: dict[str, object] = {"me": self.me.id, "now": self.clocks.wall()}
        looks = all(SQL[name].startswith("SELECT") for name, _ in steps)
        # IMMEDIATE: a transaction that reads first and writes later would fail instead of waiting.
        with self._transaction("BEGIN" if looks else "BEGIN IMMEDIATE") as db:
            return [[dict(row) for row in db.execute(SQL[name], {**values, **always})] for name, values in steps]

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._mutex:
            try:
                self._stay()
                self._db.execute(begin)
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, OSError) as error:
                raise told(error, self.path) from error

    def _stay(self) -> None:
        """An open file that was moved away or deleted still works, for us alone: that would be another queue."""
        try:
            found = self.path.stat()
        except FileNotFoundError as error:
            raise gone(self.path) from error
        if (found.st_dev, found.st_ino) != self._file:
            self._db.close()
            self._connect(create=False)
