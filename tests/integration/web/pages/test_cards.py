"""The board while runs go on: cards change by themselves, in their groups, under the filter of the address."""

from typing import Any

import pytest
from scenes import doing, story

WORK = doing("implementer", ["say", "line 1"], ["hang", 600], spec="work")
LONG = 60  #: cards; from fifty on a board is drawn in parts


@pytest.fixture
def board(apart: Any) -> Any:
    apart.cast(story(WORK))
    for name in ("work", "other"):
        apart.new(name)
    return apart


def test_a_card_goes_from_group_to_group_and_the_filter_of_the_address_holds(board: Any, browser: Any) -> None:
    visitor = board.serve().visitor(browser)
    idle = type(visitor)(visitor.page.context.new_page(), visitor.home)
    page, filtered = visitor.go("/"), idle.go("/?state=idle")
    asked: list[str] = []
    filtered.on("request", lambda sent: asked.append(sent.url.removeprefix(visitor.home)))
    for each in (page, filtered):
        each.evaluate("window.here = 1")
        assert each.locator("section[aria-labelledby=group-idle] li.card").count() == 2
    page.click("#spec-work form[action$='/run'] button")
    page.wait_for_selector("section[aria-labelledby=group-running] #spec-work .state.running")
    filtered.wait_for_function("() => !document.getElementById('spec-work')")
    assert filtered.locator("li.card").count() == 1 and filtered.locator("#spec-other").count() == 1
    assert filtered.url.endswith("/?state=idle") and filtered.input_value("#state") == "idle"
    assert "/cards?only=work" in asked
    page.click("#spec-work form[action$='/stop'] button")
    page.click("#sure button[value=yes]")
    page.wait_for_selector("section[aria-labelledby=group-needs] #spec-work .state.paused")
    assert page.locator("section[aria-labelledby=group-running]").count() == 0
    assert [each.evaluate("window.here") for each in (page, filtered)] == [1, 1]
    assert visitor.problems == []
    page.context.close()


def test_while_times_pass_a_long_board_draws_only_what_runs(board: Any, browser: Any) -> None:
    for number in range(LONG):
        board.project.given(f"quiet-{number}")
    visitor = board.serve().visitor(browser)
    page = visitor.go("/")
    page.click("#spec-work form[action$='/run'] button")
    page.wait_for_selector("#spec-work .mini i.running >> nth=0")
    page.wait_for_selector("#spec-work .at:has-text('impl')")
    visitor.go("/")
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url.removeprefix(visitor.home)))
    page.evaluate("document.getElementById('main').dataset.every = 1")
    for _ in range(2):
        before = page.inner_text("#spec-work .facts.muted")
        page.wait_for_function("old => document.querySelector('#spec-work .facts.muted').innerText !== old", arg=before)
    assert set(asked) - {"/static/cards.js", "/asked"} == {"/cards?only=work"}
    assert page.locator("li.card").count() == LONG + 2
    page.click("#spec-work form[action$='/stop'] button")
    page.click("#sure button[value=yes]")
    page.wait_for_selector("section[aria-labelledby=group-needs] #spec-work .state.paused")
    assert visitor.problems == []
    page.context.close()
