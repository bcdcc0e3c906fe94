"""The gate alone: a change, a folder or a report is judged as an attempt would be."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from posixpath import normpath

from shiage.app.hands import panel_of
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.domain.verdict import Finding, Judgment, Verdict
from shiage.engine import revision
from shiage.engine.revision import Texts
from shiage.judge.change import changes_of

MOST_REPORT = 2_000_000  #: bytes of a report; more is no report


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be judged."""

    paths: tuple[str, ...] = ()
    base: str = ""  #: a revision or a folder; empty: HEAD, or everything where there is no history
    report: Path | None = None


def judge(workspace: Workspace, asked: Asked) -> Verdict:
    """The verdict on the change and, if there is one, on the agent's report."""
    texts = change_of(workspace.root, asked)
    report = _read(asked.report) if asked.report else None
    if report is None and not changes_of(texts.after, texts.before):  # nothing to judge; line ends are no text
        return Verdict(Judgment.PASS)
    return panel_of(workspace).verdict(report, texts.after, texts.before)


def change_of(root: Path, asked: Asked) -> Texts:
    """What is to be judged, as texts before and after."""
    for path in asked.paths:
        if not (root / path).resolve().is_relative_to(root.resolve()):
            raise UserError(
                "path-outside", f"{path} is outside the project", help="name files or folders of the project."
            )
    texts = _texts(root, asked)
    for path in asked.paths:
        if not (root / path).exists() and not any(_is_below(name, path) for name in texts.after):
            raise UserError("path-missing", f"there is no {path}", help="name files or folders that exist or existed.")
    return texts


def _is_below(name: str, path: str) -> bool:
    plain = normpath(path)
    return name == plain or name.startswith(f"{plain}/")


def _texts(root: Path, asked: Asked) -> Texts:
    if asked.base and Path(asked.base).is_dir():
        return revision.between(Path(asked.base).resolve(), root, asked.paths)
    if asked.base or revision.is_repository(root):
        return revision.since(root, asked.base or "HEAD", asked.paths)
    return revision.everything(root, asked.paths)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_REPORT).decode("utf-8", "replace")
    except OSError as error:
        raise UserError(
            "report-unreadable", f"{path} cannot be read: {error.strerror}", help="name a text file."
        ) from error


def as_report(verdict: Verdict) -> dict[str, object]:
    """The stable keys of `check --json`."""
    return {
        "v": 1,
        "judgment": verdict.judgment.value,
        "criteria_results": [asdict(result) for result in verdict.criteria_results],
        "findings": [{"id": finding.id, **asdict(finding)} for finding in verdict.findings],
    }


def as_sarif(verdict: Verdict, version: str) -> dict[str, object]:
    """For code-scanning services."""
    rules = sorted({f"{f.criteria_id}/{f.rule}" for f in verdict.findings})
    driver = {"name": "shiage", "version": version, "rules": [{"id": rule} for rule in rules]}
    run = {"tool": {"driver": driver}, "results": [_sarif(finding) for finding in verdict.findings]}
    return {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}


def _sarif(finding: Finding) -> dict[str, object]:
    place = {"artifactLocation": {"uri": finding.path}, "region": {"startLine": finding.line or 1}}
    return {
        "ruleId": f"{finding.criteria_id}/{finding.rule}",
        "level": "error",
        "message": {"text": f"{finding.description} {finding.suggestion}".strip()},
        "locations": [{"physicalLocation": place}] if finding.path else [],
    }


def as_github(findings: Sequence[Finding]) -> list[str]:
    """Annotations of a workflow run."""
    return [
        f"::error file={f.path},line={f.line or 1},title={f.criteria_id} {f.rule}::{_escaped(f.description)}"
        for f in findings
    ]


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
