"""The two folds over one journal: the run that goes on by itself, and the latest manual step beside it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from shiage.domain.events import Event, ResumeRequested, RunStarted
from shiage.domain.run import Mode, Run, Status
from shiage.flow.machine import evolve


@dataclass(frozen=True, slots=True)
class History:
    main: Run = field(default_factory=Run)
    step: Run | None = None

    def after(self, event: Event) -> "History":
        """A manual step never changes what the automatic run knows of itself, and has died when that one goes on."""
        if isinstance(event, RunStarted) and event.mode is Mode.STEP:
            return replace(self, step=evolve(Run(muted=self.main.muted), event))
        if self.step is not None and event.run == self.step.id:
            return replace(self, step=evolve(self.step, event))
        dead = isinstance(event, RunStarted | ResumeRequested) and self.step and self.step.status is Status.RUNNING
        return replace(self, main=evolve(self.main, event), step=None if dead else self.step)

    def of(self, run: str) -> Run:
        """The run that an event of this id belongs to."""
        return self.step if self.step is not None and self.step.id == run else self.main

    @property
    def active(self) -> Run:
        """The run that an agent may be at work for."""
        if self.step is not None and (self.step.status is Status.RUNNING or self.step.in_flight):
            return self.step
        return self.main


def recall(events: Iterable[Event]) -> History:
    history = History()
    for event in events:
        history = history.after(event)
    return history
