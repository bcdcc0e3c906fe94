"""The dashboard before a large project: how fast it shows, how soon an event is seen, what that costs.

    python bench/web.py [--specs N] [--events N] [--clients N] [--samples N] [--only PART ...]

Parts: first, paint, latency, clients, memory, log. Each figure stands beside a plain baseline of the same run: for the board a
static file of the same bytes from `http.server`, for an event a bare append and a reader that looks at the file,
for the log a static page with all its lines. The browser is Debian's chromium; everything stays on loopback.
"""

import argparse
import contextlib
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from web_project import JOURNAL, LOG_LINES, environ, project

from shiage.app.devices import Devices

HERE = Path(__file__).parent
SPEC = "spec-0500"
LOG = f"/specs/{SPEC}/attempts/r-0001/1/log"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
Row = tuple[str, str, str, str]  # what, measured, goal, baseline


class Served:
    """The dashboard in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.root, env = root, environ(root.parent)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shiage", "serve", "--json", "--port", "0"], cwd=root, env=env,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout
        self.address = str(json.loads(self.process.stdout.readline())["address"])
        self.devices = Devices(root, env)
        self.watched = psutil.Process(self.process.pid)

    def client(self) -> httpx.Client:
        made = httpx.Client(base_url=self.address, headers={"Origin": self.address}, timeout=600)
        made.post("/door", data={"code": self.devices.invite("control")})
        return made

    def let_in(self, context: BrowserContext, path: str = "/settings") -> Page:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{self.address}{path}#code={self.devices.invite('control')}")
        page.wait_for_selector("#main")
        page.wait_for_function(f"() => {FIRST_PAINT}")
        return page

    @property
    def rss(self) -> float:
        return self.watched.memory_info().rss / 2**20

    @property
    def cpu(self) -> float:
        return sum(self.watched.cpu_times()[:2])

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(20)


class Writer:
    """Another process that appends through the journal, as a run does; it says when each entry was durable."""

    def __init__(self, root: Path, *specs: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "web_writer.py"), str(root), *specs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._say("0")

    def append(self, count: int = 1) -> float:
        """When the last of them was written, by the clock of this machine."""
        return float(self._say(str(count)))

    def _say(self, line: str) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(20)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def told(values: Sequence[float]) -> str:
    return f"p50 {statistics.median(values):.0f} ms, p95 {p95(values):.0f} ms"


def wait(is_so: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)


@contextlib.contextmanager
def plain(page: bytes) -> Iterator[str]:
    """The same bytes, as a file that the standard library serves."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "index.html").write_bytes(page)

        class Files(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given, directory=name)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        server.server_close()
        thread.join()


def painted(page: Page, url: str, times: int) -> list[float]:
    found = []
    for _ in range(times):
        page.goto(url)
        page.wait_for_function(f"() => {FIRST_PAINT}")
        found.append(float(page.evaluate(FIRST_PAINT)))
    return found


