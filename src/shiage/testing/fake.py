"""An agent as a real process that plays what it is told."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from shiage.agents.scripted import command

Step = tuple[str | int | float, ...]  #: an action of the scripted agent with its arguments


def fake_agent(folder: Path, steps: Sequence[Step]) -> tuple[str, ...]:
    """The command of a program that reads its prompt, plays the steps, and exits with 0 unless a step ends it.

    Of use are `("put", BASE64)` for exact bytes, `("say", LINE)`, `("complain", LINE, TIMES)` on standard error,
    `("flood", LINE, TIMES)`, `("hang", SECONDS)`, `("exit", CODE)`, `("die", SIGNAL)`, `("ignore-term",)`, and
    `("child", SECONDS)` for a process that it leaves behind.
    """
    script = folder / "script.json"
    script.write_text(json.dumps({"speed": 0, "scenes": [{"do": steps}]}))
    return tuple(command(sys.executable, str(script)))
