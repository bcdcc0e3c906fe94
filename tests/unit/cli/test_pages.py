"""Views as lines: complete, within a terminal, and always with the next action."""

from collections.abc import Callable

import pytest

from shiage.app.board import Board, Broken
from shiage.app.journals import AttemptRow, Page, RoundRow
from shiage.app.views import SpecView
from shiage.cli.pages import counts_line, ending, header, money, next_words, one_line, page, phases_line, shown, table
from shiage.cli.text import cells
from shiage.cli.words import speak
from shiage.domain.errors import UserError
from shiage.domain.reasons import next_action
from shiage.domain.run import Counts
from shiage.domain.verdict import Finding

Made = Callable[..., SpecView]

REVIEWING = {
    "status": "running",
    "phase": "document-review",
    "run": "r-0001",
    "agent_id": "r-0001-a7-1f",
    "agent": "claude",
    "role": "reviewer",
    "attempt": 7,
    "round": {"closed": 2, "current": 3, "max": 7},
    "tasks": {"done": 0, "total": 12},
    "seconds": 724.0,
    "usage": {"input_tokens": 1200, "output_tokens": 90, "cost_usd": 0.84},
    "phases": {
        "requirements": "done",
        "design": "done",
        "tasks": "done",
        "document-review": "current",
        "impl": "todo",
        "inspection": "todo",
        "deploy": "todo",
    },
}
DISCUSS = {
    "status": "paused",
    "reason": "needs-discussion",
    "detail": "0 to fix, 1 to discuss",
    "path": ".kiro/specs/login/document-review-3-reply.md",
    "next_action": next_action("needs-discussion", spec="login", phase="document-review"),
    "agent_id": "",
}


def test_the_header_holds_all_phases_the_time_and_the_cost(view: Made) -> None:
    line = header(view(**REVIEWING), 724.0)
    assert line == ("login  req ✓  des ✓  tasks ✓  review 3/7  impl ·  insp ·            12:04  $0.84")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_header_fits_every_terminal(view: Made, width: int, language: str) -> None:
    speak(language)
    long = view(**REVIEWING | {"spec": "x" * 64})
    assert cells(header(long, 36_000.0, width)) <= width


def test_a_wide_terminal_shows_whole_names(view: Made) -> None:
    assert "requirements ✓  design ✓  tasks ✓  document-review 3/7" in header(view(**REVIEWING), 1.0, 120)


def test_the_phase_at_work_says_how_far_it_is(view: Made) -> None:
    phases = {"tasks": "done", "impl": "current", "inspection": "todo", "deploy": "done"}
    made = view(phase="impl", phases=phases, tasks={"done": 9, "total": 12})
    assert phases_line(made) == "tasks ✓  impl 9/12  inspection ·  deploy ✓"


def test_unknown_cost_stays_unknown() -> None:
    assert (money(None), money(0), money(0.125), money(2)) == ("–", "$0.00", "$0.12", "$2.00")


def test_the_table_has_one_row_per_spec_and_says_what_is_next(view: Made) -> None:
    rows = Board(
        (
            view(**REVIEWING),
            view(spec="export-csv", phase="impl", status="paused", reason="tasks-tampered",
                 next_action="restore the tasks and `shiage run export-csv`", tasks={"done": 9, "total": 12}),
        )
    )  # fmt: skip
    assert table(rows, colored=False) == [
        "SPEC        PHASE            STATE    ROUND  TASKS  TIME   COST  WHY / NEXT",
        "login       document-review  running  3/7    0/12   12:04  0.84  shiage run login",
        "export-csv  impl             paused   -      9/12   0:00   -     tasks-tampered → shiage run export-csv",
        "",
        "2 specs · 1 waits for you",
    ]


def test_a_spec_that_cannot_be_looked_at_hides_no_other(view: Made) -> None:
    broken = Broken("odd", UserError("journal-unreadable", "the journal cannot be read"))
    lines = table(Board((view(),), (broken,)), colored=False)
    assert lines[2].split(maxsplit=7) == [
        "odd",
        "-",
        "error",
        *"----",
        "journal-unreadable: the journal cannot be read",
    ]
    assert lines[-1] == "2 specs · 1 waits for you"


def test_a_narrow_terminal_cuts_the_table_and_colour_does_not_move_columns(view: Made) -> None:
    board = Board((view(**REVIEWING | DISCUSS),))
    assert max(map(cells, table(board, colored=False, width=70))) <= 70
    plain, colored = table(board, colored=False), table(board, colored=True)
    assert [cells(line) for line in plain] == [cells(line) for line in colored]
    assert colored != plain


def test_an_empty_project_says_how_to_begin() -> None:
    assert table(Board(()), colored=False) == [
        'there is no spec yet. `shiage new login "what it should do"` makes one.'
    ]


