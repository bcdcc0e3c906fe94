"""Many writers of one spec.json: nothing is lost, nothing is torn."""

import json
import multiprocessing
from pathlib import Path

from shiage.domain.errors import UserError
from shiage.specs.folder import Folder, SpecFolder, create

WRITERS, UPDATES = 8, 50


def update(root: Path, writer: int) -> None:
    folder = SpecFolder(root, "login")
    for number in range(UPDATES):
        folder.write_state({("counters", f"w{writer}-{number}"): number})


def run_writers(folder: Folder) -> list[multiprocessing.process.BaseProcess]:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=update, args=(folder.root, writer)) for writer in range(WRITERS)]
    for writer in writers:
        writer.start()
    return writers


def test_of_400_updates_by_8_processes_none_is_lost(tmp_path: Path) -> None:
    folder = create(tmp_path, "login", "", "en")
    for writer in run_writers(folder):
        writer.join()
        assert writer.exitcode == 0
    counters = folder.value()["counters"]
    assert counters == {f"w{writer}-{number}": number for writer in range(WRITERS) for number in range(UPDATES)}
    assert {path.name for path in folder.path.iterdir()} == {"requirements.md", "spec.json"}


def overwrite(root: Path, times: int) -> None:
    """As an agent's tool does it: without the lock, in place."""
    path = SpecFolder(root, "login").state_file
    for number in range(times):
        path.write_text(json.dumps({"feature_name": "login", "foreign": number}))


def test_a_writer_that_knows_no_lock_leads_to_a_whole_file_or_a_clear_error(tmp_path: Path) -> None:
    folder = create(tmp_path, "login", "", "en")
    foreign = multiprocessing.get_context("fork").Process(target=overwrite, args=(tmp_path, 300))
    foreign.start()
    codes = set()
    for number in range(100):
        try:
            folder.write_state({("ours",): number})
        except UserError as error:
            codes.add(error.code)
    foreign.join()
    assert codes <= {"spec-unreadable", "spec-not-writable"}
    assert folder.state().feature_name == "login"
    assert folder.write_state({("ours",): "last"})
    assert folder.value()["ours"] == "last"
