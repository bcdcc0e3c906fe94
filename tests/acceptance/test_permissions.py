"""What a run may enter is asked when the phase is about to start: of the settings, of the spec, of the person."""

import pytest
from scenes import DOCUMENTS, author, story


def entered(project) -> list[str]:
    return list(dict.fromkeys(phase for _, phase, _ in project.attempts()))


def approved(project) -> dict[str, bool]:
    return {phase: said["approved"] for phase, said in project.state()["approvals"].items()}


def test_a_phase_that_the_settings_do_not_permit_pauses_the_run_until_they_do(project):
    project.cast(story(), "[permissions]\nimpl = false\n")
    project.given(until="document-review")
    ended = project.ran("login")
    assert (ended["exit_code"], ended["status"], ended["reason"], ended["phase"]) == (
        4,
        "paused",
        "not-permitted",
        "impl",
    )
    assert "[permissions] impl = true" in ended["next_action"]
    project.cast(story())
    ended = project.ran("login")
    assert (ended["exit_code"], ended["status"]) == (0, "completed")
    assert entered(project) == ["impl", "inspection"]


def test_an_end_that_the_person_asked_for_is_completed_even_before_a_forbidden_phase(project):
    project.cast(story(), "[permissions]\ntasks = false\n")
    project.given()
    ended = project.ran("login", "--until", "design")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (0, "completed", "")
    assert entered(project) == ["requirements", "design"]


@pytest.mark.parametrize("word", [False, "skip", "pause"])
def test_the_spec_itself_may_forbid_a_phase(project, word):
    project.cast(story())
    project.given(autoExecution={"enabled": True, "permissions": {"requirements": True, "design": word}})
    ended = project.ran("login")
    assert (ended["status"], ended["reason"], ended["phase"]) == ("paused", "not-permitted", "design")
    assert entered(project) == ["requirements"]


def test_a_spec_cannot_permit_what_the_settings_forbid(project):
    project.cast(story(), "[permissions]\nimpl = false\n")
    project.given(until="document-review", autoExecution={"permissions": {"impl": True}})
    assert project.ran("login")["reason"] == "not-permitted"


@pytest.mark.parametrize(("before", "after", "reached"), [("true", "false", "design"), ("false", "true", "tasks")])
def test_a_change_of_the_permissions_during_the_run_counts(project, before, after, reached):
    changed = author("design")
    changed["do"] = [*changed["do"], ["write", "shiage.toml", f"[permissions]\ntasks = {after}\n"]]
    project.cast(story(changed))
    project.given()
    (project.root / "shiage.toml").write_text(f"[permissions]\ntasks = {before}\n")
    ended = project.ran("login", "--until", "tasks")
    assert entered(project)[-1] == reached
    assert ended["reason"] == ("" if reached == "tasks" else "not-permitted")


def test_settings_that_cannot_be_read_during_the_run_permit_nothing_and_are_named(project):
    broken = author("design")
    broken["do"] = [*broken["do"], ["write", "shiage.toml", "[permissions\n"]]
    project.cast(story(broken))
    project.given()
    ended = project.ran("login", "--until", "tasks")
    assert (ended["exit_code"], ended["status"]) == (4, "paused")
    assert entered(project) == ["requirements", "design"]
    assert "shiage.toml" in ended["path"] + ended["detail"]
    assert ended["reason"] != "spec-not-writable", "nothing was written, so nothing is to be made writable"


def test_deploy_is_off_by_default_and_the_run_is_completed_without_it(project):
    project.cast(story())
    project.given(until="impl")
    ended = project.ran("login")
    assert (ended["exit_code"], ended["status"], ended["reason"]) == (0, "completed", "")
    assert ended["phases"]["deploy"] == "todo"
    assert project.state()["phase"] == "inspection-complete"


def test_a_permitted_deploy_without_a_worktree_marks_the_spec(project):
    project.cast(story(), "[permissions]\ndeploy = true\n")
    project.given(until="impl")
    ended = project.ran("login")
    assert (ended["exit_code"], ended["phases"]["deploy"]) == (0, "done")
    assert project.state()["phase"] == "deploy-complete"


def test_a_deploy_that_was_asked_for_and_is_not_permitted_pauses(project):
    project.cast(story())
    project.given(until="inspection")
    ended = project.ran("login", "--until", "deploy")
    assert (ended["exit_code"], ended["reason"], ended["phase"]) == (4, "not-permitted", "deploy")
    assert project.state()["phase"] == "inspection-complete"


def test_entering_a_phase_approves_what_the_permitted_phases_before_it_produced(project):
    project.cast(story())
    project.given()
    project.ran("login", "--until", "requirements")
    assert project.state()["approvals"]["requirements"] == {"generated": True, "approved": False}
    project.ran("login", "--until", "tasks")
    assert approved(project) == {"requirements": True, "design": True, "tasks": False}
    project.ran("login", "--until", "document-review")
    assert all(approved(project).values())


def test_a_document_of_a_phase_that_is_not_permitted_waits_for_a_persons_approval(project):
    project.cast(story(), "[permissions]\nrequirements = false\n")
    approvals = {"requirements": {"generated": True, "approved": False}}
    project.by_hand("login", {"requirements.md": DOCUMENTS["requirements"]}, {"approvals": approvals})
    ended = project.ran("login")
    assert (ended["exit_code"], ended["reason"], ended["phase"]) == (4, "not-approved", "requirements")
    assert "`shiage approve login requirements`" in ended["next_action"]
    assert project.shiage("approve", "login", "requirements").code == 0
    assert project.state()["approvals"]["requirements"]["approved"] is True
    assert project.ran("login", "--until", "design")["exit_code"] == 0
    assert entered(project) == ["design"]


def test_a_refusal_names_the_file_that_does_not_permit_the_phase(project):
    project.cast(story())
    project.given(until="document-review", autoExecution={"permissions": {"impl": "skip"}})
    ended = project.ran("login")
    assert (ended["reason"], ended["path"]) == ("not-permitted", ".kiro/specs/login/spec.json")
    assert ended["next_action"].startswith("permit the phase in .kiro/specs/login/spec.json")
