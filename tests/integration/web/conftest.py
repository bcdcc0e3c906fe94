"""A dashboard in this process and one in a process of its own, a browser's headers, and devices that were let in."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from shiage.app.devices import Devices
from shiage.app.workspace import open_workspace
from shiage.web.server import application
from shiage.web.site import Address, Site, open_site

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

ORIGIN = "http://127.0.0.1:7420"
PAGE = {"Accept": "text/html"}


@dataclass
class Desk:
    site: Site

    def client(self, scope: str | None = "control", **headers: str) -> TestClient:
        """A browser; with a scope it has been let in."""
        said = {"Origin": ORIGIN, **headers}
        client = TestClient(application(self.site), base_url=ORIGIN, headers=said, follow_redirects=False)
        if scope:
            answer = client.post("/door", data={"code": self.site.devices.invite(scope)})
            assert answer.status_code in (200, 303)
        return client


def a_project(base: Path) -> tuple[Path, dict[str, str]]:
    """A project with one spec, and the environment of whoever works in it."""
    root = base / "project"
    spec = root / ".kiro" / "specs" / "login"
    spec.mkdir(parents=True)
    (spec / "spec.json").write_text('{"feature_name": "login", "language": "en"}')
    (spec / "requirements.md").write_text("# Requirements\n")
    return root, {"HOME": str(base / "home"), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root, environ = a_project(tmp_path)
    site = open_site(open_workspace(root, environ), Address())
    yield Desk(site)
    site.audit.close()


@dataclass
class Server:
    """`shiage serve` in a process of its own."""

    root: Path
    environ: dict[str, str]
    options: tuple[str, ...] = ()
    verify: object = True
    clients: list[httpx.Client] = field(default_factory=list)

    def __post_init__(self) -> None:
        kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shiage", "serve", "--json", "--port", "0", *self.options], cwd=self.root,
            env={**kept, **self.environ}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self.process.stdout
        said = json.loads(self.process.stdout.readline())
        self.url, self.address = str(said["url"]), str(said["address"])
        self.port = int(self.address.rpartition(":")[2])
        self.devices = Devices(self.root, self.environ)

    def client(self, scope: str | None = "control") -> httpx.Client:
        """A browser; with a scope it has been let in."""
        made = httpx.Client(base_url=self.address, headers={"Origin": self.address}, verify=self.verify, timeout=10)  # type: ignore[arg-type]
        self.clients.append(made)
        if scope:
            assert made.post("/door", data={"code": self.devices.invite(scope)}).status_code == 303
        return made

    def end(self) -> str:
        """What it wrote beside its first line."""
        for client in self.clients:
            client.close()
        self.process.terminate()
        out, err = self.process.communicate(timeout=15)
        return out + err


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(*a_project(tmp_path_factory.mktemp("served")))
    yield made
    made.end()
