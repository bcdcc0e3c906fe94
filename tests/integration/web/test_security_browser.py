"""A real browser: what agents wrote never runs, and no other page reaches the dashboard through the person's browser."""

import http.server
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import aimed
import pytest
from hostile_project import EVIL, RAN, fill
from playwright.sync_api import Browser, Page, sync_playwright

from conftest import Server, a_project
from shiage.journal.entry import Draft
from shiage.journal.writing import Journal

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium"),
]

#: What a page may not have, whatever it shows. Runs before anything is judged by eye.
UNSAFE = """() => {
  const found = [];
  for (const each of document.querySelectorAll("*")) {
    for (const { name, value } of each.attributes) {
      if (name.startsWith("on") || name === "srcdoc") found.push(`${each.localName} ${name}`);
      const address = ["href", "src", "action", "formaction", "data", "xlink:href"].includes(name);
      if (address && !/^(https?:|\\/(?!\\/)|#|\\?|$)/.test(value)) found.push(`${each.localName} ${name}=${value}`);
    }
    if (["iframe", "object", "embed", "base", "math", "frame"].includes(each.localName)) found.push(each.localName);
    if (each.localName === "script" && !each.getAttribute("src")?.startsWith("/")) found.push("script");
    const fetched = ["img", "link"].includes(each.localName) && (each.getAttribute("src") ?? each.getAttribute("href"));
    if (fetched && !fetched.startsWith("/")) found.push(each.outerHTML);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", rules])
        yield found
        found.close()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root, environ = a_project(tmp_path_factory.mktemp("hostile"))
    fill(root)
    served = Server(root, environ)
    yield served
    served.end()


class Watched:
    """A page of a person who was let in, and everything it asked for and complained of."""

    def __init__(self, browser: Browser, served: Server) -> None:
        self.context = browser.new_context()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page = self.opened()
        self.code = served.devices.invite("control")
        self.page.goto(f"{served.address}/#code={self.code}")
        self.page.wait_for_selector("#main")
        self.origin = served.address

    def opened(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("console", lambda said: self.complaints.append(said.text) if "Content Security" in said.text else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    @property
    def strangers(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((f"{self.origin}/", "data:", "about:"))]


def paths() -> list[str]:
    """Where the crawl begins: every page of the table, and some that carry words of the person's own."""
    shown = [row for row in aimed.CLOSED if not row.post and not row.path.startswith(("/static", "/api/feed"))]
    asked = ["/specs/evil", "/specs/broken", f"/activity?show=full&q={EVIL[:40]}", f"/?q={EVIL[:60]}&state={RAN}"]
    return list(dict.fromkeys([*map(aimed.path, shown), *asked]))


ATTEMPT = next(row for row in aimed.TABLE if row.path.endswith("/{number:int}"))


def is_page(path: str) -> bool:
    return not (path.startswith("/api/") or path.endswith(("/raw", ".csv", "/search", ".js", ".css")))


LINKS = """all => all.map(each => new URL(each.href)).filter(url => url.origin === location.origin)
  .map(url => url.pathname + url.search)"""


def looked_at(page: Page, path: str) -> list[str]:
    """Nothing ran, though every fold was opened and everything was touched; where one can go from here."""
    page.eval_on_selector_all("details", "all => all.forEach(each => each.open = true)")
    touched = "all => all.forEach(each => { each.dispatchEvent(new MouseEvent('mouseover')); each.focus?.(); })"
    page.eval_on_selector_all("*", touched)
    assert page.evaluate(UNSAFE) == [], path
    assert page.evaluate("window.ran") is None, path
    found: list[str] = page.eval_on_selector_all("main a[href], nav a[href]", LINKS)
    return found


def test_nothing_that_an_agent_wrote_runs_on_any_page(browser: Browser, hostile: Server) -> None:
    """Every page that can be reached by its links is opened."""
    seen, left, done, carried = Watched(browser, hostile), paths(), set[str](), set[str]()
    while left and len(done) < 60:
        path = left.pop(0)
        done.add(path)
        go = seen.page.goto if is_page(path) else seen.context.request.get
        answer = go(hostile.address + path)
        assert answer and answer.status < 500, path
        if is_page(path) and answer.headers["content-type"].startswith("text/html"):
            left += [link for link in dict.fromkeys(looked_at(seen.page, path)) if link not in (*done, *left)]
            carried |= {path} if RAN in (seen.page.text_content("body") or "") else set()
        else:
            assert answer.headers["x-content-type-options"] == "nosniff", path
    assert len(done) > 15 and carried >= {"/specs/login", aimed.path(ATTEMPT), "/specs/login/files/design.md"}
    assert (seen.strangers, seen.complaints) == ([], [])
    assert hostile.client().get("/api/status").status_code == 200
    seen.context.close()


