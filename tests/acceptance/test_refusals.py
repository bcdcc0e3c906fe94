"""What is refused leaves nothing behind, and what is told of a stop is whole."""

import pytest
from scenes import author, doing, story

BROKEN = '{\n  "feature_name": "login",\n}\n'


def test_an_approval_of_a_spec_that_cannot_be_read_is_not_noted(project):
    project.cast(story())
    project.given(until="requirements")
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    (project.spec() / "spec.json").write_text(BROKEN)
    refused = project.shiage("approve", "login", "requirements", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "spec-unreadable")
    assert refused.json["error"]["where"].startswith(".kiro/specs/login/spec.json:3")
    assert project.journal(kind="APPROVED") == []
    assert (project.spec() / "spec.json").read_text() == BROKEN


@pytest.mark.parametrize("detached", [(), ("--detach",)], ids=["here", "queued"])
def test_an_answer_without_words_is_refused(project, detached):
    project.cast(story(doing("author", ["say", "QUESTION: which colour?"], phase="requirements", nth=1)))
    project.given()
    assert project.ran("login")["reason"] == "awaiting-response"
    refused = project.shiage("answer", "login", "  ", *detached, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "answer-empty")
    assert project.status()["reason"] == "awaiting-response"


def test_a_misspelt_agent_is_named_with_the_one_that_was_meant(project):
    project.cast(story(author("requirements")))
    project.given()
    refused = project.shiage("run", "login", "--agent", "cluade", "--json")
    assert refused.code == 1
    assert refused.json["error"]["help"].startswith('did you mean "claude"?')


def test_the_diff_of_changed_tasks_keeps_its_lines_at_every_stop(project):
    reworded = "# Tasks\n\n- [x] 1. Write greet\n- [x] 2. Write no test\n- [x] 3. Describe it\n"
    project.cast(story(doing("implementer", ["write", "spec:tasks.md", reworded], ["say", "wrote greet.py"])))
    project.given(until="document-review")
    for _ in range(2):
        said = project.shiage("run", "login")
        assert said.code == 4
        assert project.status()["path"] == ".kiro/specs/login/tasks.md"
        lines = [line.strip() for line in said.out.splitlines()]
        assert {"- 2. Write its test", "+ 2. Write no test  (line 4)"} <= set(lines)
    assert project.status()["impl"]["retries"] == 0


def test_rounds_that_another_tool_closed_are_shown(project):
    project.cast(story())
    project.given(until="document-review")
    shown = project.shiage("show", "login", "--json").json
    assert [(row["round"], row["fix"], row["discuss"]) for row in shown["rounds"]] == [(1, 0, 0)]
    assert "document-review-1-reply.md" in project.shiage("show", "login").out


def test_a_long_reason_is_told_whole_in_eighty_columns(project):
    report = ["write", "spec:inspection-1.md", "DECISION: MANUAL_VERIFY_REQUIRED\n"]
    project.cast(story(doing("inspector", report, ["say", "inspected"])))
    project.given(until="impl")
    said = project.shiage("run", "login")
    block = said.out[said.out.rindex("\n\n") :]
    assert "(inspection-manual)" in block
    assert all(len(line) <= 80 for line in block.splitlines())
