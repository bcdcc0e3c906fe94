"""A whole spec with the real Claude Code, led by the slash commands that `shiage init` installs."""

import pytest
from model_script import Call, Reply, Say, Scene
from scenes import DOCUMENTS, reply

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(400)]

CODE = 'def greet(name: str) -> str:\n    """Say hello to somebody by name."""\n    return f"hello {name}"\n'
COMMANDS = {
    "spec-requirements": "# Write the requirements of `login`",
    "spec-design": "# Write the design of `login`",
    "spec-tasks": "# Write the tasks of `login`",
    "document-review": "# Review the documents of `login`",
    "document-review-reply": "# Answer the review of `login`",
    "spec-impl": "# Implement `login`",
    "spec-inspection": "# Inspect `login`",
}


def scenes(stage) -> tuple[Scene, ...]:
    def in_spec(name: str, text: str) -> Call:
        return stage.write(f".kiro/specs/login/{name}", text)

    ticked = DOCUMENTS["tasks"].replace("[ ]", "[x]")

    def look(name: str) -> Call:
        """The program writes over no file that it has not read."""
        return Call("Read", {"file_path": str(stage.spec() / name)})

    def written(phase: str) -> tuple[Reply, ...]:
        return (look(f"{phase}.md"), in_spec(f"{phase}.md", DOCUMENTS[phase]), Say(f"{phase}.md is written."))

    return (
        *(Scene(f"# Write the {phase} of `login`", written(phase)) for phase in DOCUMENTS),
        Scene(
            COMMANDS["document-review-reply"],
            (in_spec("document-review-1-reply.md", reply(0, 0)), Say("I answered the review.")),
        ),
        Scene(
            COMMANDS["document-review"],
            (in_spec("document-review-1.md", "# Review 1\n\n### C1: a point\n"), Say("I wrote the review.")),
        ),
        Scene(
            COMMANDS["spec-impl"],
            (
                stage.write("greet.py", CODE),
                look("tasks.md"),
                in_spec("tasks.md", ticked),
                Say("greet.py has the function; all three tasks are ticked."),
            ),
        ),
        Scene(
            COMMANDS["spec-inspection"],
            (in_spec("inspection-1.md", "# Inspection\n\n- Judgment: GO\n"), Say("I wrote inspection-1.md.")),
        ),
    )


def test_a_spec_goes_from_requirements_to_go_through_the_installed_slash_commands(stage):
    assert stage.shiage("init", "--agent", "claude", "--yes").code == 0
    assert stage.shiage("new", "login", "greet the user").code == 0
    stage.model.scenes = scenes(stage)
    said = stage.shiage("run", "login")
    assert said.code == 0, said
    assert stage.status()["status"] == "completed"
    assert [role for role, _, _ in stage.attempts()] == [
        "author", "author", "author", "reviewer", "responder", "implementer", "inspector",
    ]  # fmt: skip
    assert (stage.root / "greet.py").read_text() == CODE
    expanded = [asked for asked in stage.model.work if asked.messages[-1].who != "tool"]
    for name, title in COMMANDS.items():
        own = (stage.root / ".claude" / "commands" / "kiro" / f"{name}.md").read_text()
        body = own.split("---\n", 2)[2].replace("$0", "login")
        assert any(asked.said(title) and asked.said(longest(body)) for asked in expanded), name
    assert len(stage.outcomes(".kiro/specs/login")) == 7


def longest(text: str) -> str:
    """The line of a command file that says most."""
    return max((line for line in text.splitlines() if "$" not in line), key=len)
