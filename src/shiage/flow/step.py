"""What a gate may say, and what a phase is made of."""

from collections.abc import Callable
from dataclasses import dataclass

from shiage.domain.run import Order, Role, Run


@dataclass(frozen=True, slots=True)
class Advance:
    """This gate has nothing against it."""


@dataclass(frozen=True, slots=True)
class Again:
    """One more attempt of this phase."""

    order: Order


@dataclass(frozen=True, slots=True)
class Pause:
    """A person is needed; `order` is what a resume begins with."""

    reason: str
    order: Order
    detail: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Fail:
    """Something is wrong; nothing goes on by itself."""

    reason: str
    order: Order
    detail: str = ""


Step = Advance | Again | Pause | Fail
ADVANCE = Advance()
Gate = Callable[[Run, "Phase"], Step]


@dataclass(frozen=True, slots=True)
class Phase:
    """One row of a workflow."""

    name: str
    roles: tuple[Role, ...]  #: in order; a phase without roles is an effect of shiage alone
    gates: tuple[Gate, ...]
    artefact: str = ""
    rounds: bool = False  #: one look and, if it found something, one answer to it, again and again
    records: tuple[Role, ...] = ()  #: roles whose assessment is written into the spec as part of a round
    seals: bool = False  #: the task list is sealed when the phase is entered
    optional: bool = False  #: off by default; a run that may not enter it has reached its end

    def after(self, role: Role) -> Role:
        """The role that answers this one."""
        return self.roles[self.roles.index(role) + 1]


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    phases: tuple[Phase, ...]

    def phase(self, name: str) -> Phase:
        return self.phases[self.index(name)]

    def index(self, name: str) -> int:
        return [phase.name for phase in self.phases].index(name)

    def first_open(self, finished: tuple[str, ...], start: int = 0) -> Phase | None:
        """The first phase from `start` on that is not finished."""
        return next((phase for phase in self.phases[start:] if phase.name not in finished), None)
