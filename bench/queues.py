"""Our queues beside three small ones and Procrastinate from PyPI, in the same run and on the same disk.

It makes a throw-away environment for the others, so it needs an index to install from, and a throw-away PostgreSQL server.
Every one is used at its durable setting. Rows: how long until an idle worker has what was queued; tickets in a second with
one and with four workers, taken and confirmed one by one; how many items were handed out twice. "both" is our table of
tickets with a job of Procrastinate for each ticket, changed in the same transactions. Then: claims at 0 and at 100,000
finished tickets; results that a worker brings after another was given its item; and what an idle worker costs.
"""

import asyncio
import hashlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from private_postgres import running

PEERS = ("huey", "persist-queue", "litequeue", "procrastinate", "psycopg[binary]")
SAMPLES, ITEMS, IDLE_SECONDS = 20, 200, 10
POLL = 0.1  #: seconds: what huey's consumer does; the others have no way to be woken from another process


class Shiage:
    def __init__(self, folder: Path) -> None:
        from shiage.queue.sqlite import SqliteStore
        from shiage.queue.tickets import State, Wish

        self.store, self.wish, self.complete = SqliteStore(folder, worker=True), Wish, State.COMPLETE

    def put(self, item: str) -> None:
        self.store.add(self.wish(item))

    def take(self) -> object:
        return self.store.claim(most=10**9)

    def item(self, taken: object) -> str:
        return taken.subject

    def done(self, taken: object) -> None:
        self.store.finish(taken, self.complete)

    def wait(self) -> None:
        self.store.wait(1.0)


def schema(folder: Path) -> str:
    return "b_" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]


class ShiagePostgres(Shiage):
    def __init__(self, folder: Path) -> None:
        from shiage.queue.postgres import PostgresStore
        from shiage.queue.tickets import State, Wish

        url = f"{os.environ['BENCH_POSTGRES']}&queue={schema(folder)}"
        self.store = PostgresStore(folder, worker=True, url=url)
        self.wish, self.complete = Wish, State.COMPLETE

    def given_again(self, taken: object, folder: Path) -> object:  # noqa: ARG002
        """A store of another machine has watched for a lease that the item's owner said nothing."""
        if not hasattr(self, "other"):
            from shiage.queue.sql_store import Clocks

            clocks = Clocks(lambda: None, lambda: self.steady)
            self.steady, self.other = (
                0.0,
                type(self.store)(folder / "other", worker=True, clocks=clocks, url=self.store.url),
            )
        assert self.other.claim(most=10**9) is None
        self.steady += 1 + self.other.lease
        return self.other.claim(most=10**9)


#: What a job beside each ticket adds to each message.
_BESIDE = {
    "defer": "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('q', 't', 0, :subject, :key, '{}'::jsonb, NULL)"
    "::procrastinate_job_to_defer_v1])",
    "fetch": "SELECT lock FROM procrastinate_fetch_job_v2(NULL, NULL)",
    "job_done": "SELECT procrastinate_finish_job_v1((SELECT max(id) FROM procrastinate_jobs WHERE lock ="
    " (SELECT subject FROM ticket WHERE id = :id) AND status = 'doing'), 'succeeded', FALSE)",
}


class Both(ShiagePostgres):
    """The job is fetched first; then its ticket is claimed, for what the job does not know: holds, chains, tokens."""

    def __init__(self, folder: Path) -> None:
        from shiage.queue import postgres

        ShiagePostgres.__init__(self, folder)
        postgres._SQL.update(
            {name: postgres._of_server(text.replace("::", "@@")).replace("@@", "::") for name, text in _BESIDE.items()}
        )
        self.store._asks.execute(f"SET search_path TO {self.store._address.queue}, {schema(folder)}p".encode())

    def put(self, item: str) -> None:
        given = {
            "subject": item,
            "key": item,
            "order": "{}",
            "agents": " ",
            "priority": 0,
            "not_before": 0,
            "after": None,
            "reserved": "",
        }
        self.store._do(("add", given), ("defer", given))

    def take(self) -> object:
        fetched = self.store._row("fetch")
        if not fetched or fetched["lock"] is None:
            return None
        return self.store.claim(most=10**9, id=self.store._row("of_key", key=fetched["lock"])["id"])

    def done(self, taken: object) -> None:
        given = {
            "id": taken.id,
            "token": taken.token,
            "state": "COMPLETE",
            "run": "",
            "reason": "",
            "detail": "",
            "not_before": 0,
            "final": True,
        }
        self.store._do(("job_done", {"id": taken.id}), ("finish", given))


