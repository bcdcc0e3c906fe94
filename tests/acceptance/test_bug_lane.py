"""A bug runs on the same engine: analyze, fix, verify in `.kiro/bugs/NAME`."""

import json

from scenes import doing, fixer, story

ANALYSIS = doing(
    "author", ["write", "spec:analysis.md", "# Analysis\n\nThe name is not trimmed.\n"], ["say", "analysed"]
)
FIX = doing(
    "implementer", ["write", "greet.py", "def greet(name: str) -> str:\n    return name.strip()\n"],
    ["write", "spec:fix.md", "# Fix\n\ngreet.py trims the name.\n"], ["say", "trimmed the name in greet.py"],
)  # fmt: skip


def verifier(verdict: str, **when):
    report = f"# Verification\n\n- **判定**: {verdict}\n"
    return doing("inspector", ["write", "spec:verification.md", report], ["say", "verified"], **when)


def lane(*first):
    return [*first, {**ANALYSIS, "phase": "analyze"}, {**FIX, "phase": "fix"}, verifier("GO"), fixer()]


def bug(project, name: str = "crash"):
    return project.root / ".kiro" / "bugs" / name


def asked(project, name: str = "crash") -> list[tuple[str, str]]:
    lines = (bug(project, name) / "event-log.jsonl").read_text().splitlines()
    orders = [e["content"]["order"] for e in map(json.loads, lines) if e["event_type"] == "ATTEMPT_STARTED"]
    return [(order["phase"], order["role"]) for order in orders]


def test_a_bug_is_analysed_fixed_and_verified_and_a_nogo_is_repaired(project):
    project.cast(lane(verifier("NOGO", nth=1, round=1)))
    assert project.shiage("new", "crash", "it crashes on blank names", "--bug").code == 0
    assert "it crashes on blank names" in (bug(project) / "report.md").read_text()
    ended = project.ran("crash")
    assert (ended["exit_code"], ended["status"], ended["workflow"]) == (0, "completed", "bug")
    assert asked(project) == [
        ("analyze", "author"), ("fix", "implementer"),
        ("verify", "inspector"), ("verify", "fixer"), ("verify", "inspector"),
    ]  # fmt: skip
    assert {path.name for path in bug(project).iterdir()} >= {"report.md", "analysis.md", "fix.md", "verification.md"}
    assert ended["phases"] == {"analyze": "done", "fix": "done", "verify": "done"}
    assert not (project.root / ".kiro" / "specs").exists()
    assert any("it crashes on blank names" in prompt for prompt in project.prompts()[:1])


def test_a_bug_has_the_same_status_keys_as_a_spec(project):
    project.given("login")
    bug(project).mkdir(parents=True)
    (bug(project) / "report.md").write_text("# crash\n\nit crashes\n")
    rows = {row["spec"]: row for row in project.shiage("status", "--json").json["specs"]}
    assert rows["crash"].keys() == rows["login"].keys()
    assert (rows["crash"]["status"], rows["crash"]["phase"]) == ("idle", "analyze")


def test_a_bug_made_by_hand_goes_on_where_its_files_are_and_a_third_nogo_pauses(project):
    project.cast(lane(verifier("NOGO")))
    bug(project).mkdir(parents=True)
    (bug(project) / "report.md").write_text("# crash\n\nit crashes\n")
    (bug(project) / "analysis.md").write_text("# Analysis\n\nnot trimmed\n")
    (bug(project) / "bug.json").write_text('{"bug_name": "crash", "severity": "high", "phase": "analyzed"}')
    ended = project.ran("crash")
    assert (ended["exit_code"], ended["reason"], ended["phase"]) == (4, "inspection-nogo", "verify")
    assert [phase for phase, role in asked(project) if role == "inspector"] == ["verify"] * 3
    assert asked(project)[0] == ("fix", "implementer")
    assert json.loads((bug(project) / "bug.json").read_text())["severity"] == "high"


def test_a_go_of_a_bug_does_not_stand_while_a_check_fails(project):
    project.cast(lane(), '[checks]\ntest = "test -f fixed.py"\n')
    assert project.shiage("new", "crash", "it crashes", "--bug").code == 0
    assert project.ran("crash")["exit_code"] == 0
    assert [role for phase, role in asked(project) if phase == "verify"] == ["inspector", "fixer", "inspector"]


def test_a_bug_cannot_take_the_name_of_a_spec(project):
    project.cast(story())
    project.given("crash")
    refused = project.shiage("new", "crash", "x", "--bug", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "spec-exists")
    assert not bug(project).exists()


def test_a_bug_without_an_analysis_is_not_fixed(project):
    elsewhere = doing("author", ["write", "spec:notes.md", "# Notes\n\nOdd.\n"], ["say", "noted"], phase="analyze")
    project.cast(lane(elsewhere), "[review_loop]\nmax_iterations = 1\n")
    assert project.shiage("new", "crash", "it crashes", "--bug").code == 0
    ended = project.ran("crash")
    assert (ended["exit_code"], ended["reason"], ended["phase"]) == (4, "awaiting-response", "analyze")
    assert asked(project) == [("analyze", "author")]
