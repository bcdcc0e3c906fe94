"""Which store is meant by an address. A further one is a row here, and passes the contract suite."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from shiage.domain.errors import UserError
from shiage.queue.address import lease_of
from shiage.queue.sqlite import FILE, SqliteStore
from shiage.queue.store import Store

#: The address, the project's own folder, the owner's name, whether it works.
Open = Callable[[str, Path, str, bool], Store]


def _embedded(url: str, folder: Path, name: str, worker: bool) -> Store:
    chosen = Path(urlsplit(url).path)
    named = chosen.parent if chosen.name == FILE else chosen  # the folder, or the file that is made in it
    return SqliteStore(named if named.name else folder, name, worker, lease_of(url))


def _cluster(url: str, folder: Path, name: str, worker: bool) -> Store:
    """Loaded when such an address is used: its driver is a package that most people do without."""
    try:
        found: Open = import_module("shiage.queue.postgres").open_postgres
    except ImportError as error:
        if (error.name or "psycopg").partition(".")[0] != "psycopg":
            raise
        raise UserError(
            "extra-missing",
            f"a queue on PostgreSQL needs the package psycopg: {error}",
            help="`pip install 'shiage[cluster]'` brings it.",
        ) from error
    return found(url, folder, name, worker)


#: Scheme of the address -> how it is opened.
STORES: Mapping[str, Open] = {"": _embedded, "sqlite": _embedded, "postgresql": _cluster, "postgres": _cluster}


def open_store(url: str, folder: Path, *, name: str = "", worker: bool = False) -> Store:
    scheme = urlsplit(url).scheme
    if scheme not in STORES:
        known = ", ".join(f"{each}:" for each in STORES if each)
        raise UserError("queue-unknown", f'there is no queue for "{scheme}:"', help=f"known addresses: {known}.")
    return STORES[scheme](url, folder, name, worker)
