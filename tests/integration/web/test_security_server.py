"""A real server, as strangers and careless clients meet it: over sockets, not over the application's own door."""

import contextlib
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aimed
import httpx
import psutil
import pytest

from conftest import Server, a_project
from shiage.web import streams

FOREIGN = ("http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1")
pytestmark = pytest.mark.slow


@contextlib.contextmanager
def sockets(server: Any, count: int, said: bytes) -> Iterator[list[socket.socket]]:
    """So many connections that say this and then nothing."""
    made = []
    try:
        for _ in range(count):
            made.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            made[-1].sendall(said)
        yield made
    finally:
        for each in made:
            each.close()


def answer(server: Any, said: bytes) -> bytes:
    """All that comes back until the server closes, or has said a whole head."""
    got = b""
    with contextlib.suppress(ConnectionError), sockets(server, 1, said) as (peer,):
        while b"\r\n\r\n" not in got and (more := peer.recv(65_536)):
            got += more
    return got


def status(server: Any, said: str) -> int:
    """A server that hangs up while it is still being talked to has refused as well."""
    got = answer(server, said.encode("latin-1"))
    return int(got.split(b" ", 2)[1]) if got else 400


def wait_for(is_so: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.02)


def test_every_route_refuses_who_was_not_let_in(server: Any) -> None:
    stranger = server.client(None)
    assert set(aimed.statuses(stranger, aimed.CLOSED).values()) == {401}
    for cookie in ("a-guess", "x" * 4000, '"'):
        said = {"Cookie": f"shiage-{server.port}={cookie}"}
        assert set(aimed.statuses(stranger, aimed.CLOSED, **said).values()) == {401}


def test_every_route_refuses_every_other_host_and_origin(server: Any) -> None:
    known = server.client()
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port}.evil.example"):
        assert set(aimed.statuses(known, list(aimed.TABLE), Host=host).values()) == {421}, host
    for origin in FOREIGN:
        said = {"Origin": origin.format(port=server.port)}
        assert set(aimed.statuses(known, list(aimed.TABLE), **said).values()) == {403}, origin


def test_no_other_method_does_anything(server: Any) -> None:
    known = server.client()
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"):
        for row in aimed.TABLE:
            assert known.request(method, aimed.path(row)).status_code == 405, (method, row.path)


def test_a_request_that_names_its_host_in_two_ways_is_refused(server: Any) -> None:
    mine, head = f"127.0.0.1:{server.port}", "\r\nConnection: close\r\n\r\n"
    assert status(server, f"GET / HTTP/1.1\r\nHost: {mine}\r\nHost: evil.example{head}") in (400, 421)
    assert status(server, f"GET / HTTP/1.0{head}") == 421
    assert status(server, f"GET http://evil.example/ HTTP/1.1\r\nHost: {mine}{head}") in (400, 401, 404)
    assert status(server, f"GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {mine}{head}") == 421


def test_malformed_and_oversized_requests_are_refused_and_hurt_nobody(server: Any) -> None:
    mine = f"Host: 127.0.0.1:{server.port}\r\nOrigin: {server.address}\r\nConnection: close\r\n"
    form = "Content-Type: application/x-www-form-urlencoded\r\n"
    assert status(server, "NONSENSE\r\n\r\n") == 400
    assert status(server, f"GET / HTTP/1.1\r\n{mine}X: {'y' * 900_000}\r\n\r\n") == 400
    assert status(server, f"GET /{'a' * 900_000} HTTP/1.1\r\n{mine}\r\n") == 400
    assert status(server, f"POST /door HTTP/1.1\r\n{mine}{form}Content-Length: -1\r\n\r\n") == 400
    assert (
        status(
            server, f"POST /door HTTP/1.1\r\n{mine}{form}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
        )
        == 400
    )
    assert status(server, f"POST /door HTTP/1.1\r\n{mine}{form}Content-Length: 99999999\r\n\r\n{'a' * 70_000}") == 413
    chunk = "7fff\r\n" + "a" * 0x7FFF + "\r\n"
    assert status(server, f"POST /door HTTP/1.1\r\n{mine}{form}Transfer-Encoding: chunked\r\n\r\n{chunk * 4}") == 413
    assert server.client().get("/api/status").status_code == 200


