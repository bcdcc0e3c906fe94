"""How many tickets are lost or done twice when workers are killed all the time.

Processes and tickets per process may be given: `bench/queue_crash.py 8 1000`. The baseline is a queue that hands an item
out by deleting it, as many small queues do, with the same workers and kills. Then the queue on PostgreSQL with workers that
count as three machines: they are killed, some are frozen until another has their ticket and then bring their result, and
the server crashes and comes back in between.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "integration" / "crash"))

from private_postgres import NoPostgres, running
from queue_crashing import BETWEEN_KILLS, BETWEEN_RESTARTS, Play, Tally, play

NAIVE = """
import os, random, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1] + '/naive.db', timeout=30, isolation_level=None)
log = os.open(sys.argv[1] + '/log', os.O_WRONLY | os.O_APPEND | os.O_CREAT)
while True:
    row = db.execute('DELETE FROM item WHERE id = (SELECT min(id) FROM item) RETURNING id').fetchone()
    if row is None:
        break
    time.sleep(random.random() * 0.01)
    os.write(log, b'%d\\n' % row[0])
"""


def naive(folder: Path, processes: int, tickets: int) -> tuple[int, int, int]:
    db = sqlite3.connect(folder / "naive.db", timeout=30, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO item VALUES (?)", [(number,) for number in range(1, tickets + 1)])
    argv, kills = [sys.executable, "-c", NAIVE, str(folder)], 0
    workers = [subprocess.Popen(argv) for _ in range(processes)]
    while db.execute("SELECT count(*) FROM item").fetchone()[0]:
        time.sleep(BETWEEN_KILLS)
        index = random.randrange(processes)
        workers[index].kill()
        workers[index].wait()
        workers[index], kills = subprocess.Popen(argv), kills + 1
    for worker in workers:
        worker.wait()
    done = Counter((folder / "log").read_text().split())
    return kills, tickets - len(done), sum(count > 1 for count in done.values())


def main() -> None:
    processes, each = (int(word) for word in (*sys.argv[1:], *("8", "1000")[len(sys.argv) - 1 :]))
    tickets = processes * each
    print(
        f"{processes} processes, {tickets} tickets, {os.cpu_count()} cores, a worker killed every {BETWEEN_KILLS} s\n"
    )
    print("queue               kills  restarts  lost  double  two at once  retaken  frozen  refused  seconds")
    with tempfile.TemporaryDirectory() as folder:
        kills, lost, double = naive(Path(folder), processes, tickets)
        print(
            f"deletes on handing  {kills:5}         -  {lost:4}  {double:6}            -        -       -        -        -",
            flush=True,
        )
    with tempfile.TemporaryDirectory() as folder:
        embedded = play(Path(folder), processes, tickets)
    show("embedded", embedded)
    try:
        cluster = many_machines(3 * each)
    except NoPostgres as error:
        print(f"postgres: {error}")
        sys.exit(bad(embedded))
    show("postgres", cluster)
    print(
        f"\nThe server of the last line crashed and came back every {BETWEEN_RESTARTS:g} s, and one of three workers, with {3 * each} tickets, was killed every 2 s."
    )
    sys.exit(bad(embedded) or bad(cluster))


def many_machines(tickets: int) -> Tally:
    with tempfile.TemporaryDirectory() as folder, running() as server:
        return Play(Path(folder), 3, tickets, server.url, server.restart, between_kills=2.0, freezes=40).run()


def show(name: str, t: Tally) -> None:
    print(
        f"{name:18}  {t.kills:5}  {t.restarts:8}  {t.lost:4}  {t.doubles:6}  {t.at_once:11}  {t.retaken:7}  {t.frozen:6}"
        f"  {t.refused:7}  {t.seconds:7.1f}",
        flush=True,
    )


def bad(t: Tally) -> bool:
    return bool(t.lost or t.doubles or t.at_once or t.refused != t.frozen)


if __name__ == "__main__":
    main()
