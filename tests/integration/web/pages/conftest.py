"""One browser for all of these tests; a project that has been played and is served, and visitors who watch for trouble."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from scenes import Scene, doing, inspector, reply, responder, story

from shiage.app import create, runs
from shiage.app.devices import Devices
from shiage.app.workspace import open_workspace

SECONDS = 40_000.0  #: milliseconds until something that is awaited counts as missing
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
REQUIREMENTS = (
    "# Requirements\n\n### Requirement 1: Greeting\n\n1. WHEN greeted, THE system SHALL greet back.\n2. IT SHALL.\n"
)
TASKS = "# Tasks\n\n- [ ] 1. Write greet\n  - _Requirements: 1.2_\n- [ ] 2. Write its test\n- [ ] 3. Describe it\n"
OMITTED = ["write", "greet.py", "def greet(name: str) -> str:\n    # ... rest omitted\n    return name\n"]
#: It goes on for as long as any suite: who looks at it may come last.
WORK = (["say", "line 1", "line 2"], ["tick", "1"], ["hang", 7200])
#: What a reply tells of the one point that only a person can settle.
POINT = (
    "\n## Critical Issues\n\n### C1: Greeting by name\n\n**Issue**: Is the name always known?\n\n"
    "**Judgment**: **Needs Discussion** ⚠️\n\nOption A: ask for it. Option B: greet without it.\n"
)
TALK = ["write", "spec:document-review-{round}-reply.md", reply(0, 1) + POINT]
QUESTION = ["say", "QUESTION: Is the greeting formal or friendly?"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here: apt-get install chromium")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            item.add_marker(missing)


@dataclass
class Visitor:
    """A page that was let in, and everything that went wrong on it."""

    page: Page
    home: str
    problems: list[str] = field(default_factory=list)

    def go(self, path: str) -> Page:
        self.page.goto(self.home + path)
        self.page.wait_for_selector("#link[data-state=on]")
        return self.page


class Served:
    """A dashboard in a process of its own."""

    def __init__(self, project: Any, port: str = "0") -> None:
        self.project = project
        self.process = project.start("serve", "--json", "--port", port)
        self.address = json.loads(self.process.stdout.readline())["address"]
        self._let_in: dict[str, str] = {}

    @property
    def port(self) -> str:
        return self.address.rpartition(":")[2]

    def code(self) -> str:
        return Devices(self.project.root, dict(self.project.environ)).invite("control")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(30)

    def visitor(self, browser: Browser, **options: Any) -> Visitor:
        return self.beside(self.context(browser, **options))

    def context(self, browser: Browser, **options: Any) -> Any:
        """A browser of a device that was let in once; what the door does is shown by tests of the door."""
        if not self._let_in:
            answer = httpx.post(f"{self.address}/door", data={"code": self.code()}, headers={"Origin": self.address})
            self._let_in = dict(answer.cookies)
        made = browser.new_context(**{"viewport": DESKTOP, **options})
        made.add_cookies([{"name": name, "value": it, "url": self.address} for name, it in self._let_in.items()])
        return made

    def beside(self, context: Any) -> Visitor:
        """A further tab of the same browser."""
        page = context.new_page()
        page.set_default_timeout(SECONDS)
        visitor = Visitor(page, self.address)
        page.on("pageerror", lambda error: visitor.problems.append(str(error)))
        page.on("console", lambda said: said.type == "error" and visitor.problems.append(said.text))
        page.on("request", lambda sent: self._ours(sent.url) or visitor.problems.append(f"asked for {sent.url}"))
        return visitor

    def _ours(self, url: str) -> bool:
        return url.startswith((self.address, "data:", "blob:"))


class Stage:
    """A project whose specs are made and run in this process, which takes no time."""

    def __init__(self, root: Path) -> None:
        acceptance = sys.modules["acceptance_project"]
        (root / "project").mkdir(parents=True)
        (root / "home").mkdir()
        subprocess.run(["git", "-C", str(root / "project"), "init", "--quiet"], check=True)
        self.project = acceptance.Project(root / "project", root / "home")

    def cast(self, scenes: list[Scene], settings: str = "") -> None:
        """From now on these scenes are played, and calls are counted from one."""
        self.project.cast(scenes, settings)
        (self.project.home / "script.json.calls").unlink(missing_ok=True)

    def new(self, name: str) -> None:
        create.new(
            open_workspace(self.project.root, dict(self.project.environ)), name, f"the {name} feature", bug=False
        )

    def ran(self, name: str) -> Any:
        """Made, and run to wherever it stops."""
        self.new(name)
        return self.run(name)

    def run(self, name: str) -> Any:
        workspace = open_workspace(self.project.root, dict(self.project.environ))
        with ThreadPoolExecutor(1) as beside:  # a loop of the browser's runs in this thread
            return beside.submit(lambda: asyncio.run(runs.run(workspace, name))).result()

    def serve(self) -> Served:
        return Served(self.project)

    def end(self) -> None:
        for process in self.project.started:
            if process.poll() is None:
                process.terminate()
                process.wait(30)
            process.communicate()


@pytest.fixture(scope="module")  # it keeps a loop in this thread, where other tests may run theirs
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield found
        found.close()


def played(*own: Scene) -> list[Scene]:
    """One cast for several specs: each does what its name says, everything else is done well."""
    rest = [scene for scene in story() if scene.get("phase") not in ("requirements", "tasks")]
    documents = [
        doing("author", ["write", "spec:requirements.md", REQUIREMENTS], ["say", "written"], phase="requirements"),
        doing("author", ["write", "spec:tasks.md", TASKS], ["say", "written"], phase="tasks"),
    ]
    return [
        *own,
        responder(2, 1, spec="login", round=1),
        responder(1, 0, spec="login", round=2),
        doing("implementer", OMITTED, ["tick"], ["say", "wrote greet.py"], spec="login", nth=1),
        doing("responder", TALK, ["say", "replied"], spec="talk"),
        *(doing("implementer", QUESTION, spec=name) for name in ("ask", "ask-ticket")),
        doing("implementer", ["say", "nothing is ticked"], spec="broken"),
        *(doing("implementer", *WORK, spec=name) for name in ("busy", "stopped", "resumed", "cleared")),
        inspector("NOGO", spec="login", round=1),
        *documents,
        *rest,
    ]


LIMITS = "[limits]\nimpl_reruns = 1\n"


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """An empty project."""
    made = Stage(tmp_path_factory.mktemp("stage"))
    yield made
    made.end()


@pytest.fixture(scope="session")
def served(stage: Stage) -> Served:
    """A project to act in: each test makes specs of its own."""
    return Served(stage.project)


@pytest.fixture(autouse=True)
def cast(stage: Stage) -> None:
    """Whatever an earlier test had played."""
    stage.cast(played())


@pytest.fixture
def visitor(served: Served, browser: Browser) -> Iterator[Visitor]:
    """Somebody at a desk; nothing may go wrong on their page."""
    made = served.visitor(browser)
    yield made
    made.page.context.close()
    assert made.problems == []


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project with a spec in every state, served, to be looked at."""
    stage = Stage(tmp_path_factory.mktemp("world"))
    stage.cast(played(), LIMITS)
    stage.ran("login")
    for name, until in (("talk", "tasks"), ("ask", "document-review"), ("broken", "document-review")):
        stage.project.given(name, until=until)
        stage.run(name)
    stage.new("idle")
    stage.new("busy")
    served = Served(stage.project)
    assert stage.project.shiage("queue", "add", "busy").code == 0
    assert stage.project.shiage("queue", "add", "idle", "--after", "busy").code == 0
    yield served
    stage.end()


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Stage]:
    """A project that no other test has touched, with nothing in it."""
    stage = Stage(tmp_path)
    yield stage
    stage.end()


@pytest.fixture
def toast() -> Callable[[Page, str], str]:
    """The text of the first toast of a level that has these words."""

    def wait(page: Page, words: str, level: str = "") -> str:
        found = page.locator(f".toast{level and '.' + level} span", has_text=words).first
        found.wait_for()
        return found.inner_text()

    return wait
