"""A spec's folder and a bug's: found, created, and what the disk must say for each of their phases to be over."""

import os
import re
from collections.abc import Callable, Mapping
from os.path import exists
from pathlib import Path

from shiage.domain.details import told
from shiage.domain.errors import UserError, Where
from shiage.specs import files
from shiage.specs.base import NAME, Asked, Folder, now, valid_name, written
from shiage.specs.inspections import InspectionVerdict, read_verdict
from shiage.specs.jsonedit import JsonObject
from shiage.specs.tasks import parse_tasks

__all__ = ["BugFolder", "Folder", "SpecFolder", "create", "find", "list_folders", "valid_name"]

REQUEST = "## Project Description (Input)"
REQUEST_END = re.compile(r"^## (?:Requirements|Introduction)\b", re.MULTILINE)
IMPLEMENTED = frozenset(
    {
        "implementation-complete",
        "implementation-completed",
        "inspection-complete",
        "inspection-fix",
        "validated",
        "deploy-complete",
    }
)
INSPECTED = frozenset({"inspection-complete", "deploy-complete"})


class SpecFolder(Folder):
    """A folder of `.kiro/specs`."""

    workflow = "spec"
    parent = ".kiro/specs"
    state_name = "spec.json"
    known = ("spec.json", "requirements.md", "design.md", "tasks.md")

    @property
    def key(self) -> str:
        return self.name

    def _without_state(self) -> JsonObject:
        raise UserError(
            "spec-unreadable",
            told("no-state", spec=self.name),
            where=Where(self.shown(self.state_name)),
            help=f"restore the file, then `shiage run {self.name}`",
        )

    def request(self) -> str:
        after = (self.text("requirements.md") or "").partition(REQUEST)[2]
        return REQUEST_END.split(after, maxsplit=1)[0].strip()

    def _rules(self) -> Mapping[str, Callable[[Asked], bool]]:
        return {
            "requirements": lambda asked: self._documented("requirements", asked),
            "design": lambda asked: self._documented("design", asked),
            "tasks": lambda asked: self._documented("tasks", asked) and bool(parse_tasks(self._tasks()).boxes),
            "document-review": self._reviewed,
            "impl": self._implemented,
            "inspection": self._inspected,
            "deploy": lambda asked: asked.state.phase == "deploy-complete",
        }

    def _documented(self, phase: str, asked: Asked) -> bool:
        text = self.text(f"{phase}.md") or ""
        return bool(text.strip()) and any(asked.state.approvals.get(phase, ()))

    def _tasks(self) -> str:
        return self.text("tasks.md") or ""

    def _reviewed(self, asked: Asked) -> bool:
        """Only approved means approved, and even that is checked against the last reply."""
        if asked.state.review_status != "approved":
            return False
        reply = None if asked.person_approved else self.last_reply()
        return asked.person_approved or (reply is not None and reply.counts is not None and reply.counts.clean)

    def _implemented(self, asked: Asked) -> bool:
        done, total = parse_tasks(self._tasks()).done_total(asked.optional, asked.ignore_headings)
        return asked.state.phase in IMPLEMENTED and 0 < total == done

    def _inspected(self, asked: Asked) -> bool:
        if asked.state.phase not in INSPECTED:
            return False
        return asked.person_approved or self.last_verdict() is InspectionVerdict.GO


class BugFolder(Folder):
    """A folder of `.kiro/bugs`; its state file is optional."""

    workflow = "bug"
    parent = ".kiro/bugs"
    state_name = "bug.json"
    known = ("bug.json", "report.md", "analysis.md", "fix.md", "verification.md")

    @property
    def key(self) -> str:
        return f"bug-{self.name}"

    def _without_state(self) -> JsonObject:
        return {"bug_name": self.name, "created_at": now(), "updated_at": now(), "phase": "reported"}

    def request(self) -> str:
        return (self.text("report.md") or "").strip()

    def _rules(self) -> Mapping[str, Callable[[Asked], bool]]:
        return {
            "analyze": lambda asked: self._reached("analysis.md", asked, "analyzed", "fixed", "verified"),
            "fix": lambda asked: self._reached("fix.md", asked, "fixed", "verified"),
            "verify": self._verified,
        }

    def _reached(self, artefact: str, asked: Asked, *phases: str) -> bool:
        return asked.state.phase in phases and bool((self.text(artefact) or "").strip())

    def _verified(self, asked: Asked) -> bool:
        if not self._reached("verification.md", asked, "verified"):
            return False
        return asked.person_approved or read_verdict(self.text("verification.md") or "") is InspectionVerdict.GO


