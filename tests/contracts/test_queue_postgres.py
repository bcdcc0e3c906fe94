"""What only a queue on a server meets: machines that see each other through it alone, and a server that is away."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from private_postgres import HASTY, Server, free_port
from queue_worlds import cut, ready

from shiage.domain.errors import UserError
from shiage.queue.address import read_address
from shiage.queue.postgres import PostgresStore
from shiage.queue.postgres_opening import VERSIONS, linked, prepared
from shiage.queue.postgres_troubles import told
from shiage.queue.store import ClaimLost, QueueGone
from shiage.queue.stores import open_store
from shiage.queue.tickets import FINAL, State, Wish

PAGE = (Path(__file__).parents[2] / "docs" / "queue.md").read_text(encoding="utf-8")
GRANTS = re.search(r"```sql\n(GRANT USAGE.*?)```", PAGE, re.S)[1]


@pytest.fixture
def world(servers, tmp_path):
    made = ready("postgres")(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machines(world, tmp_path):
    """Two workers on two machines, and a ticket that the first has."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (world.elsewhere(tmp_path / name) for name in ("one", "two"))
    one.add(Wish("login"))
    yield one, two, one.claim(most=5)
    one.close()
    two.close()


@pytest.fixture
def server(servers):
    """One that a test may stop."""
    ready("postgres")
    made = Server(HASTY, free_port())
    made.start()
    yield made
    made.remove()


def test_another_machines_ticket_is_taken_after_the_lease_and_every_late_result_is_refused(world, machines):
    one, two, lost = machines
    cut(one)
    assert two.claim(most=5) is None
    world.pass_time(world.lease + 1)
    assert two.claim(most=5).token == 2
    assert one.renew([lost]) == {}
    for end in (*FINAL, State.QUEUED, State.AWAITING_RESPONSE):
        with pytest.raises(ClaimLost):
            one.finish(lost, end)


def test_a_session_that_was_cut_takes_no_ticket_away_from_a_living_process(world, machines):
    one, two, held = machines
    for _ in range(3):
        cut(one)
        world.pass_time(world.lease * 0.8)
        assert one.renew([held]) == {held.id: False} and two.claim(most=5) is None
        one.wait(0)
        assert one.me in two.owners()
    assert one.finish(held, State.COMPLETE).state is State.COMPLETE


def test_whoever_closes_on_another_machine_gives_up_its_tickets_at_once(machines):
    one, two, held = machines
    one.close()
    assert two.claim(most=5).id == held.id


def test_a_claim_whose_answer_was_lost_on_the_way_is_claimed_again_by_the_same_process(world, machines):
    one, two, held = machines
    one.finish(held, State.QUEUED)
    world.tamper(f"UPDATE ticket SET state = 'RUNNING', owner = '{one.me.id}', token = 2")
    assert two.claim(most=5) is None and one.claim(most=5).token == 3


def test_whoever_was_forgotten_while_it_was_cut_off_is_known_again_before_it_claims(world, tmp_path):
    one, two = world.owner(), world.owner()
    world._cut(one)
    world.owner()  # forgets who is not there
    two.add(Wish("login"))
    claimed = one.claim(most=5) or one.claim(most=5)
    assert claimed.owner == one.me.id and two.claim(most=5) is None
    assert one.me in two.owners()


def test_a_worker_whose_name_was_taken_while_it_was_cut_off_waits_and_does_not_fall(world):
    one = world.owner("anna")
    world._cut(one)
    other = world.owner("anna")
    began = time.monotonic()
    assert one.wait(0.2) is False and time.monotonic() - began >= 0.2
    with pytest.raises(UserError) as said:
        one.claim(most=5)
    assert said.value.code == "worker-name-taken"
    world.leave(other)
    one.add(Wish("login"))
    assert one.claim(most=5).owner == one.me.id


class Wire:
    """A way to the server on which a test can lose what the server says."""

    def __init__(self, port):
        self.deaf = threading.Event()
        self.lost = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port, self._far, self._ends = self._listener.getsockname()[1], port, []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._far))
                self._ends += [near, far]
                threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, target, answers):
        with suppress(OSError):
            while data := source.recv(65536):
                if answers and self.deaf.is_set():
                    self.lost.set()
                    break
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listener.close()
        for end in self._ends:
            end.close()


