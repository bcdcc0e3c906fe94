"""Commands, models and other packages may be criteria too; none of them can overrule a rule that failed."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from criteria import criterion
from scenes import doing, story

PROMPT = "create total.py with a function total that sums its rows"
CODE = "def total(rows):\n    return sum(rows)\n"
WRONG = "def total(rows):\n    return len(rows)\n"
DONE = ["say", "I wrote total.py with total() and tried it."]
GOOD = [["write", "total.py", CODE], DONE]
#: Tests without a test runner: one line per failure, as runners print it.
SUITE = """
import pathlib, sys
failed = []
if "len(" in (pathlib.Path("total.py").read_text() if pathlib.Path("total.py").exists() else ""):
    failed.append("test_total.py::test_sum")
if not pathlib.Path("old_bug_repaired").exists():
    failed.append("test_old.py::test_never_worked")
for name in failed:
    print("FAILED", name, "- AssertionError: assert 2 == 3")
sys.exit(bool(failed))
"""
FLAKY = """
import pathlib, sys
place = pathlib.Path(".shiage/calls")
count = int(place.read_text()) + 1 if place.exists() else 1
place.write_text(str(count))
print("FAILED test_net.py::test_sometimes" if count == {bad} else "passed")
sys.exit(count == {bad})
"""


def worked(*actions, **when):
    return doing("implementer", *actions, **when)


def command(project, name: str, text: str) -> str:
    place = project.home / name
    place.write_text(text)
    return f"{sys.executable} {place}"


def result(project, *arguments):
    said = project.shiage("task", PROMPT, *arguments, "--json")
    assert said.lines[-1]["type"] == "result", said
    return said.lines[-1]


def judged(row, criterion):
    return next(one for one in row["criteria_results"] if one["criteria_id"] == criterion)


def with_tests(project, scenes, suite, more=""):
    argv = command(project, "suite.py", suite)
    project.play(
        scenes,
        f"{more}[review_loop]\nretry_delay_ms = 1\n[review_loop.criteria]\noptional = ['Q7']\n[checks]\ntest = '{argv}'\n",
    )


def test_a_test_that_the_change_broke_rejects_with_its_name_and_an_old_failure_does_not(project):
    with_tests(project, [worked(["write", "total.py", WRONG], DONE, nth=1), worked(*GOOD)], SUITE)
    ended = result(project)
    assert ended["final_status"] == "COMPLETE", ended
    first, second = ended["iteration_history"]
    issue = first["rejection_details"]["issues_detected"][0]
    assert (first["rejection_details"]["criteria_failed"], issue["rule"]) == (["Q7"], "test")
    assert "test_sum" in issue["description"] and "test_never_worked" not in issue["description"]
    assert "test_sum" in project.prompts()[1]
    assert judged(second, "Q7") == {"criteria_id": "Q7", "passed": True, "details": "fails as it did before the task"}


@pytest.mark.parametrize(("bad", "status"), [(2, "COMPLETE")])
def test_a_flaky_test_is_run_again_before_anybody_is_blamed(project, bad, status):
    with_tests(project, [worked(*GOOD)], FLAKY.format(bad=bad))
    ended = result(project)
    assert (ended["final_status"], ended["total_iterations"]) == (status, 1)
    assert judged(ended["iteration_history"][0], "Q7")["details"] == "flaky: passed 2 of 3 times"


@pytest.mark.parametrize(("criterion", "check"), [("Q8", "lint"), ("Q9", "types")])
def test_lint_and_types_are_criteria_by_their_commands(project, criterion, check):
    argv = command(project, "lint.py", SUITE)
    settings = f"[review_loop]\nmax_iterations = 1\n[review_loop.criteria]\noptional = ['{criterion}']\n[checks]\n{check} = '{argv}'\n"
    project.play([worked(["write", "total.py", WRONG], DONE)], settings)
    assert result(project)["iteration_history"][0]["rejection_details"]["criteria_failed"] == [criterion]


def test_a_criterion_without_its_command_is_an_error_before_any_agent_starts(project):
    project.play([worked(*GOOD)], "[review_loop.criteria]\noptional = ['Q7']\n")
    said = project.shiage("task", PROMPT, "--json")
    assert (said.code, said.lines[-1]["error"]["code"]) == (1, "check-missing")
    assert "[checks] test" in said.lines[-1]["error"]["help"]


def test_optional_criteria_that_nobody_enabled_run_nothing(project):
    argv = command(project, "suite.py", "raise SystemExit('called')")
    project.play([worked(*GOOD)], f"[checks]\ntest = '{argv}'\n")
    assert result(project)["final_status"] == "COMPLETE"
    assert not list((project.root / ".shiage/runs").rglob("check-*"))


# -- a model's opinion ----------------------------------------------------------------------------------------------


def with_judge(project, scenes, judge, settings=""):
    place = command(project, "judge.py", judge)
    argv = json.dumps(place.split())
    project.play(
        scenes, f"[review_loop]\nretry_delay_ms = 1\njudge = 'second'\n{settings}[agents.second]\ncommand = {argv}\n"
    )


ANSWER = "import sys, os, pathlib\nasked = sys.stdin.read()\n"
REJECT = json.dumps({"verdict": "REJECT", "issues": [{"path": "total.py", "line": 2, "quote": "len(rows)",
                     "description": "it counts instead of summing", "suggestion": "sum"}]})  # fmt: skip
PICKY = (
    ANSWER
    + f"""
