"""Whatever waits for a person is named in one place, with the words and the command that move it on."""

from scenes import doing, responder, story

BAD = [["write", "flag.py", "VERSION = 1  # TODO: read it\n"], ["say", "I wrote flag.py."]]
ONCE = "[review_loop]\nmax_iterations = 1\n"


def asked(project):
    return {row["spec"]: row for row in project.shiage("status", "--json").json["questions"]}


def test_specs_and_tasks_that_wait_are_listed_with_what_they_ask_and_since_when(project):
    failing = doing("author", ["exit", 3], phase="requirements")
    project.cast(story(doing("implementer", *BAD, phase="task"), responder(discuss=1, round=1), failing), ONCE)
    project.given("login", until="tasks")
    project.given("broken")
    project.given("calm", until="inspection")
    assert project.shiage("run", "login", "broken", "--json").code == 5
    assert project.shiage("task", "create flag.py with VERSION", "--json").code == 4
    rows = asked(project)
    assert set(rows) == {"login", "broken", "t-0001"}
    assert {name: (row["kind"], row["reason"], row["phase"]) for name, row in rows.items()} == {
        "login": ("spec", "needs-discussion", "document-review"),
        "broken": ("spec", "agent-failed", "requirements"),
        "t-0001": ("task", "awaiting-response", "task"),
    }
    assert "flag.py:1" in rows["t-0001"]["text"] and "shiage answer t-0001" in rows["t-0001"]["next_action"]
    assert {name: row["answerable"] for name, row in rows.items()} == {"login": True, "broken": False, "t-0001": True}
    stopped = project.journal("login", "RUN_PAUSED")[0]["timestamp"]
    assert rows["login"]["since"] == stopped
    assert [row["spec"] for row in project.shiage("status", "--json").json["questions"]][-1] == "t-0001"
    assert rows["login"]["text"] == "0 to fix, 1 to discuss"
    for command, words in (
        (("status", "login"), "要修正0件、要議論1件"),
        (("log", "broken"), "終了コード3で終わりました。"),
    ):
        assert words in "".join(project.shiage("--lang", "ja", *command).out.split())
    page = project.shiage("status").out
    assert "t-0001" in page and "3 wait for you" in page


def test_what_was_answered_or_stopped_on_purpose_asks_nothing_any_more(project):
    good = [["write", "flag.py", "VERSION = 1\n"], ["say", "I wrote VERSION into flag.py and read it back."]]
    project.cast(
        story(doing("implementer", *BAD, nth=1, phase="task"), doing("implementer", *good, phase="task")), ONCE
    )
    assert project.shiage("task", "create flag.py with VERSION").code == 4
    assert set(asked(project)) == {"t-0001"}
    assert project.shiage("answer", "t-0001", "say 1").code == 0
    assert asked(project) == {}