class Procrastinate:
    def __init__(self, folder: Path) -> None:
        from procrastinate import App, PsycopgConnector
        from procrastinate.jobs import Status

        self.loop, self.done_status = asyncio.new_event_loop(), Status.SUCCEEDED
        asyncio.set_event_loop(self.loop)
        self.app = App(
            connector=PsycopgConnector(
                conninfo=os.environ["BENCH_POSTGRES"], kwargs={"options": f"-csearch_path={schema(folder)}p"}
            )
        )
        self.task = self.app.task(name="t", queue="q")(print)
        self.loop.run_until_complete(self.app.open_async())
        self.manager, self.event = self.app.job_manager, asyncio.Event()
        self.worker = self.loop.run_until_complete(self.manager.register_worker())
        self.ears = self.loop.create_task(self.manager.listen_for_jobs(on_notification=self._heard, queues=None))

    async def _heard(self, **_: object) -> None:
        self.event.set()

    def put(self, item: str) -> None:
        self.loop.run_until_complete(self.task.configure(lock=item, queueing_lock=item).defer_async(item=item))

    def take(self) -> object:
        return self.loop.run_until_complete(self.manager.fetch_job(queues=None, worker_id=self.worker))

    def item(self, taken: object) -> str:
        return taken.task_kwargs["item"]

    def done(self, taken: object) -> None:
        self.loop.run_until_complete(self.manager.finish_job(taken, status=self.done_status, delete_job=False))

    def given_again(self, taken: object, folder: Path) -> object:  # noqa: ARG002
        """As its documentation advises: the job of a stalled worker is put back, and fetched by another."""

        self.loop.run_until_complete(self.manager.retry_job_by_id_async(taken.id, retry_at=datetime.now(UTC)))
        other = self.loop.run_until_complete(self.manager.register_worker())
        return self.loop.run_until_complete(self.manager.fetch_job(queues=None, worker_id=other))

    def wait(self) -> None:
        async def woken() -> None:
            await asyncio.wait_for(self.event.wait(), 1.0)
            self.event.clear()

        with suppress(TimeoutError):
            self.loop.run_until_complete(woken())


class Huey:
    """Hands an item out by deleting it: nothing is left to confirm, and a killed worker's item is gone."""

    def __init__(self, folder: Path) -> None:
        from huey import SqliteHuey

        self.storage = SqliteHuey(filename=str(folder / "huey.db"), fsync=True).storage

    def put(self, item: str) -> None:
        self.storage.enqueue(item.encode())

    def take(self) -> object:
        return self.storage.dequeue()

    def item(self, taken: object) -> str:
        return bytes(taken).decode()

    def done(self, taken: object) -> None:
        pass

    def wait(self) -> None:
        time.sleep(POLL)


class PersistQueue:
    def __init__(self, folder: Path) -> None:
        import persistqueue

        self.queue = persistqueue.SQLiteAckQueue(str(folder), multithreading=True, auto_commit=True)
        self.empty = persistqueue.Empty

    def put(self, item: str) -> None:
        self.queue.put(item)

    def take(self) -> object:
        try:
            return self.queue.get(block=False)
        except self.empty:
            return None

    def item(self, taken: object) -> str:
        return str(taken)

    def done(self, taken: object) -> None:
        self.queue.ack(taken)

    def wait(self) -> None:
        time.sleep(POLL)


class LiteQueueOne:
    def __init__(self, folder: Path) -> None:
        from litequeue import LiteQueue

        self.queue = LiteQueue(str(folder / "lite.db"))
        self.queue.conn.execute("PRAGMA synchronous = FULL")

    def put(self, item: str) -> None:
        self.queue.put(item)

    def take(self) -> object:
        return self.queue.pop()

    def item(self, taken: object) -> str:
        return taken.data

    def done(self, taken: object) -> None:
        self.queue.done(taken.message_id)

    def wait(self) -> None:
        time.sleep(POLL)


