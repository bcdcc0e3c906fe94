"""Nobody is there to answer: what the real programs may do in a role that only looks, and what becomes of a refusal."""

import pytest
from model_script import Call, Reply, Say, Scene
from real_agents import PATIENT
from scenes import reply

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(400)]

REVIEW, ANSWER = "# Review the documents of `login`", "# Answer the review of `login`"
SPEC = ".kiro/specs/login"


def review(stage) -> Call:
    return stage.create(f"{SPEC}/document-review-1.md", "# Review 1\n\n### C1: a point\n")


def answered(stage) -> Scene:
    written: tuple[Reply, ...] = (
        stage.create(f"{SPEC}/document-review-1-reply.md", reply(0, 0)),
        Say("I answered it."),
    )
    return Scene(ANSWER, written)


@pytest.mark.parametrize(
    "stage", ["claude", "codex", "opencode", "gemini", "copilot", "gemini-over-acp"], indirect=True
)
def test_a_reviewer_writes_its_report_and_cannot_change_the_work(stage):
    stage.given(until="tasks")
    stage.model.scenes = (
        answered(stage),
        Scene(REVIEW, (stage.create("stolen.py", "x = 1\n"), review(stage), Say("I wrote the review."))),
    )
    said = stage.shiage("run", "login", "--until", "document-review")
    assert said.code == 0, said
    assert not (stage.root / "stolen.py").exists()
    assert stage.attempts() == [("reviewer", "document-review", 1), ("responder", "document-review", 1)]


@pytest.mark.parametrize(
    "stage",
    ["claude", "opencode", "gemini", "copilot", pytest.param("qwen", marks=PATIENT), "gemini-over-acp"],
    indirect=True,
)
def test_a_refused_command_parks_the_run_and_a_yes_resumes_the_session_with_it(stage):
    stage.given(until="tasks")
    counting = stage.shell("touch counted")
    stage.model.scenes = (
        Scene("May it use", (counting, review(stage), Say("I counted, and wrote the review."))),
        answered(stage),
        Scene(REVIEW, (counting, Say("I was not allowed to count."))),
    )
    said = stage.shiage("run", "login", "--until", "document-review")
    assert said.code == 4, said
    status = stage.status()
    assert (status["reason"], status["answerable"]) == ("awaiting-response", True)
    assert ("(touch)" if stage.agent.kind == "copilot" else "(touch counted)") in status["detail"]
    assert not (stage.root / "counted").exists()
    (refused,) = stage.outcomes(SPEC)
    assert refused["cause"] == "permission-refused"
    said = stage.shiage("answer", "login", "allow")
    assert said.code == 0, said
    assert (stage.root / "counted").exists()
    if stage.agent.kind != "gemini-over-acp":  # it finds no session again, and is told all that it needs
        assert stage.outcomes(SPEC)[1]["session"] == refused["session"] != ""
