"""A run that travelled comes home: from then on it is a worktree like any other, to merge, offer, leave or give up."""

from shiage.app import abroad
from shiage.app.carrying import claimed_by_hand
from shiage.app.views import SpecView, status
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.engine import landing
from shiage.engine.effects import iso
from shiage.specs.folder import Folder


def land(workspace: Workspace, name: str) -> SpecView:
    """Nobody may be at work on it; its branch is deleted when all of it is here."""
    folder = workspace.folder(name)
    if not workspace.is_away(folder):
        raise UserError(
            "not-away", f'"{name}" is not on a run branch', help=f"`shiage status {name}` shows where it is."
        )
    route = abroad.required(workspace.root, workspace.settings.queue)
    with claimed_by_hand(workspace, folder, "landed"):
        landing.land(route, _home(workspace, folder), iso(now()))
        abroad.forget(route)
    return status(workspace, workspace.folder(name))


def _home(workspace: Workspace, folder: Folder) -> Folder:
    home = type(folder)(workspace.root, folder.name)
    if home.state_file.exists() and home.state().worktree:
        raise UserError(
            "worktree-exists", f'"{home.name}" has a worktree here already',
            help=f"`shiage reset {home.name} --discard` gives that one up.",
        )  # fmt: skip
    home.path.mkdir(parents=True, exist_ok=True)
    return home


def land_to_deploy(workspace: Workspace, name: str, phase: str) -> None:
    """Only where the person's own checkout is can a run be merged."""
    if phase == "deploy" and workspace.is_away(workspace.folder(name)):
        land(workspace, name)
