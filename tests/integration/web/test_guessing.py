"""Wrong codes are few: by client and by door; nobody is kept out for good, and the owner at the machine never by others."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from shiage.web.guesses import ALL, EACH, SECONDS, Client, Guesses
from shiage.web.server import application

TUNNEL = "https://desk.example.ts.net"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def wrong(guesses: Guesses, client: Client, times: int) -> None:
    for _ in range(times):
        guesses.begin(client)


def test_each_client_has_its_own_guesses_and_all_of_a_door_have_so_many() -> None:
    guesses, one, other, here = (
        Guesses(Clock()),
        Client(TUNNEL, "1"),
        Client(TUNNEL, "2"),
        Client("http://127.0.0.1", "1"),
    )
    wrong(guesses, one, EACH)
    assert guesses.wait(one) == SECONDS and guesses.wait(other) == 0
    for number in range(ALL // EACH - 1):
        wrong(guesses, Client(TUNNEL, f"x{number}"), EACH)
    assert guesses.wait(other) == SECONDS  # a flood from everywhere closes the tunnel's door for a while
    assert guesses.wait(here) == 0  # and never the one of the person at the machine


def test_whoever_was_held_up_may_guess_again_when_the_minute_is_over() -> None:
    clock = Clock()
    guesses, client = Guesses(clock), Client(TUNNEL, "1")
    wrong(guesses, client, EACH)
    clock.now = SECONDS - 1
    assert guesses.wait(client) == 1
    clock.now = SECONDS
    assert guesses.wait(client) == 0


def test_a_right_code_costs_no_guess() -> None:
    guesses, client = Guesses(Clock()), Client("here", "1")
    for _ in range(3 * EACH):
        guesses.begin(client)
        guesses.right(client)
    assert guesses.wait(client) == 0


@pytest.fixture
def tunnelled(desk: Any) -> TestClient:
    desk.site.address = replace(desk.site.address, tunnel=TUNNEL)
    return TestClient(application(desk.site), base_url=TUNNEL, headers={"Origin": TUNNEL}, follow_redirects=False)


def test_behind_a_tunnel_one_guesser_holds_up_no_other(desk: Any, tunnelled: TestClient) -> None:
    bad, good = {"X-Forwarded-For": "192.0.2.66"}, {"X-Forwarded-For": "spoofed, 192.0.2.7"}
    said = [tunnelled.post("/door", data={"code": f"WRNG-{n}"}, headers=bad).status_code for n in range(EACH + 1)]
    assert said == [403] * EACH + [429]
    code = desk.site.devices.invite("look")
    assert tunnelled.post("/door", data={"code": code}, headers=good).status_code == 303


def test_who_is_let_in_stays_in_whatever_others_guess(desk: Any) -> None:
    known, stranger = desk.client(), desk.client(None)
    for number in range(EACH + 5):
        stranger.post("/door", data={"code": f"WRNG-{number}"})
    assert known.get("/").status_code == 200


def test_many_guesses_at_once_are_counted_like_many_in_a_row(desk: Any) -> None:
    async def all_at_once() -> Counter[int]:
        transport = httpx.ASGITransport(application(desk.site))
        origin = "http://127.0.0.1:7420"
        async with httpx.AsyncClient(transport=transport, base_url=origin, headers={"Origin": origin}) as client:
            tries = (client.post("/door", data={"code": f"WRNG-{number}"}) for number in range(30))
            return Counter(answer.status_code for answer in await asyncio.gather(*tries))

    assert asyncio.run(all_at_once()) == {403: EACH, 429: 30 - EACH}