def first(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    """Nothing is remembered: the board comes at once, and every journal is folded once while it is looked at."""
    context, before, begun, rss = browser.new_context(), served.cpu, time.perf_counter(), served.rss
    page, most = served.let_in(context, "/"), rss
    ours, unread, spent = page.evaluate(FIRST_PAINT), page.locator(".card.unread").count(), served.cpu - before
    came = f"{ours:.0f} ms, {spent:.1f} s of CPU, {unread} still unread"
    yield "board, the very first look, first paint", came, "1000 ms", ""
    while page.locator(".card.unread").count():
        most = max(most, served.rss)
        page.wait_for_timeout(500)
    took, spent = time.perf_counter() - begun, served.cpu - before
    yield (
        "until all were read",
        f"{took:.1f} s, {spent:.1f} s of CPU, {rss:.0f} → {most:.0f} MB",
        "",
        "once per project and version",
    )
    yield (
        "/numbers, the very first look, first paint",
        told(painted(page, f"{served.address}/numbers", 1)),
        "1000 ms",
        "",
    )
    waited = time.perf_counter()
    page.wait_for_selector(".reading", state="detached")
    yield "until all were summed", f"{time.perf_counter() - waited:.1f} s, {served.rss:.0f} MB", "", ""
    context.close()


def paint(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    context = browser.new_context()
    page, client = served.let_in(context), served.client()
    body = client.get("/", headers={"Accept": "text/html"}).content
    ours = painted(page, f"{served.address}/", 7)
    with plain(body) as url:
        theirs = painted(page, url, 7)
    yield f"board, first paint ({len(body) // 1024} KB)", told(ours), "1000 ms", told(theirs)
    for path in (f"/specs/{SPEC}", "/questions", "/activity", "/numbers"):
        client.get(path, headers={"Accept": "text/html"})
        yield f"{path}, first paint", told(painted(page, served.address + path, 5)), "", ""
    context.close()


#: Remembers when each text was first seen in the page.
OBSERVE = """selector => {
  window.seen = [];
  const look = () => { const text = document.querySelector(selector)?.textContent; if (text !== window.last) { window.last = text; window.seen.push([text, performance.timeOrigin + performance.now()]); } };
  look();
  window.seen.length = 0;
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def latency(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    """From the entry being durable to its figure standing in the page."""
    context = browser.new_context()
    page, writer = served.let_in(context), Writer(served.root, SPEC)
    for what, path, selector in (
        ("the board, with all specs", "/", f"#spec-{SPEC}"),
        ("the spec's own page", f"/specs/{SPEC}", "#main"),
    ):
        page.goto(served.address + path)
        page.wait_for_selector("#link[data-state=on]")
        page.evaluate(OBSERVE, selector)
        yield f"event → visible, {what}", told(seen(page, writer, args.samples)), "p95 200 ms", bare()
    writer.end()
    context.close()


def seen(page: Page, writer: Writer, samples: int) -> list[float]:
    found = []
    for _ in range(samples):
        before = page.evaluate("window.seen.length")
        at = writer.append()
        page.wait_for_function("before => window.seen.length > before", arg=before, polling=5)
        found.append(page.evaluate("before => window.seen[before][1]", before) - at * 1000)
        page.wait_for_timeout(400 + 37 * (len(found) % 10))
    return found


def bare() -> str:
    """An append and a reader that looks at the file every 20 ms: nothing between."""
    with tempfile.TemporaryDirectory() as name:
        path, found = Path(name) / "log", list[float]()
        path.touch()
        for number in range(20):
            stamps = list[float]()
            timer = threading.Timer(0.05 + 0.003 * number, _append, (path, stamps))
            size = path.stat().st_size
            timer.start()
            while path.stat().st_size == size:
                time.sleep(0.02)
            at = time.time()
            timer.join()
            found.append(max(0.0, at - stamps[0]) * 1000)
        return told(found)


def _append(path: Path, stamps: list[float]) -> None:
    with path.open("ab") as file:
        file.write(b"x\n")
        os.fsync(file.fileno())
    stamps.append(time.time())


class Listening(threading.Thread):
    """A client of the feed; it notes when it heard of each entry."""

    def __init__(self, client: httpx.Client) -> None:
        super().__init__(daemon=True)
        self._client, self.heard, self.ready = client, dict[int, float](), threading.Event()
        self.count = 0

    def run(self) -> None:
        with contextlib.suppress(httpx.HTTPError), self._client.stream("GET", "/api/feed") as answer:
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    self.ready.set()
                    at = time.time()
                    for event in json.loads(line[5:]).get("events", ()):
                        self.count += 1
                        self.heard.setdefault(event["seq"], at)


def clients(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    context, listening = browser.new_context(), [Listening(served.client()) for _ in range(args.clients)]
    for each in listening:
        each.start()
    for each in listening:
        each.ready.wait(30)
    page, writer = served.let_in(context), Writer(served.root, SPEC)
    page.goto(served.address)
    page.wait_for_selector("#link[data-state=on]")
    page.evaluate(OBSERVE, f"#spec-{SPEC}")
    before, begun, written = served.cpu, time.time(), list[float]()
    visible = seen(page, writer, args.samples)
    for _ in range(args.samples):
        written.append(writer.append())
        time.sleep(0.1)
    time.sleep(1)
    newest = max(listening[0].heard)
    numbers = range(newest - len(written) + 1, newest + 1)
    delays = [
        (each.heard[n] - at) * 1000
        for each in listening
        for n, at in zip(numbers, written, strict=True)
        if n in each.heard
    ]
    lost = args.clients * len(written) - len(delays)
    spent = served.cpu - before
    yield f"event → heard by {args.clients} clients", f"{told(delays)}, {lost} lost", "p95 200 ms", ""
    yield f"event → visible beside {args.clients} clients", told(visible), "p95 200 ms", ""
    yield "the server's share of a core meanwhile", f"{spent / (time.time() - begun):.0%}", "", ""
    writer.end()
    context.close()


def memory(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    """10,000 events in a hundred journals while a page and clients look on, after a thousand to warm up."""
    context, listening = browser.new_context(), [Listening(served.client()) for _ in range(5)]
    for each in listening:
        each.start()
    page = served.let_in(context)
    writer = Writer(served.root, *(f"spec-{number:04}" for number in range(100)))
    page.goto(served.address)
    page.wait_for_selector("#link[data-state=on]")
    marks = list[float]()
    for _ in range(11):
        for _ in range(100):
            writer.append(10)
        time.sleep(1)
        marks.append(served.rss)
    writer.end()
    wait(lambda: min(each.count for each in listening) >= 11_000)
    heard = min(each.count for each in listening)
    grown = f"{marks[0]:.0f} → {marks[-1]:.0f} MB, {marks[-1] - marks[0]:+.1f}; every listener heard {heard}"
    yield "memory over 10,000 events", grown, "flat", " ".join(f"{mark:.0f}" for mark in marks)
    context.close()


LONG_TASKS = "() => { window.long = []; new PerformanceObserver(list => list.getEntries().forEach(each => window.long.push(each.duration))).observe({ type: 'longtask', buffered: true }); }"
SCROLL = """async () => {
  const log = document.getElementById("log");
  const frames = [];
  let last = performance.now();
  for (let step = 0; step < 300; step++) {
    log.scrollTop -= 900;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return { frames, left: log.scrollTop, lines: document.querySelectorAll(".l").length };
}"""


def log(served: Served, browser: Browser, args: argparse.Namespace) -> Iterator[Row]:
    context = browser.new_context()
    page, client = served.let_in(context), served.client()
    opened = painted(page, served.address + LOG, 5)
    with plain(_static_log()) as url:
        theirs = painted(page, url, 3)
    yield f"log of {LOG_LINES:,} lines, first paint", told(opened), "1000 ms", told(theirs)
    page.goto(served.address + LOG)
    page.wait_for_selector("#log .l")
    page.evaluate(LONG_TASKS)
    done = page.evaluate(SCROLL)
    long = page.evaluate("window.long")
    worst = f"{told(done['frames'])}, {len(long)} long tasks, longest {max(long, default=0):.0f} ms, {done['lines']} lines in the page"
    yield "log, 300 frames of scrolling up", worst, "no blocking", ""
    for words in ("module_13", "no such words"):
        begun = time.perf_counter()
        found = client.get(f"{LOG.removesuffix('/log')}/search", params={"q": words}).json()
        yield (
            f"log, search of the whole ({found['count']} hits)",
            f"{(time.perf_counter() - begun) * 1000:.0f} ms",
            "",
            "",
        )
    context.close()


def _static_log() -> bytes:
    lines = "".join(f"<div>{n:06} reading src/module_{n % 97}.py: ok nothing to do</div>" for n in range(LOG_LINES))
    return f"<!doctype html><title>log</title><body>{lines}".encode()


PARTS: dict[str, Callable[[Served, Browser, argparse.Namespace], Iterator[Row]]] = {
    "first": first, "paint": paint, "latency": latency, "clients": clients, "memory": memory, "log": log,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specs", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    args = parser.parse_args()
    root = project(args.specs, args.events)
    size = sum(path.stat().st_size for path in root.glob(f".kiro/specs/*/{JOURNAL}")) / 2**20
    print(
        f"{args.specs:,} specs, {args.events:,} events ({size:.0f} MB of journals); load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    print(f"{'':<46}{'measured':<62}{'goal':<14}baseline or note", flush=True)
    if "first" in args.only:
        for name in ("views.json", "figures.msgpack"):
            (root / ".shiage" / name).unlink(missing_ok=True)
    served = Served(root)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name in args.only:
                for row in PARTS[name](served, browser, args):
                    show(row)
            browser.close()
    finally:
        served.end()


def show(row: Row) -> None:
    what, measured, goal, note = row
    print(f"{what:<46}{measured:<62}{goal:<14}{note}", flush=True)


if __name__ == "__main__":
    main()