KINDS = {
    "embedded": Shiage,
    "postgres": ShiagePostgres,
    "both": Both,
    "procrastinate": Procrastinate,
    "huey": Huey,
    "persist-queue": PersistQueue,
    "litequeue": LiteQueueOne,
}


def fill(queue: object, folder: Path) -> None:
    for number in range(ITEMS):
        queue.put(f"item-{number}")


def produce(queue: object, folder: Path) -> None:
    for _ in range(SAMPLES):
        time.sleep(random.uniform(0.2, 0.5))
        queue.put(str(time.time()))


def answer(queue: object, folder: Path) -> None:
    """Idle until something comes."""
    print("ready", flush=True)
    waits = []
    while len(waits) < SAMPLES:
        taken = queue.take()
        if taken is None:
            queue.wait()
            continue
        waits.append(time.time() - float(queue.item(taken)))
        queue.done(taken)
    print(json.dumps(waits))


def drain(queue: object, folder: Path) -> None:
    print("ready", flush=True)
    while not (folder / "go").exists():
        time.sleep(0.002)
    taken_items = []
    while (taken := queue.take()) is not None:
        taken_items.append(queue.item(taken))
        queue.done(taken)
    print(json.dumps([time.time(), taken_items]))


def make(queue: object, folder: Path) -> None:
    """The tables of Procrastinate, where they are needed."""
    import psycopg
    from procrastinate.schema import SchemaManager

    with psycopg.connect(os.environ["BENCH_POSTGRES"]) as db:
        db.execute(f"CREATE SCHEMA {schema(folder)}p".encode())
        db.execute(f"SET search_path TO {schema(folder)}p".encode())
        db.execute(SchemaManager.get_schema().encode())


def late(queue: object, folder: Path) -> None:
    """Another worker is given the item of one that has gone silent; then that one brings its result after all."""
    accepted = 0
    for number in range(SAMPLES):
        queue.put(f"item-{number}")
        first = queue.take()
        second = queue.given_again(first, folder)
        assert second is not None
        try:
            queue.done(first)
            accepted += 1
        except Exception as error:
            assert type(error).__name__ == "ClaimLost", error
            queue.other.finish(second, queue.complete)
    print(accepted)


def idle(queue: object, folder: Path) -> None:
    """As a worker does with nothing to do: a look every second."""
    end, began = time.monotonic() + IDLE_SECONDS, time.process_time()
    while time.monotonic() < end:
        queue.take()
        queue.wait()
    print(time.process_time() - began)


ROLES: dict[str, Callable[[object, Path], None]] = {
    "fill": fill, "produce": produce, "answer": answer, "drain": drain, "make": make, "late": late, "idle": idle,
}  # fmt: skip


