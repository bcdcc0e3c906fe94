"""Seed 002: the implementation is not over while a box is open."""

import pytest
from criteria import criterion
from scenes import doing, implementer, story


def impl_runs(project) -> int:
    return sum(phase == "impl" for _, phase, _ in project.attempts())


def tasks_written(text: str):
    """A scene in which the author of the tasks writes this list."""
    return doing("author", ["write", "spec:tasks.md", text], ["say", "written"], phase="tasks")


@criterion("002-1.1", "002-1.3", "002-2.1")
def test_open_boxes_after_a_clean_exit_run_impl_again_and_block_the_inspection(project):
    project.new(scenes=story(implementer("1", nth=1)))
    assert project.shiage("run", "login").code == 0
    phases = [phase for _, phase, _ in project.attempts()]
    assert phases[phases.index("impl") :] == ["impl", "impl", "inspection"]


@criterion("002-1.2")
def test_when_every_box_is_ticked_the_inspection_begins(project):
    project.new(scenes=story())
    assert project.shiage("run", "login").code == 0
    assert impl_runs(project) == 1
    assert project.status()["tasks"] == {"done": 3, "total": 3}


@criterion("002-2.1")
def test_a_re_run_gets_the_same_prompt_without_task_arguments(project):
    project.new(scenes=story(implementer("1", nth=1)))
    project.shiage("run", "login")
    folder = project.root / ".shiage" / "runs" / "r-0001"
    numbers = [
        e["content"]["attempt"]
        for e in project.journal(kind="ATTEMPT_STARTED")
        if e["content"]["order"]["phase"] == "impl"
    ]
    first, second = ((folder / f"attempt-{n}.prompt.md").read_text() for n in numbers)
    assert first == second


@criterion("002-2.2", "002-4.1")
def test_each_re_run_is_counted_and_journalled_with_done_and_total(project):
    project.new(scenes=story(implementer("1", nth=1), implementer("2", nth=2)))
    project.shiage("run", "login")
    told = [e["content"] for e in project.journal(kind="IMPL_RERUN")]
    assert [(t["rerun"], t["max"], t["done"], t["total"], t["level"]) for t in told] == [
        (1, 7, 1, 3, "info"), (2, 7, 2, 3, "info"),
    ]  # fmt: skip
    assert project.status()["impl"] == {"retries": 2, "max": 7}


@criterion("002-2.3")
def test_a_new_session_of_a_person_begins_to_count_at_zero(project, until):
    project.new(scenes=story(implementer("1", nth=1), doing("implementer", ["hang", 30], nth=2)))
    running = project.start("run", "login")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and impl_runs(project) == 2)
    assert project.status()["impl"]["retries"] == 1
    project.shiage("stop", "login")
    assert running.wait(15) == 130
    assert project.shiage("run", "login").code == 0
    assert project.status()["impl"]["retries"] == 0


@criterion("002-3.1", "002-3.2")
def test_open_boxes_after_the_seventh_re_run_are_an_error(project):
    project.new(scenes=story(implementer("1")))
    assert project.shiage("run", "login").code == 5
    assert impl_runs(project) == 8
    status = project.status()
    assert (status["status"], status["reason"]) == ("error", "tasks-incomplete")
    assert status["impl"] == {"retries": 7, "max": 7}


@criterion("002-3.3")
def test_in_this_error_a_run_is_refused_with_the_remedy(project):
    project.new(scenes=story(implementer("1")))
    project.shiage("run", "login")
    refused = project.shiage("run", "login")
    assert refused.code == 1 and "shiage reset login" in refused.err
    assert impl_runs(project) == 8


@criterion("002-3.4")
def test_a_reset_clears_error_and_count(project):
    project.new(scenes=story(implementer("1")))
    project.shiage("run", "login")
    assert project.shiage("reset", "login").code == 0
    status = project.status()
    assert (status["status"], status["impl"]["retries"]) == ("idle", 0)
    project.play(story())
    assert project.shiage("run", "login").code == 0


@criterion("002-4.2")
def test_a_re_run_is_told_to_the_person_with_its_numbers(project):
    project.new(scenes=story(implementer("1", nth=1)))
    assert "1/7" in project.shiage("run", "login").out
    project.shiage("reset", "login")
    assert "impl を再実行します (1/7): 未完了タスク 2 件" in project.shiage("log", "login", "--lang", "ja").out


