"""Seed 003: nobody but shiage says when a task is done; every rejection says where, why, and what to do about it."""

import json

import pytest
from criteria import criterion
from scenes import doing

LOOP = (
    "REVIEW_LOOP_START", "REVIEW_ITERATION_START", "QUALITY_JUDGMENT", "REJECTION_DETAILS", "MODIFICATION_PROMPT",
    "REVIEW_ITERATION_END", "REVIEW_LOOP_END",
)  # fmt: skip
CODE = "def total(rows):\n    return sum(rows)\n"
TEST = "from total import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
DONE = ["say", "I wrote total.py with total() and tried it with [1, 2]; it gives 3."]
GOOD = [["write", "total.py", CODE], DONE]
PROMPT = "create total.py with a function total that sums its rows"


def worked(*actions, **when):
    return doing("implementer", *actions, **when)


def entries(project, task="t-0001"):
    lines = (project.root / f".shiage/tasks/{task}/event-log.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def loop(project):
    return [entry for entry in entries(project) if entry["event_type"] in LOOP]


def asked(project, *arguments):
    """Run a task and give its result line."""
    said = project.shiage("task", PROMPT, *arguments, "--json")
    last = said.lines[-1]
    assert last["type"] == "result" and last["exit_code"] == said.code, said
    return last


#: What agents do instead of the work: the bad attempt, the criterion, the place, the words that show it, the repair.
LAZY = {
    "leaves a TODO": (
        [["write", "total.py", "def total(rows):\n    # TODO: sum the rows\n    return 0\n"], DONE],
        "Q2", "total.py:2", "TODO: sum the rows", GOOD,
    ),
    "omits the rest": (
        [["write", "total.js", "export function total(rows) {\n  // 残り省略\n}\n"], ["write", "total.py", CODE], DONE],
        "Q3", "total.js:2", "// 残り省略",
        [["write", "total.js", "export function total(rows) {\n  return rows.reduce((a, b) => a + b, 0);\n}\n"], DONE],
    ),
    "forgets the file that was asked for": (
        [["write", "sums.py", CODE], ["say", "I wrote sums.py and tried it."]],
        "Q1", "total.py", "total.py", GOOD,
    ),
    "writes half a function": (
        [["write", "total.py", "def total(rows):\n    return sum(\n"], DONE],
        "Q4", "total.py", "sum(", GOOD,
    ),
    "says that it is done and has done nothing": (
        [["say", "これで完了です"]],
        "Q6", "", "これで完了です", GOOD,
    ),
    "deletes the failing test": (
        [["delete", "test_total.py"], ["write", "total.py", CODE], DONE],
        "Q5", "test_total.py", "", [["write", "test_total.py", TEST], *GOOD],
    ),
}  # fmt: skip


@criterion("003-8.2.2")
@pytest.mark.parametrize("how", LAZY)
def test_lazy_work_is_rejected_with_place_and_quote_and_passes_when_exactly_that_is_repaired(project, how):
    bad, criterion, place, quote, repair = LAZY[how]
    (project.root / "test_total.py").write_text(TEST)
    project.play([worked(*bad, nth=1), worked(*repair)])
    result = asked(project)
    assert (result["final_status"], result["total_iterations"]) == ("COMPLETE", 2), result["iteration_history"]
    first, second = result["iteration_history"]
    assert (first["judgment"], second["judgment"]) == ("REJECT", "PASS")
    details = first["rejection_details"]
    assert criterion in details["criteria_failed"]
    issues = [issue for issue in details["issues_detected"] if issue["criteria_id"] == criterion]
    assert any(place in issue["location"] and quote in issue["quote"] for issue in issues), issues
    told = project.prompts()[1]
    assert PROMPT in told and PROMPT in details["modification_prompt"]
    assert all(part in told for part in (place, quote))
    assert told == details["modification_prompt"]


def test_the_seven_events_come_in_order_with_their_structure_and_visibility(project):
    bad = [["write", "total.py", "def total(rows):\n    return 0  # TODO\n"], DONE]
    project.play([worked(*bad, nth=1), worked(*GOOD)])
    assert asked(project)["final_status"] == "COMPLETE"
    told = loop(project)
    assert [(entry["event_type"], entry["visibility"]) for entry in told] == [
        ("REVIEW_LOOP_START", "summary"),
        ("REVIEW_ITERATION_START", "full"),
        ("QUALITY_JUDGMENT", "summary"),
        ("REJECTION_DETAILS", "full"),
        ("MODIFICATION_PROMPT", "full"),
        ("REVIEW_ITERATION_END", "full"),
        ("REVIEW_ITERATION_START", "full"),
        ("QUALITY_JUDGMENT", "summary"),
        ("REVIEW_ITERATION_END", "full"),
        ("REVIEW_LOOP_END", "summary"),
    ]
    judged, details, prompt = (entry["content"] for entry in told[2:5])
    assert (judged["iteration"], judged["judgment"], judged["criteria_failed"]) == (1, "REJECT", ["Q2"])
    assert "total.py:2" in judged["summary"]
    issue = details["issues_detected"][0]
    assert {"type", "location", "description", "suggestion"} <= set(issue)
    assert (issue["type"], issue["location"]) == ("incomplete", "total.py:2")
    assert prompt["prompt"] == details["modification_prompt"] == project.prompts()[1]
    assert told[-1]["content"]["final_status"] == "COMPLETE" and told[-1]["content"]["total_iterations"] == 2
    assert all(entry["timestamp"].endswith("Z") for entry in told)


def test_an_iteration_record_holds_times_criteria_details_and_the_place_of_the_raw_output(project):
    project.play([worked(["say", ""], nth=1), worked(*GOOD)])
    first, second = asked(project)["iteration_history"]
    assert (first["iteration"], second["iteration"]) == (1, 2)
    assert first["started_at"] <= first["ended_at"] <= second["started_at"]
    assert {row["criteria_id"] for row in second["criteria_results"]} == {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6"}
    assert all(row["passed"] for row in second["criteria_results"]) and second["rejection_details"] is None
    assert (project.root / first["executor_output_ref"]).is_file()


def test_the_result_of_a_task_has_the_last_words_of_its_agent(project):
    project.play([worked(*GOOD)])
    output = asked(project)["final_output"]
    assert (output["ending"], output["exit_code"]) == ("completed", 0)
    assert "it gives 3" in output["output"] and (project.root / output["output_ref"]).is_file()


@criterion("003-2.2.1", "003-2.2.2", "003-2.2.3")
def test_pass_ends_the_loop_reject_corrects_and_retry_sends_the_same_prompt(project):
    bad = [["write", "total.py", "def total(rows):\n    return 0  # FIXME\n"], DONE]
    scenes = [worked(["exit", 75], nth=1), worked(*bad, nth=2), worked(["exit", 75], nth=3), worked(*GOOD)]
    project.play(scenes, "[review_loop]\nretry_delay_ms = 1\n")
    result = asked(project)
    assert [row["judgment"] for row in result["iteration_history"]] == ["RETRY", "REJECT", "RETRY", "PASS"]
    prompts = project.prompts()
    assert prompts[0] == prompts[1] and prompts[2] == prompts[3] != prompts[0]


@criterion("003-8.2.4")
def test_an_error_that_passes_by_itself_is_tried_again_but_not_for_ever(project):
    project.play([worked(["exit", 75])], "[review_loop]\nretry_delay_ms = 1\n")
    result = asked(project)
    assert [row["judgment"] for row in result["iteration_history"]] == ["RETRY", "RETRY", "RETRY", ""]
    assert (result["final_status"], result["cause"], result["exit_code"]) == ("ERROR", "transient", 5)
    assert len(set(project.prompts())) == 1


@criterion("003-8.1.1")
def test_an_empty_output_is_a_rejection_that_a_person_is_asked_about_when_it_repeats(project):
    project.play([worked(["sleep", 0])])
    result = asked(project)
    assert (result["final_status"], result["exit_code"]) == ("AWAITING_RESPONSE", 4)
    failed = {issue["rule"] for issue in result["iteration_history"][0]["rejection_details"]["issues_detected"]}
    assert {"empty-output", "no-change"} <= failed


@pytest.mark.parametrize(("escalate", "status", "code"), [(True, "AWAITING_RESPONSE", 4), (False, "INCOMPLETE", 5)])
def test_at_max_iterations_a_person_is_asked_or_the_task_ends_incomplete(project, escalate, status, code):
    bad = [
        worked(["write", "total.py", f"def total(rows):\n    return {n}  # TODO: {n}\n"], DONE, nth=n)
        for n in (1, 2, 3)
    ]
    project.play([*bad, worked(*GOOD)], f"[review_loop]\nescalate_on_max = {str(escalate).lower()}\n")
    result = asked(project)
    assert (result["final_status"], result["exit_code"], result["total_iterations"]) == (status, code, 3)
    assert [row["judgment"] for row in result["iteration_history"]] == ["REJECT"] * 3
    assert loop(project)[-1]["content"]["final_status"] == status
    assert result["next_action"]
    again = ["answer", "t-0001", "sum them"] if escalate else ["run", "t-0001"]
    assert project.shiage(*again).code == 0
    assert [entry["event_type"] for entry in loop(project)].count("REVIEW_LOOP_START") == 2


def test_a_permanent_error_ends_the_loop_at_once_as_an_error(project):
    project.play([worked(["exit", 1])])
    result = asked(project)
    assert (result["final_status"], result["exit_code"], result["total_iterations"]) == ("ERROR", 5, 1)
    assert loop(project)[-1]["content"]["final_status"] == "ERROR"


def test_the_file_of_the_loop_is_honoured_with_its_keys_and_the_projects_settings_win(project):
    project.play([worked(["write", "total.py", CODE + "# その他は割愛\n"], DONE)])
    place = project.root / ".claude" / "review-loop.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"max_iterations": 1, "escalate_on_max": False, "omission_patterns": ["その他は割愛"],
                                 "surprise": 1}))  # fmt: skip
    assert project.shiage("trust", "--yes").code == 0
    said = project.shiage("task", PROMPT)
    assert said.code == 5 and "surprise" in said.err
    result = project.shiage("show", "t-0001", "--json").json
    assert [row["judgment"] for row in result["iteration_history"]] == ["REJECT"]
    settings = (project.root / "shiage.toml").read_text()
    (project.root / "shiage.toml").write_text(
        "[review_loop]\nomission_patterns = []\n" + settings.replace("agent =", "#", 1)
    )
    place.write_text('{"max_iterations": "three"}')
    said = project.shiage("status")
    assert said.code == 1 and "review_loop.max_iterations" in said.err and "review-loop.json" in said.err


