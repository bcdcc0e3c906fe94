"""What lies in a spec's folder for a person to read."""

from shiage.domain.errors import UserError
from shiage.specs import files
from shiage.specs.base import ARTEFACT
from shiage.specs.folder import Folder
from shiage.specs.tasks import Box, parse_tasks

_FIRST = ("requirements.md", "design.md", "tasks.md")


def documents(folder: Folder) -> tuple[str, ...]:
    """Names of the Markdown files, those of the workflow first."""
    names = {path.name for path in files.entries(folder.root, folder.path) if _is_document(path.name)}
    return (*(name for name in _FIRST if name in names), *sorted(names.difference(_FIRST), key=_by_number))


def _is_document(name: str) -> bool:
    return name.endswith(".md") and ARTEFACT.fullmatch(name) is not None


def _by_number(name: str) -> tuple[object, ...]:
    """document-review-2 before document-review-10."""
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in name.replace(".", "-").split("-"))


def document(folder: Folder, name: str) -> str:
    """The text of one of the documents; any other name is none."""
    text = folder.text(name) if name in documents(folder) else None
    if text is None:
        raise UserError(
            "file-unknown", f'"{folder.name}" has no file {name[:80]!r}', help="the spec's page lists them."
        )
    return text


def tasks(folder: Folder) -> tuple[Box, ...]:
    """The boxes of tasks.md, in its order."""
    return parse_tasks(folder.text("tasks.md") or "").boxes
