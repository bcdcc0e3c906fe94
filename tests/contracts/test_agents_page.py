"""docs/agents.md: its example is executed, and keeps the promises."""

import re
from pathlib import Path

import pytest

from shiage.agents.table import features_table, register
from shiage.testing import promises_for

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"


def example():
    """The page's own code, run as one module."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert blocks[0].count("\n") <= 150
    module = {"__name__": "example"}
    exec(compile("\n".join(blocks), str(PAGE), "exec"), module)
    return module


EXAMPLE = example()
SUBJECT = EXAMPLE["SUBJECT"]


@pytest.mark.parametrize("promise", promises_for(SUBJECT), ids=lambda promise: promise.__name__)
def test_the_example_keeps_every_promise(promise, tmp_path):
    promise(SUBJECT, tmp_path)


def test_the_example_is_found_by_its_kind_once_it_is_registered(monkeypatch):
    known = {}
    monkeypatch.setattr("shiage.agents.table.ADAPTERS", known)
    register("sumi", EXAMPLE["Sumi"])
    assert isinstance(known["sumi"], EXAMPLE["Sumi"])
    assert "| sumi | Sumi | yes | no | yes | no | no | no | yes |" in features_table()


def test_the_example_asks_for_what_it_was_refused():
    reader = SUBJECT.adapter.reader()
    for line in (
        b'{"type":"tool","id":"1","name":"brush","state":"begun"}',
        b'{"type":"tool","id":"1","state":"refused"}',
    ):
        reader.feed(line)
    assert [refusal.rule for refusal in reader.refused()] == ["brush"]
