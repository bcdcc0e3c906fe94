"""Worktrees as a person sees them: begun with a run, described for a pull request, given up."""

from dataclasses import asdict, dataclass

from shiage.app.catalogue import say
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.domain.run import Status
from shiage.engine import lock, worktrees
from shiage.engine.effects import iso
from shiage.engine.record import events_of
from shiage.engine.worktrees import Tree
from shiage.flow.history import recall
from shiage.journal.reading import read
from shiage.specs.folder import Folder


def prepare(workspace: Workspace, folder: Folder, *, wanted: bool = False, base: str = "") -> None:
    """See to it that the spec's worktree is there before a run: the one that it has, or a new one if that is wanted."""
    tree = workspace.tree(folder)
    if tree is None and not wanted:
        return
    places = workspace.places(folder)
    places.prepare()
    with lock.held(places.lock, folder.name, "run"):
        if tree is not None and not tree.cut:
            _refuse_base(folder, base)
            worktrees.ready(tree, folder.name)
        else:
            _refuse_begun(folder)
            start = worktrees.start_of(workspace.root, folder, base)
            worktrees.create(workspace.root, folder, start, iso(now()))


def _refuse_base(folder: Folder, base: str) -> None:
    if base:
        raise UserError(
            "worktree-exists", f'"{folder.name}" has a worktree already, begun elsewhere',
            help=f"`shiage run {folder.name}` goes on in it; `shiage reset {folder.name} --discard` gives it up.",
        )  # fmt: skip


def _refuse_begun(folder: Folder) -> None:
    """What a run in the main checkout has made would be missing in a worktree."""
    if folder.workflow == "task":
        raise UserError(
            "worktree-task", f'"{folder.name}" is a free-form task: it works in the main checkout',
            help="run it without `--worktree`.",
        )  # fmt: skip
    main = recall(events_of(read(folder.path / "event-log.jsonl"))).main
    if main.status not in (Status.IDLE, Status.COMPLETED):
        raise UserError(
            "worktree-late", f'"{folder.name}" is in the middle of a run in the main checkout',
            help=f"`shiage run {folder.name}` goes on there; `shiage reset {folder.name}` ends that run.",
        )  # fmt: skip


def _required(workspace: Workspace, folder: Folder) -> Tree:
    tree = workspace.tree(folder)
    if tree is None:
        raise UserError(
            "no-worktree", f'"{folder.name}" has no worktree', help=f"`shiage run {folder.name} --worktree` makes one."
        )
    return tree


def discard(workspace: Workspace, folder: Folder) -> None:
    """Give up the worktree, its branch and everything in them. The caller holds the spec."""
    worktrees.discard(_required(workspace, folder), folder)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What to write where the branch is offered to others."""

    title: str
    body: str
    branch: str
    base: str
    v: int = 1

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def pull_request(workspace: Workspace, folder: Folder, language: str) -> PullRequest:
    """The text of a pull request for the spec's branch: what was asked, how it was seen to, what changed."""
    tree = worktrees.ready(_required(workspace, folder), folder.name)
    case = workspace.case(folder)
    request, state = case.folder.request(), case.folder.state()
    start = folder.state().worktree.get("start") or tree.base or "HEAD"
    changed = tree.git("diff", "--stat=72", "--no-color", f"{start}...{tree.branch}")
    facts = say(
        language, "pr.facts", rounds=len(state.rounds), inspections=len(state.inspections),
        verdict=state.inspections[-1].result.upper() if state.inspections else "–",
    )  # fmt: skip
    body = [request, facts, f"```\n{changed.decode('utf-8', 'replace').rstrip()}\n```"]
    first = request.splitlines()[0] if request else ""
    title = f"{folder.name}: {first}".removesuffix(": ")[:100]
    return PullRequest(title, "\n\n".join(part for part in body if part), tree.branch, tree.base)
