"""What `init` decides by looking: the project's folder, and the agent that is here."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from shiage.agents.table import ADAPTERS
from shiage.app.hands import further_kinds
from shiage.config import find_project
from shiage.config.settings import COMMAND, Settings
from shiage.domain.errors import UserError


def root_for(start: Path) -> Path:
    """The project around, or the folder itself, which is about to become one."""
    try:
        return find_project(start)
    except UserError as error:
        if error.code != "no-project" or not start.is_dir():
            raise
        return start.resolve()


def found_agents(environ: Mapping[str, str]) -> list[str]:
    """The agents that can be driven and whose program is on PATH, in the order of the table."""
    names = [name for name in ADAPTERS if name != COMMAND]
    return [name for name in names if shutil.which(name, path=environ.get("PATH"))]


def agent_for(asked: str | None, environ: Mapping[str, str]) -> str:
    """The agent a person named, else the one that is here, else the default."""
    known = Settings().agents
    if asked and asked not in known and asked not in (brought := further_kinds()):
        names = ", ".join(sorted({*known, *brought}))
        raise UserError("agent-unknown", f'there is no agent "{asked}"', help=f"known agents: {names}.")
    return asked or next(iter(found_agents(environ)), Settings().agent)
