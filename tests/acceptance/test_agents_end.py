"""Seed 004: the end of an agent is a return value; nothing is missed, nothing foreign is believed."""

import json
import subprocess
import time

import pytest
from criteria import criterion
from scenes import DOCUMENTS, author, doing, implementer, inspector, responder, reviewer, story


def started(project) -> list[str]:
    return [entry["content"]["agent_id"] for entry in project.journal(kind="ATTEMPT_STARTED")]


def alive(agent_id: str) -> bool:
    done = subprocess.run(["grep", "-lazs", f"SHIAGE_AGENT_ID={agent_id}", "-r", "/proc", "--include=environ"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    return bool(done.stdout.strip())


def begun(project, until, number: int) -> None:
    until(lambda: (project.spec() / "event-log.jsonl").exists() and len(started(project)) >= number)


@criterion("004-1.1", "004-4.3")
def test_the_id_and_the_receiver_of_the_end_exist_before_the_process_does(project):
    said = doing(
        "author", ["say", "written"], ["write", "spec:requirements.md", DOCUMENTS["requirements"]], ["exit", 0]
    )
    project.new(scenes=story({**said, "phase": "requirements"}))
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    kinds = [e["event_type"] for e in project.journal() if e["event_type"].startswith("ATTEMPT")]
    assert kinds == ["ATTEMPT_STARTED", "ATTEMPT_EXITED", "ATTEMPT_ASSESSED"]


def test_all_that_led_to_an_agent_is_in_the_journal_before_it_starts(project):
    look = ["run", "sh", "-c", 'cp "$SHIAGE_SPEC_DIR/event-log.jsonl" "$SHIAGE_PROJECT/.shiage/seen-$SHIAGE_ATTEMPT"']
    project.new(scenes=[{**scene, "do": [look, *scene["do"]]} for scene in story(inspector("NOGO", round=1))])
    assert project.shiage("run", "login").code == 0
    told = (project.spec() / "event-log.jsonl").read_bytes()
    for number in range(1, len(started(project)) + 1):
        seen = (project.root / ".shiage" / f"seen-{number}").read_bytes()
        assert told.startswith(seen)
        kinds = [json.loads(line)["event_type"] for line in seen.splitlines()]
        counts = [kinds.count(kind) for kind in ("ATTEMPT_STARTED", "ATTEMPT_EXITED", "ATTEMPT_ASSESSED")]
        assert counts == [number, number - 1, number - 1]


@criterion("004-1.2", "004-2.1", "004-2.3")
def test_every_end_carries_run_attempt_and_agent_id_and_matches_what_was_started(project):
    project.new(scenes=story())
    project.shiage("run", "login")
    ends = project.journal(kind="ATTEMPT_EXITED")
    assert [e["content"]["agent_id"] for e in ends] == started(project)
    assert {e["run"] for e in ends} == {project.status()["run"]}


@criterion("004-1.3", "004-3.1")
def test_a_completed_agent_starts_the_next_phase_whatever_was_seen_before(project):
    project.new(scenes=story())
    assert project.shiage("run", "login").code == 0
    assert [phase for _, phase, _ in project.attempts()] == [
        "requirements", "design", "tasks", "document-review", "document-review", "impl", "inspection",
    ]  # fmt: skip


@criterion("004-1.4", "004-3.2")
@pytest.mark.parametrize("how", [["exit", 7], ["die", 9]])
def test_a_failed_agent_stops_the_run_and_tells_the_person(project, how):
    project.new(scenes=story(doing("author", how, phase="design")))
    ended = project.shiage("run", "login")
    assert ended.code == 5
    status = project.status()
    assert (status["status"], status["reason"], status["phase"]) == ("error", "agent-failed", "design")
    assert "agent-failed" in ended.out + ended.err


@criterion("004-1.5", "004-3.3", "004-3.4")
def test_no_state_called_running_is_needed_to_learn_of_an_end(project):
    project.new(scenes=story())
    project.shiage("run", "login")
    assert not [e for e in project.journal() if "RUNNING" in e["event_type"]]


@criterion("004-2.2")
def test_after_the_end_no_agent_id_is_tracked_any_more(project):
    project.new(scenes=story())
    project.shiage("run", "login")
    assert project.status()["agent_id"] == ""


@criterion("004-2.4")
def test_each_attempt_has_an_id_of_its_own_in_order(project):
    project.new(scenes=story(responder(fix=1, round=1)))
    project.shiage("run", "login")
    assert len(set(started(project))) == len(started(project)) == 9
    assert [e["content"]["attempt"] for e in project.journal(kind="ATTEMPT_STARTED")] == list(range(1, 10))


@criterion("004-4.1", "004-4.2", "004-4.4")
def test_agents_that_end_at_once_are_all_seen_in_order(project):
    project.new(scenes=story(*(responder(fix=1, round=n) for n in range(1, 7))))
    assert project.shiage("run", "login").code == 0
    kinds = [e["event_type"] for e in project.journal() if e["event_type"] in ("ATTEMPT_STARTED", "ATTEMPT_EXITED")]
    assert kinds == ["ATTEMPT_STARTED", "ATTEMPT_EXITED"] * (len(kinds) // 2)
    assert len(kinds) == 2 * 19


@criterion("004-5.1")
@pytest.mark.parametrize("phase", list(DOCUMENTS))
def test_a_manual_step_is_exactly_one_pass_of_its_phase(project, phase):
    project.new(scenes=story())
    assert project.shiage("step", "login", phase).code == 0
    assert project.attempts() == [("author", phase, 0)]
    assert (project.spec() / f"{phase}.md").exists()


@criterion("004-5.1")
def test_a_manual_impl_does_not_loop_over_open_tasks(project):
    project.new(scenes=story(implementer("1")))
    assert project.shiage("run", "login", "--until", "document-review").code == 0
    assert project.shiage("step", "login", "impl").code == 0
    assert project.attempts()[-1] == ("implementer", "impl", 0)
    assert project.status()["tasks"] == {"done": 1, "total": 3}


@criterion("004-5.2")
def test_a_stop_ends_the_agent_and_its_children_at_once_and_clears_the_tracking(project, until):
    stubborn = doing("author", ["ignore-term"], ["child", 60], ["hang", 60], phase="requirements", nth=1)
    project.new(scenes=story(stubborn))
    running = project.start("run", "login")
    begun(project, until, 1)
    until(lambda: alive(started(project)[0]))
    began = time.monotonic()
    assert project.shiage("stop", "login").code == 0
    assert time.monotonic() - began < 15
    assert not alive(started(project)[0])
    assert running.wait(5) == 130
    status = project.status()
    assert (status["status"], status["reason"], status["agent_id"]) == ("paused", "stopped", "")
    assert project.shiage("run", "login").code == 0
    assert project.attempts()[:2] == [("author", "requirements", 0)] * 2


@criterion("004-5.2")
def test_what_a_stopped_agent_left_behind_is_not_believed(project, until):
    half = doing("author", ["write", "spec:requirements.md", "# half"], ["claim", "approvals.requirements.generated", True],
                 ["hang", 60], phase="requirements", nth=1)  # fmt: skip
    project.new(scenes=story(half))
    running = project.start("run", "login")
    until(lambda: (project.spec() / "requirements.md").read_text() == "# half")
    project.shiage("stop", "login")
    running.wait(15)
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    assert (project.spec() / "requirements.md").read_text() == DOCUMENTS["requirements"]


@criterion("004-5.3", "004-5.4")
def test_status_and_log_show_the_agent_while_it_works_and_its_words_afterwards(project, until):
    project.new(scenes=story(doing("author", ["say", "thinking hard"], ["hang", 60], phase="requirements")))
    project.start("run", "login")
    begun(project, until, 1)
    status = project.status()
    assert (status["status"], status["phase"], status["agent_id"]) == ("running", "requirements", started(project)[0])
    log = project.root / ".shiage" / "runs" / status["run"] / "attempt-1.log"
    until(lambda: log.exists() and "thinking hard" in log.read_text())
    assert project.shiage("stop", "login").code == 0


def test_ctrl_c_is_a_stop(project, until):
    project.new(scenes=story(doing("author", ["hang", 60], phase="requirements")))
    running = project.start("run", "login")
    begun(project, until, 1)
    running.send_signal(2)
    assert running.wait(15) == 130
    assert project.status()["reason"] == "stopped"


def test_a_second_start_of_the_same_spec_is_refused_with_who_holds_it(project, until):
    project.new(scenes=story(doing("author", ["hang", 60], phase="requirements")))
    running = project.start("run", "login")
    begun(project, until, 1)
    refused = project.shiage("run", "login", "--json")
    assert refused.code == 1
    error = json.loads(refused.out.splitlines()[-1])["error"]
    assert error["code"] == "busy" and str(running.pid) in error["message"]
    project.shiage("stop", "login")


def test_a_killed_shiage_leaves_no_agent_and_the_run_goes_on_by_itself_at_the_next_start(project, until):
    project.new(scenes=story(doing("author", ["child", 60], ["hang", 60], phase="design", nth=1)))
    running = project.start("run", "login")
    begun(project, until, 2)
    lost = started(project)[1]
    until(lambda: alive(lost))
    running.kill()
    running.wait()
    status = project.status()
    assert (status["status"], status["reason"]) == ("paused", "interrupted")
    assert project.shiage("run", "login").code == 0
    assert not alive(lost)
    assert [phase for _, phase, _ in project.attempts()].count("design") == 2


def test_a_missing_program_says_so_with_the_remedy(project):
    project.new(scenes=story())
    (project.root / "shiage.toml").write_text('agent = "x"\n[agents.x]\ncommand = ["no-such-program"]\n')
    project.shiage("trust", "--yes")
    ended = project.shiage("run", "login")
    assert ended.code == 5
    assert "no-such-program" in project.status()["detail"]


def test_a_time_limit_ends_the_agent_and_is_an_error(project):
    project.new(scenes=story(doing("author", ["hang", 60])), settings="[limits]\nattempt_minutes = 0.01\n")
    assert project.shiage("run", "login").code == 5
    assert project.status()["reason"] == "timed-out"


def test_an_inspection_is_decided_by_its_report_and_never_by_the_exit_code(project):
    project.new(scenes=story(inspector("NOGO", round=1)))
    assert project.shiage("run", "login").code == 0
    assert [role for role, phase, _ in project.attempts() if phase == "inspection"] == [
        "inspector",
        "fixer",
        "inspector",
    ]
    assert [r["result"] for r in project.state()["inspection"]["rounds"]] == ["nogo", "go"]


def test_a_third_nogo_pauses(project):
    project.new(scenes=story(inspector("NOGO")))
    assert project.shiage("run", "login").code == 4
    assert project.status()["reason"] == "inspection-nogo"
    assert [role for role, phase, _ in project.attempts() if phase == "inspection"].count("inspector") == 3


def test_a_go_does_not_stand_while_a_check_of_ours_fails(project):
    settings = '[checks]\ntest = "test -f fixed.py"\n'
    project.new(scenes=story(), settings=settings)
    assert project.shiage("run", "login").code == 0
    assert [role for role, phase, _ in project.attempts() if phase == "inspection"] == [
        "inspector",
        "fixer",
        "inspector",
    ]


def test_an_inspection_without_a_verdict_line_pauses(project):
    project.new(
        scenes=story(doing("inspector", ["write", "spec:inspection-{round}.md", "GO is likely"], ["say", "GO"]))
    )
    assert project.shiage("run", "login").code == 4
    assert project.status()["reason"] == "verdict-unreadable"


def test_a_review_that_was_not_written_is_not_answered(project):
    project.new(scenes=story(doing("reviewer", ["say", "all fine"]), author("tasks"), reviewer()))
    assert project.shiage("run", "login").code == 4
    assert project.attempts()[-1][0] == "reviewer"