assert os.environ["SHIAGE_ROLE"] == "judge" and "create total.py" in asked and "+def total" in asked
print("I looked at it.")
print('{REJECT}' if "len(rows)" in asked else '{{"verdict": "PASS", "issues": []}}')
"""
)


def test_a_second_agents_opinion_can_reject_with_place_and_quote(project):
    with_judge(project, [worked(["write", "total.py", WRONG], DONE, nth=1), worked(*GOOD)], PICKY)
    ended = result(project)
    assert ended["final_status"] == "COMPLETE", ended
    issue = ended["iteration_history"][0]["rejection_details"]["issues_detected"][0]
    assert (issue["criteria_id"], issue["location"], issue["quote"]) == ("MODEL", "total.py:2", "len(rows)")
    assert "it counts instead of summing" in project.prompts()[1]
    assert judged(ended["iteration_history"][1], "MODEL")["passed"]


def test_an_opinion_never_overrules_a_rule_that_failed(project):
    with_judge(project, [worked(["write", "total.py", CODE + "# TODO: more\n"], DONE)],
               ANSWER + "print('{\"verdict\": \"PASS\"}')", "max_iterations = 1\n")  # fmt: skip
    ended = result(project)
    assert ended["final_status"] == "AWAITING_RESPONSE"
    assert ended["iteration_history"][0]["judgment"] == "REJECT"


@criterion("003-8.1.2")
@pytest.mark.parametrize("said", ["looks fine to me", '{"verdict": "MAYBE"}', '{"verdict": "PASS"', ""])
def test_an_answer_that_cannot_be_read_is_a_rejection(project, said):
    with_judge(project, [worked(*GOOD)], ANSWER + f"print({said!r})", "max_iterations = 1\n")
    row = result(project)["iteration_history"][0]
    assert (row["judgment"], row["rejection_details"]["issues_detected"][0]["rule"]) == ("REJECT", "answer-unreadable")


@criterion("003-8.1.3", "003-8.1.4")
@pytest.mark.parametrize("how", ["sys.exit(3)", "import time; time.sleep(30)"])
def test_a_judge_that_fails_or_takes_too_long_is_tried_twice_more_and_then_it_is_a_rejection(project, how):
    with_judge(project, [worked(*GOOD)], ANSWER + how, "max_iterations = 1\njudge_minutes = 0.005\n")
    ended = result(project)
    assert [row["judgment"] for row in ended["iteration_history"]] == ["RETRY", "RETRY", "REJECT"]
    first, second, third = project.prompts()
    assert first == second == third
    assert ended["final_status"] == "AWAITING_RESPONSE"


def test_a_judge_that_outlived_a_killed_shiage_is_ended_at_the_next_start(project, until):
    place = project.home / "judge.pid"
    hangs = f"""
import os, pathlib, time
place = pathlib.Path({str(place)!r})
if not place.exists():
    place.write_text(str(os.getpid()))
    time.sleep(120)
