"""The note beside a log."""

import json
import os

import pytest

from shiage.agents import sidecar
from shiage.agents.proc import system


@pytest.fixture
def log(tmp_path):
    return tmp_path / "attempt-1.log"


def test_a_note_names_the_living_process(log):
    sidecar.write(log, system.look(os.getpid()), "m")
    note = sidecar.read(log)
    assert note.marker == "m"
    assert sidecar.living(note).pid == os.getpid()
    sidecar.remove(log)
    assert sidecar.read(log) is None
    sidecar.remove(log)


@pytest.mark.parametrize("changed", [{"boot": "another"}, {"started": 1.0}, {"pid": 2**22 + 1}])
def test_a_note_of_another_boot_or_process_names_nobody(log, changed):
    sidecar.write(log, system.look(os.getpid()), "m")
    note = json.loads(sidecar.path_of(log).read_text())
    sidecar.path_of(log).write_text(json.dumps(note | changed))
    assert sidecar.living(sidecar.read(log)) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b'{"pid": "x"}', b'{"pid": 1}', b"\xff\0", b"[" * 4096, b'{"pid":1e999,"started":1}'],
)
def test_whatever_an_agent_wrote_there_is_no_note(log, content):
    sidecar.path_of(log).write_bytes(content)
    assert sidecar.read(log) is None


def test_a_link_or_a_folder_in_its_place_harms_nobody(log, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    sidecar.path_of(log).symlink_to(victim)
    sidecar.write(log, system.look(os.getpid()), "m")
    assert victim.read_text() == "mine"
    assert sidecar.read(log) is None
    sidecar.remove(log)
    sidecar.path_of(log).mkdir()
    assert sidecar.read(log) is None
    sidecar.remove(log)
