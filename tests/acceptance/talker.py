"""An agent that speaks as Claude Code does and needs something from outside: a reset, a permission, an answer, a login."""

import json
import sys
from typing import Any

from scenes import DOCUMENTS, story

#: A program that speaks as Claude Code does. What it does at its n-th start stands in a list beside it.
TALKER = """
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
prompt = sys.stdin.read()
with open(os.path.join(here, sys.argv[1] + ".calls"), "a+") as file:
    file.write(json.dumps([sys.argv[2:], prompt]) + "\\n")
    file.flush()
    file.seek(0)
    number = len(file.readlines())
acts = json.load(open(os.path.join(here, sys.argv[1] + ".acts")))
act = acts[min(number, len(acts)) - 1]
for name, text in act.get("write", {}).items():
    open(os.path.join(os.environ["SHIAGE_SPEC_DIR"], name), "w").write(text)
time.sleep(act.get("silent", 0))
if "lost" in act: sys.exit(act["lost"])
print(json.dumps({"type": "system", "subtype": "init", "session_id": "s-%d" % number, **act.get("init", {})}))
for event in act.get("events", ()):
    print(json.dumps(event).replace("SOON", str(time.time() + 1.5)))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "session_id": "s-%d" % number,
                  "result": act.get("say", "The document is written."), **act.get("result", {})}))
sys.exit(act.get("exit", 0))
"""
WRITTEN = {"write": {"requirements.md": DOCUMENTS["requirements"]}, "say": "wrote requirements.md"}


def limited(resets_at: float) -> dict[str, Any]:
    info = {"status": "rejected", "resetsAt": resets_at}
    return {
        "events": [{"type": "rate_limit_event", "rate_limit_info": info}],
        "result": {"is_error": True, "subtype": "success", "result": "You have hit your usage limit"},
        "exit": 1,
    }


def talking(project, *acts: dict[str, Any], settings: str = "", more: str = "") -> None:
    """The agent speaks Claude's language and does this, start after start."""
    (project.home / "talker.py").write_text(TALKER)
    (project.home / "talker.acts").write_text(json.dumps(acts))
    command = json.dumps([sys.executable, "-I", "-S", str(project.home / "talker.py"), "talker"])
    project.cast(story(), f'{settings}\n[agents.talker]\nkind = "claude"\ncommand = {command}\n{more}\n')
    config = project.home / ".config" / "shiage" / "config.toml"
    config.write_text(config.read_text().replace('agent = "actor"', 'agent = "talker"', 1))
    project.given()


def calls(project) -> list[tuple[list[str], str]]:
    lines = (project.home / "talker.calls").read_text().splitlines()
    return [(argv, prompt) for argv, prompt in map(json.loads, lines)]