def test_a_toast_and_a_live_update_show_an_agents_words_as_words(browser: Browser, hostile: Server) -> None:
    seen = Watched(browser, hostile)
    seen.page.wait_for_selector("#link[data-state=on]")
    journal = Journal(
        hostile.root / ".kiro/specs/evil/event-log.jsonl", hostile.root / ".shiage/heads/evil", time.time
    ).open()
    journal.append(
        [
            Draft(
                kind,
                "summary",
                "r-9",
                {"notify": True, "level": "error", "phase": EVIL, "detail": EVIL, "reason": EVIL},
            )
            for kind in ("RUN_PAUSED", "RUN_FAILED", "PHASE_ENTERED")
        ]
    )
    journal.close()
    seen.page.wait_for_selector("#toasts .toast, #warned *")
    assert seen.page.evaluate(UNSAFE) == [] and seen.page.evaluate("window.ran") is None
    assert (seen.strangers, seen.complaints) == ([], [])
    seen.context.close()


def test_a_page_that_is_open_when_its_device_is_revoked_shows_the_door(browser: Browser, hostile: Server) -> None:
    before = {device.id for device in hostile.devices.all()}
    seen = Watched(browser, hostile)
    seen.page.wait_for_selector("#link[data-state=on]")
    (mine,) = {device.id for device in hostile.devices.all()} - before
    hostile.devices.revoke(mine)
    seen.page.wait_for_selector("form#door")
    assert seen.page.locator("main li, main .card").count() == 0
    seen.context.close()


def test_no_address_holds_what_lets_somebody_in(browser: Browser, hostile: Server) -> None:
    seen = Watched(browser, hostile)
    (cookie,) = [each for each in seen.context.cookies() if each["name"].startswith("shiage-")]
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    for path in ("/", "/specs/login", "/questions", "/settings"):
        seen.page.goto(hostile.address + path)
        assert seen.code not in seen.page.url and "#" not in seen.page.url
    assert seen.page.evaluate("document.cookie").find(cookie["value"]) == -1
    for url in seen.asked:
        assert cookie["value"] not in url and seen.code not in url.partition("#")[0]
    seen.context.close()


@pytest.fixture
def evil(hostile: Server) -> Iterator[int]:
    """A page of somebody else, on another port of this machine."""
    body = (HERE / "attack.html").read_text().replace("AT/", f"{hostile.address}/").encode()

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1", "localhost"])
def test_no_other_page_reads_or_changes_anything_through_the_persons_browser(
    browser: Browser, hostile: Server, evil: int, host: str
) -> None:
    """From another site, and from the same machine, whose other ports a browser takes for the same site."""
    seen = Watched(browser, hostile)
    before = {path.name for path in (hostile.root / ".kiro" / "specs").iterdir()}
    journal = (hostile.root / ".kiro/specs/login/event-log.jsonl").read_bytes()
    attack = seen.opened()
    attack.goto(f"http://{host}:{evil}/")
    attack.wait_for_function("window.tried")
    tried = attack.evaluate("window.tried")
    assert tried.pop("post") in ("opaque", "refused")  # sent, and refused by the guard: nothing was made
    assert tried.pop("window") in ("refused", "null", "undefined")
    assert set(tried.values()) == {"refused"}, tried
    assert {path.name for path in (hostile.root / ".kiro" / "specs").iterdir()} == before
    assert (hostile.root / ".kiro/specs/login/event-log.jsonl").read_bytes() == journal
    seen.context.close()


def test_a_name_that_is_made_to_lead_here_gets_nothing(browser: Browser, hostile: Server) -> None:
    """DNS rebinding: the attacker's own name is resolved to loopback, so that its page is of the same origin."""
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(f"http://rebound.test:{hostile.port}/")
    assert answer and answer.status == 421
    assert page.evaluate("fetch('/door').then(answer => answer.status)") == 421
    code = hostile.devices.invite("control")
    told = page.evaluate(
        "code => fetch('/door', { method: 'POST', body: new URLSearchParams({ code }) }).then(answer => answer.status)",
        code,
    )
    assert told == 421
    assert hostile.client(None).post("/door", data={"code": code}).status_code == 303  # the code was not even looked at
    context.close()