def test_a_page_says_where_a_spec_is_and_what_it_has_used(view: Made) -> None:
    assert page(view(**REVIEWING, next_action=""), colored=False) == [
        "login   running   document-review",
        "  requirements ✓  design ✓  tasks ✓  document-review 3/7  impl ·  inspection ·",
        "",
        "  agent    claude as reviewer, attempt 7",
        "  rounds   2 closed, at most 7",
        "  tasks    0/12",
        "  time     12:04",
        "  cost     $0.84",
        "  usage    1200 in, 90 out",
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_pause_shows_why_where_and_the_next_action_within_the_screen(view: Made, language: str) -> None:
    speak(language)
    made = view(**REVIEWING | DISCUSS)
    text = page(made, colored=False) + ending(made, 724.0, colored=False)
    assert max(map(cells, text)) <= 80
    joined = "".join("".join(text).split())
    assert "needs-discussion" in joined
    assert "document-review-3-reply.md" in joined
    assert joined.count("`shiageapprovelogindocument-review`") == 2


def test_the_end_of_a_pause_is_a_block(view: Made) -> None:
    assert ending(view(**REVIEWING | DISCUSS), 724.0, colored=False) == [
        "login paused: points need your decision (needs-discussion)        12:04  $0.84",
        "  0 to fix, 1 to discuss   .kiro/specs/login/document-review-3-reply.md",
        "  next:  decide the open points, edit design.md and `shiage run login`, or",
        "         `shiage approve login document-review`",
    ]


def test_the_end_of_a_finished_run_names_where_to_look(view: Made) -> None:
    *_, phases, look = ending(view(status="completed", next_action=""), 9.0, colored=False)
    assert phases.startswith("  requirements …")
    assert look == "  look again   shiage log login   shiage show login"


def test_a_run_that_is_still_running_has_no_next_action(view: Made) -> None:
    assert one_line(view(status="running", next_action="")) == "login: running"
    assert len(ending(view(status="running", next_action=""), 9.0, colored=False)) == 1


def test_one_line_has_state_reason_and_next_action(view: Made) -> None:
    said = one_line(view(**REVIEWING | DISCUSS))
    assert said.startswith("login: paused (needs-discussion). next: decide the open points")


def test_the_next_action_is_in_the_persons_language(view: Made) -> None:
    speak("ja")
    made = view(
        status="error", reason="agent-failed", next_action="look at `shiage log login`, then `shiage run login`"
    )
    assert next_words(made) == "`shiage log login` を確認してから `shiage run login`"


def attempt(number: int, **changes: object) -> AttemptRow:
    values = {
        "run": "r-0001",
        "attempt": number,
        "agent_id": "",
        "agent": "claude",
        "phase": "impl",
        "role": "implementer",
        "round": 0,
        "started_at": 0.0,
        "seconds": 61.0,
        "ending": "completed",
        "log": ".shiage/runs/r-0001/attempt-1.log",
    }
    return AttemptRow(**values | changes)  # type: ignore[arg-type]


def test_everything_about_a_spec_stands_on_one_page(view: Made) -> None:
    finding = Finding("Q3", "omission", "src/a.py", 12, "// 残り省略", "left out", "write it")
    counted = attempt(2, phase="document-review", role="responder", round=1, counts=Counts(3, 0))
    failed = attempt(3, ending="failed", cause="crashed", detail="Ended with exit code 2.", seconds=None)
    rejected = attempt(1, judgment="REJECT", findings=(finding,))
    rounds = (
        RoundRow("r-0001", "document-review", 1, 3, 0, "", 192.0, "document-review-1-reply.md"),
        RoundRow("r-0001", "inspection", 1, None, None, "nogo", 5.0, "inspection-1.md"),
    )
    lines = shown(Page(view(), rounds, (rejected, counted, failed)), colored=False)
    assert lines[lines.index("Rounds") :] == [
        "Rounds",
        "  document-review  #1  fix 3   discuss 0  3m12s  document-review-1-reply.md",
        "  inspection       #1  NOGO               5s     inspection-1.md",
        "",
        "Attempts",
        "  r-0001  #1  impl                implementer  claude  1m01s  completed  REJECT",
        f"      {finding.id}  src/a.py:12  Q3 omission  // 残り省略",
        "  r-0001  #2  document-review #1  responder    claude  1m01s  completed  fix 3   discuss 0",
        "  r-0001  #3  impl                implementer  claude  -      failed",
        "      crashed  Ended with exit code 2.",
        "      log: .shiage/runs/r-0001/attempt-1.log",
    ]


def test_a_spec_without_history_says_so(view: Made) -> None:
    assert shown(Page(view(), (), ()), colored=False)[-2:] == ["Attempts", "  nothing yet"]


def test_numbers_of_a_demo_are_in_the_right_form() -> None:
    assert counts_line({"phase": 6, "round": 1, "rerun": 0}) == "6 phases · 1 round · 0 re-runs"
