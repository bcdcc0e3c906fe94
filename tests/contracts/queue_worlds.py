"""The queues under test, each with the bad luck that it must survive. A further store is a class here and a row below."""

import os
import secrets
import socket
import sqlite3
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

import psycopg
import pytest
from private_postgres import HASTY, NoPostgres, Server

from shiage.queue.postgres import PostgresStore
from shiage.queue.sql_store import Clocks, SqlStore
from shiage.queue.sqlite import SqliteStore
from shiage.queue.store import LEASE_SECONDS, Store
from shiage.queue.tickets import State


class World(Protocol):
    """One queue and the processes that use it."""

    lease: float

    def owner(self, name: str = "", *, worker: bool = True) -> Store:
        """A further process comes to the queue."""

    def kill(self, store: Store) -> None:
        """The process of this owner is gone without a word, its connection with it."""

    def leave(self, store: Store) -> None:
        """The owner closes the queue, as a process that ends in peace."""

    def pass_time(self, seconds: float) -> None:
        """For every clock there is."""

    def jump(self, seconds: float) -> None:
        """Somebody sets the clock on the wall, forwards or back; no time passes."""

    def now(self) -> float:
        """The clock on the wall."""

    def tamper(self, statement: str) -> None:
        """Raw access by somebody who does not use the store; raises when the store itself refuses."""

    def states(self) -> Mapping[int, State]:
        """Of every ticket there is, by a raw look that costs little."""

    def close(self) -> None: ...


class SqlWorld:
    """Clocks that only the test moves, and the owners that live."""

    lease = LEASE_SECONDS

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wall, self.steady = 1_700_000_000.0, 1_000.0
        self.clocks = Clocks(lambda: self.wall, lambda: self.steady)
        self.living: list[SqlStore] = []

    def owner(self, name: str = "", *, worker: bool = True) -> Store:
        self.living.append(self._opened(name, worker))
        return self.living[-1]

    def _opened(self, name: str, worker: bool) -> SqlStore:
        raise NotImplementedError

    def kill(self, store: Store) -> None:
        assert isinstance(store, SqlStore)
        self.living.remove(store)
        for descriptor in (store._ownership._lock, store._ownership._pipe):
            if descriptor >= 0:
                os.close(descriptor)
        self._cut(store)

    def _cut(self, store: SqlStore) -> None:
        raise NotImplementedError

    def leave(self, store: Store) -> None:
        assert isinstance(store, SqlStore)
        self.living.remove(store)
        store.close()

    def pass_time(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def jump(self, seconds: float) -> None:
        self.wall += seconds

    def now(self) -> float:
        return self.wall

    def close(self) -> None:
        for store in self.living:
            store.close()


class SqliteWorld(SqlWorld):
    def _opened(self, name: str, worker: bool) -> SqlStore:
        return SqliteStore(self.folder, name, worker, self.lease, self.clocks)

    def _cut(self, store: SqlStore) -> None:
        assert isinstance(store, SqliteStore)
        store._db.close()

    def tamper(self, statement: str) -> None:
        self._raw(statement)

    def states(self) -> Mapping[int, State]:
        return {number: State(state) for number, state in self._raw("SELECT id, state FROM ticket")}

    def _raw(self, statement: str) -> sqlite3.Cursor:
        store = self.living[0]
        assert isinstance(store, SqliteStore)
        return store._db.execute(statement)


@cache
def server() -> Server:
    """One for all tests of this process; the fixture `servers` ends it."""
    made = Server(HASTY)
    made.start()
    return made


class PostgresWorld(SqlWorld):
    """A queue of its own in the server of the tests. Its machines are folders: a process is seen from its own only."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.queue = f"q_{secrets.token_hex(8)}"
        self.url = f"{server().url}&queue={self.queue}"
        self.raw = psycopg.connect(server().url, autocommit=True, options=f"-csearch_path={self.queue}")

    def _opened(self, name: str, worker: bool) -> SqlStore:
        return self.elsewhere(self.folder, name, worker)

    def elsewhere(self, folder: Path, name: str = "", worker: bool = True) -> PostgresStore:
        return PostgresStore(folder, name, worker, self.lease, self.clocks, url=self.url)

    def _cut(self, store: SqlStore) -> None:
        assert isinstance(store, PostgresStore)
        seat = self.raw.execute("SELECT seat FROM owner WHERE id = %s", [store.me.id]).fetchone()
        cut(store)
        if seat:  # until the server has seen it
            self.raw.execute("SELECT pg_advisory_lock(lock_class(), %s)", seat)
            self.raw.execute("SELECT pg_advisory_unlock(lock_class(), %s)", seat)

    def tamper(self, statement: str) -> None:
        self.raw.execute(statement.encode())

    def states(self) -> Mapping[int, State]:
        return {number: State(state) for number, state in self.raw.execute("SELECT id, state FROM ticket")}

    def close(self) -> None:
        super().close()
        self.raw.execute(f"DROP SCHEMA IF EXISTS {self.queue} CASCADE".encode())
        self.raw.close()


def cut(store: PostgresStore) -> None:
    """Its sessions end without a word."""
    for link in (store._asks, store._ears):
        if link is not None:
            with socket.socket(fileno=os.dup(link.fileno())) as wire:
                wire.shutdown(socket.SHUT_RDWR)
            link.close()


def ready(kind: str) -> Callable[[Path], World]:
    """Worlds of this kind, or a skipped test."""
    if kind == "postgres":
        try:
            server()
        except NoPostgres as error:
            pytest.skip(str(error))
    return WORLDS[kind]


WORLDS: Mapping[str, Callable[[Path], World]] = {"sqlite": SqliteWorld, "postgres": PostgresWorld}