@criterion("002-4.3", "002-4.4")
def test_the_limit_is_journalled_and_told_as_an_error(project):
    project.new(scenes=story(implementer("1")))
    ended = project.shiage("run", "login", "--lang", "ja")
    limit = project.journal(kind="IMPL_LIMIT_REACHED")[0]["content"]
    assert (limit["level"], limit["max"], limit["done"], limit["total"]) == ("error", 7, 1, 3)
    assert "impl の再実行が上限 (7 回) に達しました。" in ended.out + ended.err


@pytest.mark.parametrize("mark", ["-", "~", "?"])
def test_any_other_mark_is_open(project, mark):
    project.new(scenes=story(tasks_written(f"- [ ] 1. a\n- [{mark}] 2. b\n"), implementer("1", nth=1)))
    project.shiage("run", "login")
    assert impl_runs(project) > 1


def test_nested_boxes_count_and_boxes_in_fences_and_comments_do_not(project):
    text = "- [ ] 1. a\n    - [ ] 1.1 b\n\n```\n- [ ] 9. no\n```\n\n<!--\n- [ ] 8. no\n-->\n"
    project.new(scenes=story(tasks_written(text), implementer("1", nth=1)))
    assert project.shiage("run", "login").code == 0
    assert project.journal(kind="IMPL_RERUN")[0]["content"]["total"] == 2


def test_optional_tasks_count_unless_the_setting_skips_them(project):
    text = "- [ ] 1. a\n- [ ]* 2. b\n"
    project.new(scenes=story(tasks_written(text), implementer("1")), settings='[guard]\noptional = "skip"\n')
    assert project.shiage("run", "login").code == 0
    assert impl_runs(project) == 1


def test_boxes_under_an_ignored_heading_do_not_count(project):
    text = "- [ ] 1. a\n\n### Coverage Validation Checklist\n\n- [ ] all covered\n"
    settings = '[guard]\nignore_headings = ["Coverage Validation Checklist"]\n'
    project.new(scenes=story(tasks_written(text), implementer("1")), settings=settings)
    assert project.shiage("run", "login").code == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- [ ] 3. Describe it\n", ""),
        ("Describe it", "Mention it"),
        ("- [ ] 3. Describe it\n", "<!--\n- [ ] 3. Describe it\n-->\n"),
        ("- [ ] 3. Describe it\n", "```\n- [ ] 3. Describe it\n```\n"),
    ],
)
def test_a_task_that_vanished_or_was_reworded_pauses_with_a_diff(project, old, new):
    cheat = doing("implementer", ["replace", "spec:tasks.md", old, new], ["tick"], ["say", "all ticked"], nth=1)
    project.new(scenes=story(cheat))
    assert project.shiage("run", "login").code == 4
    status = project.status()
    assert status["reason"] == "tasks-tampered" and "Describe it" in status["detail"]


def test_an_added_task_is_no_tampering(project):
    more = doing("implementer", ["replace", "spec:tasks.md", "# Tasks\n", "# Tasks\n\n- [x] 0. Prepare\n"], ["tick"],
                 ["write", "greet.py", "GREETING = 'hello'\n"], ["say", "wrote greet.py"])  # fmt: skip
    project.new(scenes=story(more))
    assert project.shiage("run", "login").code == 0


def test_a_person_may_accept_the_changed_tasks(project):
    cheat = doing("implementer", ["replace", "spec:tasks.md", "- [ ] 3. Describe it\n", ""], ["tick"],
                  ["write", "greet.py", "GREETING = 'hello'\n"], ["say", "two tasks are enough; greet.py is there"], nth=1)  # fmt: skip
    project.new(scenes=story(cheat))
    assert project.shiage("run", "login").code == 4
    assert project.shiage("run", "login").code == 4
    assert project.shiage("approve", "login", "tasks").code == 0
    assert project.shiage("run", "login").code == 0
    assert impl_runs(project) == 1


@pytest.mark.parametrize("text", ["", "# Tasks\n\nnothing to do\n"])
def test_a_task_list_without_boxes_is_never_complete(project, text):
    project.new(scenes=story(tasks_written(text)))
    assert project.shiage("run", "login").code == 4
    assert project.status()["phase"] == "tasks"
    assert impl_runs(project) == 0
