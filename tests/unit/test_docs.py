"""Docs that are drawn from the code stay true to it."""

import re
from pathlib import Path

from shiage.agents.table import features_table
from shiage.flow.diagram import mermaid

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "docs" / "agents.md"
TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)


def states() -> str:
    return f"# States of a run\n\nDrawn from the machine's own table.\n\n```mermaid\n{mermaid()}```\n"


def test_the_state_diagram_in_the_docs_is_the_machine_s_own():
    assert (ROOT / "docs" / "states.md").read_text() == states()


def test_the_table_of_agents_in_the_docs_is_the_adapters_own():
    assert TABLE.findall(AGENTS.read_text()) == [features_table()]


def test_every_link_and_every_module_that_the_pages_name_exists():
    for page in ("README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text()
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        named = list(re.findall(r"`([a-z]+/[a-z_]+\.py)`", text))
        missing = [link for link in links if not (ROOT / link).exists()]
        missing += [name for name in named if not (ROOT / "src" / "shiage" / name).exists()]
        assert missing == [], page


if __name__ == "__main__":
    (ROOT / "docs" / "states.md").write_text(states())
    AGENTS.write_text(TABLE.sub(lambda _: features_table(), AGENTS.read_text()))