def test_connections_that_say_half_a_sentence_keep_nobody_out(server: Any) -> None:
    """More of them than the server takes connections at all."""
    with sockets(server, 450, b"GET / HTTP/1.1\r\nHost: 127.0.0.1") as half:
        begun = time.monotonic()
        assert server.client().get("/api/status").status_code == 200
        assert time.monotonic() - begun < 5
        half[0].settimeout(5)
        with contextlib.suppress(ConnectionResetError):  # an end without ceremony is one too
            assert half[0].recv(1) == b""  # the oldest made room


def test_codes_that_are_never_said_to_their_end_keep_nobody_out(server: Any) -> None:
    head = f"POST /door HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.address}\r\nContent-Length: 9\r\n"
    known = server.client()
    with sockets(server, 60, f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\n".encode()):
        assert server.client(None).post("/door", data={"code": "x"}).status_code == 503
        assert known.get("/api/status").status_code == 200


@contextlib.contextmanager
def streaming(client: httpx.Client) -> Iterator[Iterator[str]]:
    with client.stream("GET", "/api/feed") as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        assert next(lines) == "event: hello"
        yield lines


def test_a_revoked_device_hears_nothing_from_that_moment_on(server: Any) -> None:
    client, before = server.client("look"), {device.id for device in server.devices.all()}
    other = server.client("look")
    (mine,) = {device.id for device in server.devices.all()} - before
    with streaming(client) as kept, streaming(other) as ended:
        begun = time.monotonic()
        server.devices.revoke(mine)  # by another process than the server
        for _ in ended:
            pass
        assert time.monotonic() - begun < 2
        assert other.get("/api/feed?wait=0").status_code == 401
        assert next(kept).startswith("id: ")


def test_a_flood_of_streams_is_bounded_by_device_and_in_total(server: Any) -> None:
    process, flooding = psutil.Process(server.process.pid), [server.client("look") for _ in range(6)]
    before = process.memory_info().rss
    with contextlib.ExitStack() as stack:
        for client in flooding[:4]:
            client.timeout = 30
            for _ in range(streams.MOST_EACH):
                stack.enter_context(streaming(client))
        for _ in range(streams.MOST - 4 * streams.MOST_EACH):
            stack.enter_context(streaming(flooding[4]))
        assert flooding[5].get("/api/feed?wait=0").status_code == 503
        assert server.client().get("/api/status").status_code == 200
        assert process.memory_info().rss - before < 64 * 2**20
    wait_for(lambda: flooding[5].get("/api/feed?wait=0").status_code == 200)


def test_a_device_with_too_many_streams_loses_its_oldest_and_no_other_loses_any(server: Any) -> None:
    mine, other = server.client("look"), server.client("look")
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(streaming(other))
        oldest = stack.enter_context(streaming(mine))
        for _ in range(streams.MOST_EACH):
            stack.enter_context(streaming(mine))
        assert "event: batch" not in list(oldest)
        assert next(kept).startswith("id: ")


def test_nothing_that_lets_somebody_in_is_ever_written_down(tmp_path: Path) -> None:
    served = Server(*a_project(tmp_path))
    code = served.devices.invite("control")
    client = served.client(None)
    entered = client.post("/door", data={"code": code})
    token = client.cookies[f"shiage-{served.port}"]
    assert entered.headers["location"] == "/"
    for row in aimed.TABLE:
        aimed.ask(client, row)
        client.request("POST" if row.post else "GET", f"{aimed.path(row)}?token={token}&code={code}")
    written = served.end() + "".join(aimed.texts(tmp_path))
    assert token not in written and code not in written and code.replace("-", "") not in written


def test_a_certificate_of_ones_own_carries_everything(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(cert))
    served = Server(*a_project(tmp_path), ("--host", "localhost", "--cert", str(cert), "--key", str(key)), trusting)
    assert served.address == f"https://localhost:{served.port}"
    client = served.client(None)
    entered = client.post("/door", data={"code": served.devices.invite("look")})
    assert "secure" in entered.headers["set-cookie"].lower()
    assert "max-age" in entered.headers["strict-transport-security"]
    assert set(aimed.statuses(served.client(None), aimed.CLOSED).values()) == {401}
    with streaming(client):
        assert client.get("/api/status").status_code == 200
    with sockets(served, 120, b"\x16\x03\x01"):  # handshakes that are never ended
        assert client.get("/api/status").status_code == 200
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"http://localhost:{served.port}/door", timeout=5)
    served.end()


def certificate(folder: Path) -> tuple[Path, Path]:
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key), "-out", str(cert),
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key
