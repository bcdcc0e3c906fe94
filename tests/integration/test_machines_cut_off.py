"""A machine in a network of its own is cut off from the queue and the repository in the middle of a run, and comes back."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
from machines import Machines, agents_of, attempt_log
from private_postgres import HASTY, NoPostgres, Server
from scenes import doing, story

pytestmark = pytest.mark.slow
HERE, THERE = "10.213.77.1", "10.213.77.2"
#: Longer than a server that says nothing is waited for, so that who is cut off fences itself before it is overtaken.
LEASE = 12


def done(*argv: str) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


class Network:
    """A namespace, joined to this machine by one wire."""

    def __init__(self) -> None:
        self.name = f"shiage-{os.getpid()}"
        self.wire = f"sh{os.getpid() % 10**6}"

    def made(self) -> bool:
        inner = f"{self.wire}n"
        inside = ("ip", "-n", self.name)
        return (
            done("ip", "netns", "add", self.name)
            and done("ip", "link", "add", self.wire, "type", "veth", "peer", "name", inner, "netns", self.name)
            and done("ip", "address", "add", f"{HERE}/30", "dev", self.wire)
            and done("ip", "link", "set", self.wire, "up")
            and done(*inside, "address", "add", f"{THERE}/30", "dev", inner)
            and done(*inside, "link", "set", inner, "up")
            and done(*inside, "link", "set", "lo", "up")
        )

    def cut(self) -> None:
        assert done("ip", "link", "set", self.wire, "down")

    def mend(self) -> None:
        assert done("ip", "link", "set", self.wire, "up")

    def remove(self) -> None:
        done("ip", "link", "delete", self.wire)
        done("ip", "netns", "delete", self.name)


@contextmanager
def relayed(path: str) -> Iterator[int]:
    """The number of a port of the wire that leads to a server's socket."""
    door, ends, threads = socket.create_server((HERE, 0)), list[socket.socket](), list[threading.Thread]()

    def begin(work: Callable[..., None], *arguments: socket.socket) -> None:
        threads.append(threading.Thread(target=work, args=arguments))
        threads[-1].start()

    def carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                outer, inner = door.accept()[0], socket.socket(socket.AF_UNIX)
                ends.extend((outer, inner))
                inner.connect(path)
                begin(carry, outer, inner)
                begin(carry, inner, outer)

    begin(accept)
    try:
        yield door.getsockname()[1]
    finally:
        for each in (door, *ends):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in threads:
            thread.join()


@pytest.fixture
def network():
    found = Network()
    if shutil.which("ip") is None or not found.made():
        found.remove()
        pytest.skip("a network namespace cannot be made here: that takes root and iproute2")
    yield found
    found.remove()


@pytest.fixture
def machines(tmp_path, network):
    try:
        server = Server(HASTY)
    except NoPostgres as error:
        pytest.skip(str(error))
    with ExitStack() as over:
        over.callback(server.remove)
        server.start()
        port_of_queue = over.enter_context(relayed(f"{server.folder}/.s.PGSQL.5432"))
        made = Machines(tmp_path, LEASE, f"postgresql://shiage@{HERE}:{port_of_queue}/postgres?")
        made.begin()
        with socket.create_server((HERE, 0)) as free:
            port = free.getsockname()[1]
        serve = ("git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", f"--base-path={tmp_path}")
        daemon = subprocess.Popen([*serve, f"--listen={HERE}", f"--port={port}"], stderr=subprocess.DEVNULL)
        over.callback(daemon.wait)
        over.callback(daemon.terminate)
        made.told = f"git://{HERE}:{port}/origin.git"
        yield made
        for project in made.all:
            for process in project.started:
                process.kill()
                process.communicate()


def test_a_machine_that_is_cut_off_ends_its_agent_itself_and_what_it_brings_later_is_refused(machines, network, until):
    writing = doing("implementer", ["write", "login.py", "LOGIN = 1\n"], ["tick"], ["say", "wrote login.py"])
    remote = f'[queue]\nremote = "{machines.told}"\n'
    desk = machines.machine("desk", story(), remote)
    desk.given(until="tasks")
    until(lambda: done("git", "ls-remote", machines.told))
    said = desk.shiage("queue", "add", "login")
    assert said.code == 0, said
    north = machines.machine("north", story(doing("reviewer", ["hang", 110])), remote)
    south = machines.machine("south", story(writing), remote)
    within = ["ip", "netns", "exec", network.name, sys.executable, "-m", "shiage", "worker", "--name", "north"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    cut_off = subprocess.Popen(within, cwd=north.root, env=dict(north.environ), **pipes)
    north.started.append(cut_off)
    until(attempt_log(north, 1), 60)
    until(lambda: agents_of(cut_off))
    agents = agents_of(cut_off)
    network.cut()
    south.start("worker", "--name", "south")
    until(lambda: not any(each.is_running() for each in agents), 60)
    assert machines.ticket() == "RUNNING", "it ended its agent before anybody else could begin"
    until(lambda: machines.ticket() == "COMPLETE", 90)
    tip = machines.tip()
    network.mend()
    until(lambda: "the queue is back" in cut_off.stdout.readline(), 60)
    cut_off.terminate()
    assert "error[fenced]" in cut_off.communicate(timeout=60)[1]
    assert (machines.tip(), machines.ticket()) == (tip, "COMPLETE")
    assert machines.rounds() == [("document-review", 1), ("inspection", 1)]
