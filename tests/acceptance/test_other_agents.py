"""Agents other than the scripted one, as a person has them: programs on the PATH that speak as the real ones do."""

import json
import os
import sys

import pytest
from scenes import DOCUMENTS

#: Speaks as Codex does: the totals of its session grow over its resumes. Its first attempt brings nothing.
CODEX = """
import json, os, sys
if "--help" in sys.argv: sys.exit(print("codex exec resume --json --sandbox --skip-git-repo-check"))
if "--version" in sys.argv: sys.exit(print("codex-cli 0.169.0"))
calls = os.path.join(os.environ["HOME"], "calls")
with open(calls, "a+") as file:
    file.write(json.dumps(sys.argv[1:]) + chr(10))
    file.seek(0)
    nth = len(file.readlines())
assert sys.stdin.read()
print(json.dumps({"type": "thread.started", "thread_id": "thread-1"}), json.dumps({"type": "turn.started"}), sep=chr(10))
if nth > 1:
    with open(os.path.join(os.environ["SHIAGE_SPEC_DIR"], "requirements.md"), "w") as file:
        file.write(DOCUMENT)
    print(json.dumps({"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "The requirements are written."}}))
print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 100 * nth, "output_tokens": 10 * nth}}))
"""


@pytest.fixture
def codex(project):
    """A program named codex on the PATH, and a project that names it as its agent."""
    folder = project.home / "bin"
    folder.mkdir()
    program = folder / "codex"
    text = CODEX.replace("DOCUMENT", json.dumps(DOCUMENTS["requirements"]))
    program.write_text(f"#!{sys.executable} -IS\n{text}")
    program.chmod(0o755)
    (project.root / "shiage.toml").write_text('agent = "codex"\n[notify]\ndesktop = false\n')
    assert project.shiage("trust", "--yes").code == 0
    project.path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return project


def test_a_rejected_codex_repairs_in_its_session_and_its_totals_are_not_counted_twice(codex):
    codex.given()
    told = codex.shiage("run", "login", "--until", "requirements", "--json", variables=codex.path)
    last = told.lines[-1]
    assert last["exit_code"] == 0, told.out + told.err
    assert last["usage"] == {"input_tokens": 200, "output_tokens": 20, "cost_usd": None}
    first, second = [json.loads(line) for line in (codex.home / "calls").read_text().splitlines()]
    assert "resume" not in first
    assert second[-3:] == ["resume", "thread-1", "-"]


def test_doctor_knows_whether_an_agent_is_there_logged_in_and_can_be_driven(codex):
    def items():
        told = codex.shiage("doctor", "--json", variables=codex.path).json
        return told["ok"], {item["item"]: item for item in told["items"]}

    healthy, found = items()
    assert healthy and found["agent"]["found"] == "codex-cli 0.169.0" and found["headless"]["ok"]
    assert (found["login"]["ok"], found["login"]["needed"]) == (False, False)
    assert "codex login" in found["login"]["help"]
    (codex.home / ".codex").mkdir()
    (codex.home / ".codex" / "auth.json").write_text("{}")
    assert items()[1]["login"]["ok"]
    program = codex.home / "bin" / "codex"
    assert "agent-version" not in found
    program.write_text(program.read_text().replace("codex-cli 0.169.0", "codex-cli 1.0.0"))
    healthy, found = items()
    assert healthy and not found["agent-version"]["ok"] and found["agent-version"]["tried"] == "0.169.0"
    assert "! agent codex: codex-cli 1.0.0 is of a kind" in codex.shiage("doctor", variables=codex.path).out
    program.write_text(program.read_text().replace("--sandbox", "--json-schema"))
    healthy, found = items()
    assert not healthy and not found["headless"]["ok"] and found["headless"]["missing"] == "--sandbox"
    assert (
        "✗ agent codex does not know --sandbox → install a newer Codex"
        in codex.shiage("doctor", variables=codex.path).out
    )
