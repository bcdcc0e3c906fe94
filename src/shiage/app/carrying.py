"""Sends a spec off on its branch, takes it from there to this machine, and gives it back."""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace

from shiage.app import abroad
from shiage.app.settings_view import Asked
from shiage.app.tickets import open_of, queue_of, subject_of, worker_of
from shiage.app.workspace import Workspace
from shiage.config import load, user_state_dir
from shiage.config.trust import fingerprint, is_trusted
from shiage.domain.errors import UserError, Where
from shiage.domain.run import Status
from shiage.engine import edits, git
from shiage.engine.carrier import Carried, Route, carried, publish
from shiage.engine.case import Keep
from shiage.engine.record import events_of
from shiage.flow.history import recall
from shiage.journal.reading import read
from shiage.queue.store import ClaimLost, Store, Taken
from shiage.queue.tickets import State, Ticket, Wish
from shiage.specs.folder import Folder, valid_name

_INSIDE = re.compile(r"(?:(?!\.{1,2}/)[^/\0]+/)*")
_ANY = 10**6  #: a person's decision needs no room among the runs
RENEW = 1 / 6  #: of a lease


def travels(workspace: Workspace, folder: Folder) -> bool:
    """A shared queue is for runs that any machine can take; a task in one's own words stays where it was given."""
    return bool(workspace.settings.queue.url) and not workspace.taken_by and folder.workflow != "task"


def send_off(workspace: Workspace, folder: Folder, base: str = "") -> dict[str, str]:
    """Put the spec on its branch if it is not there yet; what a ticket must say so that any machine can take it."""
    route = abroad.required(workspace.root, workspace.settings.queue)
    trouble = abroad.seen(route).trouble
    if trouble:
        raise trouble
    if not workspace.is_away(folder):
        _refuse_begun(folder)
        publish(route.url, folder, inside=route.inside, revision=base)
        edits.remember(route, folder)
        abroad.forget(route)
    elif base:
        raise UserError(
            "worktree-exists", f'"{folder.name}" was begun already', help=f"`shiage run {folder.name}` goes on with it."
        )
    elif not worker_of(workspace, folder):
        home = type(folder)(workspace.root, folder.name)
        if edits.bring(route, home, folder, abroad.seen(route).commits[folder.key]):
            abroad.forget(route)
    onto = git.branch_of(workspace.root)
    return {"remote": route.url, "inside": route.inside, "kind": folder.workflow, "onto": onto}


def _refuse_begun(folder: Folder) -> None:
    """What a run here has made would be missing elsewhere."""
    main = recall(events_of(read(folder.path / "event-log.jsonl"))).main
    if folder.state().worktree or main.status not in (Status.IDLE, Status.COMPLETED):
        raise UserError(
            "travel-late", f'"{folder.name}" is in the middle of a run on this machine alone',
            help=f"end that run first: `shiage run {folder.name}` with SHIAGE_QUEUE__URL=none goes on with it here, "
            f"`shiage reset {folder.name}` gives it up.",
        )  # fmt: skip


@contextmanager
def taken(workspace: Workspace, ticket: Ticket, owner: str) -> Iterator[tuple[Workspace, Carried]]:
    """Hold the spec of this ticket here, in a project of its own whose settings are those of its branch."""
    order = ticket.order
    inside = order.get("inside", "")
    if not _INSIDE.fullmatch(inside):
        raise UserError("path-outside", f"{inside[:80]!r} leads out of the repository", help="queue the spec again.")
    route = Route(order["remote"], abroad.place_of(workspace.root, order["remote"]), inside)
    said = f"{owner} {ticket.id}.{ticket.token}"
    try:
        with carried(route, order["name"], bug=order.get("kind") == "bug", owner=said) as held:
            yield _project(workspace, held), held
    finally:
        abroad.forget(route)