print('{{"verdict": "PASS"}}')
"""
    argv = json.dumps(command(project, "judge.py", hangs).split())
    project.cast(story(), f"[review_loop]\njudge = 'second'\n[agents.second]\ncommand = {argv}\n")
    project.given()
    running = project.start("run", "login", "--until", "requirements")
    until(lambda: place.exists() and place.read_text())
    running.kill()
    running.wait()
    judge = psutil.Process(int(place.read_text()))
    assert project.shiage("run", "login", "--until", "requirements").code == 0
    assert not judge.is_running() or judge.status() == psutil.STATUS_ZOMBIE  # dead, and its parent has not looked yet


def test_a_judge_that_nobody_configured_is_an_error_before_any_agent_starts(project):
    project.play([worked(*GOOD)], "[review_loop]\njudge = 'nobody'\n")
    said = project.shiage("task", PROMPT, "--json")
    assert (said.code, said.lines[-1]["error"]["code"]) == (1, "agent-unknown")


# -- other packages -------------------------------------------------------------------------------------------------


PLUGIN = """
import os
from shiage.domain.verdict import CriterionResult, Finding
from shiage.judge import TemplateEvaluator


def no_bang(report, after, before, request):
    for path, text in after.items():
        for number, line in enumerate((text or "").splitlines(), 1):
            if "!!" in line:
                yield Finding("house.no-bang", "bang", path, number, line, "two bangs", "use none")


def breaks(report, after, before, request):
    raise RuntimeError("broken inside")


def _evaluate(report, request):
    calm = "calm" in report
    found = () if calm else (Finding("C1", "CALM", "report", 1, report[:40], "not calm", "be calm"),)
    return (CriterionResult("C1", calm),), found


calm = TemplateEvaluator("calm", "Calm Evaluator", _evaluate)


def heard(spec, entry):
    with open(os.environ["HEARD"], "a") as file:
        file.write(f"{spec} {entry['event_type']}\\n")


def _no(report, request):
    raise ValueError("cannot evaluate")


raising = TemplateEvaluator("raising", "Raising Evaluator", _no)
"""
ADAPTER = """
from shiage.agents.command import Command


class Mine(Command):
    pass


class Half:
    features = None
"""
POINTS = """[shiage.criteria]
house.no-bang = house_rules:no_bang
house.breaks = house_rules:breaks
house.missing = house_rules:nothing_of_that_name
calm = house_rules:calm
raising = house_rules:raising

[shiage.agents]
mine = house_agents:Mine
half = house_agents:Half

