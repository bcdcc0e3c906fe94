"""The commands around the dashboard: where it may listen, who may come in."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "desk.example.org"])
def test_another_host_needs_tls_or_a_tunnel_else_it_does_not_start(project: Any, host: str) -> None:
    project.given()
    said = project.shiage("serve", "--host", host, "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "host-needs-tls")
    assert "--behind-tunnel" in said.json["error"]["help"]


def test_a_tunnel_must_be_an_https_address(project: Any) -> None:
    project.given()
    for url in ("http://desk.example.org", "desk.example.org", "https://desk.example.org/path", "https://a@b"):
        assert project.shiage("serve", "--behind-tunnel", url, "--json").json["error"]["code"] == "tunnel-invalid"


def test_a_certificate_that_cannot_be_used_is_told_and_nothing_starts(project: Any) -> None:
    project.given()
    for text in ("", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n"):
        (project.root / "cert.pem").write_text(text)
        said = project.shiage("serve", "--host", "localhost", "--cert", "cert.pem", "--key", "cert.pem", "--json")
        assert (said.code, said.json["error"]["code"]) == (1, "tls-invalid")
    said = project.shiage("serve", "--cert", "cert.pem", "--key", "none.pem", "--json")
    assert said.json["error"]["code"] == "tls-unreadable"


def test_devices_are_paired_listed_and_revoked(project: Any) -> None:
    project.given()
    assert project.shiage("open", "--json").json["error"]["code"] == "not-served"
    serving = json.loads(project.start("serve", "--port", "0", "--json").stdout.readline())
    assert serving["url"].startswith(f"{serving['address']}/#code=")
    invited = project.shiage("pair", "--scope", "look", "--json").json
    assert invited["url"] == f"{serving['address']}/#code={invited['code']}"
    cookie = enter(serving["address"], invited["code"])
    assert look(serving["address"], cookie) == 200
    (device,) = project.shiage("pair", "--list", "--json").json["devices"]
    assert (device["scope"], set(device)) == ("look", {"id", "name", "scope", "made", "seen"})
    assert project.shiage("pair", "--revoke", device["id"]).code == 0
    assert look(serving["address"], cookie) == 401
    assert project.shiage("pair", "--revoke", device["id"], "--json").json["error"]["code"] == "device-unknown"
    opened = project.shiage("open", "login", "--json").json["url"]
    assert opened.startswith(f"{serving['address']}/specs/login#code=")


def enter(address: str, code: str) -> str:
    headers = {"Origin": address, "Accept": "application/json"}
    with urlopen(Request(f"{address}/door", f"code={code}".encode(), headers)) as answer:
        return answer.headers["Set-Cookie"].partition(";")[0]


def look(address: str, cookie: str) -> int:
    try:
        with urlopen(Request(f"{address}/api/status", headers={"Cookie": cookie})) as answer:
            return answer.status
    except HTTPError as error:
        error.close()
        return error.code