def _project(workspace: Workspace, held: Carried) -> Workspace:
    root, environ, chosen = held.tree.root, workspace.environ, workspace.overrides
    found = Workspace(root, load(root, overrides=chosen, environ=environ), environ, chosen, workspace.root)
    if not found.trusted:
        name = held.folder.name
        raise UserError(
            "not-trusted", f'the settings that the branch of "{name}" brings were not accepted on this machine',
            where=Where(str(root)), help=f"there: `shiage --project {workspace.root} trust {name}`, then queue it again.",
        )  # fmt: skip
    return found


def ask_trust_of(workspace: Workspace, name: str) -> Asked:
    """What the branch of a spec brings: accepted once, it counts for every spec that brings the same."""
    route = abroad.required(workspace.root, workspace.settings.queue)
    brought = [route.place / key / route.inside for key in (valid_name(name), f"bug-{name}")]
    there = next((root for root in brought if root.is_dir()), None)
    if there is None:
        raise UserError(
            "spec-unknown", f'no branch of "{name}" was taken to this machine', help="`shiage queue list` says where."
        )
    content = replace(fingerprint(there), project=workspace.root.resolve())
    return Asked(content, is_trusted(content, user_state_dir(workspace.environ)))


@contextmanager
def at_hand(workspace: Workspace, folder: Folder, doing: str) -> Iterator[tuple[Workspace, Folder, Keep]]:
    """A spec that travels, held here for something that a person does to it, and pushed when that is done."""
    with claimed_by_hand(workspace, folder) as (ticket, owner), taken(workspace, ticket, owner) as (there, held):
        yield there, there.folder(folder.name), held.keep
        held.push(f"{folder.name}: {doing}")


@contextmanager
def claimed_by_hand(workspace: Workspace, folder: Folder, over: str = "") -> Iterator[tuple[Ticket, str]]:
    """Nobody else works on it meanwhile. Afterwards its ticket is what it was, unless this is the end of it."""
    with queue_of(workspace) as store:
        before = open_of(store, subject_of(workspace, folder))
        claimed = _claimed(workspace, store, folder, before)
        ended = before is None or before.state is State.RUNNING
        try:
            with _renewing(store, claimed):
                yield claimed, store.me.name
            ended = ended or bool(over)
        finally:
            kept = {"detail": before.detail, "run": before.run} if before else {}
            reason, later = (before.reason, before.not_before) if before else ("", 0.0)
            after = State.CANCELLED if ended or before is None else before.state
            with suppress(ClaimLost):
                store.finish(claimed, after, not_before=later, reason=over if ended else reason, **kept)


def _claimed(workspace: Workspace, store: Store, folder: Folder, before: Ticket | None) -> Ticket:
    order: Mapping[str, str] = before.order if before else {"name": folder.name, **send_off(workspace, folder)}
    wish = Wish(subject_of(workspace, folder), order=order, agents=before.agents if before else ())
    try:
        found = store.claim(most=_ANY, id=store.reserve(wish).id)
    except Taken as taken:
        raise busy(folder.name, taken) from taken
    if found is None:
        raise UserError(
            "busy", f'"{folder.name}" was taken by another', help=f"`shiage status {folder.name}` shows it."
        )
    return found


def busy(name: str, taken: Taken) -> UserError:
    owner = taken.owner
    return UserError(
        "busy",
        f'"{name}" is held by process {owner.pid} on {owner.host} (ticket {taken.ticket.id})',
        help=f"`shiage status {name}` shows it, `shiage stop {name}` ends it.",
    )


@contextmanager
def _renewing(store: Store, ticket: Ticket) -> Iterator[None]:
    """Keep the claim while the repository is fetched and pushed to, however long that takes."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(store.lease * RENEW):
            with suppress(UserError):
                store.renew([ticket])

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def as_ticket(ticket: Ticket, answer: str) -> Ticket:
    """The claim with the words that a person gave at the terminal."""
    return replace(ticket, answer=ticket.answer or answer)
