"""Scenes for the scripted agent: what an agent of each role does, well or badly."""

from typing import Any

Scene = dict[str, Any]
DOCUMENTS = {
    "requirements": "# Requirements\n\n1. WHEN the user greets, THE system SHALL greet back.\n",
    "design": "# Design\n\nOne function, `greet`.\n",
    "tasks": "# Tasks\n\n- [ ] 1. Write greet\n- [ ] 2. Write its test\n- [ ] 3. Describe it\n",
}


def author(phase: str, **when: Any) -> Scene:
    text = DOCUMENTS[phase]
    return {"role": "author", "phase": phase, "do": [["write", f"spec:{phase}.md", text], ["say", "written"]], **when}


def reviewer(**when: Any) -> Scene:
    do = [["write", "spec:document-review-{round}.md", "# Review {round}\n\n### C1: a point\n"], ["say", "reviewed"]]
    return {"role": "reviewer", "do": do, **when}


def reply(fix: int, discuss: int) -> str:
    issues = fix + discuss + 1
    return (
        "# Reply\n\n## Response Summary\n\n"
        "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n"
        f"| Critical | {issues} | {fix} | 1 | {discuss} |\n| Warning | 0 | 0 | 0 | 0 |\n| Info | 0 | 0 | 0 | 0 |\n"
    )


def responder(fix: int = 0, discuss: int = 0, **when: Any) -> Scene:
    do = [["write", "spec:document-review-{round}-reply.md", reply(fix, discuss)], ["say", "replied"]]
    return {"role": "responder", "do": do, **when}


def implementer(*ids: str, **when: Any) -> Scene:
    code = 'def greet(name: str) -> str:\n    return f"hello {name}"\n'
    do = [["write", "greet.py", code], ["tick", *ids], ["say", "wrote greet.py and its test"]]
    return {"role": "implementer", "do": do, **when}


def inspector(verdict: str = "GO", **when: Any) -> Scene:
    report = f"# Inspection\n\n- Judgment: {verdict}\n"
    return {"role": "inspector", "do": [["write", "spec:inspection-{round}.md", report], ["say", "inspected"]], **when}


def fixer(**when: Any) -> Scene:
    do = [["write", "fixed.py", "FIXED = True\n"], ["say", "repaired what the report names in fixed.py"]]
    return {"role": "fixer", "do": do, **when}


def doing(role: str, *actions: list[Any], **when: Any) -> Scene:
    """A scene of bare actions."""
    return {"role": role, "do": [list(action) for action in actions], **when}


def story(*first: Scene) -> list[Scene]:
    """The given scenes, and for everything that they leave open an agent that does its work well."""
    rest = [author(phase) for phase in DOCUMENTS]
    return [*first, *rest, reviewer(), responder(), implementer(), inspector(), fixer()]
