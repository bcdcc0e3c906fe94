"""Commands that shiage runs itself, so that nobody has to be believed about them."""

import asyncio
import secrets
from dataclasses import dataclass

from shiage.agents.launch import Launch
from shiage.agents.process import run as supervise
from shiage.domain.outcome import Ending
from shiage.domain.run import Attempt, Role, Run
from shiage.domain.verdict import Finding
from shiage.engine.case import Case

#: What of a failing command's output is handed to the fixer.
TAIL_BYTES = 4000
#: What of it is read to tell one failure from another.
_MOST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it said."""

    passed: bool
    how: str
    output: str

    @property
    def tail(self) -> str:
        return self.output[-TAIL_BYTES:]


async def perform(case: Case, run: Run, argv: tuple[str, ...], name: str, marker: str, stop: asyncio.Event) -> Ran:
    """Run one command in the project to its end; its output is kept beside the attempts'."""
    log = case.places.run_folder(run.id) / f"{name}.log"
    own = f"{marker}-{secrets.token_hex(4)}"  # runs of several specs have the same names, and may have one process
    patience = case.setup.patience_for(Role.INSPECTOR).total_seconds
    launch = Launch(
        argv=argv, env=dict(case.setup.environ), cwd=case.root, stdin=b"", log=log, err=log.with_suffix(".err"),
        marker=own, idle_seconds=patience, total_seconds=patience, grace_seconds=0.0,
    )  # fmt: skip
    ended = await supervise(launch, stop=stop, on_lines=None)
    passed = ended.ending is Ending.COMPLETED and ended.exit_code == 0
    said = b"\n".join(path.read_bytes()[-_MOST_BYTES:] for path in (log, log.with_suffix(".err")) if path.exists())
    return Ran(passed, ended.detail or f"exit code {ended.exit_code}", said.decode(errors="replace").strip())


async def failing(case: Case, run: Run, attempt: Attempt, stop: asyncio.Event) -> tuple[Finding, ...]:
    """Run every configured check; a finding with its output for each that fails."""
    found = []
    for name, argv in case.setup.checks.items():
        ran = await perform(case, run, argv, f"check-{attempt.number}-{name}", f"{attempt.agent_id}-{name}", stop)
        if not ran.passed:
            said = f"`{' '.join(argv)}` failed: {ran.how}"
            found.append(Finding("CHECK", name, "", None, ran.tail, said, "make it pass"))
    return tuple(found)
