"""A budget is looked at before each attempt and never ends one in the middle."""

import json
import sys

import pytest
from scenes import DOCUMENTS, doing, story

#: A program that speaks as Claude Code does, writes its phase's document, and says what it cost.
TALKER = """
import json, os, sys
prompt = sys.stdin.read()
documents = json.loads(sys.argv[1])
with open(os.path.join(os.environ["SHIAGE_SPEC_DIR"], os.environ["SHIAGE_PHASE"] + ".md"), "w") as file:
    file.write(documents[os.environ["SHIAGE_PHASE"]])
usage = {"input_tokens": 900, "cache_read_input_tokens": 50, "output_tokens": 50}
for event in (
    {"type": "system", "subtype": "init", "session_id": "s-1"},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "written"}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "The document is written.",
     "session_id": "s-1", "total_cost_usd": 0.25, "usage": usage},
):
    print(json.dumps(event))
"""


def talking(project, settings: str) -> None:
    """The agent is one that tells its usage."""
    program = project.home / "talker.py"
    program.write_text(TALKER)
    command = json.dumps([sys.executable, "-I", "-S", str(program), json.dumps(DOCUMENTS)])
    project.cast(story(), f'{settings}\n[agents.talker]\nkind = "claude"\ncommand = {command}\n')
    config = project.home / ".config" / "shiage" / "config.toml"
    config.write_text(config.read_text().replace('agent = "actor"', 'agent = "talker"', 1))


@pytest.mark.parametrize("budget", ["usd = 0.5", "tokens = 2000"])
def test_a_budget_that_is_reached_pauses_before_the_next_attempt_and_a_resume_grants_it_again(project, budget):
    talking(project, f"[budget]\n{budget}\n")
    project.given()
    ended = project.ran("login", "--until", "tasks")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (4, "paused", "budget")
    assert ended["usage"] == {"input_tokens": 1900, "output_tokens": 100, "cost_usd": 0.5}
    assert "[budget]" in ended["next_action"] and budget.split()[0] in ended["detail"]
    assert [phase for _, phase, _ in project.attempts()] == ["requirements", "design"]
    ended = project.ran("login", "--until", "tasks")
    assert (ended["exit_code"], ended["usage"]["cost_usd"]) == (0, 0.75)
    assert [phase for _, phase, _ in project.attempts()] == ["requirements", "design", "tasks"]


def test_minutes_count_for_agents_that_tell_no_usage_and_what_is_unknown_stays_null(project):
    written = ["write", "spec:requirements.md", DOCUMENTS["requirements"]]
    slow = doing("author", written, ["hang", 0.2], ["say", "written"], phase="requirements")
    project.cast(story(slow), "[budget]\nminutes = 0.002\nusd = 0.01\ntokens = 1\n")
    project.given()
    ended = project.ran("login", "--until", "design")
    assert (ended["reason"], ended["phases"]["requirements"]) == ("budget", "done")
    assert ended["usage"] == {"input_tokens": None, "output_tokens": None, "cost_usd": None}
    assert len(project.attempts()) == 1
    assert project.ran("login", "--until", "design")["exit_code"] == 0
