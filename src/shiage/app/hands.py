"""Who works in a run and who judges it: adapters, criteria, commands, models, and what other packages bring."""

import sys
from importlib.util import find_spec

from shiage import plugins
from shiage.agents.adapter import Adapter, AgentSettings
from shiage.agents.table import ADAPTERS, adapter_for
from shiage.app.workspace import Workspace
from shiage.config import Settings
from shiage.domain.errors import UserError
from shiage.engine.panel import COMMANDS, Judge, Panel, sorted_out
from shiage.judge import EVALUATORS

#: What the libraries of the providers read; each is handed on only to a model's own process.
_API_VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY",
)  # fmt: skip


def adapter_of(kind: str) -> Adapter:
    """The adapter of a kind: a built-in one, else what another package brings."""
    if kind in ADAPTERS:
        return ADAPTERS[kind]
    return plugins.adapter(kind) or adapter_for(kind)


def further_kinds() -> frozenset[str]:
    """The kinds of agents that other packages bring; each is also the name of an agent that needs no settings."""
    return frozenset(plugins.installed("shiage.agents"))


def panel_of(workspace: Workspace) -> Panel:
    """Who judges; a criterion or a command that is enabled and not there is an error."""
    settings = workspace.settings
    loop = settings.review_loop
    enabled = (*loop.criteria.mandatory, *loop.criteria.optional)
    texts, commands, further, drift = sorted_out(enabled)
    for name in commands:
        if not getattr(settings.checks, COMMANDS[name]):
            remedy = f"set [checks] {COMMANDS[name]}, or take {name} out of [review_loop] criteria."
            raise UserError("check-missing", f"{name} is enabled and no command is set for it", help=remedy)
    template = loop.template or ("goal_drift_guard" if drift else None)
    own = any(row.template_id == template for row in EVALUATORS)
    return Panel(
        texts=texts,
        commands=commands,
        further=plugins.criteria(further) if further else {},
        template=template,
        evaluators=EVALUATORS if own or template is None else (*EVALUATORS, *plugins.evaluators(template)),
        settings=_judging(settings),
        judge=Judge(_judge(workspace, loop.judge), loop.judge_minutes * 60) if loop.judge else None,
    )


def _judging(settings: Settings) -> dict[str, object]:
    """The settings of the built-in criteria in the words of the review loop's own file."""
    loop = settings.review_loop
    return {
        "criteria": {"mandatory": loop.criteria.mandatory, "optional": loop.criteria.optional},
        "omission_patterns": loop.omission_patterns,
        "early_termination_patterns": loop.early_termination_patterns,
        "marks": loop.todo_words,
    }


def _judge(workspace: Workspace, name: str) -> AgentSettings:
    """An agent by its name; `provider:model` is a model that is asked over its API, in a process of its own."""
    if ":" not in name or name in workspace.settings.agents:
        return workspace.agent(name)
    if find_spec("pydantic_ai") is None:
        raise UserError(
            "extra-missing", f"{name} is asked over its API", help='install it: `pip install "shiage[judge]"`.'
        )
    command = (sys.executable, "-m", "shiage.agents.api_model", name)
    return AgentSettings(name, "command", command, env={key: f"${key}" for key in _API_VARIABLES})
