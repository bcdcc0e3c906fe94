"""The demo: one story with every idea in it, played by a scripted agent in a temporary project with a real history."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shiage.agents import scripted
from shiage.app.runs import Watch, run
from shiage.app.story import Story, tell
from shiage.app.workspace import Workspace, open_workspace
from shiage.config import user_state_dir
from shiage.config.trust import trust
from shiage.domain.errors import UserError, Where
from shiage.domain.run import Run, Status
from shiage.domain.verdict import Judgment
from shiage.engine.places import Places
from shiage.flow.gates import reruns
from shiage.flow.workflows import SPEC
from shiage.specs.folder import create

SPEC_NAME = "demo"


@dataclass(frozen=True, slots=True)
class DemoResult:
    root: Path
    run: Run
    seconds: float
    phases: int  #: finished
    rounds: int  #: of the document review
    reruns: int  #: of the implementation, because boxes were open
    rejections: int  #: by the judge
    inspections: int


async def play(
    folder: Path | None, *, language: str, speed: float, environ: Mapping[str, str], watch: Watch
) -> DemoResult:
    """Set the stage, run the spec to GO, and count what was to be seen."""
    began = time.monotonic()
    workspace = stage(folder, language=language, speed=speed, environ=environ)
    ended = await run(workspace, SPEC_NAME, watch=watch)
    if ended.status is Status.COMPLETED:
        _commit(workspace.root, tell(language).after, workspace.environ)
    return _result(workspace.root, ended, time.monotonic() - began)


def stage(folder: Path | None, *, language: str, speed: float, environ: Mapping[str, str]) -> Workspace:
    """The project of the demo, ready for its run."""
    if shutil.which("git", path=environ.get("PATH")) is None:
        raise UserError("git-missing", "the demo keeps a real history and finds no git", help="install git.")
    state, story = user_state_dir(environ), tell(language)
    root = _new_folder(folder)
    environ = _own(environ, root)
    try:
        _set_stage(root, story, speed, environ)
        _trusted(root, state)
    except (UserError, OSError) as error:
        shutil.rmtree(root, ignore_errors=True)  # it was empty: a second try must find it so
        raise _explained(error, root) from error
    return open_workspace(root, environ)


def _result(root: Path, ended: Run, seconds: float) -> DemoResult:
    judged = [attempt.assessment for attempt in ended.attempts if attempt.assessment]
    return DemoResult(
        root=root,
        run=ended,
        seconds=seconds,
        phases=len(ended.facts.finished),
        rounds=ended.closed.get("document-review", 0),
        reruns=reruns(ended, SPEC.phase("impl")),
        rejections=sum(found.judgment is Judgment.REJECT for found in judged),
        inspections=ended.closed.get("inspection", 0),
    )


def _new_folder(folder: Path | None) -> Path:
    try:
        if folder is None:
            return Path(tempfile.mkdtemp(prefix="shiage-demo-")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.iterdir()):
            return folder.resolve()
    except FileExistsError:
        pass
    except OSError as error:
        raise _explained(error, folder or Path(tempfile.gettempdir())) from error
    remedy = "name one that does not exist yet: the demo overwrites nothing."
    raise UserError("not-empty", f"{folder} is not an empty folder", where=Where(str(folder)), help=remedy)


def _own(environ: Mapping[str, str], root: Path) -> dict[str, str]:
    """The person's environment without what would change the story: their agents, their limits, a git hook's folder."""
    kept = {name: value for name, value in environ.items() if not name.startswith(("SHIAGE_", "GIT_"))}
    return {**kept, "XDG_CONFIG_HOME": str(root / ".shiage" / "config")}


def _settings(root: Path, language: str) -> str:
    """The command line of its agent, and the tests that shiage runs itself before it believes a GO."""
    agent = scripted.command(sys.executable, str(_script(root)))
    test = (sys.executable, "-m", "unittest", "-q")
    return (
        f'agent = "demo"\nlanguage = "{language}"\n\n'
        f"[agents.demo]\ncommand = {json.dumps(agent, ensure_ascii=False)}\n\n"
        f"[checks]\ntest = {json.dumps(test, ensure_ascii=False)}\n\n"
        "[notify]\ndesktop = false\n"
    )


def _script(root: Path) -> Path:
    return root / ".shiage" / "demo" / "script.json"


def _set_stage(root: Path, story: Story, speed: float, environ: Mapping[str, str]) -> None:
    """The project as it is before anybody works in it."""
    script = _script(root)
    Places(root, SPEC_NAME).prepare()
    script.parent.mkdir()
    _write(script, json.dumps({"speed": speed, "scenes": story.scenes}, ensure_ascii=False))
    _write(root / "shiage.toml", _settings(root, story.language))
    _write(root / "README.md", story.readme)
    _write(root / ".gitignore", ".shiage/\n__pycache__/\n")
    create(root, SPEC_NAME, story.request, story.language)
    _git(root, environ, "-c", "init.defaultBranch=main", "init", "--quiet", "--template=")
    with (root / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(_GIT_CONFIG)
    _commit(root, story.before, environ)


#: The repository's own, so that neither a missing name nor the person's signing, hooks and ignored files matter.
_GIT_CONFIG = f"""[user]
\tname = shiage demo
\temail = demo@localhost
[commit]
\tgpgSign = false
[core]
\thooksPath = {os.devnull}
\texcludesFile = {os.devnull}
\tautocrlf = false
"""


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _commit(root: Path, message: str, environ: Mapping[str, str]) -> None:
    _git(root, environ, "add", "--all")
    _git(root, environ, "commit", "--quiet", "--allow-empty", "--message", message)


def _git(root: Path, environ: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run(
        ("git", *arguments), cwd=root, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        command = " ".join(("git", *arguments))
        raise UserError("git-failed", said, where=Where(str(root)), help=f"make `{command}` work in an empty folder.")


def _trusted(root: Path, state: Path) -> None:
    """What the demo wrote itself needs nobody's consent; but it is written down like any other."""
    try:
        trust(root, state)
    except UserError as error:
        remedy = "make that folder writable, or set XDG_STATE_HOME to one that is, then `shiage demo`."
        raise UserError(error.code, error.message, where=error.where, help=remedy) from error


def _explained(error: UserError | OSError, root: Path) -> UserError:
    if isinstance(error, UserError):
        return error
    said = f"the demo's project cannot be written: {error.strerror or error}"
    remedy = "name a folder that you can write to, or set TMPDIR to one."
    return UserError("demo-not-writable", said, where=Where(str(error.filename or root)), help=remedy)
