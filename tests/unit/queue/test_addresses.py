"""What the address of a queue says: where it is, and how long an owner may be silent."""

from pathlib import Path

import pytest

from shiage.domain.errors import UserError
from shiage.queue.address import lease_of, read_address
from shiage.queue.store import LEASE_SECONDS
from shiage.queue.stores import open_store


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("", "own"),
        ("sqlite:{root}/shared", "shared"),
        ("sqlite://{root}/shared?lease=7", "shared"),
        ("sqlite:{root}/shared/tickets.db", "shared"),
    ],
)
def test_a_file_is_named_by_itself_or_by_its_folder(tmp_path: Path, address: str, place: str) -> None:
    store = open_store(address.format(root=tmp_path), tmp_path / "own")
    store.close()
    assert (tmp_path / place / "tickets.db").is_file()


@pytest.mark.parametrize(
    ("address", "lease"),
    [("", LEASE_SECONDS), ("sqlite:/q?lease=7", 7.0), ("postgresql://h/d?queue=q&lease=3600", 3600.0)],
)
def test_the_lease_is_part_of_the_address(address: str, lease: float) -> None:
    assert lease_of(address) == lease


@pytest.mark.parametrize("said", ["2", "3601", "1.5", "-7", "soon"])
def test_what_is_no_lease_is_refused(said: str) -> None:
    with pytest.raises(UserError) as refused:
        lease_of(f"sqlite:/q?lease={said}")
    assert refused.value.code == "queue-lease" and "3 to 3600" in refused.value.help


def test_a_server_is_not_told_of_the_lease() -> None:
    assert read_address("postgresql://h/d?lease=7&sslmode=require").server == "postgresql://h/d?sslmode=require"
