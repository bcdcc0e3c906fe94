"""A model on 127.0.0.1 that plays scenes; it counts and keeps every request, and stops itself."""

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from model_dialects import Dialect, lines, spoken_at
from model_script import Asked, Drop, Fail, Overflow, Scene, Stall, answer

MOST = 400  #: requests in one life; a client without bound of its own ends here
PATIENCE = 90.0  #: seconds that a silent stream is held open


class Endpoint:
    """Its scenes may be changed while it runs."""

    def __init__(self) -> None:
        self.scenes: Sequence[Scene] = ()
        self.asked: list[Asked] = []
        self.paths: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()  #: what was asked at places that we do not have
        self.stalled = threading.Event()  #: a stream has begun to be silent
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Line)
        self._server.daemon_threads = True
        self._server.endpoint = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def note(self, path: str, asked: Asked | None) -> bool:
        """Keep a request; whether it is still to be answered."""
        with self._lock:
            self.paths[path] += 1
            if asked is None:
                self.unknown[path] += 1
            else:
                self.asked.append(asked)
            return self.paths.total() <= MOST

    @property
    def work(self) -> list[Asked]:
        """The requests that offer tools: the agent's main line."""
        return [asked for asked in self.asked if asked.tools]

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Line(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    @property
    def endpoint(self) -> Endpoint:
        return self.server.endpoint  # type: ignore[attr-defined,no-any-return]

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.endpoint.note(self.path, None)
        self._whole(404, {"error": {"type": "not_found_error", "message": "there is nothing here"}})

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        place = self.path.partition("?")[0]
        dialect = spoken_at(place)
        if place.endswith(("/count_tokens", ":countTokens")):
            self.endpoint.note(place, None)
            self._whole(200, {"input_tokens": 100, "totalTokens": 100})
            return
        if dialect is None:
            self.do_GET()
            return
        body = json.loads(content)
        asked = dialect.read(body)
        wanted = self.endpoint.note(place, asked)
        reply = (
            answer(self.endpoint.scenes, asked) if wanted else Fail(403, "forbidden", "too many requests in one test")
        )
        if isinstance(reply, Overflow):
            reply = dialect.overflow()
        if isinstance(reply, Fail):
            self._whole(reply.status, dialect.error(reply), dict(reply.headers))
        elif isinstance(reply, Drop | Stall):
            self._unfinished(dialect, reply)
        elif dialect.streaming(self.path, body):
            self._stream(lines(dialect.events(reply)), finished=True)
        else:
            self._whole(200, dialect.whole(reply))

    def _whole(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), "content-type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _unfinished(self, dialect: Dialect, reply: Drop | Stall) -> None:
        self._stream(lines(dialect.opening(reply.text)), finished=False)
        if isinstance(reply, Stall):
            self.endpoint.stalled.set()
            self.endpoint.closing.wait(PATIENCE)

    def _stream(self, parts: Iterator[bytes], *, finished: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            if finished:
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True
        except ConnectionError:  # the client has gone: as likely as anything when it is being stopped
            self.close_connection = True


@contextmanager
def serving() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    endpoint.start()
    try:
        yield endpoint
    finally:
        endpoint.close()
