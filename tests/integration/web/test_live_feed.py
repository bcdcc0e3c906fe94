"""A listener gets every entry once and in order, whatever happens to the server between."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from shiage.app.feed import ANEW
from shiage.journal.entry import Draft
from shiage.journal.writing import Journal
from shiage.web.server import application
from shiage.web.site import open_site


def write(desk: Any, spec: str, count: int) -> None:
    """What a run in another process appends."""
    folder = desk.site.workspace.root / ".kiro" / "specs" / spec
    head = desk.site.workspace.places(desk.site.workspace.folder(spec)).head
    head.parent.mkdir(parents=True, exist_ok=True)
    with_journal = Journal(Path(folder) / "event-log.jsonl", head, time.time).open()
    for number in range(count):
        with_journal.append([Draft("PHASE_ENTERED", "summary", "r-0001", {"phase": "impl", "closed": number})])
    with_journal.close()


def heard(client: TestClient, cursor: str, wanted: int) -> tuple[str, list[tuple[str, int]]]:
    """All that comes after the cursor, until so much is there."""
    found: list[tuple[str, int]] = []
    while len(found) < wanted:
        answer = client.get("/api/feed", params={"after": cursor, "wait": "2"}).json()
        assert answer["events"], "something is missing"
        found += [(event["spec"], event["seq"]) for event in answer["events"]]
        cursor = answer["cursor"]
    assert client.get("/api/feed", params={"after": cursor, "wait": "0"}).json()["events"] == []
    return cursor, found


def test_a_listener_that_comes_back_gets_what_it_missed_and_nothing_twice(desk: Any) -> None:
    client = desk.client()
    client.post("/specs", data={"name": "billing"})
    write(desk, "login", 5)
    cursor = client.get("/api/feed", params={"wait": "0"}).json()["cursor"]
    write(desk, "login", 300)
    write(desk, "billing", 250)
    cursor, found = heard(client, cursor, 550)
    assert sorted(found) == [("billing", n) for n in range(1, 251)] + [("login", n) for n in range(6, 306)]
    assert all(
        one[1] < two[1] for spec in ("login", "billing") for one, two in pairwise(e for e in found if e[0] == spec)
    )


def test_a_cursor_outlives_the_server(desk: Any) -> None:
    client = desk.client()
    write(desk, "login", 3)
    cursor = client.get("/api/feed", params={"wait": "0"}).json()["cursor"]
    write(desk, "login", 4)
    again = TestClient(application(open_site(desk.site.workspace, desk.site.address)), base_url="http://127.0.0.1:7420")
    again.cookies = client.cookies
    client.post("/specs", data={"name": "later"})
    write(desk, "later", 2)
    _, found = heard(again, cursor, 6)
    assert sorted(found) == [("later", 1), ("later", 2), ("login", 4), ("login", 5), ("login", 6), ("login", 7)]


def test_a_cursor_that_is_none_is_refused_and_not_skipped(desk: Any) -> None:
    client = desk.client()
    for cursor in ("x", "eyJhIjoxfQ", "Ww"):
        assert client.get("/api/feed", params={"after": cursor, "wait": "0"}).status_code == 400


def batch(desk: Any, spec: str, count: int) -> None:
    """Many entries in one durable write."""
    folder = desk.site.workspace.folder(spec)
    head = desk.site.workspace.places(folder).head
    head.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder.path / "event-log.jsonl", head, time.time).open()
    journal.append([Draft("PHASE_ENTERED", "full", "r-0001", {"closed": number}) for number in range(count)])
    journal.close()


@pytest.mark.slow
def test_a_listener_that_missed_ten_thousand_entries_gets_each_of_them(desk: Any) -> None:
    """More than are held for one listener: it comes back for the rest."""
    client = desk.client()
    client.post("/specs", data={"name": "billing"})
    write(desk, "login", 1)
    cursor = client.get("/api/feed", params={"wait": "0"}).json()["cursor"]
    batch(desk, "login", 6_000)
    batch(desk, "billing", 4_000)
    _, found = heard(client, cursor, 10_000)
    assert sorted(found) == [("billing", n) for n in range(1, 4_001)] + [("login", n) for n in range(2, 6_002)]
    assert len(set(found)) == len(found)


def test_a_listener_that_missed_more_than_anybody_reads_is_told_to_look_anew(desk: Any) -> None:
    client = desk.client()
    write(desk, "login", 1)
    cursor = client.get("/api/feed", params={"wait": "0"}).json()["cursor"]
    batch(desk, "login", ANEW + 1)
    told = client.get("/api/feed", params={"after": cursor, "wait": "0"}).json()
    assert (told["anew"], told["events"]) == (True, [])
    write(desk, "login", 1)
    again = client.get("/api/feed", params={"after": told["cursor"], "wait": "2"}).json()
    assert (again["anew"], [event["seq"] for event in again["events"]]) == (False, [ANEW + 3])


def test_entries_of_one_journal_keep_their_order_where_a_clock_was_set_back(desk: Any) -> None:
    client = desk.client()
    write(desk, "login", 1)
    cursor = client.get("/api/feed", params={"wait": "0"}).json()["cursor"]
    folder = desk.site.workspace.folder("login")
    journal = Journal(folder.path / "event-log.jsonl", desk.site.workspace.places(folder).head, time.time).open()
    journal.append([Draft("NOTE", "full", "r-1", {}, at=time.time() - back) for back in (0, 300, 100, 50)])
    journal.close()
    told = client.get("/api/feed", params={"after": cursor, "wait": "2"}).json()["events"]
    assert [event["seq"] for event in told] == [2, 3, 4, 5]
