"""What is remembered between two looks at the board never shows."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from shiage.app.board import Boards, board
from shiage.app.folds import Folds, story
from shiage.app.journals import page
from shiage.app.numbers import Numbers
from shiage.domain.events import AttemptExited, AttemptStarted, PhaseEntered, RoundClosed, RunStarted
from shiage.domain.outcome import Ending, Outcome, Usage
from shiage.domain.run import Order, Role
from shiage.engine import lock
from shiage.journal.codec import to_draft
from shiage.journal.writing import Journal


def append(desk: Any, *events: Any, spec: str = "login") -> Path:
    root: Path = desk.site.workspace.root
    path, head = root / f".kiro/specs/{spec}/event-log.jsonl", root / f".shiage/heads/{spec}"
    head.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(path, head, time.time).open()
    journal.append([to_draft(event, event.run, "summary") for event in events])
    journal.close()
    return path


def begun(run: str) -> tuple[RunStarted, PhaseEntered]:
    return RunStarted(run=run, at=time.time(), spec="login"), PhaseEntered(
        run=run, at=time.time(), phase="requirements"
    )


def test_a_fold_that_goes_on_is_the_fold_of_the_whole(desk: Any) -> None:
    folder, folds = desk.site.workspace.folder("login"), Folds()
    assert folds.story(folder) == story(folder)
    for event in begun("r-0001"):
        append(desk, event)
        assert folds.story(folder) == story(folder)


def test_a_page_that_is_told_on_is_the_page_of_the_whole(desk: Any) -> None:
    folder, folds, workspace = desk.site.workspace.folder("login"), Folds(), desk.site.workspace
    order = Order("document-review", Role.RESPONDER, round=1)
    began = AttemptStarted(run="r-0001", at=time.time(), attempt=1, agent_id="a1", agent="claude", order=order)
    done = Outcome(Ending.COMPLETED, usage=Usage(cost_usd=0.5))
    exited = AttemptExited(run="r-0001", at=time.time(), attempt=1, agent_id="a1", outcome=done)
    closed = RoundClosed(run="r-0001", at=time.time(), phase="document-review", round=1)
    for event in (*begun("r-0001"), began, exited, closed):
        append(desk, event)
        found = page(workspace, folder, folds)
        assert found.as_json() == page(workspace, folder).as_json()
    assert (len(found.attempts), len(found.rounds), found.used[0].cost_usd) == (1, 1, 0.5)


def test_a_journal_that_was_cut_or_replaced_is_folded_anew(desk: Any) -> None:
    folder, folds = desk.site.workspace.folder("login"), Folds()
    path = append(desk, *begun("r-0001"))
    whole = path.read_bytes()
    folds.story(folder)
    path.write_bytes(whole[: whole.index(b"\n") + 1])
    assert folds.story(folder) == story(folder)
    path.write_bytes(whole.replace(b"r-0001", b"r-0009"))
    assert folds.story(folder).history.main.id == "r-0009"


def test_the_board_of_a_server_is_the_board_of_the_command_line(desk: Any) -> None:
    boards, workspace = Boards(desk.site.workspace), desk.site.workspace
    for event in begun("r-0001"):
        append(desk, event)
        assert boards.now().as_json() == board(workspace).as_json()
        assert [view.as_json() for view in boards.some(["login", "none", "../x"])] == [
            board(workspace).views[0].as_json()
        ]


def test_a_run_that_was_interrupted_runs_again_as_soon_as_its_lock_is_taken(desk: Any) -> None:
    boards, places = Boards(desk.site.workspace), desk.site.workspace.places(desk.site.workspace.folder("login"))
    append(desk, *begun("r-0001"))
    assert boards.now().views[0].reason == "interrupted"
    places.lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.held(places.lock, "login", "run"):
        assert boards.now().views[0].status == "running"
    assert boards.now().views[0].reason == "interrupted"


MANY = 80  #: folders that nobody has looked into are more than a look reads by itself


def many(desk: Any) -> list[str]:
    """Specs that nobody has looked into; those that end in 9 were begun and left."""
    names = [f"spec-{number:02}" for number in range(MANY)]
    for name in names:
        folder = desk.site.workspace.root / ".kiro/specs" / name
        folder.mkdir()
        (folder / "spec.json").write_text(f'{{"feature_name": "{name}"}}')
        if name.endswith("9"):
            append(desk, *begun("r-0001"), *ended("r-0001", 1, 3)[:1], spec=name)
    return ["login", *names]


def test_the_first_look_at_many_specs_comes_at_once_and_says_nothing_of_those_that_nobody_has_read(desk: Any) -> None:
    names, workspace = many(desk), desk.site.workspace
    boards = Boards(workspace)
    first = boards.soon()
    seen = [row.spec for row in (*first.views, *first.unread)]
    assert sorted(seen) == sorted(names) and 0 < len(first.unread) < MANY
    assert all(not each.at for each in first.unread)  # the ones that were at work last are read first
    assert [each.spec for each in first.questions] == [name for name in names if name.endswith("9")]
    assert boards.now().as_json() == board(workspace).as_json() and not boards.soon().unread
    assert boards.some(names[:3]) == board(workspace).views[:3]


def test_pages_before_all_was_read_say_so_and_hold_no_state_of_what_was_not(desk: Any) -> None:
    names, client = many(desk), desk.client(Accept="text/html")
    page = client.get("/").text
    unread = re.findall(r'<li class="card unread" id="spec-([^"]+)">(.*?)</li>', page, re.DOTALL)
    assert unread and not any("state" in body or "form" in body for _, body in unread)
    assert f"{len(unread)} of {len(names)} journals" in page and 'data-every="3"' in page
    assert "no such" not in page and 'id="group-unread"' not in client.get("/?state=idle").text
    assert len(client.get("/api/status").json()["specs"]) == len(names)
    assert client.get("/asked").json() == {"v": 1, "questions": 8, "reading": 0}
    assert "unread" not in client.get("/").text


def test_figures_before_all_was_read_are_those_of_what_was(desk: Any) -> None:
    many(desk)
    numbers = Numbers(desk.site.workspace)
    charts, left = numbers.soon()
    assert left and all(len(chart.labels) < MANY for chart in charts)
    assert figures(numbers) == figures(Numbers(desk.site.workspace)) and numbers.soon()[1] == 0


@pytest.mark.parametrize("broken", ["RUN_STARTED", "unknown phase"])
def test_a_journal_that_cannot_be_true_hides_no_other_spec(desk: Any, broken: str) -> None:
    """It lies where an agent can write."""
    desk.client().post("/specs", data={"name": "other"})
    path = append(desk, *begun("r-0001"), spec="other")
    lines = path.read_text().splitlines()
    if broken == "RUN_STARTED":
        again = {**json.loads(lines[0]), "seq": len(lines) + 1}
        path.write_text("\n".join([*lines, json.dumps(again)]) + "\n")
    else:
        path.write_text("\n".join(lines).replace('"requirements"', '"<script>"') + "\n")
    os.utime(path)
    client = desk.client(Accept="text/html")
    found = Boards(desk.site.workspace).now()
    assert [view.spec for view in found.views if view.spec == "login"] == ["login"]
    assert [(row.spec, row.error.code) for row in found.broken] == [("other", "journal-entry-unreadable")]
    for path_asked in ("/", "/questions", "/activity", "/numbers", "/api/status", "/specs/other"):
        assert client.get(path_asked).status_code < 500, path_asked


def ended(run: str, attempt: int, minutes: float) -> tuple[Any, ...]:
    at = 1_700_000_000.0
    order = Order("impl", Role.IMPLEMENTER)
    outcome = Outcome(Ending.COMPLETED, usage=Usage(cost_usd=0.5))
    return (
        AttemptStarted(run=run, at=at, attempt=attempt, agent_id="a", agent="actor", order=order),
        AttemptExited(run=run, at=at + 60 * minutes, attempt=attempt, agent_id="a", outcome=outcome),
    )


def figures(numbers: Numbers) -> dict[str, tuple[tuple[float, ...], ...]]:
    return {chart.id: tuple(each.values for each in chart.series) for chart in numbers.charts()}


def test_figures_outlive_the_server_and_follow_the_journal(desk: Any) -> None:
    workspace = desk.site.workspace
    append(desk, *ended("r-0001", 1, 3), *ended("r-0001", 2, 4))
    first = {"reruns": ((1,),), "time": ((7.0,),), "waiting": ((7.0,),), "cost": ((1.0,),)}
    assert figures(Numbers(workspace)) == first
    assert figures(Numbers(workspace)) == first
    append(desk, *ended("r-0001", 3, 5))
    assert figures(Numbers(workspace)) == {
        "reruns": ((2,),),
        "time": ((12.0,),),
        "waiting": ((12.0,),),
        "cost": ((1.5,),),
    }
    for language in ("en", "ja"):
        shown = desk.client(Accept="text/html", **{"Accept-Language": language}).get("/numbers")
        assert shown.status_code == 200 and all(f'id="chart-{name}"' in shown.text for name in first)
    (kept,) = (workspace.root / ".shiage").glob("figures.*")
    kept.write_bytes(b"nonsense")
    assert figures(Numbers(workspace))["reruns"] == ((2,),)
