"""What an agent leaves in spec.json is a claim: what shiage wrote itself comes back, and what nobody saw does not count."""

import json

from scenes import doing, implementer, inspector, reply, responder, story

REMEMBERED = json.dumps(
    {
        "feature_name": "login", "phase": "initialized", "approvals": {},
        "documentReview": {"status": "pending", "roundDetails": [{"roundNumber": 1, "status": "incomplete"}]},
    }
)  # fmt: skip
CUT = ["write", "hang.txt", "1"], ["hang", 30]


def claims(project) -> list[str]:
    return [entry["content"]["claim"] for entry in project.journal(kind="CLAIM_DIFFERS")]


def forgetful(fix: int, discuss: int, **when):
    """A responder that writes spec.json anew from what it remembers."""
    answer = ["write", "spec:document-review-{round}-reply.md", reply(fix, discuss)]
    return doing("responder", ["write", "spec:spec.json", REMEMBERED], answer, ["say", "replied"], **when)


def test_closed_rounds_that_an_agent_took_away_are_written_again_and_the_numbering_goes_on(project):
    project.given("login", until="tasks")
    project.cast(story(forgetful(2, 0, round=1), forgetful(1, 0, round=2), forgetful(0, 1, round=3)))
    assert project.ran("login")["reason"] == "needs-discussion"
    rows = project.state()["documentReview"]["roundDetails"]
    told = {row["roundNumber"]: (row["fixRequiredCount"], row["needsDiscussionCount"]) for row in rows}
    assert told == {1: (2, 0), 2: (1, 0), 3: (0, 1)}
    assert project.status()["round"] == {"closed": 3, "current": 3, "max": 7}
    assert any("no longer had round 1 of document-review" in claim for claim in claims(project))
    assert project.shiage("run", "login").code == 0
    assert [number for role, _, number in project.attempts() if role == "reviewer"] == [1, 2, 3, 4]


def test_an_agent_that_is_stopped_after_it_undid_the_spec_does_not_send_the_run_back(project, until):
    project.given("login", until="tasks")
    undo = doing("implementer", ["write", "spec:spec.json", REMEMBERED], *CUT, nth=1)
    project.cast(story(responder(), undo, implementer("1", "2", "3")))
    running = project.start("run", "login")
    until((project.root / "hang.txt").exists)
    assert project.shiage("stop", "login").code == 0
    assert running.wait(15) == 130
    assert project.shiage("run", "login").code == 0
    assert [role for role, _, _ in project.attempts()] == [
        "reviewer", "responder", "implementer", "implementer", "inspector",
    ]  # fmt: skip
    state = project.state()
    assert state["documentReview"]["status"] == "approved"
    assert all(approval["approved"] for approval in state["approvals"].values())


def test_a_later_phase_that_a_cut_off_agent_calls_done_is_done_all_the_same(project, until):
    spec = project.given("login", until="document-review")
    claim = json.dumps({**project.state(), "phase": "inspection-complete"})
    lie = doing(
        "implementer", ["write", "spec:spec.json", claim], ["write", "spec:inspection-1.md", "Judgment: GO\n"],
        ["tick", "1", "2", "3"], *CUT, nth=1,
    )  # fmt: skip
    project.cast(story(lie, implementer("1", "2", "3"), inspector()))
    running = project.start("run", "login")
    until((project.root / "hang.txt").exists)
    assert project.shiage("stop", "login").code == 0
    assert running.wait(15) == 130
    assert project.shiage("run", "login").code == 0
    assert [role for role, _, _ in project.attempts()] == ["implementer", "implementer", "inspector"]
    assert (spec / "inspection-1.md").read_text().startswith("# Inspection")


def test_inspections_that_an_agent_took_away_are_written_again(project):
    project.given("login", until="impl")
    wiped = json.dumps(project.state())
    forget = doing("fixer", ["write", "spec:spec.json", wiped], ["write", "fixed.py", "A = 1\n"], ["say", "repaired"])
    project.cast(story(inspector("NOGO", round=1), forget, inspector("GO", round=2)))
    assert project.shiage("run", "login").code == 0
    rows = project.state()["inspection"]["rounds"]
    assert [(row["number"], row["result"]) for row in rows] == [(1, "nogo"), (2, "go")]
    assert rows[0]["fixedAt"]
