"""What is seen while something happens: in one window, in two, and over the end of the server."""

import time
from itertools import pairwise
from typing import Any

from scenes import doing, implementer, story
from talker import limited, talking

HEARD = """
window.heard = [];
addEventListener("shiage:entries", (event) => window.heard.push(...event.detail.map((each) => `${each.spec} ${each.seq}`)));
"""


def test_two_browsers_see_the_same_run_at_once(served: Any, browser: Any, stage: Any) -> None:
    stage.project.given("seen-twice", until="document-review")
    one, other = served.visitor(browser), served.visitor(browser, locale="ja-JP", color_scheme="dark")
    for each in (one, other):
        each.go("/specs/seen-twice")
    one.page.click("form[action$='/run'] button")
    for each in (one, other):
        each.page.wait_for_selector("h1 + .state.completed")
        assert each.problems == []
        each.page.context.close()


SHOWN = """
window.shown = [];
new MutationObserver((changes) => {
  const added = changes.flatMap((change) => [...change.addedNodes]).filter((node) => node.matches?.(".toast"));
  window.shown.push(...added.map((node) => node.querySelector("span").textContent));
}).observe(document.getElementById("toasts"), { subtree: true, childList: true });
"""
KEPT = "JSON.parse(sessionStorage.getItem('shiage-messages') ?? '[]').filter((each) => each.spec === 'said-once').map((each) => each.text)"


def test_two_tabs_of_one_browser_say_everything_once(served: Any, browser: Any, stage: Any) -> None:
    stage.project.given("said-once", until="document-review")
    one = served.visitor(browser)
    other = served.beside(one.page.context)
    pages = [one.go("/specs/said-once"), other.go("/")]
    for page in pages:
        page.evaluate(SHOWN)
    one.page.click("form[action$='/run'] button")
    one.page.wait_for_selector("h1 + .state.completed")
    for page in pages:
        page.wait_for_function(f"() => {KEPT}.some((text) => text.includes('done'))")
    shown = [text for page in pages for text in page.evaluate("window.shown") if text.startswith("said-once:")]
    assert len(shown) == len(set(shown)) >= 1
    assert any("done" in text for text in shown)
    one.page.context.close()


def test_a_reader_keeps_fold_focus_and_words_while_the_page_changes(served: Any, stage: Any, visitor: Any) -> None:
    stage.project.given("kept", until="document-review")
    page = visitor.go("/specs/kept")
    page.click("#step summary")
    page.focus("#phase")
    page.click("form[action$='/run'] button")
    page.focus("#phase")
    page.wait_for_selector("h1 + .state.completed")
    assert page.evaluate("document.activeElement.id") == "phase"
    assert page.locator("#step[open]").count() == 1
    assert "open=step" in page.url
    page.click("details#impl > summary")
    page.click("details#impl .attempt > summary")
    page.wait_for_selector("details#impl .diff .add")
    page.reload()
    page.wait_for_selector("details#impl[open] .attempt[open] .diff .add")


def test_over_a_restart_every_entry_comes_once_and_the_run_goes_on(served: Any, stage: Any, browser: Any) -> None:
    lines = [f"line {n}" for n in range(40)]
    stage.cast(
        story(
            doing(
                "implementer",
                ["say", *lines],
                ["hang", 1.5],
                ["tick"],
                ["write", "greet.py", "HELLO = 1\n"],
                ["say", "wrote it"],
            )
        )
    )
    stage.project.given("restarted", until="document-review")
    visitor = served.visitor(browser)
    page = visitor.go("/specs/restarted")
    page.evaluate(HEARD)
    page.click("form[action$='/run'] button")
    page.wait_for_selector(".track .current.running:has-text('impl')")
    served.end()
    page.wait_for_selector("#link[data-state=lost]")
    again = type(served)(served.project, served.port)
    page.wait_for_selector("#link[data-state=on]")
    page.wait_for_selector("h1 + .state.completed")
    written = [f"restarted {entry['seq']}" for entry in served.project.journal("restarted")]
    page.wait_for_function(
        "many => window.heard.filter((each) => each.startsWith('restarted ')).length >= many", arg=len(written)
    )
    heard = [each for each in page.evaluate("window.heard") if each.startswith("restarted ")]
    assert heard == written
    assert all(int(one.split()[1]) + 1 == int(two.split()[1]) for one, two in pairwise(heard))
    served.process = again.process
    page.context.close()


def test_without_scripts_everything_can_be_read_and_done(served: Any, stage: Any, browser: Any) -> None:
    stage.cast(story(implementer("1", "2", "3")))
    stage.new("plain")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(served.address)
    page.fill("#code", served.code())
    page.click("button[type=submit]")
    page.click("#spec-plain a.name")
    page.click("form[action$='/run'] button")
    assert "plain" in page.inner_text(".said")
    for _ in range(100):
        page.reload()
        if page.locator("h1 + .state.completed").count():
            break
        page.wait_for_timeout(100)
    page.click("details#impl > summary")
    page.click("details#impl .attempt > summary")
    page.click("details#impl a[href$='/log']")
    assert "wrote greet.py" in page.inner_text("#log")
    page.go_back()
    page.click("details#impl > summary")
    page.click("details#impl .attempt > summary")
    page.click("details#impl a[href$='/attempts/r-0001/6'], details#impl .body a >> nth=0")
    assert page.locator(".diff .add").count() > 0
    page.context.close()


def test_a_run_that_waits_for_a_limit_counts_down(project: Any, served: Any, browser: Any, until: Any) -> None:
    talking(project, limited(time.time() + 3600))
    project.start("run", "login")
    until(lambda: bool(project.status()["waits_until"]))
    visitor = type(served)(project).visitor(browser)
    page = visitor.go("/")
    first = page.locator("#spec-login [data-until]").inner_text()
    assert "for the agent's limit to reset" in first
    page.wait_for_function("first => document.querySelector('[data-until]').innerText !== first", arg=first)
    assert visitor.go("/specs/login").locator("[data-until]").count() == 1
    assert visitor.problems == []
    page.context.close()
    assert project.shiage("stop", "login").code == 0
