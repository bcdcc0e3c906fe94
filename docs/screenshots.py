"""Plays the demo and a few specs beside it, and takes a picture of every page: `python docs/screenshots.py OUT`.

Needs Debian's `chromium` and `fonts-noto-cjk`. `--ja` takes them in Japanese; `--picture` writes only the one that the
README shows.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from shiage.agents import scripted
from shiage.app import demo
from shiage.app.story import tell
from shiage.app.workspace import Workspace
from shiage.config import user_state_dir
from shiage.config.trust import trust

Scene = dict[str, Any]
HERE = Path(__file__).parent
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
PICTURE, MOST_BYTES = {"width": 1280, "height": 1000}, 150_000
REPLY = (
    "# Reply {round}\n\n## Response Summary\n\n"
    "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n"
    "| Critical | %d | %d | 0 | %d |\n| Warning | 1 | 0 | 1 | 0 |\n| Info | 0 | 0 | 0 | 0 |\n"
)
ISSUES = (
    "## Critical Issues",
    "### C1: Very large exports\n\n**Issue**: A year of orders is 2 GB: one file, or one for each month?\n\n"
    "**Judgment**: **Needs Discussion** ⚠️\n\nOption A: one file, the reader splits it. Option B: one for each month.",
    "## Warning Issues",
    "### W1: Nothing says which separator is used\n\n**Judgment**: **Fix Required** ✅",
    "### W2: Dates without a time zone\n\n**Judgment**: **Fix Required** ✅",
)  #: what the replies judge, heading by heading
TASKS = "# Tasks\n\n" + "".join(
    f"- [ ] {n}. {title}\n  - _Requirements: 1.{n}_\n" for n, title in enumerate(("Read", "Write", "Test"), 1)
)
REQUIREMENTS = "# Requirements\n\n### Requirement 1: Export\n\n1. WHEN asked, THE system SHALL write a file.\n"
PAGES = {
    "board": "/",
    "spec": "/specs/demo?open=document-review-1,impl,a-r-0001-9",
    "spec-running": "/specs/search",
    "spec-paused": "/specs/export-csv",
    "spec-question": "/specs/invoices",
    "spec-error": "/specs/billing",
    "document": "/specs/demo/files/requirements.md#requirement-2.1",
    "attempt": "/specs/demo/attempts/r-0001/9",
    "log": "/specs/search/attempts/r-0005/6/log",
    "questions": "/questions",
    "queue": "/queue?open=add",
    "activity": "/activity",
    "numbers": "/numbers",
    "settings": "/settings",
}


def scenes() -> list[Scene]:
    """What happens in the specs beside the demo: a talk is needed, a question, an error, and work under way."""
    author = [
        {"role": "author", "phase": name, "do": [["write", f"spec:{name}.md", text], ["say", f"wrote {name}.md"]]}
        for name, text in (("requirements", REQUIREMENTS), ("design", "# Design\n\nOne module.\n"), ("tasks", TASKS))
    ]
    review = [
        {"role": "reviewer", "do": [["write", "spec:document-review-{round}.md", "# Review {round}\n"]]},
        {"spec": "export-csv", "role": "responder", "round": 1, "do": [_reply(2, 1)]},
        {"spec": "export-csv", "role": "responder", "round": 2, "do": [_reply(1, 1)]},
        {"spec": "export-csv", "role": "responder", "do": [_reply(0, 1)]},
        {"role": "responder", "do": [_reply(0, 0)]},
    ]
    lines = [f"\x1b[36m{n:03}\x1b[0m  Read src/index_{n}.py … \x1b[32mok\x1b[0m" for n in range(1, 60)]
    ask = ["say", "I have read the tariff table.", "QUESTION: Are invoices rounded per line, or per invoice?"]
    work = [
        {"spec": "search", "role": "implementer", "do": [["say", *lines], ["tick", "1"], ["hang", 900]]},
        {"spec": "invoices", "role": "implementer", "do": [ask]},
        {"spec": "billing", "role": "implementer", "do": [["write", "billing.py", "RATE = 0.1\n"], ["say", "done"]]},
    ]
    return [*author, *review, *work]


def _reply(fix: int, discuss: int) -> list[str]:
    issues = ISSUES[:2] * bool(discuss) + ISSUES[2 : 3 + fix] * bool(fix)
    text = "\n\n".join([REPLY % (fix + discuss, fix, discuss), *issues])
    return ["write", "spec:document-review-{round}-reply.md", f"{text}\n"]


def stage(root: Path, environ: Mapping[str, str], language: str) -> Workspace:
    """The demo's project, with a cast that plays the demo in its own spec and our scenes in the others."""
    project = demo.stage(root, language=language, speed=0, environ=environ)
    script = root / ".shiage" / "demo" / "script.json"
    story = [{**scene, "spec": demo.SPEC_NAME} for scene in tell(language).scenes]
    script.write_text(json.dumps({"speed": 0, "scenes": [*story, *scenes()]}, ensure_ascii=False))
    settings = root / "shiage.toml"
    argv = json.dumps(list(scripted.command(sys.executable, str(script))))
    settings.write_text(
        f'agent = "actor"\nlanguage = "{language}"\n\n[agents.actor]\ncommand = {argv}\n\n[notify]\ndesktop = false\n'
    )
    trust(root, user_state_dir(project.environ))
    return project