def test_show_tells_a_person_every_iteration_with_what_was_found(project):
    bad = [["write", "total.py", "def total(rows):\n    return 0  # TODO: sum\n"], DONE]
    project.play([worked(*bad, nth=1), worked(*GOOD)])
    asked(project)
    page = project.shiage("show", "t-0001").out
    assert "REJECT" in page and "PASS (2)" in page
    assert "total.py:2" in page and "TODO: sum" in page


def test_a_muted_finding_rejects_nothing_any_more_and_is_shown_as_muted(project):
    bad = [["write", "total.py", "def total(rows):\n    return sum(rows)  # TODO: ours\n"], DONE]
    project.play([worked(*bad)], "[review_loop]\nmax_iterations = 1\n")
    result = asked(project)
    assert result["reason"] == "awaiting-response"
    finding = result["iteration_history"][0]["rejection_details"]["issues_detected"][0]["id"]
    assert finding in project.shiage("show", "t-0001").out
    assert finding in project.shiage("check").out
    refused = project.shiage("mute", "00000000", "--reason", "no such", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "finding-unknown")
    muted = project.shiage("mute", finding, "--reason", "the mark is wanted there", "--json")
    assert (muted.code, muted.json["reason"]) == (0, "muted")
    assert project.shiage("run", "t-0001").code == 0
    kinds = [entry["event_type"] for entry in entries(project)]
    assert kinds.count("ATTEMPT_STARTED") == 1 and kinds.count("MUTED") == 1
    page = project.shiage("show", "t-0001")
    assert f"{finding}" in page.out and "muted" in page.out
    assert project.shiage("verify", "t-0001").code == 0


def test_the_same_rejection_twice_asks_a_person_instead_of_burning_iterations(project):
    bad = [["write", "total.py", "def total(rows):\n    return 0  # TODO: sum\n"], DONE]
    project.play([worked(*bad)], "[review_loop]\nmax_iterations = 7\n")
    result = asked(project)
    assert (result["final_status"], result["total_iterations"]) == ("AWAITING_RESPONSE", 2)


def test_a_symbolic_link_is_a_change_whose_target_is_not_read_as_its_content(project):
    project.play([worked(*GOOD[:1], ["run", "ln", "-s", "total.py", "settings.json"], DONE)])
    assert asked(project)["final_status"] == "COMPLETE"
    assert project.shiage("check").code == 0
