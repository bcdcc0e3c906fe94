"""The agents that can be driven. A new one is a module beside these and a row here, or a plugin's."""

from collections.abc import Callable

from shiage.agents.acp import Acp
from shiage.agents.adapter import Adapter, Features
from shiage.agents.claude import Claude
from shiage.agents.codex import Codex
from shiage.agents.command import Command
from shiage.agents.copilot import Copilot
from shiage.agents.gemini import Gemini
from shiage.agents.opencode import OpenCode
from shiage.agents.qwen import Qwen
from shiage.domain.errors import UserError

ADAPTERS: dict[str, Adapter] = {
    "claude": Claude(),
    "codex": Codex(),
    "gemini": Gemini(),
    "opencode": OpenCode(),
    "copilot": Copilot(),
    "qwen": Qwen(),
    "acp": Acp(),
    "command": Command(),
}


def register(kind: str, adapter: Adapter | Callable[[], Adapter]) -> None:
    """Add an adapter from outside, itself or its class. A kind means one thing: a second adapter for it is refused."""
    made = adapter() if callable(adapter) else adapter
    if not isinstance(ADAPTERS.setdefault(kind, made), type(made)):
        raise UserError(
            "agent-kind-taken",
            f"There are two adapters for agents of the kind {kind!r}.",
            help="remove one of the plugins, or give its agent another kind",
        )


def adapter_for(kind: str) -> Adapter:
    """The adapter of a kind, or a sentence that names those that exist."""
    try:
        return ADAPTERS[kind]
    except KeyError:
        known = ", ".join(sorted(ADAPTERS))
        raise UserError(
            "agent-kind-unknown",
            f"There is no agent of the kind {kind!r}.",
            help=f'use one of: {known}; any program works as command = ["…"]',
        ) from None


#: The columns of the table in the documentation.
ABILITIES = {
    "Resumes sessions": "resumes",
    "Slash commands": "slash_commands",
    "Tokens": "reports_usage",
    "Cost": "reports_cost",
    "Reviewers cannot change the work": "read_only",
    "Allow and deny tools": "rules",
    "Refusals show": "tells_refusals",
}


def features_table() -> str:
    """The agents and what they can do, as Markdown for the documentation, with what each cannot do below."""
    head = f"| Kind | Agent | {' | '.join(ABILITIES)} |\n|{'---|' * (len(ABILITIES) + 2)}\n"
    rows = (f"| {kind} | {each.features.title} | {_marks(each.features)} |\n" for kind, each in ADAPTERS.items())
    return head + "".join(rows) + "\n" + "".join(map(_limits, ADAPTERS.values()))


def _marks(can: Features) -> str:
    return " | ".join("yes" if getattr(can, name) else "no" for name in ABILITIES.values())


def _limits(adapter: Adapter) -> str:
    can = adapter.features
    return f"- **{can.title}**: {' '.join(can.limits)}\n" if can.limits else ""
