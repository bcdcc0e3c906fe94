"""Several runs at once: each in a worktree of its own; those that cannot have one share the main checkout in turn."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from shiage.app import runs
from shiage.app.runs import Watch
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.domain.run import Run

#: Why a spec cannot have a worktree now: it is in the middle of a run here, it is no spec, there is no repository.
_MUST_STAY = frozenset(
    {"worktree-late", "worktree-task", "no-repository", "no-commit", "no-identity", "spec-ignored", "git-missing"}
)


@dataclass(slots=True)
class Beside:
    workspace: Workspace
    until: str
    worktree: bool  #: a person asked for one
    base: str
    several: bool
    staying: Callable[[str, UserError], None]  #: told which spec has no worktree, and why
    _main: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, name: str, watch: Watch) -> Run:
        if self.worktree or self.several or watch.apart:
            try:
                return await runs.run(
                    self.workspace, name, until=self.until, watch=watch, worktree=True, base=self.base
                )
            except UserError as error:
                if self.worktree or not must_stay(error):
                    raise
                self.staying(name, error)
        async with self._main:
            return await runs.run(self.workspace, name, until=self.until, watch=watch)


def must_stay(error: UserError) -> bool:
    """Whether this is about the worktree alone, so that the run may go on in the main checkout when that is free."""
    return error.code in _MUST_STAY
