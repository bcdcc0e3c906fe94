"""The settings as frozen values. The defaults here are the only ones; `table.py` reads them from `Settings()`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

BUILT_IN_AGENTS = ("claude", "codex", "gemini", "opencode", "copilot", "qwen", "acp", "demo")
PHASES = ("requirements", "design", "tasks", "document-review", "impl", "inspection", "deploy")
BUG_PHASES = ("analyze", "fix", "verify")
ROLES = ("author", "reviewer", "responder", "implementer", "inspector", "fixer")
COMMAND = "command"  #: the kind of an agent that is any command, spoken to on stdin and stdout


def _permitted() -> Mapping[str, bool]:
    """Deploying changes what others use, so it alone needs an explicit yes."""
    return MappingProxyType({phase: phase != "deploy" for phase in PHASES + BUG_PHASES})


def _none_named() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tools:
    """What a role may and may not use without asking, in the words of its agent."""

    allow: Mapping[str, tuple[str, ...]] = field(default_factory=_none_named)  #: role -> tools
    deny: Mapping[str, tuple[str, ...]] = field(default_factory=_none_named)


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """One agent by name: a built-in kind with options, or a command."""

    kind: str  #: a built-in kind, a plugin's, or COMMAND
    command: tuple[str, ...] | None = None  #: the program and its arguments; with a built-in kind, its executable
    model: str | None = None
    permission_mode: str | None = None
    takeover: str | None = None  #: the agent that works while this one's usage limit lasts
    extra_args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()  #: names of variables handed on beyond the usual ones


@dataclass(frozen=True, slots=True)
class Limits:
    review_rounds: int = 7
    impl_reruns: int = 7
    inspection_rounds: int = 3
    attempt_minutes: float = 240
    idle_minutes: float = 30
    start_minutes: float = 2
    attempt: Mapping[str, float] = field(default_factory=_none_named)  #: role -> minutes, only where they differ
    idle: Mapping[str, float] = field(default_factory=_none_named)
    usage_wait_minutes: float = 12 * 60
    retries: int = 3


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use; None is unlimited."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    optional: str = "require"  #: or "skip": open optional boxes do not hold the run up
    ignore_headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """Argument lists that shiage itself runs; never a shell."""

    test: tuple[str, ...] | None = None
    lint: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Criteria:
    mandatory: tuple[str, ...] = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6")
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewLoop:
    enabled: bool = True
    max_iterations: int = 3
    retry_delay_ms: int = 1000
    escalate_on_max: bool = True
    criteria: Criteria = Criteria()
    omission_patterns: tuple[str, ...] = (
        "...",
        "// 残り省略",
        "// etc.",
        "// 以下同様",
        "/* 省略 */",
        "// ...",
        "// remaining",
        "// and so on",
    )
    early_termination_patterns: tuple[str, ...] = (
        "これで完了です",
        "以上です",
        "完了しました",
        "This completes",
        "Done.",
        "That's all",
    )
    todo_words: tuple[str, ...] = ("TODO", "FIXME", "TBD")
    template: str | None = None  #: "goal_drift_guard", a plugin's, or none
    judge: str | None = None  #: an agent or a model for a second opinion
    judge_minutes: float = 10
    flaky_runs: int = 3
    flaky_passes: int = 2


@dataclass(frozen=True, slots=True)
class Notify:
    desktop: bool = True
    webhooks: tuple[str, ...] = ()
    apprise: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Queue:
    url: str | None = None  #: None is the embedded queue
    remote: str | None = None  #: the repository by which runs travel; None: the one that `origin` names


def _built_in() -> Mapping[str, AgentConfig]:
    return MappingProxyType({name: AgentConfig(kind=name) for name in BUILT_IN_AGENTS})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can set, read once; lower layers get plain values out of it."""

    agent: str = "claude"
    language: str | None = None  #: "en", "ja", or None: the front end asks the locale
    max_parallel: int = 5
    permissions: Mapping[str, bool] = field(default_factory=_permitted)
    roles: Mapping[str, str] = field(default_factory=_none_named)  #: only the roles that were named
    limits: Limits = Limits()
    budget: Budget = Budget()
    tools: Tools = Tools()
    guard: Guard = Guard()
    checks: Checks = Checks()
    review_loop: ReviewLoop = ReviewLoop()
    agents: Mapping[str, AgentConfig] = field(default_factory=_built_in)  #: the built-in ones and the declared ones
    notify: Notify = Notify()
    queue: Queue = Queue()

    def agent_for(self, role: str) -> str:
        """The name of the agent that plays this role."""
        return self.roles.get(role, self.agent)
