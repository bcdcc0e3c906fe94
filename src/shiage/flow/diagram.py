"""Draws the state diagram from the machine's own table."""

from shiage.domain.run import Status
from shiage.flow.legal import LEGAL


def mermaid() -> str:
    """The states of a run and the facts that lead from one to another."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    for source in Status:
        for target in Status:
            names = [kind.__name__ for kind, row in LEGAL.items() if target in row.get(source, ())]
            if names and source is not target:
                lines.append(f"    {source} --> {target}: {', '.join(names)}")
    return "\n".join(lines) + "\n"
