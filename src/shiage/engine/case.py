"""One spec on the desk: its folder, its journal, and the plain values that settings came down to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shiage.agents.adapter import Adapter, AgentSettings
from shiage.agents.table import adapter_for
from shiage.domain.events import Event
from shiage.domain.run import Limits, Order, Role, Run
from shiage.engine.places import Places
from shiage.engine.worktrees import Tree
from shiage.specs.folder import Folder

if TYPE_CHECKING:  # a case is also made for a look, which needs nobody who judges
    from shiage.engine.panel import Panel

#: Called after every closed step, when the journal has it already: commits the work, or carries it elsewhere.
Keep = Callable[[Run, Event], None]


@dataclass(frozen=True, slots=True)
class Guard:
    optional: str = "require"
    ignore_headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an attempt may be silent, how long it may take, and how long it may need to begin."""

    idle_seconds: float = 30 * 60
    total_seconds: float = 240 * 60
    start_seconds: float = 2 * 60


@dataclass(frozen=True, slots=True)
class Tools:
    """What a role may and may not use, in the words of its agent."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Who does not permit a phase, so that the remedy can name the place."""

    path: str  #: the file that a person edits
    said: str  #: what stands there


@dataclass(frozen=True, slots=True)
class Setup:
    """What the person's settings say, as far as a run needs it."""

    agents: Mapping[Role, AgentSettings]
    refused_by: Callable[[str], Refusal | None]  #: asked when a phase is about to start; None: it may
    limits: Limits = field(default_factory=Limits)
    others: Mapping[str, AgentSettings] = field(default_factory=dict)  #: who may take over, by name
    patience: Mapping[Role, Patience] = field(default_factory=dict)
    tools: Mapping[Role, Tools] = field(default_factory=dict)
    guard: Guard = field(default_factory=Guard)
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    panel: "Callable[[], Panel | None]" = lambda: None  #: who judges; None: nobody. Other packages are loaded by it
    adapter: Callable[[str], Adapter] = adapter_for
    flaky: tuple[int, int] = (3, 2)  #: a test command that fails is run so often, and so many runs must pass
    dialect: str | None = None
    commands: tuple[str, ...] = ()  #: the command files that the project has
    environ: Mapping[str, str] = field(default_factory=dict)

    def patience_for(self, role: Role) -> Patience:
        return self.patience.get(role, Patience())

    def agent(self, order: Order) -> AgentSettings:
        """Who plays the role of this order."""
        return self.others.get(order.agent) or self.agents[order.role]


@dataclass(frozen=True, slots=True)
class Case:
    folder: Folder  #: where the spec is worked on: its worktree, if it has one
    places: Places  #: where shiage keeps its books: always the main checkout
    setup: Setup
    workflow: str
    clock: Callable[[], float]
    tree: Tree | None = None
    keep: Keep | None = None

    @property
    def root(self) -> Path:
        """Where agents work."""
        return self.folder.root

    @property
    def name(self) -> str:
        return self.folder.name
