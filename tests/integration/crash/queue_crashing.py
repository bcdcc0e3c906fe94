"""Workers that are killed, frozen or cut off in the middle of their work, and a count of what became of every ticket.

As a program it is one such worker: `python queue_crashing.py FOLDER MACHINE FREEZES [URL]`.
"""

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from shiage.queue.postgres import PostgresStore
from shiage.queue.sql_store import SqlStore
from shiage.queue.sqlite import SqliteStore
from shiage.queue.store import ClaimLost, QueueGone
from shiage.queue.tickets import State, Ticket, Wish

BETWEEN_KILLS = 0.25  #: seconds; starting a worker takes about as long
BETWEEN_RESTARTS = 4.0
LEASE = 3.0  #: of queues on a server: a machine that died is only known by its silence
T = TypeVar("T")


@dataclass(frozen=True)
class Tally:
    tickets: int
    kills: int
    restarts: int  #: of the server
    frozen: int  #: workers that stood still until another had their ticket
    refused: int  #: late results of those that were refused
    lost: int  #: tickets that are not complete, or are not there
    doubles: int  #: tickets with more than one accepted result
    at_once: int  #: times that two workers were at the same ticket, frozen ones aside
    retaken: int  #: tickets that were claimed more than once, because their worker was killed or frozen
    seconds: float


def store_of(folder: Path, machine: str, url: str, *, worker: bool) -> SqlStore:
    if url:  # each on a machine of its own: nobody sees the other's process
        return PostgresStore(folder / "machines" / machine, worker=worker, lease=LEASE, url=url)
    return SqliteStore(folder / "queue", worker=worker)


def patiently(store: SqlStore, call: Callable[[], T]) -> T:
    """As a worker does: while the queue is gone, wait for it."""
    while True:
        try:
            return call()
        except QueueGone:
            store.wait(0.1)


def work(folder: Path, machine: str, freezes: float, url: str) -> None:
    while True:
        try:
            store = store_of(folder, machine, url, worker=True)
            break
        except QueueGone:
            time.sleep(0.1)
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while not (folder / "over").exists():
        ticket = patiently(store, lambda: store.claim(most=1000))
        if ticket is None:
            store.wait(0.2)
            continue
        _one(store, log, folder / "work" / str(ticket.id), ticket, random.random() < freezes)
    store.close()


def _one(store: SqlStore, log: int, path: Path, ticket: Ticket, freezes: bool) -> None:
    with path.open("w") as place:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.write(log, f"at-once {ticket.id}\n".encode())
        time.sleep(random.random() * 0.01)
        if freezes:
            fcntl.flock(place, fcntl.LOCK_UN)
            os.write(log, f"frozen {ticket.id} {ticket.token} {os.getpid()}\n".encode())
            os.kill(os.getpid(), signal.SIGSTOP)
        try:
            patiently(store, lambda: store.finish(ticket, State.COMPLETE))
        except ClaimLost:
            if freezes:
                os.write(log, f"refused {ticket.id}\n".encode())
            return
        os.write(log, f"done {ticket.id}\n".encode())


@dataclass
class Play:
    """Tickets are queued while workers are at them and are killed one by one, until all is done."""

    folder: Path
    processes: int
    tickets: int
    url: str = ""
    restart: Callable[[], None] | None = None  #: of the server, as after a crash
    between_kills: float = BETWEEN_KILLS
    freezes: int = 0  #: about so many claims stop between their work and their result
    _workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    _frozen: dict[int, tuple[int, int]] = field(default_factory=dict)  #: process -> ticket and token
    _read: int = 0  #: how much of the log was read
    _thawed: int = 0
    _kills: int = 0
    _restarts: int = 0

    def run(self) -> Tally:
        (self.folder / "work").mkdir()
        (self.folder / "log").touch()
        store = store_of(self.folder, "driver", self.url, worker=False)
        began = self._killed = self._restarted = time.monotonic()
        self._workers = [self._started(number) for number in range(self.processes)]
        try:
            for number in range(self.tickets):
                patiently(store, lambda number=number: store.add(Wish(f"spec-{number}")))
                self._trouble(store)
            while patiently(store, store.open) or self._frozen:
                self._trouble(store)
                store.wait(0.05)
                assert time.monotonic() - began < 120 + self.tickets, "it does not come to an end"
        finally:
            (self.folder / "over").touch()
            for worker in self._workers:
                os.kill(worker.pid, signal.SIGCONT)
                worker.wait(30)
        ended = store.ended(10 * self.tickets)
        store.close()
        return self._tally(ended, time.monotonic() - began)

    def _started(self, number: int) -> "subprocess.Popen[bytes]":
        words = [str(self.folder), f"m{number}", str(self.freezes / self.tickets), *filter(None, [self.url])]
        return subprocess.Popen([sys.executable, __file__, *words])

    def _trouble(self, store: SqlStore) -> None:
        now = time.monotonic()
        if now - self._killed >= self.between_kills:
            self._kill()
            self._killed = time.monotonic()
        if self.restart and now - self._restarted >= BETWEEN_RESTARTS:
            self.restart()
            self._restarts += 1
            self._restarted = time.monotonic()
        self._thaw(store)

    def _kill(self) -> None:
        index = random.randrange(len(self._workers))
        worker = self._workers[index]
        self._look()
        if worker.pid not in self._frozen or len(self._frozen) == len(self._workers):
            self._frozen.pop(worker.pid, None)
            worker.kill()
            worker.wait()
            self._workers[index] = self._started(index)
            self._kills += 1

    def _look(self) -> None:
        """Who has frozen; whoever was killed in the middle of it has not."""
        lines = (self.folder / "log").read_text()[self._read :]
        self._read += len(lines)
        for words in map(str.split, lines.splitlines()):
            if words[0] == "frozen" and int(words[3]) in {worker.pid for worker in self._workers}:
                self._frozen[int(words[3])] = (int(words[1]), int(words[2]))

    def _thaw(self, store: SqlStore) -> None:
        """Whoever stands still goes on when another has, or had, the ticket."""
        self._look()
        for process, (number, token) in list(self._frozen.items()):
            ticket = patiently(store, lambda number=number: store.get(number))
            if ticket and ticket.token > token:
                del self._frozen[process]
                self._thawed += 1
                os.kill(process, signal.SIGCONT)

    def _tally(self, ended: tuple[Ticket, ...], seconds: float) -> Tally:
        said = [line.split() for line in (self.folder / "log").read_text().splitlines()]
        done = Counter(words[1] for words in said if words[0] == "done")
        complete = {ticket.subject for ticket in ended if ticket.state is State.COMPLETE}
        return Tally(
            self.tickets, self._kills, self._restarts, self._thawed, sum(words[0] == "refused" for words in said),
            self.tickets - len(complete), sum(count > 1 for count in done.values()) + len(ended) - self.tickets,
            sum(words[0] == "at-once" for words in said), sum(ticket.token > 1 for ticket in ended), seconds,
        )  # fmt: skip


def play(folder: Path, processes: int, tickets: int) -> Tally:
    return Play(folder, processes, tickets).run()


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), "".join(sys.argv[4:]))