def test_a_result_whose_receipt_was_lost_on_the_way_counts_once_and_is_no_late_one(server, tmp_path):
    wire = Wire(server.port)
    url = server.network_url.replace(f":{server.port}", f":{wire.port}")
    with_wire, plain = open_store(url, tmp_path, worker=True), open_store(server.url, tmp_path)
    with_wire.add(Wish("login"))
    claimed = with_wire.claim(most=5)
    wire.deaf.set()
    with pytest.raises(QueueGone):
        with_wire.finish(claimed, State.COMPLETE)
    assert wire.lost.is_set() and plain.get(claimed.id).state is State.COMPLETE
    wire.deaf.clear()
    assert with_wire.finish(claimed, State.COMPLETE).state is State.COMPLETE
    with pytest.raises(ClaimLost):
        with_wire.finish(claimed, State.ERROR)
    with_wire.close()
    plain.close()
    wire.close()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_while_the_server_is_away_a_worker_waits_and_loses_nothing(server, tmp_path, mode):
    store, other = (open_store(server.url, tmp_path / name, worker=True) for name in ("one", "two"))
    store.add(Wish("login"))
    held = store.claim(most=5)
    server.stop(mode)
    for call in (lambda: store.renew([held]), lambda: store.finish(held, State.COMPLETE), store.open, other.open):
        with pytest.raises(QueueGone):
            call()
    began = time.monotonic()
    store.wait(0)  # it may have something to tell
    store.wait(0.3)
    assert time.monotonic() - began > 0.2
    server.start()
    assert other.claim(most=5) is None and store.renew([held]) == {held.id: False}
    assert store.finish(held, State.COMPLETE).state is State.COMPLETE
    while store.wait(0) or other.wait(0):
        pass
    threading.Timer(0.05, lambda: other.add(Wish("later"))).start()
    assert store.wait(20) and store.claim(most=5).subject == "later"
    assert {owner.id for owner in store.owners()} == {store.me.id, other.me.id}
    store.close()
    other.close()


def test_a_server_that_says_nothing_counts_as_gone_in_time_to_end_the_agents(world, machines, monkeypatch):
    one = machines[0]
    monkeypatch.setattr("shiage.queue.postgres_opening.ANSWER_SECONDS", 0.2)
    world.raw.execute("BEGIN")
    world.raw.execute("LOCK TABLE ticket")
    began = time.monotonic()
    with pytest.raises(QueueGone, match="no answer within"):
        one.renew([machines[2]])
    assert time.monotonic() - began < 4
    world.raw.execute("ROLLBACK")
    assert one.renew([machines[2]]) == {machines[2].id: False}


def test_a_wrong_password_is_refused_and_no_password_is_ever_told(server, tmp_path):
    right = server.network_url
    wrong = right.replace(server.password, "geheim%2Fpw")
    for url in (wrong, f"{right.partition('?')[0].replace(server.password + '@', '@')}?password=geheim%2Fpw"):
        with pytest.raises(UserError) as said:
            open_store(url, tmp_path)
        told = (
            f"{said.value.message} {said.value.where} {said.value.help} {said.value.__cause__} {said.value.__context__}"
        )
        assert said.value.code == "queue-refused" and "geheim" not in told.replace("None", "")
        assert "127.0.0.1" in str(said.value.where)
    store = open_store(right, tmp_path)
    assert store.open() == ()
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:geheim@host:port/db",
        "postgresql://u:geheim pw@host/db",
        "postgresql://u:geheim@host/db?unknown=geheim",
        "postgresql://u:geheim@h/db?queue=Not+A+Name",
    ],
)
def test_an_address_that_is_none_is_refused_without_its_password(servers, tmp_path, url):
    with pytest.raises(UserError) as said:
        open_store(url, tmp_path)
    assert (
        said.value.code in ("queue-unknown", "queue-gone") and "geheim" not in f"{said.value.message}{said.value.where}"
    )


def test_a_role_or_database_that_is_not_there_is_named_with_the_remedy(server, tmp_path):
    for url in (server.url.replace("shiage@", "nobody@"), server.url.replace("/postgres?", "/nowhere?")):
        with pytest.raises(UserError, match="does not exist") as said:
            open_store(url, tmp_path)
        assert said.value.code == "queue-refused" and said.value.help


def test_a_role_works_with_the_rights_that_are_documented_and_without_them_is_refused(world, tmp_path):
    owner = world.owner()
    raw, role = world.raw, f"r_{world.queue}"
    raw.execute(f"CREATE ROLE {role} LOGIN".encode())
    url = world.url.replace("shiage@", f"{role}@")
    try:
        with pytest.raises(UserError) as said:
            open_store(url, tmp_path)
        assert said.value.code == "queue-not-writable" and "rights" in said.value.help
        raw.execute(GRANTS.replace("shiage", world.queue).replace("worker", role).encode())
        store = open_store(url, tmp_path, worker=True)
        ticket = store.add(Wish("login"))
        assert store.finish(store.claim(most=5, id=ticket.id), State.COMPLETE) == owner.get(ticket.id)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            store._asks.execute("ALTER TABLE ticket DISABLE TRIGGER ALL")
        store.close()
    finally:
        raw.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())


def test_tickets_are_not_emptied_and_moves_not_changed(world):
    store = world.owner()
    store.add(Wish("login"))
    for statement in ("TRUNCATE ticket", "TRUNCATE move", "DELETE FROM move", "UPDATE move SET next = 'QUEUED'"):
        with pytest.raises(psycopg.errors.RaiseException):
            world.tamper(statement)


