"""Whoever looks at a run that goes on is told the truth, at whatever moment."""

from scenes import story

from shiage.app.folds import FILE, Story
from shiage.app.folds import story as told
from shiage.app.views import status
from shiage.app.workspace import open_workspace
from shiage.specs.folder import Folder


def test_a_run_that_ends_while_it_is_looked_at_is_not_called_interrupted(project):
    project.cast(story())
    project.given(until="impl")
    assert project.ran("login")["status"] == "completed"
    workspace = open_workspace(project.root, project.environ)
    journal = project.spec() / FILE
    whole = journal.read_bytes()
    looks = [b"".join(whole.splitlines(keepends=True)[:-3]), whole]

    def tell(folder: Folder) -> Story:
        journal.write_bytes(looks.pop(0))
        return told(folder)

    seen = status(workspace, workspace.folder("login"), tell)
    assert (seen.status, seen.phase, looks) == ("completed", "inspection", [])
