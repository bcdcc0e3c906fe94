"""Nothing is seen or changed by whoever was not let in, on loopback as anywhere."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from shiage.web.routes import TABLE, Row

CLOSED = [row for row in TABLE if row.need is not None]


def address(row: Row) -> str:
    values = {
        "{name}": "login",
        "{file}": "requirements.md",
        "{run}": "r-0001",
        "{number:int}": "1",
        "{chart}": "rounds",
        "{id}": "x",
    }
    path = row.path.replace("{action}", "reset")
    for place, value in values.items():
        path = path.replace(place, value)
    return path


def ask(client: Any, row: Row, **headers: str) -> Any:
    path = address(row)
    if row.path == "/api/feed":
        path += "?wait=0"
    return client.request("POST" if row.post else "GET", path, headers=headers, data={} if row.post else None)


def answers(client: Any, rows: Iterable[Row] = TABLE, **headers: str) -> dict[str, int]:
    """Path -> status, of every route."""
    return {f"{row.post} {row.path}": ask(client, row, **headers).status_code for row in rows}


def test_every_route_refuses_who_was_not_let_in(desk: Any) -> None:
    stranger = desk.client(None)
    assert set(answers(stranger, CLOSED).values()) == {401}
    stranger.cookies.set("shiage-7420", "a-guess")
    assert set(answers(stranger, CLOSED).values()) == {401}


@pytest.mark.parametrize("host", ["evil.example:7420", "127.0.0.1", "127.0.0.1:7420.evil.example", ""])
def test_every_route_refuses_a_foreign_host(desk: Any, host: str) -> None:
    assert set(answers(desk.client(), Host=host).values()) == {421}


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:7421", "https://127.0.0.1:7420"])
def test_every_route_refuses_a_foreign_origin(desk: Any, origin: str) -> None:
    assert set(answers(desk.client(), Origin=origin).values()) == {403}


def test_nothing_is_changed_without_proof_that_our_own_page_asks(desk: Any) -> None:
    known, posts = desk.client(), [row for row in TABLE if row.post]
    del known.headers["origin"]
    assert set(answers(known, posts).values()) == {403}
    assert set(answers(known, posts, **{"Sec-Fetch-Site": "same-site"}).values()) == {403}
    assert set(answers(known, posts, **{"Sec-Fetch-Site": "cross-site"}).values()) == {403}


def test_every_answer_carries_the_security_headers_and_none_is_a_server_error(desk: Any) -> None:
    known = desk.client(Accept="text/html")
    for row in TABLE:
        answer = ask(known, row)
        assert answer.status_code < 500
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert (answer.headers["x-frame-options"], answer.headers["x-content-type-options"]) == ("DENY", "nosniff")


def test_a_person_without_a_cookie_is_shown_the_door(desk: Any) -> None:
    answer = desk.client(None).get("/specs/login", headers={"Accept": "text/html"})
    assert answer.status_code == 401 and 'action="/door"' in answer.text


def test_a_code_lets_one_browser_in_once(desk: Any) -> None:
    code, client = desk.site.devices.invite("look"), desk.client(None)
    entered = client.post("/door", data={"code": code.lower(), "to": "/questions"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/questions")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert client.get("/").status_code == 200
    assert desk.client(None).post("/door", data={"code": code}).status_code == 403


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x"])
def test_the_way_in_leads_nowhere_else(desk: Any, to: str) -> None:
    entered = desk.client(None).post("/door", data={"code": desk.site.devices.invite("look"), "to": to})
    assert entered.headers["location"] == "/"


def test_guessing_is_held_up(desk: Any) -> None:
    client = desk.client(None)
    said = [client.post("/door", data={"code": f"WRNG-WRNG-WR{n:02}"}).status_code for n in range(11)]
    assert said == [403] * 10 + [429]
    assert client.post("/door", data={"code": desk.site.devices.invite("look")}).status_code == 429


def test_a_revoked_device_is_a_stranger(desk: Any) -> None:
    client = desk.client()
    device = desk.site.devices.all()[0]
    assert client.post(f"/devices/{device.id}/revoke", data={}).status_code == 303
    assert client.get("/").status_code == 401


def test_each_scope_allows_what_it_says(desk: Any) -> None:
    looking, answering = desk.client("look"), desk.client("answer")
    assert looking.get("/specs/login").status_code == 200
    assert looking.post("/specs/login/approve", data={}).status_code == 403
    assert looking.post("/specs", data={"name": "other"}).status_code == 403
    assert answering.post("/specs/login/reset", data={}).status_code == 403
    assert answering.post("/specs/login/approve", data={}).status_code == 303
    assert answering.post("/devices", data={"scope": "control"}).status_code == 403


def test_remote_actions_are_written_down_and_hold_no_secret(desk: Any) -> None:
    code = desk.site.devices.invite("control")
    client = desk.client(None)
    client.post("/door", data={"code": code})
    token = client.cookies["shiage-7420"]
    client.post("/specs", data={"name": "other", "description": "words"})
    text = (desk.site.workspace.root / ".shiage" / "shiage.log").read_text()
    told = [json.loads(line) for line in text.splitlines()]
    assert [(line["action"], line["result"]) for line in told] == [("pair", "done"), ("new", "done")]
    assert token not in text and code not in text
    kept = next((desk.site.devices._folder).glob("*.json")).read_text()
    assert token not in kept and code not in kept


@pytest.mark.parametrize("name", ["%2e%2e", "..%2f..%2fetc", "a%00b", "Login", "a" * 65, "<script>"])
def test_no_path_ever_comes_from_a_request(desk: Any, name: str) -> None:
    client = desk.client(Accept="text/html")
    for path in (
        f"/specs/{name}",
        f"/specs/login/files/{name}",
        f"/specs/{name}/attempts/r-1/1/log",
        f"/static/{name}",
    ):
        assert client.get(path).status_code in (303, 307, 404)
    assert client.get("/specs/login/files/spec.json").status_code == 404


def test_bodies_have_limits(desk: Any) -> None:
    client = desk.client()
    assert client.post("/specs", data={"name": "x", "description": "y" * 70_000}).status_code == 413
    assert client.post("/specs", content=b"{}", headers={"Content-Type": "application/json"}).status_code == 415
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/specs", content=b"&".join([b"a=b"] * 50), headers=form).status_code == 400
    assert client.post("/specs", content=b"name=%ff\xff", headers=form).status_code == 400
