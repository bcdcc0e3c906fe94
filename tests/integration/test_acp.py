"""An agent that speaks ACP, inside real runs; it is written with the protocol's own package, our side is not."""

import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

AGENT = Path(__file__).with_name("acp_agent.py")
PROMPT = "create flag.py with a constant VERSION"
GOOD = 'VERSION = "1.0"\n'


def plays(project, part: str, more: str = "") -> None:
    place = project.home / ".config" / "shiage" / "config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    argv = json.dumps([sys.executable, str(AGENT), part])
    place.write_text(
        f'agent = "mine"\n[agents.mine]\nkind = "acp"\ncommand = {argv}\n{more}\n'
        "[notify]\ndesktop = false\n[limits]\nretries = 0\n"
    )


def outcomes(project):
    journal = project.root / ".shiage/tasks/t-0001/event-log.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return [json.loads(line)["content"]["outcome"] for line in lines if '"ATTEMPT_EXITED"' in line]


def test_rejected_work_is_repaired_in_the_loaded_session(project):
    plays(project, "works")
    said = project.shiage("task", PROMPT)
    assert said.code == 0, said
    assert (project.root / "flag.py").read_text() == GOOD
    assert [o["session"] for o in outcomes(project)] == ["s-1", "s-1"]
    assert [o["usage"] for o in outcomes(project)] == [{"input_tokens": 100, "output_tokens": 10, "cost_usd": None}] * 2
    log = (project.root / ".shiage/runs/r-0001/attempt-2.log").read_text()
    assert "told again" not in log, "what a loaded session repeats is not this attempt's"


def test_what_nobody_allowed_is_refused_and_asked_for_and_done_once_a_person_allows_it(project):
    plays(project, "deploys")
    assert project.shiage("task", PROMPT).code == 4
    assert not (project.root / "flag.py").exists()
    (outcome,) = outcomes(project)
    assert outcome["cause"] == "permission-refused"
    assert outcome["asked"] == [f"switch_mode({project.root / 'flag.py'})"]
    assert project.shiage("answer", "t-0001", "allow").code == 0
    assert (project.root / "flag.py").read_text() == GOOD


@pytest.mark.parametrize(
    ("part", "cause"),
    [
        ("says-nothing", "no-result"),
        ("tells-an-error-as-text", "not-logged-in"),
        ("needs-login", "not-logged-in"),
        ("stops-early", "max-turns"),
        ("fails", "transient"),
        ("dies", "crashed"),
    ],
)
def test_an_end_of_turn_is_not_believed_and_a_failure_has_its_cause(project, part, cause):
    plays(project, part)
    assert project.shiage("task", PROMPT).code in (4, 5)
    (outcome,) = outcomes(project)
    assert (outcome["ending"], outcome["cause"]) == ("failed", cause), outcome


def test_a_stop_cancels_the_turn_and_leaves_no_process(project, until):
    plays(project, "hangs")
    running = project.start("task", PROMPT)
    log = project.root / ".shiage/runs/r-0001/attempt-1.log"
    until(lambda: log.exists() and "I think" in log.read_text())
    assert project.shiage("stop", "t-0001").code == 0
    assert running.wait(15) == 130
    assert (project.root / "cancelled").read_text() == "s-1"
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert str(AGENT).encode() not in process.read_bytes()
        except OSError:
            continue


def test_a_program_that_is_not_there_is_named(project):
    plays(project, "works")
    place = project.home / ".config" / "shiage" / "config.toml"
    place.write_text(place.read_text().replace(sys.executable, "/nowhere/agent"))
    assert project.shiage("task", PROMPT).code == 5
    (outcome,) = outcomes(project)
    assert outcome["cause"] == "not-installed" and "/nowhere/agent" in outcome["detail"]
