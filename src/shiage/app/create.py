"""New specs, and a project made ready: never overwriting what is there."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.app.workspace import Workspace
from shiage.config import user_state_dir
from shiage.config.trust import trust
from shiage.prompts import slash_commands
from shiage.specs.files import write_atomic
from shiage.specs.folder import Folder, create
from shiage.specs.freeform import create_task

IGNORED = ".shiage/"


def new(workspace: Workspace, name: str, description: str, *, bug: bool = False) -> Folder:
    language = workspace.settings.language or "en"
    return create(workspace.root, name, description, language, bug=bug)


def new_task(workspace: Workspace, request: str, language: str) -> Folder:
    """A free-form task, ready to be run like a spec."""
    return create_task(workspace.root, request, language)


@dataclass(frozen=True, slots=True)
class Planned:
    """One file that `init` would write, or would have to change and therefore leaves alone."""

    path: str
    text: str
    found: str | None  #: what is there already

    @property
    def kept(self) -> bool:
        return self.found is not None and not self.appended

    @property
    def appended(self) -> bool:
        return self.path == ".gitignore" and self.found is not None and self.text.startswith(self.found)

    @property
    def same(self) -> bool:
        return self.found == self.text

    @property
    def diff(self) -> str:
        old, new_ = (self.found or "").splitlines(keepends=True), self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new_, f"a/{self.path}", f"b/{self.path}"))


def plan_init(root: Path, agent: str, language: str) -> list[Planned]:
    """Everything `init` wants to be there, beside what is."""
    files: dict[str, str] = {"shiage.toml": _settings(agent, language)}
    if agent == "claude":
        files |= dict(slash_commands(language))
    planned = [Planned(path, text, _read(root / path)) for path, text in files.items()]
    return [*planned, _ignore(root)]


def _ignore(root: Path) -> Planned:
    found = _read(root / ".gitignore")
    lines = (found or "").splitlines()
    if IGNORED in lines or ".shiage" in lines:
        return Planned(".gitignore", found or "", found)
    gap = "" if not found or found.endswith("\n") else "\n"
    return Planned(".gitignore", f"{found or ''}{gap}{IGNORED}\n", found)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def _settings(agent: str, language: str) -> str:
    return f'agent = "{agent}"\nlanguage = "{language}"\n\n[permissions]\ndeploy = false\n'


def apply_init(root: Path, planned: list[Planned], environ: Mapping[str, str]) -> list[str]:
    """Write what is new; a file that differs is left as it is. What shiage wrote itself is trusted."""
    written = []
    for file in planned:
        if not file.same and not file.kept:
            (root / file.path).parent.mkdir(parents=True, exist_ok=True)
            write_atomic(root, root / file.path, file.text.encode())
            written.append(file.path)
    if "shiage.toml" in written:
        trust(root, user_state_dir(environ))
    return written
