"""What the benches of several specs and several machines share: a repository, people's homes, and a scripted agent."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from shiage.agents import scripted

GIT = "[user]\nname = Ada\nemail = ada@localhost\n[init]\ndefaultBranch = main\n"
REPLY = (
    "# Reply\n\n## Response Summary\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n"
    "|---|---|---|---|---|\n| Critical | {issues} | {fix} | 1 | 0 |\n"
)
DOCUMENTS = {
    "requirements": "# Requirements\n\nWHEN greeted, THE system SHALL greet back.\n",
    "design": "# Design\n\nOne function.\n",
    "tasks": "# Tasks\n\n- [ ] 1. Write it\n- [ ] 2. Write its test\n",
}


def scenes(spec: str, seconds: float) -> list[dict[str, object]]:
    """A spec's agents: each waits as for a model, then does its work well; the first review finds something."""

    def scene(role: str, *do: list[object], **when: object) -> dict[str, object]:
        return {"role": role, "spec": spec, **when, "do": [["hang", seconds], *do, ["say", f"did it for {spec}"]]}

    def written(name: str, text: str) -> list[object]:
        return ["write", name, text]

    authors = [scene("author", written(f"spec:{name}.md", text), phase=name) for name, text in DOCUMENTS.items()]
    review = written("spec:document-review-{round}.md", "# Review\n\n### C1: a point\n")
    replies = [
        scene(
            "responder", written("spec:document-review-{round}-reply.md", REPLY.format(fix=fix, issues=fix + 1)), **when
        )
        for fix, when in ((1, {"round": 1}), (0, {}))
    ]
    code = written(f"{spec}.py", f'def {spec}() -> str:\n    return "{spec}"\n')
    report = written("spec:inspection-{round}.md", "# Inspection\n\n- Judgment: GO\n")
    return [
        *authors,
        scene("reviewer", review),
        *replies,
        scene("implementer", code, ["tick"]),
        scene("inspector", report),
    ]


class Desk:
    """A person with a home, a checkout and settings of their own."""

    def __init__(self, home: Path, root: Path) -> None:
        self.home, self.root = home, root
        home.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text(GIT)

    @property
    def environ(self) -> Mapping[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        return {**kept, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def settle(self, plays: Sequence[object], settings: str) -> None:
        script = self.home / "script.json"
        script.write_text(json.dumps({"speed": 0, "scenes": plays}))
        argv = json.dumps(list(scripted.command(sys.executable, str(script))))
        place = self.home / ".config" / "shiage" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'agent = "actor"\n{settings}\n[agents.actor]\ncommand = {argv}\n[notify]\ndesktop = false\n')

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=self.environ, capture_output=True, text=True, check=True
        )
        return done.stdout

    def shiage(self, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "shiage", *arguments],
            cwd=self.root, env={**self.environ, **(variables or {})}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"shiage {' '.join(arguments)}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "shiage", *arguments],
            cwd=self.root, env=self.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