def started(python: str, kind: str, role: str, folder: Path) -> "subprocess.Popen[str]":
    argv = [python, __file__, kind, role, str(folder)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> str:
    out, err = process.communicate(timeout=300)
    if process.returncode:
        raise SystemExit(err)
    return out.splitlines()[-1] if out.strip() else ""


def made(python: str, kind: str, folder: Path, others: str) -> None:
    if kind in ("both", "procrastinate"):
        told(started(others, "none", "make", folder))


def latency(python: str, kind: str, others: str) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        made(python, kind, Path(name), others)
        idle = started(python, kind, "answer", Path(name))
        assert idle.stdout and idle.stdout.readline() == "ready\n"
        told(started(python, kind, "produce", Path(name)))
        return sorted(json.loads(told(idle)))


def speed(python: str, kind: str, workers: int, others: str) -> tuple[float, int]:
    """Items in a second, and how many were handed out more than once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(python, kind, folder, others)
        told(started(python, kind, "fill", folder))
        processes = [started(python, kind, "drain", folder) for _ in range(workers)]
        for process in processes:
            assert process.stdout and process.stdout.readline() == "ready\n"
        began = time.time()
        (folder / "go").touch()
        ends = [json.loads(told(process)) for process in processes]
        items = [item for _, taken in ends for item in taken]
        assert len(set(items)) == ITEMS, f"{kind} lost {ITEMS - len(set(items))}"
        return ITEMS / (max(end for end, _ in ends) - began), len(items) - len(set(items))


def growth(kind: str) -> list[tuple[int, float]]:
    """The time of one claim while more and more tickets have ended, in milliseconds."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        queue = KINDS[kind](Path(name))
        for target in (0, 10_000, 100_000):
            _ended(queue.store, target)
            times = []
            for number in range(60):
                queue.put(f"new-{target}-{number}")
                began = time.perf_counter()
                taken = queue.take()
                times.append(time.perf_counter() - began)
                queue.done(taken)
            rows.append((target, statistics.median(times) * 1000))
        queue.store.close()
    return rows


def _ended(store: object, target: int) -> None:
    """Old tickets, by legal moves, but all in one transaction."""
    columns = 'subject, key, "order", agents, priority, not_before, added_at'
    numbers = (
        f"generate_series(1, {target}) AS n"
        if hasattr(store, "url")
        else (f"(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {target}) SELECT n FROM c)")
    )
    if not target:
        return
    statements = (
        "BEGIN",
        f"INSERT INTO ticket ({columns}) SELECT 'old-' || n, 'old-' || {target} || '-' || n, '{{}}', ' ', 0, 0, 0 FROM {numbers}",
        "UPDATE ticket SET state = 'RUNNING', owner = 'x', token = 1, subject = id WHERE state = 'QUEUED'",
        "UPDATE ticket SET state = 'COMPLETE' WHERE state = 'RUNNING'",
        "COMMIT",
    )
    link = raw(store)
    for statement in (*statements, "VACUUM"):  # what was moved in one transaction leaves a heap behind
        link.execute(statement)
    link.close()


def raw(store: object) -> object:
    """A connection of its own, which waits for as long as it takes."""
    if not hasattr(store, "url"):
        return sqlite3.connect(store.path, isolation_level=None)
    import psycopg

    return psycopg.connect(
        os.environ["BENCH_POSTGRES"], autocommit=True, options=f"-csearch_path={store._address.queue}"
    )


def environment(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS], check=True)
    return python


def rows(others: str) -> None:
    print("queue          idle start ms: median   p95    items/s: 1 worker  4 workers  handed out twice")
    for kind in KINDS:
        python = others if KINDS[kind] in OTHERS else sys.executable
        waits = [1000 * wait for wait in latency(python, kind, others)]
        one, four = speed(python, kind, 1, others), speed(python, kind, 4, others)
        middle, end = statistics.median(waits), waits[int(len(waits) * 0.95) - 1]
        print(f"{kind:14} {middle:21.1f} {end:5.1f} {one[0]:20.0f} {four[0]:10.0f} {one[1] + four[1]:17}", flush=True)


def promises(others: str) -> None:
    print(f"\nqueue          late results accepted, of {SAMPLES}   idle worker: ms of processor in a second")
    for kind, python in (("postgres", sys.executable), ("procrastinate", others)):
        with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as second:
            made(python, kind, Path(name), others)
            accepted = told(started(python, kind, "late", Path(name)))
            made(python, kind, Path(second), others)
            used = 1000 * float(told(started(python, kind, "idle", Path(second)))) / IDLE_SECONDS
            print(f"{kind:14} {accepted:>28} {used:42.1f}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, running() as server:
        os.environ["BENCH_POSTGRES"] = server.url
        others = environment(Path(name))
        print(f"{SAMPLES} starts, {ITEMS} items, {os.cpu_count()} cores\n")
        rows(others)
        promises(others)
        print("\nfinished tickets   one claim, median ms: embedded  postgres")
        for (count, one), (_, two) in zip(growth("embedded"), growth("postgres"), strict=True):
            print(f"{count:16,} {one:33.2f} {two:9.2f}", flush=True)


OTHERS = {Procrastinate, Huey, PersistQueue, LiteQueueOne}

if __name__ == "__main__":
    if len(sys.argv) == 4:
        place = Path(sys.argv[3])
        place.mkdir(exist_ok=True)
        ROLES[sys.argv[2]](KINDS[sys.argv[1]](place) if sys.argv[1] in KINDS else None, place)
    else:
        main()
