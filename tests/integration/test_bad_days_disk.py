"""A disk that is full or read-only in the middle of a run: it stops with the file named, and goes on after the repair."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scenes import author, implementer, inspector, responder, reviewer, story

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs mount or chattr of Linux")]

FILL = ["run", "sh", "-c", "dd if=/dev/zero of=filler bs=1k 2>/dev/null; true"]


def done(*argv: str) -> bool:
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@dataclass
class Disk:
    """A project on a small file system of its own."""

    project: Any
    mount: Path

    def free(self) -> None:
        (self.project.root / "filler").unlink(missing_ok=True)


@pytest.fixture
def disk(project, tmp_path: Path) -> Iterator[Disk]:
    mount = tmp_path / "disk"
    mount.mkdir()
    if not done("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(mount)):
        pytest.skip("a file system of 2 MB cannot be mounted here: that takes root")
    try:
        (mount / "project").mkdir()
        shutil.copytree(project.root / ".git", mount / "project" / ".git", ignore=shutil.ignore_patterns("hooks"))
        project.root = mount / "project"
        yield Disk(project, mount)
    finally:
        subprocess.run(["umount", "--lazy", str(mount)], check=True)


def whole(project) -> None:
    """Nothing is half written: the state is JSON, the history is what was written, nothing lies beside."""
    assert json.loads((project.spec() / "spec.json").read_bytes())["feature_name"] == "login"
    assert project.shiage("verify", "login").code == 0


def goes_on(project, before: Any) -> None:
    """The next start reaches the end, and what was closed before is as it was."""
    again = project.shiage("run", "login")
    assert again.code == 0, again.out + again.err
    whole(project)
    reviews = project.state()["documentReview"]["roundDetails"]
    assert [row["roundNumber"] for row in reviews] == [1, 2]
    assert reviews[: len(before)] == before
    assert [row["result"] for row in project.state()["inspection"]["rounds"]] == ["nogo", "go"]
    assert not [*project.spec().glob(".*.tmp")]


def closed(project) -> list[Any]:
    rows: list[Any] = project.state().get("documentReview", {}).get("roundDetails", [])
    return rows


WORKS: dict[str, Callable[[], Any]] = {
    "author": lambda: author("design", nth=1),
    "reviewer": lambda: reviewer(nth=1, round=1),
    "responder": lambda: responder(2, 0, nth=1, round=1),
    "second responder": lambda: responder(nth=1, round=2),
    "implementer": lambda: implementer(nth=1),
    "inspector": lambda: inspector("NOGO", nth=1, round=1),
}


def scenes(role: str, action: list[Any]) -> list[Any]:
    """Two reviews, one NOGO; the agent of this role does its work and then that to the disk."""
    work = WORKS[role]()
    return story({**work, "do": [*work["do"], action]}, responder(2, 0, round=1), inspector("NOGO", round=1))


@pytest.mark.parametrize("role", WORKS)
def test_a_disk_that_is_full_stops_the_run_with_the_file_named_and_corrupts_nothing(disk, role):
    project = disk.project
    project.new(scenes=scenes(role, FILL))
    said = project.shiage("run", "login")
    assert said.code in (1, 4, 5), (said.code, said.out, said.err)
    assert (
        "spec.json" in said.out + said.err
        or "event-log.jsonl" in said.out + said.err
        or ".shiage" in said.out + said.err
    )
    assert "No space left" in said.out + said.err, said.out + said.err
    before = closed(project)
    json.loads((project.spec() / "spec.json").read_bytes())
    full = project.shiage("run", "login")
    assert full.code in (1, 4, 5), (full.code, full.out, full.err)
    disk.free()
    goes_on(project, before)


def test_a_disk_that_is_full_from_the_beginning_is_told(disk):
    project = disk.project
    project.new(scenes=scenes("author", ["say", "well"]))
    subprocess.run(FILL[1:], cwd=project.root, check=True)
    said = project.shiage("run", "login")
    assert said.code in (1, 4, 5), (said.code, said.out, said.err)
    assert "No space left" in said.out + said.err
    disk.free()
    goes_on(project, [])


def test_views_work_on_a_full_disk(disk):
    project = disk.project
    project.new(scenes=scenes("author", ["say", "well"]))
    assert project.shiage("run", "login", "--until", "design").code == 0
    subprocess.run(FILL[1:], cwd=project.root, check=True)
    for command in (("status",), ("status", "login"), ("show", "login"), ("log", "login"), ("verify", "login")):
        assert project.shiage(*command).code == 0, command


@pytest.fixture
def frozen(project) -> Iterator[Callable[[Path], list[Any]]]:
    """An action by which an agent makes a path unchangeable, even for root."""
    probe, made = project.home / "probe", []
    probe.touch()
    if not done("chattr", "+i", str(probe)):
        pytest.skip("nothing can be made read-only for root here: chattr +i does not work on this file system")
    subprocess.run(["chattr", "-i", str(probe)], check=True)

    def action(path: Path) -> list[Any]:
        made.append(path)
        return ["run", "chattr", "+i", str(path)]

    yield action
    for path in made:
        done("chattr", "-i", str(path))


PLACES = {
    "the spec's folder": ("spec.json", lambda project: project.spec()),
    "spec.json": ("spec.json", lambda project: project.spec() / "spec.json"),
    "the journal": ("event-log.jsonl", lambda project: project.spec() / "event-log.jsonl"),
    "the heads": (".shiage", lambda project: project.root / ".shiage" / "heads"),
    "the runs": (".shiage", lambda project: project.root / ".shiage" / "runs" / "r-0001"),
    "the locks": (".shiage", lambda project: project.root / ".shiage" / "locks"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("role", ["responder", "implementer"])
def test_what_becomes_read_only_stops_the_run_with_the_file_named(project, frozen, role, place):
    name, where = PLACES[place]
    path = where(project)
    project.new(scenes=scenes(role, frozen(path)))
    said = project.shiage("run", "login")
    before = closed(project)
    if said.code:  # an open journal may be written to though its file is unchangeable
        assert said.code in (1, 4, 5), (said.code, said.out, said.err)
        assert name in said.out + said.err, said.out + said.err
    subprocess.run(["chattr", "-i", str(path)], check=True)
    goes_on(project, before)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_read_only_before_the_start_is_named(project, frozen, place):
    name, where = PLACES[place]
    project.new(scenes=scenes("author", ["say", "well"]))
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    path = where(project)
    subprocess.run(frozen(path)[1:], check=True)
    said = project.shiage("run", "login")
    if said.code or place not in ("the locks", "the runs"):  # locks are there already; a new run has a new folder
        assert said.code in (1, 4, 5), (said.code, said.out, said.err)
        assert name in said.out + said.err, said.out + said.err
    for command in (("status", "login"), ("show", "login"), ("log", "login")):
        assert project.shiage(*command).code == 0, command
    subprocess.run(["chattr", "-i", str(path)], check=True)
    goes_on(project, [])
