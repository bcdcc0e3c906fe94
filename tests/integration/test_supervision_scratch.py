"""Each attempt has a folder of its own for temporary files, and nothing of it stays."""

import asyncio
import os
import tempfile
from pathlib import Path

import pytest

from shiage.agents import scratch
from shiage.agents.adapter import AgentSettings, Job
from shiage.agents.attempt import Limits, attempt
from shiage.agents.sweep import sweep_marker
from shiage.agents.table import adapter_for

LIMITS = Limits(idle_seconds=30, total_seconds=60)
#: Says where its temporary files go, and leaves some there, one in a folder that it has closed.
LITTER = 'echo "$TMPDIR"; mkdir -p "$TMPDIR/a/closed" && touch "$TMPDIR/a/closed/f" && chmod 500 "$TMPDIR/a/closed"'


@pytest.fixture
def marker(tmp_path):
    name = f"{tmp_path.name}-{os.getpid()}"
    yield name
    scratch.remove(scratch.folder_of(name))


def said(tmp_path, marker, script=LITTER, **env):
    running = attempt(
        adapter_for("command"),
        AgentSettings("a", "command", ("sh", "-c", script), env=env),
        Job("", "implementer", tmp_path),
        marker=marker,
        log=tmp_path / f"{marker}.log",
        err=tmp_path / f"{marker}.err",
        limits=LIMITS,
        stop=asyncio.Event(),
    )
    return asyncio.run(running).words.strip()


def test_temporary_files_of_an_attempt_lie_apart_and_are_gone_after_it(tmp_path, marker):
    first, second = (said(tmp_path, name) for name in (marker, f"{marker}-2"))
    assert first != second and Path(first).parent == Path(second).parent
    assert not Path(first).exists() and not Path(second).exists()


@pytest.mark.parametrize("parent", ["short", "a-long-name-of-a-folder" * 5])
def test_a_socket_in_it_has_room_for_its_name(tmp_path, marker, monkeypatch, parent):
    place = tmp_path / parent
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    assert len(os.fsencode(scratch.folder_of(marker) / ("x" * 32))) <= 100


def test_a_persons_own_choice_wins(tmp_path, marker):
    assert said(tmp_path, marker, 'echo "$TMPDIR"', TMPDIR="/var/tmp") == "/var/tmp"


def test_what_a_crash_of_ours_left_goes_with_the_sweep(marker):
    place = scratch.make(marker)
    (place / "f").touch()
    sweep_marker({marker})
    assert not place.exists()


def test_what_somebody_else_laid_at_its_name_is_neither_used_nor_removed(tmp_path, marker):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    scratch.folder_of(marker).symlink_to(theirs)
    try:
        assert said(tmp_path, marker, 'echo "${TMPDIR:-none}"') == os.environ.get("TMPDIR", "none")
        assert theirs.is_dir()
    finally:
        scratch.folder_of(marker).unlink()


def test_nobody_else_may_look_into_it(marker):
    assert scratch.make(marker).stat().st_mode & 0o077 == 0
