"""What programs may rely on: keys, types, error objects, lines and exit codes, in every state."""

import json

import pytest
from scenes import doing, responder, story

COUNT = int
NUMBER = (int, float)
MAYBE = (int, float, type(None))
STATUS = {
    "v": COUNT, "spec": str, "status": str, "phase": str, "reason": str, "next_action": str, "agent_id": str,
    "run": str, "round": {"closed": COUNT, "current": COUNT, "max": COUNT},
    "impl": {"retries": COUNT, "max": COUNT},
    "tasks": {"done": COUNT, "total": COUNT},
    "inspection": {"rounds": COUNT, "verdict": (str, type(None))},
    "usage": {"input_tokens": MAYBE, "output_tokens": MAYBE, "cost_usd": MAYBE},
}  # fmt: skip
EVENT = {"seq": COUNT, "event_type": str, "timestamp": str, "visibility": str, "run": str, "content": dict, "prev": str}
ERROR = {"code": str, "message": str, "where": (str, type(None)), "help": str}


def wrong(value, shape, at="") -> list[str]:
    """The keys that are missing or of another type."""
    if not isinstance(shape, dict):
        fits = isinstance(value, shape) and not isinstance(value, bool)
        return [] if fits else [f"{at} is {value!r}"]
    if not isinstance(value, dict):
        return [f"{at} is {value!r}"]
    missing = [f"{at}.{key} is missing" for key in shape if key not in value]
    return [*missing, *(line for key in shape if key in value for line in wrong(value[key], shape[key], f"{at}.{key}"))]


def refused(said) -> dict[str, object]:
    """The error object of a command that could not do what was asked."""
    last = json.loads(said.out.splitlines()[-1])
    assert last["v"] == 1 and wrong(last["error"], ERROR) == [] and set(last["error"]) == set(ERROR)
    return last["error"]


def test_the_status_object_has_its_keys_and_types_in_every_state(project, until):
    failing = doing("author", ["exit", 3], phase="requirements", nth=1)
    project.cast(story(failing, responder(discuss=1, round=1), doing("author", ["hang", 60], phase="design")))
    for name, done in (
        ("calm", ""),
        ("broken", ""),
        ("waiting", "tasks"),
        ("ready", "inspection"),
        ("busy", "requirements"),
    ):
        project.given(name, done)
    project.by_hand("torn", {}, "{")
    told = project.shiage("run", "broken", "waiting", "ready", "--json")
    assert told.code == 5
    running = project.start("run", "busy")
    until(lambda: (project.spec("busy") / "event-log.jsonl").exists() and project.attempts("busy"))
    board = project.shiage("status", "--json").json
    rows = {row["spec"]: row for row in board["specs"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "calm": "idle", "broken": "error", "waiting": "paused", "ready": "completed", "busy": "running",
        "torn": "paused",
    }  # fmt: skip
    assert board["v"] == 1 and [line for row in rows.values() for line in wrong(row, STATUS, row["spec"])] == []
    assert rows["busy"]["agent_id"] and rows["busy"]["next_action"] == "" and rows["busy"]["phase"] == "design"
    for name in ("broken", "waiting", "torn"):
        assert rows[name]["reason"] and "shiage" in rows[name]["next_action"], rows[name]
    running.kill()
    running.wait()
    lost = project.status("busy")
    assert wrong(lost, STATUS) == []
    assert (lost["status"], lost["reason"]) == ("paused", "interrupted")
    assert project.shiage("stop", "busy", "--json").json["reason"] == "stopped"


def test_run_prints_the_journals_lines_and_the_result_last(project):
    project.cast(story())
    project.given(until="impl")
    said = project.shiage("run", "login", "--json")
    *lines, last = said.out.splitlines()
    assert lines == (project.spec() / "event-log.jsonl").read_text().splitlines()
    assert [problem for line in lines for problem in wrong(json.loads(line), EVENT)] == []
    result = json.loads(last)
    assert (result["type"], result["v"], result["exit_code"]) == ("result", 1, said.code)
    assert wrong(result, STATUS) == [] and said.err == ""
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, len(lines) + 1))


def test_what_a_person_does_answers_with_the_new_status_object(project):
    project.cast(story(responder(discuss=1)))
    project.given(until="tasks")
    assert project.ran("login")["exit_code"] == 4
    for arguments, status in ((("approve", "login", "document-review"), "paused"), (("reset", "login"), "idle")):
        said = project.shiage(*arguments, "--json")
        assert said.code == 0 and wrong(said.json, STATUS) == [] and said.json["status"] == status, arguments


@pytest.mark.parametrize(
    "arguments", [("show", "login"), ("verify", "login"), ("doctor",), ("config", "show"), ("status",)]
)
def test_every_reading_command_gives_one_object_with_its_version(project, arguments):
    project.cast([])
    project.given()
    said = project.shiage(*arguments, "--json")
    assert (said.code, said.json["v"], said.err) == (0, 1, "")


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (("status", "nowhere"), 1, "spec-unknown"),
        (("status", ""), 1, "spec-name-invalid"),
        (("stop", "login"), 1, "not-running"),
        (("approve", "login"), 1, "nothing-to-approve"),
        (("approve", "login", "desing"), 1, "phase-unknown"),
        (("run", "login", "--agent", "nobody"), 1, "agent-unknown"),
        (("run", "login", "--until", "nowhere"), 1, "phase-unknown"),
        (("run",), 2, "usage"),
        (("status", "--nonsense"), 2, "usage"),
        (("completion", "powershell"), 2, "usage"),
    ],
)
def test_an_error_is_one_object_on_stdout_and_its_exit_code_stands(project, arguments, exit_code, code):
    project.cast([])
    project.given()
    said = project.shiage(*arguments, "--json")
    assert (said.code, refused(said)["code"], said.err) == (exit_code, code, "")
    assert refused(said)["help"], "every error names its remedy"


def test_an_error_names_the_place(project):
    (project.root / "shiage.toml").write_text('max_parallel = "many"\n')
    said = project.shiage("status", "--json")
    assert (said.code, refused(said)["where"]) == (1, "shiage.toml:1:16")


def test_without_json_an_error_leaves_stdout_empty(project):
    said = project.shiage("status", "nowhere")
    assert (said.code, said.out) == (1, "") and said.err.startswith("error[")


def test_the_schemas_name_every_key_that_is_promised(project):
    schemas = project.shiage("schema").json
    assert {"status", "events", "settings"} <= set(schemas)
    assert set(STATUS) <= set(schemas["status"]["properties"])
    assert set(EVENT) <= set(schemas["events"]["properties"])
    assert project.shiage("schema", "status").json == schemas["status"]
