"""A finding that does not count: found by its id, muted by a person, kept as an event."""

from collections.abc import Iterator

from shiage.app.runs import opened
from shiage.app.workspace import Workspace, now
from shiage.domain.errors import UserError
from shiage.domain.events import AttemptAssessed, Muted, StopRequested
from shiage.domain.run import Status
from shiage.domain.verdict import Finding
from shiage.engine.record import events_of
from shiage.journal.reading import read
from shiage.specs.folder import Folder
from shiage.specs.freeform import list_tasks


def mute(workspace: Workspace, finding: str, why: str, spec: str = "") -> str:
    """From now on this finding rejects nothing in the spec or task that it was found in, whose name this gives."""
    if not why.strip():
        raise UserError("reason-missing", "a muted finding needs a reason", help='say why: `--reason "…"`.')
    folder = workspace.folder(spec) if spec else _home_of(workspace, finding)
    found = next((one for one in _findings(folder) if one.id == finding), None)
    if found is None or found.rule == "artefact-missing":
        raise _unknown(finding) if found is None else _needed(found)
    with opened(workspace, folder, "mute") as (_, record):
        main = record.history.main
        if main.status is Status.RUNNING:  # its process is gone, or the lock would have been refused
            record.append(StopRequested(run=main.id, at=now(), by="recovery"))
        record.append(Muted(run=main.id, at=now(), finding=finding, why=why.strip()))
    return folder.name


def _home_of(workspace: Workspace, finding: str) -> Folder:
    """The one spec or task with such a finding."""
    folders = (*workspace.folders(), *list_tasks(workspace.root))
    homes = [folder for folder in folders if any(one.id == finding for one in _findings(folder))]
    if not homes:
        raise _unknown(finding)
    if len(homes) > 1:
        names = ", ".join(folder.name for folder in homes)
        raise UserError("finding-ambiguous", f"{finding} was found in {names}", help="name one of them with `--spec`.")
    return homes[0]


def _findings(folder: Folder) -> Iterator[Finding]:
    for event in events_of(read(folder.path / "event-log.jsonl")):
        if isinstance(event, AttemptAssessed):
            yield from event.assessment.findings
            yield from event.assessment.muted


def _unknown(finding: str) -> UserError:
    return UserError(
        "finding-unknown", f"there is no finding {finding!r}", help="`shiage show SPEC` lists findings with their ids."
    )


def _needed(finding: Finding) -> UserError:
    return UserError(
        "finding-needed",
        f"{finding.path} is what the phase is for, and it is missing",
        help="`shiage approve` accepts a phase; or write the file yourself.",
    )
