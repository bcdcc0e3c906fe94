"""What is shown while a run goes on: sentences, JSON lines, or nothing but the end. `live` is the fourth way."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from shiage.agents.adapter import AgentEvent
from shiage.app.journals import line
from shiage.app.reviews import ReviewResult
from shiage.app.views import SpecView
from shiage.cli.context import Context
from shiage.cli.leash import Leash
from shiage.cli.output import emit, show
from shiage.cli.pages import ending, one_line
from shiage.cli.telling import told
from shiage.domain.run import Attempt
from shiage.journal.entry import Entry

#: What a closed pipe and a closed terminal answer.
_GONE = frozenset({errno.EPIPE, errno.EIO})


@dataclass(frozen=True, slots=True)
class End:
    """How a run of one spec ended."""

    view: SpecView
    seconds: float  #: that a person waited for it
    code: int
    review: ReviewResult | None = None  #: of a free-form task


class Front:
    """Tells a person or a program. Nobody to tell is a reason to stop: nothing goes on unseen."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.on_stop: Callable[[], None] = lambda: None  #: asks the run to stop

    def __enter__(self) -> "Front":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leave the terminal as it was found."""

    def may_leave(self, leash: Leash, log: Path) -> None:
        """The run can go on without a terminal, and then tells this file."""

    def began(self, spec: str) -> None:
        """A run of this spec is about to start."""

    def entries(self, spec: str, entries: Sequence[Entry]) -> None:
        self._safely(lambda: self.tell(spec, entries))

    def tell(self, spec: str, entries: Sequence[Entry]) -> None:
        """Entries that have just become durable."""

    def agent(self, spec: str, attempt: Attempt, event: AgentEvent) -> None:
        """Something that the agent did."""

    def stopping(self) -> None:
        """A stop was asked for."""

    def ended(self, end: End) -> None:
        self._safely(lambda: self.close(end))

    def close(self, end: End) -> None:
        """The run has ended."""

    def _safely(self, tell: Callable[[], None]) -> None:
        try:
            tell()
            sys.stdout.flush()
        except OSError as error:
            if error.errno not in _GONE:
                raise
            silence()
            self.on_stop()


def silence() -> None:
    """Nobody reads any more: what is still written goes nowhere."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Quiet(Front):
    """The end only."""

    def close(self, end: End) -> None:
        show(self.context, [one_line(end.view)])


class Sentences(Front):
    """One timestamped sentence for each entry."""

    def tell(self, spec: str, entries: Sequence[Entry]) -> None:
        show_all = self.context.verbose
        for entry in entries:
            if show_all or entry.visibility == "summary":
                show(self.context, [told(spec, entry)])

    def close(self, end: End) -> None:
        show(self.context, ["", *ending(end.view, end.seconds, colored=self.context.colored)])


class JsonLines(Front):
    """The journal as it grows; the last line is the result."""

    def tell(self, spec: str, entries: Sequence[Entry]) -> None:  # noqa: ARG002  an entry names its run
        for entry in entries:
            print(line(entry))

    def close(self, end: End) -> None:
        review = end.review.as_json() if end.review else {}
        emit({"v": 1, "type": "result", **end.view.as_json(), **review, "exit_code": end.code})
