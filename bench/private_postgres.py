"""A PostgreSQL server of one's own, from the programs of the distribution, in a temporary folder.

As a program it starts one, prints the address of a queue on it, and ends it with Ctrl-C: what is needed to try a queue of
many machines on one machine. Nothing listens to the network unless a port is asked for.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "shiage"
#: The server refuses to run as root; then it runs as this one, whom the package brings.
UNPRIVILEGED = "postgres"
#: A crash of the server is no crash of the machine, so tests need not wait for the disk.
HASTY = ("fsync=off", "full_page_writes=off")


class NoPostgres(Exception):
    """There is no server to start here."""


def programs() -> Path:
    """The folder of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    beside = shutil.which("initdb")
    if not found and not beside:
        raise NoPostgres("PostgreSQL is not installed: `apt-get install postgresql` brings it")
    return found[-1] if found else Path(beside or "").resolve().parent


class Server:
    """Runs from the first `start` to `stop`; its folder stays until `remove`."""

    def __init__(self, settings: tuple[str, ...] = (), port: int = 0) -> None:
        self.programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="shiage-postgres-"))
        self.port, self.password = port, secrets.token_hex(8)
        self._as = UNPRIVILEGED if os.geteuid() == 0 else None
        settings = (*settings, f"unix_socket_directories={self.folder}", f"port={port or 5432}",
                    f"listen_addresses={'127.0.0.1' if port else ''}")  # fmt: skip
        word = self.folder / "word"
        word.write_text(self.password)
        for place in (self.folder, word):
            if self._as:
                shutil.chown(place, self._as)
        self._run("initdb", "-D", self.data, "-U", USER, "-E", "UTF8", "--locale=C", f"--pwfile={word}", "--auth-local=trust",
                  "--auth-host=scram-sha-256", "--no-sync")  # fmt: skip
        word.unlink()
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in (line.split("=", 1) for line in settings))

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def url(self) -> str:
        """By a socket that only this user and root can reach; no password is needed."""
        return f"postgresql://{USER}@/postgres?host={self.folder}&port={self.port or 5432}"

    @property
    def network_url(self) -> str:
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        self._run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log")

    def stop(self, mode: str = "fast") -> None:
        """`immediate` is how a server crashes."""
        self._run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)

    def restart(self, mode: str = "immediate") -> None:
        self.stop(mode)
        self.start()

    def remove(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self.programs / program, *arguments], user=self._as, group=self._as, extra_groups=[] if self._as else None,
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")


@contextmanager
def running(settings: tuple[str, ...] = (), port: int = 0) -> Iterator[Server]:
    server = Server(settings, port)
    try:
        server.start()
        yield server
    finally:
        server.remove()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def main() -> None:
    try:
        with running() as server:
            print(
                f"""A private PostgreSQL server is running. In other terminals of this machine, with shiage[cluster] installed:

    export SHIAGE_QUEUE__URL='{server.url}'
    shiage worker --name one            # as many as you like, each in a clone of the project
    shiage queue add SPEC               # in any of the clones
    shiage queue list

Ctrl-C ends the server and removes all that was in it.""",
                flush=True,
            )
            signal.sigwait({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    except NoPostgres as error:
        sys.exit(str(error))


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    main()