[shiage.listeners]
diary = house_rules:heard
"""


@pytest.fixture
def plugged(project, tmp_path, monkeypatch):
    """A distribution as a package installer leaves it: modules and a dist-info folder on the path."""
    site = tmp_path / "site"
    info = site / "house_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "house_rules.py").write_text(PLUGIN)
    (site / "house_agents.py").write_text(ADAPTER)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.setenv("PYTHONPATH", str(site))
    project.heard = project.home / "heard.txt"
    return project


def ran(project, settings, *scenes, arguments=()):
    project.play(list(scenes) or [worked(*GOOD)], settings)
    said = project.shiage("task", PROMPT, *arguments, "--json", variables={"HEARD": str(project.heard)})
    return said, said.lines[-1]


def enabled(*names):
    return f"[review_loop.criteria]\noptional = {json.dumps(names)}\n"


def test_a_criterion_of_another_package_judges_tasks_and_the_gate_alone(plugged):
    loud = worked(["write", "total.py", CODE + "print('sum!!')\n"], DONE, nth=1)
    _, ended = ran(plugged, enabled("house.no-bang"), loud, worked(*GOOD))
    assert ended["final_status"] == "COMPLETE", ended
    issue = ended["iteration_history"][0]["rejection_details"]["issues_detected"][0]
    assert (issue["criteria_id"], issue["location"]) == ("house.no-bang", "total.py:3")
    (plugged.root / "loud.py").write_text("print('!!')\n")
    found = plugged.shiage("check", "--json", variables={"HEARD": str(plugged.heard)})
    assert found.code == 5 and {row["criteria_id"] for row in found.json["findings"]} == {"house.no-bang"}


@criterion("003-8.2.3")
def test_a_criterion_that_raises_is_a_rejection(plugged):
    _, ended = ran(plugged, "[review_loop]\nmax_iterations = 1\n" + enabled("house.breaks"))
    issue = ended["iteration_history"][0]["rejection_details"]["issues_detected"][0]
    assert (issue["rule"], "broken inside" in issue["description"]) == ("criterion-error", True)


@pytest.mark.parametrize(
    ("settings", "code", "named"),
    [
        (enabled("house.missing"), "plugin-broken", "house-rules"),
        (enabled("house.unheard-of"), "criterion-unknown", "house.no-bang"),
        (enabled("calm"), "plugin-broken", "can be called"),
        ("[review_loop]\ntemplate = 'house.no-bang'\n", "plugin-broken", "TemplateEvaluator"),
        ("[roles]\nimplementer = 'broken'\n[agents.broken]\nkind = 'half'\n", "plugin-broken", "reader"),
        ("[roles]\nimplementer = 'broken'\n[agents.broken]\nkind = 'nowhere'\n", "agent-kind-unknown", "command"),
        ("[roles]\nimplementer = 'half'\n", "plugin-broken", "reader"),
        ("[roles]\nimplementer = 'mime'\n", "agent-unknown", 'did you mean "mine"'),
    ],
)
def test_a_broken_plugin_is_named_with_its_package_and_the_remedy_before_it_does_harm(plugged, settings, code, named):
    said, last = ran(plugged, settings)
    assert said.code == 1 and last["error"]["code"] == code, said
    assert named in last["error"]["message"] + last["error"]["help"]


def test_a_template_of_another_package_is_evaluated_when_it_is_active_and_has_its_own_section(plugged):
    hectic = worked(["write", "total.py", CODE], ["say", "I wrote total.py in a hurry."], nth=1)
    calm = worked(["write", "total.py", CODE], ["say", "I wrote total.py, calm as asked."])
    _, ended = ran(plugged, "", hectic, calm, arguments=("--template", "calm"))
    assert ended["final_status"] == "COMPLETE", ended
    assert ended["iteration_history"][0]["rejection_details"]["criteria_failed"] == ["C1"]
    assert "## Template-Specific Issues (calm)" in plugged.prompts()[1]
    assert "**C1** (CALM): not calm" in plugged.prompts()[1]


@criterion("003-8.2.3")
def test_a_template_evaluator_that_raises_is_a_rejection(plugged):
    _, ended = ran(plugged, "[review_loop]\nmax_iterations = 1\n", arguments=("--template", "raising"))
    assert ended["iteration_history"][0]["judgment"] == "REJECT"
    assert "cannot evaluate" in json.dumps(ended["iteration_history"][0]["rejection_details"])


def test_without_a_template_no_evaluator_runs(plugged):
    _, ended = ran(plugged, "")
    assert {row["criteria_id"] for row in ended["iteration_history"][0]["criteria_results"]} == {
        "Q1", "Q2", "Q3", "Q4", "Q5", "Q6",
    }  # fmt: skip


def test_an_agent_of_another_package_plays_a_role(plugged):
    script = plugged.home / "script.json"
    plugged.play([worked(*GOOD)])
    text = (plugged.root / "shiage.toml").read_text()
    argv = text.partition("command = ")[2].partition("\n")[0]
    settings = f"[roles]\nimplementer = 'own'\n[agents.own]\nkind = 'mine'\ncommand = {argv}\n"
    _, ended = ran(plugged, settings, worked(*GOOD))
    assert (ended["final_status"], ended["final_output"]["agent"]) == ("COMPLETE", "own"), script


def test_an_agent_of_another_package_needs_no_settings_of_its_own(plugged):
    assert plugged.shiage("init", "--agent", "mine", "--yes").code == 0
    assert "mine" in plugged.shiage("doctor").out
    assert "mine" in plugged.shiage("init", "--agent", "nobody").err


def test_a_listener_of_another_package_hears_every_entry(plugged):
    said, _ = ran(plugged, "")
    told = [line.split()[1] for line in plugged.heard.read_text().splitlines()]
    assert told == [line["event_type"] for line in said.lines[:-1]]


def test_goal_drift_has_its_own_section_in_the_modification_prompt(project):
    drifted = worked(
        ["write", "total.py", CODE], ["say", "I wrote total.py. If needed, you can also add the rest later."], nth=1
    )
    project.play([drifted, worked(*GOOD)])
    result(project, "--template", "goal_drift_guard")
    prompts = project.prompts()
    assert len(prompts) >= 2 and "## Template-Specific Issues (goal_drift_guard)" in prompts[1]
    assert Path(project.root / "total.py").exists()


def test_a_model_over_its_api_needs_the_extra_and_says_so(project):
    try:
        find_spec("pydantic_ai.models")
    except ModuleNotFoundError:
        project.play([worked(*GOOD)], "[review_loop]\njudge = 'openai:some-model'\n")
        said = project.shiage("task", PROMPT, "--json")
        assert (said.code, said.lines[-1]["error"]["code"]) == (1, "extra-missing")
        assert "shiage[judge]" in said.lines[-1]["error"]["help"]
    else:
        pytest.skip("the extra is installed here")
