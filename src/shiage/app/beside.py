"""Several runs at once: each in a worktree of its own; those that cannot have one share the main checkout in turn."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from shiage.app import runs
from shiage.app.runs import Watch
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError
from shiage.domain.run import Run, Status

#: Why a spec cannot have a worktree now: it is in the middle of a run here, it is no spec, there is no repository.
_MUST_STAY = frozenset(
    {"worktree-late", "worktree-task", "no-repository", "no-commit", "no-identity", "spec-ignored", "git-missing"}
)
LOOK_SECONDS = 0.5  #: between two looks whether the main checkout is free


@dataclass(slots=True)
class Beside:
    workspace: Workspace
    until: str
    worktree: bool  #: a person asked for one
    base: str
    several: bool
    tell: Callable[[str, str, UserError], None]  #: that this spec is set "apart" or waits its "turn", and why

    async def run(self, name: str, watch: Watch) -> Run:
        """In the main checkout if that is free, else in a worktree; what cannot have one waits for its turn."""
        go = partial(runs.run, self.workspace, name, until=self.until, watch=watch)
        if not (self.worktree or self.several):
            try:
                return await go()
            except UserError as error:
                if not _is_shared(error):
                    raise
                self.tell("apart", name, error)
        try:
            return await go(worktree=True, base=self.base)
        except UserError as error:
            if self.worktree or not must_stay(error):
                raise
            return await self._in_turn(go, name, error, watch)

    async def _in_turn(self, go: Callable[[], Awaitable[Run]], name: str, stays: UserError, watch: Watch) -> Run:
        turn = _Turn()
        watch.started(turn)
        while not turn.is_over:
            try:
                return await go()
            except UserError as error:
                if not _is_shared(error):
                    raise
            if not turn.told:
                self.tell("turn", name, stays)
            await turn.look_again()
        return Run(spec=name, status=Status.PAUSED, reason="stopped")


class _Turn:
    """Waits for the main checkout. A stop reaches it as it reaches a run."""

    def __init__(self) -> None:
        self.told = False
        self._over = asyncio.Event()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def request_stop(self, by: str = "person") -> None:  # noqa: ARG002  who asks is all the same here
        self._over.set()

    async def look_again(self) -> None:
        self.told = True
        try:
            await asyncio.wait_for(self._over.wait(), LOOK_SECONDS)
        except TimeoutError:
            return


def must_stay(error: UserError) -> bool:
    """Whether this is about the worktree alone, so that the run may go on in the main checkout when that is free."""
    return error.code in _MUST_STAY


def _is_shared(error: UserError) -> bool:
    """Whether another run is at work in the main checkout."""
    return error.code == "checkout-busy"