def test_queues_of_one_database_do_not_know_each_other(world, tmp_path):
    one = world.owner()
    other = PostgresStore(tmp_path, url=world.url + "b")
    one.add(Wish("login"))
    assert other.open() == () and other.claim(most=5) is None
    other.close()
    world.raw.execute(f"DROP SCHEMA {world.queue}b CASCADE".encode())


def test_a_newer_schema_is_refused_with_the_remedy(world, tmp_path):
    world.owner().add(Wish("login"))
    world.tamper(f"UPDATE about SET version = {len(VERSIONS) + 1}")
    with pytest.raises(UserError) as said:
        open_store(world.url, tmp_path)
    assert said.value.code == "queue-version" and "newer shiage" in said.value.help


def test_an_older_schema_is_brought_up_when_nobody_works_in_it_and_keeps_its_tickets(world, tmp_path):
    worker = world.owner()
    ticket = worker.add(Wish("login"))
    step = tmp_path / "further.sql"
    step.write_text("ALTER TABLE ticket ADD COLUMN further text NOT NULL DEFAULT 'x';")
    address, versions = read_address(world.url), (*VERSIONS, step)
    with linked(address, "newer") as link:
        with pytest.raises(UserError) as said:
            prepared(link, address, versions)
        assert said.value.code == "queue-version" and "end every worker" in said.value.help
    world.kill(worker)
    with linked(address, "newer") as link:
        prepared(link, address, versions)
        prepared(link, address, versions)
        assert link.execute("SELECT id, further FROM ticket").fetchall() == [{"id": ticket.id, "further": "x"}]
        assert link.execute("SELECT version FROM about").fetchall() == [{"version": len(versions)}]


def test_many_that_open_a_new_queue_at_once_make_it_once(world, tmp_path):
    found, gate = [], threading.Barrier(4)

    def come(number):
        gate.wait()
        found.append(world.elsewhere(tmp_path / str(number), worker=True))

    threads = [threading.Thread(target=come, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(found[0].owners()) == 4
    for store in found:
        store.close()


def test_text_that_the_server_cannot_keep_is_changed_and_not_lost(world):
    store = world.owner()
    store.add(Wish("login"))
    waiting = store.finish(store.claim(most=5), State.AWAITING_RESPONSE, detail="a\0b")
    assert waiting.detail == "a\ufffdb"
    assert store.answer(waiting.id, "100 % \ud800; '%s' :id").answer == "100 % ?; '%s' :id"


def test_without_the_driver_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "shiage.queue.postgres")
    with pytest.raises(UserError) as said:
        open_store("postgresql://host/db", tmp_path)
    assert said.value.code == "extra-missing" and "shiage[cluster]" in said.value.help


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (psycopg.errors.DiskFull, "queue-full"),
        (psycopg.errors.ReadOnlySqlTransaction, "queue-not-writable"),
        (psycopg.errors.TooManyConnections, "queue-gone"),
        (psycopg.errors.AdminShutdown, "queue-gone"),
    ],
)
def test_what_the_server_says_becomes_what_a_person_can_do(error, code):
    said = told(error("could not extend, postgresql://u:geheim@h/d"), read_address("postgresql://u:geheim@h/d"))
    assert (said.code, "geheim" in said.message, bool(said.help)) == (code, False, True)


@pytest.fixture
def small_disk(monkeypatch):
    """A server on a disk of its own, and the file that takes the rest of its room."""
    place = Path(tempfile.mkdtemp())  # not below the test's own folder, which the server's user may not enter
    mount = ["mount", "-t", "tmpfs", "-o", "size=96m,mode=755", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        place.rmdir()
        pytest.skip("a small file system cannot be mounted here: that takes root")
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        server = Server(HASTY)
        server.start()
        yield server, place / "ballast"
        server.remove()
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


def test_a_server_whose_disk_is_full_refuses_what_it_cannot_keep_and_goes_on_when_there_is_room(small_disk, tmp_path):
    server, ballast = small_disk
    store = open_store(server.url, tmp_path / "one", worker=True)
    room = os.statvfs(server.folder)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, (room.f_bavail - 20) * room.f_bsize)
    kept = []
    with pytest.raises(UserError) as said:
        kept.extend(store.add(Wish(f"s-{number}", order={"name": "x" * 500})).id for number in range(2_000))
    assert said.value.code == "queue-full" and "No space left" in said.value.message
    assert said.value.help and "shiage" in str(said.value.where)
    assert [ticket.id for ticket in store.open()] == kept
    ballast.unlink()
    held = store.claim(most=5)
    assert held.id == kept[0] and store.finish(held, State.COMPLETE).state is State.COMPLETE
    assert store.add(Wish("later")).id > kept[-1]
    store.close()


def test_a_folder_that_cannot_be_made_is_named(world, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as said:
        world.elsewhere(tmp_path / "file" / "queue")
    assert said.value.code == "queue-not-writable" and str(said.value.where).endswith("file/queue")
