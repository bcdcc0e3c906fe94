"""The live view: one block that is drawn again, and lines that stay."""

from collections.abc import Callable

import pytest

from shiage.app.views import SpecView
from shiage.cli.block import Block
from shiage.cli.reel import Reel
from shiage.cli.text import cells
from shiage.cli.words import speak
from shiage.domain.run import Attempt, Order, Role
from shiage.journal.entry import Entry

Made = Callable[..., SpecView]
Told = Callable[..., Entry]
FIRST = Attempt(7, "r-0001-a7-1f", "claude", Order("document-review", Role.REVIEWER, round=3), 0.0)
SECOND = Attempt(8, "r-0001-a8-2c", "claude", Order("document-review", Role.RESPONDER, round=3), 0.0)


@pytest.fixture
def reviewing(view: Made) -> SpecView:
    return view(
        status="running",
        phase="document-review",
        agent_id=FIRST.agent_id,
        agent="claude",
        role="reviewer",
        attempt=7,
        round={"closed": 2, "current": 3, "max": 7},
        phases={"tasks": "done", "document-review": "current", "impl": "todo"},
    )


def drawn(block: Block, width: int = 80, now: float = 70.0) -> list[str]:
    return [line for line, _ in block.lines(width, now)]


def test_before_anything_is_known_the_block_is_one_line() -> None:
    assert drawn(Block(spec="login")) == ["login  starting …"]


def test_the_block_shows_who_works_how_long_and_what_was_said_last(reviewing: SpecView) -> None:
    block = Block(spec="login")
    block.look(reviewing, 0.0)
    block.called(FIRST, "Read design.md")
    block.said(FIRST, "one\n\ntwo\nthree\n\x1b[31mfour\x1b[0m")
    assert drawn(block) == [
        "",
        "login  tasks ✓  document-review 3/7  impl ·                             1:10  –",
        "",
        "  document-review #3   reviewing … 1m10s   claude  a-7   1 tool call   last:...",
        "  │ two",
        "  │ three",
        "  │ four",
        "  └ 4 lines   shiage log login -f",
        "",
        " s stop   l log   o open in browser   ? keys",
    ]


def test_a_new_attempt_begins_with_nothing_said(reviewing: SpecView) -> None:
    block = Block(spec="login")
    block.look(reviewing, 0.0)
    block.said(FIRST, "old")
    block.called(FIRST, "Read x")
    block.said(SECOND, "new")
    assert (list(block.words), block.calls, block.total) == (["new"], 0, 1)


def test_the_time_of_an_attempt_begins_when_it_is_seen_first(view: Made, reviewing: SpecView) -> None:
    block = Block(spec="login")
    block.look(reviewing, 10.0)
    block.look(reviewing, 50.0)
    assert "1m00s" in drawn(block)[3]
    block.look(view(agent_id="other", role="reviewer", phase="document-review", status="running"), 69.0)
    assert " 1s " in drawn(block)[3]


def test_between_attempts_shiage_itself_looks(view: Made) -> None:
    block = Block(spec="login")
    block.look(view(status="running", phase="impl"), 0.0)
    assert drawn(block)[3] == "  impl   looking at what is there …"


def test_a_notice_takes_the_place_of_the_keys(reviewing: SpecView) -> None:
    block = Block(spec="login", notice="stopping …")
    block.look(reviewing, 0.0)
    assert drawn(block)[-1] == " stopping …"


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_touches_the_last_column(reviewing: SpecView, width: int, language: str) -> None:
    speak(language)
    block = Block(spec="login" * 10)
    block.look(reviewing, 0.0)
    block.called(FIRST, "Read " + "設計" * 200)
    block.said(FIRST, "とても長い行です " * 100)
    assert max(map(cells, drawn(block, width))) < max(width, 40)


def test_the_title_of_the_window_is_short(view: Made, reviewing: SpecView) -> None:
    block = Block(spec="login")
    assert block.title() == "shiage login"
    block.look(reviewing, 0.0)
    assert block.title() == "⏵ login document-review 3/7"
    block.look(view(), 0.0)
    assert block.title() == "⏵ login requirements"


def kept(reel: Reel, entry: Entry) -> list[str]:
    return [line for line, _ in reel.lines("login", entry)]


def test_a_finished_phase_stays_with_the_time_it_took(entry: Told) -> None:
    reel = Reel()
    assert kept(reel, entry("PHASE_ENTERED", phase="design")) == []
    assert kept(reel, entry("PHASE_FINISHED", at="2026-01-02T03:05:17.000Z", phase="design")) == ["  design ✓   1m12s"]


def test_a_closed_round_stays_with_counts_time_and_file(entry: Told) -> None:
    reel = Reel()
    kept(reel, entry("ROUND_STARTED", phase="document-review", round=2))
    closed = entry(
        "ROUND_COMPLETED", at="2026-01-02T03:06:45.000Z", phase="document-review", round=2, fixRequired=2,
        needsDiscussion=1,
    )  # fmt: skip
    assert kept(reel, closed) == ["  document-review #2   fix 2   discuss 1   2m40s   document-review-2-reply.md"]


def test_an_inspection_stays_with_its_verdict(entry: Told) -> None:
    made = entry("ROUND_COMPLETED", phase="inspection", round=1, verdict="nogo")
    assert kept(Reel(), made) == ["  inspection #1   NOGO   0s   inspection-1.md"]


def test_a_rejection_names_file_line_rule_and_quote(entry: Told) -> None:
    issue = {"location": "src/a.py:3", "criteria_id": "Q3", "rule": "omission", "quote": "// 残り省略"}
    assert kept(Reel(), entry("REJECTION_DETAILS", issues_detected=[issue])) == [
        '  REJECT   src/a.py:3  Q3 omission  "// 残り省略"'
    ]


def test_many_findings_are_counted(entry: Told) -> None:
    issues = [{"location": f"a:{n}"} for n in range(7)]
    assert kept(Reel(), entry("REJECTION_DETAILS", issues_detected=issues))[-1] == "  REJECT   +2"


def test_a_rerun_and_a_failure_stay_as_sentences(entry: Told) -> None:
    assert kept(Reel(), entry("IMPL_RERUN", rerun=1, max=7, open=["1"])) == ["  impl runs again (1/7): open tasks 1"]
    failed = entry("ATTEMPT_EXITED", attempt=2, outcome={"ending": "failed", "cause": "crashed", "detail": "exit 2"})
    assert kept(Reel(), failed) == ["  attempt 2 failed (crashed): exit 2"]


def test_what_only_passes_by_leaves_nothing(entry: Told) -> None:
    done = entry("ATTEMPT_EXITED", attempt=2, outcome={"ending": "completed"})
    assert [kept(Reel(), made) for made in (done, entry("ATTEMPT_STARTED"), entry("NEVER_HEARD"))] == [[], [], []]


def test_levels_become_styles(entry: Told) -> None:
    made = entry("IMPL_LIMIT_REACHED", rerun=7, max=7, open=["1"], level="error")
    assert [style for _, style in Reel().lines("login", made)] == ["error"]