def shiage(project: Workspace, *arguments: str) -> None:
    """Any end is fine: some of these specs end badly on purpose."""
    command = [sys.executable, "-m", "shiage", "--plain", "--project", str(project.root), *arguments]
    subprocess.run(
        command, env=dict(project.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )


@contextmanager
def served(project: Workspace) -> Iterator[Mapping[str, str]]:
    command = [sys.executable, "-m", "shiage", "--project", str(project.root), "serve", "--json", "--port", "0"]
    process = subprocess.Popen(command, env=dict(project.environ), stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(process.stdout.readline()) if process.stdout else {}
    finally:
        process.terminate()
        process.wait(30)


def play(project: Workspace) -> None:
    for name in ("demo", "export-csv", "billing", "invoices"):
        if name != "demo":
            shiage(project, "new", name, f"Write the {name} feature")
        shiage(project, "run", name)
    for name in ("search", "reports", "archive"):
        shiage(project, "new", name, f"Write the {name} feature")


def begin(project: Workspace) -> None:
    """One spec runs and one waits for it while the pictures are taken."""
    shiage(project, "queue", "add", "search")
    shiage(project, "queue", "add", "reports", "--after", "search", "--priority", "2")
    deadline = time.monotonic() + 60
    log = project.root / ".shiage" / "runs" / "r-0005" / "attempt-6.log"
    while not (log.exists() and log.read_text().count("\n") >= 59):
        if time.monotonic() > deadline:
            sys.exit("the running spec does not come to its work")
        time.sleep(0.1)


def pictures(browser: Browser, said: Mapping[str, str], out: Path, language: str) -> None:
    for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        for theme in ("dark", "light"):
            page = _page(browser, said, language, size, theme)
            for title, path in PAGES.items():
                _go(page, said["address"] + path)
                page.screenshot(
                    path=out / f"{title}-{name}-{theme}.png", full_page=title.startswith("spec") and size is DESKTOP
                )
            page.context.close()


def _page(browser: Browser, said: Mapping[str, str], language: str, size: Any, theme: Any) -> Page:
    locale = {"en": "en-GB", "ja": "ja-JP"}[language]
    context = browser.new_context(viewport=size, color_scheme=theme, locale=locale, has_touch=size is PHONE)
    page = context.new_page()
    page.goto(said["address"])
    page.fill("#code", _code(said))
    page.click("button[type=submit]")
    page.wait_for_selector("#main")
    return page


def _code(said: Mapping[str, str]) -> str:
    command = [sys.executable, "-m", "shiage", "--project", said["root"], "pair", "--scope", "control", "--json"]
    done = subprocess.run(command, env=json.loads(said["environ"]), capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["code"])


def _go(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector("#link[data-state=on]")
    page.wait_for_load_state("load")


def readme(browser: Browser, said: Mapping[str, str]) -> None:
    page = _page(browser, said, "en", PICTURE, "dark")
    _go(page, f"{said['address']}/specs/demo?open=impl,a-r-0001-9")
    data = smaller(page.screenshot())
    if len(data) > MOST_BYTES:
        sys.exit(f"the picture has {len(data)} bytes")
    (HERE / "dashboard.png").write_bytes(data)
    page.context.close()


def smaller(png: bytes) -> bytes:
    """The same picture with a palette of its 256 commonest colours; the others are edges of letters, and close to one."""
    width, height, pixels = _pixels(png)
    palette = [colour for colour, _ in Counter(pixels).most_common(256)]
    places = {colour: place for place, colour in enumerate(palette)}
    for colour in set(pixels) - places.keys():
        near = min(palette, key=lambda each: sum((one - two) ** 2 for one, two in zip(each, colour, strict=True)))
        places[colour] = places[near]
    rows = (pixels[at : at + width] for at in range(0, width * height, width))
    data = b"".join(b"\0" + bytes(places[colour] for colour in row) for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", b"".join(palette)), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b""))
    return png[:8] + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def _pixels(png: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height, and the colour of every point, as a browser's picture has them: eight bits, not interlaced."""
    width, height, _, kind = struct.unpack(">IIBB", png[16:26])
    step, packed, at = {2: 3, 6: 4}[kind], b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        packed += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    data, above, found = zlib.decompress(packed), bytearray(width * step), list[bytes]()
    for number in range(height):
        start = number * (width * step + 1)
        row = bytearray(data[start + 1 : start + 1 + width * step])
        _unfilter(data[start], row, above, step)
        found += [bytes(row[x : x + 3]) for x in range(0, len(row), step)]
        above = row
    return width, height, found


def _unfilter(kind: int, row: bytearray, above: bytearray, step: int) -> None:
    """A row as it was before its differences were taken."""
    for x in range(len(row)):
        left, corner = (row[x - step], above[x - step]) if x >= step else (0, 0)
        row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, _nearest(left, above[x], corner))[kind]) & 255


def _nearest(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda each: abs(guess - each))


def main(arguments: list[str]) -> None:
    out = Path(next((each for each in arguments if not each.startswith("-")), "screenshots"))
    language = "ja" if "--ja" in arguments else "en"
    out.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="shiage-pictures-"))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "SHIAGE_LANG": language}
    try:
        project = stage(home / "project", environ, language)
        play(project)
        with served(project) as said, sync_playwright() as playwright:
            known = {**said, "root": str(project.root), "environ": json.dumps(dict(project.environ))}
            begin(project)
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            if "--picture" in arguments:
                readme(browser, known)
            else:
                pictures(browser, known, out, language)
            browser.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