KINDS: tuple[type[Folder], ...] = (SpecFolder, BugFolder)


def list_folders(root: Path) -> tuple[Folder, ...]:
    """Every spec, then every bug of the project, by name; what symlinks lead out of the project is none of it."""
    found: list[Folder] = []
    for kind in KINDS:
        here = [entry for entry in files.scanned(root, root / kind.parent) if NAME.fullmatch(entry.name)]
        found += [kind(root, entry.name) for entry in sorted(here, key=_name) if _is_folder(root, kind, entry)]
    return tuple(found)


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _is_folder(root: Path, kind: type[Folder], entry: "os.DirEntry[str]") -> bool:
    """Its parent is inside: only a link can lead out of it."""
    inside = not entry.is_symlink() or Path(entry.path).resolve().is_relative_to(root.resolve())
    return inside and any(exists(f"{entry.path}/{file}") for file in kind.known)  # noqa: PTH110  a Path costs more


def find(root: Path, name: str) -> Folder:
    """The spec of this name, else the bug of this name."""
    valid_name(name)
    for kind in KINDS:
        path = root / kind.parent / name
        if files.inside(root, path).is_dir():
            return kind(root, name)
    near = sorted((_distance(name, folder.name), folder.name) for folder in list_folders(root))[:1]
    remedy = "`shiage status` lists those that exist, `shiage new` makes one"
    if near and near[0][0] <= 2:
        remedy = f'did you mean "{near[0][1]}"? {remedy}'
    raise UserError("spec-unknown", f'there is no spec "{name}" here', help=remedy)


def _distance(one: str, other: str) -> int:
    """How many letters to put in, take out or change."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        before, row = row, [index]
        for place, found in enumerate(other):
            row.append(min(row[place] + 1, before[place + 1] + 1, before[place] + (letter != found)))
    return row[-1]


def create(root: Path, name: str, description: str, language: str, *, bug: bool = False) -> Folder:
    """A new folder with its state and the person's words; a name that a spec or a bug has already is refused."""
    folder: Folder = BugFolder(root, name) if bug else SpecFolder(root, name)
    if any((root / kind.parent / name).exists() for kind in KINDS):
        raise _exists(name)
    contents = _bug_files(name, description, language) if bug else _spec_files(name, description, language)
    try:
        files.make_folder(root, folder.path, contents)
    except FileExistsError as error:
        raise _exists(name) from error
    return folder


def _exists(name: str) -> UserError:
    return UserError("spec-exists", f'"{name}" exists already', help=f"`shiage status {name}` shows where it is")


def _spec_files(name: str, description: str, language: str) -> dict[str, bytes]:
    approvals = {phase: {"generated": False, "approved": False} for phase in ("requirements", "design", "tasks")}
    at = now()
    spec: dict[str, object] = {
        "feature_name": name,
        "created_at": at,
        "updated_at": at,
        "language": language,
        "phase": "initialized",
        "approvals": approvals,
    }
    text = f"# Requirements Document\n\n{REQUEST}\n\n{description}\n\n## Requirements\n"
    return {"requirements.md": text.encode("utf-8", "replace"), "spec.json": written(spec)}


def _bug_files(name: str, description: str, language: str) -> dict[str, bytes]:
    at = now()
    bug = {"bug_name": name, "created_at": at, "updated_at": at, "language": language, "phase": "reported"}
    return {"report.md": f"# {name}\n\n{description}\n".encode("utf-8", "replace"), "bug.json": written(bug)}
