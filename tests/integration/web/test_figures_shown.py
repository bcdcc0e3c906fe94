"""What pages are made of beside the journal: what each attempt changed, the rounds of spec.json, figures over time."""

import asyncio
import json
from typing import Any

import pytest
from scenes import doing, implementer, inspector, reply, responder, story

from shiage.app.diffs import FileDiff, diff
from shiage.app.journals import page
from shiage.app.numbers import Numbers
from shiage.app.review_rounds import review_rounds
from shiage.app.runs import run
from shiage.app.workspace import Workspace, open_workspace
from shiage.web.markdown import places, rendered

KEY = "ghp_" + "a1B2" * 9


@pytest.fixture
def workspace(project: Any) -> Workspace:
    """A spec whose implementer works in three attempts: omits, repairs and takes something back, ticks the rest."""
    omitted = ["write", "greet.py", "def greet(name: str) -> str:\n    # ... rest omitted\n    return name\n"]
    repaired = ["write", "greet.py", f"def greet(name: str) -> str:\n    return name + {KEY!r}\n"]
    first = doing("implementer", omitted, ["write", "extra.py", "X = 1\n"], ["tick", "1"], ["say", "wrote it"], nth=1)
    second = doing("implementer", repaired, ["delete", "extra.py"], ["tick", "2"], ["say", "repaired it"], nth=2)
    project.cast(story(responder(2, 1, round=1), first, second, implementer("3"), inspector("GO")))
    project.given("login", until="tasks")
    found = open_workspace(project.root, dict(project.environ))
    asyncio.run(run(found, "login"))
    return found


def changed(workspace: Workspace) -> list[tuple[str, list[FileDiff]]]:
    """Role and changes of every attempt."""
    folder = workspace.folder("login")
    return [(row.role, list(diff(workspace, folder, row) or ())) for row in page(workspace, folder).attempts]


def test_each_attempt_is_shown_with_its_own_part_of_the_change(workspace: Workspace) -> None:
    work = [found for role, found in changed(workspace) if role == "implementer"]
    assert [[(each.path, each.kind) for each in found] for found in work[:2]] == [
        [(".kiro/specs/login/tasks.md", "changed"), ("extra.py", "added"), ("greet.py", "added")],
        [(".kiro/specs/login/tasks.md", "changed"), ("extra.py", "deleted"), ("greet.py", "changed")],
    ]
    greet = work[1][2]
    assert (greet.plus, greet.minus) == (1, 2)
    assert ("del", "-    # ... rest omitted") in greet.lines


def test_reviewers_and_responders_are_shown_with_what_they_wrote(workspace: Workspace) -> None:
    found = [
        [each.path.rpartition("/")[2] for each in files] for role, files in changed(workspace) if role == "responder"
    ]
    assert found == [["document-review-1-reply.md"], ["document-review-2-reply.md"]]


def test_secrets_in_a_change_are_masked(workspace: Workspace) -> None:
    text = "\n".join(line for _, files in changed(workspace) for each in files for _, line in each.lines)
    assert KEY not in text and "[masked:" in text


def test_a_change_that_nobody_kept_is_told_from_an_empty_one(workspace: Workspace) -> None:
    for trace in (workspace.root / ".shiage" / "runs" / "r-0001").glob("*.trace.json"):
        trace.write_text("{")
    folder = workspace.folder("login")
    assert {diff(workspace, folder, row) for row in page(workspace, folder).attempts} == {None}


def test_the_figures_are_those_of_the_journals(workspace: Workspace) -> None:
    charts = {chart.id: chart for chart in Numbers(workspace).charts()}
    assert [(series.name, series.values) for series in charts["findings"].series] == [
        ("fix", (2, 0)),
        ("discuss", (1, 0)),
    ]
    assert charts["rounds"].series[0].values == (0, 1)
    assert charts["firstpass"].series[0].values == (0.0,)
    assert [series.name for series in charts["rejected"].series] == ["Q3"]
    assert charts["reruns"].series[0].values == (2,)
    assert charts["findings"].csv == "label,fix,discuss\r\n#1,2,1\r\n#2,0,0\r\n"


def test_rounds_are_read_from_spec_json_whoever_wrote_it(project: Any) -> None:
    spec = project.given("login", until="tasks")
    (spec / "document-review-2-reply.md").write_text(reply(0, 3))
    state = json.loads((spec / "spec.json").read_text())
    state["documentReview"] = {
        "roundDetails": [{"roundNumber": 2, "status": "review_complete", "needsDiscussionCount": 3}]
    }
    (spec / "spec.json").write_text(json.dumps(state))
    found = open_workspace(project.root, dict(project.environ))
    (row,) = review_rounds(found, found.folder("login"), ("document-review-2-reply.md",))
    assert (row.number, row.closed, row.fix, row.discuss, row.review, row.reply) == (
        2, False, None, 3, "", "document-review-2-reply.md",
    )  # fmt: skip
    (spec / "spec.json").write_text("{")
    assert review_rounds(found, found.folder("login"), ()) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Requirements\n\n### Requirement 2: Go\n\n1. One\n2. Two\n", {"2", "2.1", "2.2"}),
        ("## 3. 要件\n\n1. One\n   1. Deeper\n", {"3", "3.1"}),
        ("### 要件 4\n\n- no number\n", {"4"}),
        ("1. WHEN one\n2. WHEN two\n", {"1", "2"}),
        ("### Requirement 1\n\n### Requirement 1\n", {"1"}),
    ],
)
def test_requirements_have_places_to_be_linked_to(text: str, found: set[str]) -> None:
    assert places(text) == found
    assert all(rendered(text).count(f'id="requirement-{number}"') == 1 for number in found)


def test_no_level_of_a_documents_headings_is_left_out() -> None:
    html = rendered("# One\n\n### Three\n\n## Two\n\n###### Six\n")
    assert [html.index(tag) >= 0 for tag in ("<h2>One", "<h3>Three", "<h3>Two", "<h4>Six")] == [True] * 4
