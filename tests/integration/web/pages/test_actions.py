"""Everything that a person can do on a page, done there with a real run behind it; the result comes back as a toast."""

from typing import Any

from playwright.sync_api import Page


def made(visitor: Any, name: str) -> Page:
    page = visitor.go("/?open=new")
    page.fill("#name", name)
    page.fill("#description", "greet the user")
    page.click("#new button[type=submit]")
    page.wait_for_url(f"**/specs/{name}")
    page.wait_for_selector("#link[data-state=on]")
    return page


def given(served: Any, visitor: Any, name: str, until: str = "") -> Page:
    """A spec that others have brought this far."""
    served.project.given(name, until=until)
    return visitor.go(f"/specs/{name}")


def working(served: Any, visitor: Any, name: str) -> Page:
    """A run whose implementer works for minutes."""
    page = given(served, visitor, name, "document-review")
    press(page, "run")
    page.wait_for_selector(".track .current.running:has-text('impl')")
    return page


def press(page: Page, action: str) -> None:
    page.click(f"form[action$='/{action}'] button:not([aria-disabled=true])")


def agree(page: Page) -> None:
    page.wait_for_selector("#sure[open]")
    page.click("#sure button[value=yes]")


def test_a_spec_is_made_run_and_seen_to_its_end_without_a_reload(served: Any, visitor: Any, toast: Any) -> None:
    page = made(visitor, "greeting")
    page.evaluate("window.same = true")
    press(page, "run")
    assert toast(page, "greeting runs")
    page.wait_for_selector("h1 + .state.completed")
    assert page.evaluate("window.same") is True
    assert page.locator(".track .done").count() == 6
    assert page.inner_text("#current-round") == "1/7"
    assert page.locator(".boxes .done").count() == 3
    assert served.project.status("greeting")["status"] == "completed"


def test_a_run_from_the_page_is_a_ticket_that_this_process_works_on(served: Any, visitor: Any) -> None:
    page = working(served, visitor, "busy")
    page.wait_for_selector(".tail .l")
    seen = served.project.shiage("queue", "list", "--json").json
    (ticket,) = [row for row in seen["tickets"] if row["spec"] == "busy"]
    (worker,) = seen["workers"]
    assert (ticket["state"], ticket["worker"], worker["pid"]) == ("RUNNING", worker["name"], served.process.pid)
    assert served.project.shiage("stop", "busy").code == 0  # a second run beside it would need a first commit


def test_a_stop_is_asked_once_and_leaves_nothing_running(served: Any, visitor: Any, toast: Any) -> None:
    page = working(served, visitor, "stopped")
    press(page, "stop")
    page.wait_for_selector("#sure[open]")
    page.click("#sure button[value=no]")
    assert served.project.status("stopped")["status"] == "running"
    press(page, "stop")
    agree(page)
    assert toast(page, "stopped was stopped")
    page.wait_for_selector("h1 + .state.paused")
    assert served.project.status("stopped")["reason"] == "stopped"
    left = served.project.shiage("queue", "list", "--json").json["tickets"]
    assert [row for row in left if row["spec"] == "stopped"] == []


def test_a_stopped_run_is_resumed_and_stopped_again_from_the_board(served: Any, visitor: Any) -> None:
    page = working(served, visitor, "resumed")
    press(page, "stop")
    agree(page)
    page.wait_for_selector("h1 + .state.paused")
    page = visitor.go("/")
    page.click("#spec-resumed form[action$='/run'] button")
    page.wait_for_selector("#spec-resumed .state.running")
    page.click("#spec-resumed form[action$='/stop'] button")
    agree(page)
    page.wait_for_selector("#spec-resumed .state.paused")


def test_a_reset_is_asked_once_and_clears_what_was_counted(served: Any, visitor: Any, toast: Any) -> None:
    page = working(served, visitor, "cleared")
    press(page, "stop")
    agree(page)
    page.wait_for_selector("h1 + .state.paused")
    press(page, "reset")
    agree(page)
    assert toast(page, "cleared was reset")
    page.wait_for_selector("h1 + .state.idle")
    assert served.project.status("cleared")["status"] == "idle"


def test_a_question_is_answered_from_a_phone_and_the_run_goes_on(served: Any, browser: Any, toast: Any) -> None:
    phone = served.visitor(browser, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = given(served, phone, "ask", "document-review")
    press(page, "run")
    page.wait_for_selector("h1 + .state.paused")
    page = phone.go("/questions")
    assert "Is the greeting formal or friendly?" in page.inner_text("#q-ask")
    page.fill("#answer-ask", "friendly")
    page.click("#q-ask form[action$='/answer'] button")
    assert toast(page, "ask goes on with your answer")
    answered = "() => document.querySelector('#q-ask') === null || document.querySelector('#answer-ask')?.value === ''"
    page.wait_for_function(answered)
    assert served.project.journal("ask", "ANSWERED")[0]["content"]["text"] == "friendly"
    assert phone.problems == []
    page.context.close()


def test_what_needs_a_talk_is_approved_after_one_question(served: Any, visitor: Any, toast: Any) -> None:
    page = given(served, visitor, "talk", "tasks")
    press(page, "run")
    page.wait_for_selector("h1 + .state.paused")
    press(page, "approve")
    agree(page)
    assert toast(page, "talk was approved")
    page.wait_for_selector(".track li.done:has-text('document-review')")
    assert served.project.state("talk")["documentReview"]["status"] == "approved"


def test_one_pass_of_a_phase_is_made_by_hand(served: Any, visitor: Any, toast: Any) -> None:
    page = given(served, visitor, "by-hand")
    page.click("#step summary")
    page.select_option("#phase", "requirements")
    page.click("#step button")
    assert toast(page, "by-hand: one pass is under way")
    page.wait_for_selector("details#requirements")
    assert [order[1] for order in served.project.attempts("by-hand")] == ["requirements"]


def test_a_run_is_queued_to_begin_later_and_cancelled_from_the_queue(served: Any, visitor: Any, toast: Any) -> None:
    served.project.given("later")
    page = visitor.go("/queue?open=add")
    page.select_option("#name", "later")
    page.fill("#not_before", "+2h")
    page.fill("#priority", "7")
    page.click("#add button")
    assert toast(page, "later is in the queue")
    card = page.locator(".ticket", has_text="later")
    card.wait_for()
    assert "waits for its time" in card.inner_text() and "priority 7" in card.inner_text()
    card.locator("button.danger").click()
    agree(page)
    assert toast(page, "The ticket was cancelled")
    card.wait_for(state="detached")


def test_a_queued_ticket_is_really_run_by_the_dashboards_process(served: Any, visitor: Any) -> None:
    served.project.given("queued")
    page = visitor.go("/queue?open=add")
    page.select_option("#name", "queued")
    page.select_option("#until", "tasks")
    page.click("#add button")
    page.wait_for_selector("td:has-text('queued') + td .COMPLETE")
    assert served.project.status("queued")["status"] == "completed"


def test_a_ticket_that_asks_is_answered_in_the_queue(served: Any, visitor: Any, toast: Any) -> None:
    page = given(served, visitor, "ask-ticket", "document-review")
    press(page, "run")
    page.wait_for_selector("h1 + .state.paused")
    page = visitor.go("/queue")
    card = page.locator(".ticket", has_text="ask-ticket")
    card.locator("summary").click()
    card.locator("textarea").fill("as friendly as can be")
    card.locator("form[action$='/answer'] button").click()
    assert toast(page, "goes on with your answer")


def test_what_cannot_be_done_says_why_before_and_after_it_is_tried(served: Any, visitor: Any, toast: Any) -> None:
    page = given(served, visitor, "still")
    button = page.locator("form[action$='/stop'] button")
    assert button.get_attribute("title") == "it is not running"
    button.dispatch_event("click")
    assert toast(page, "it is not running", "warning")
    page = visitor.go("/?open=new")
    page.fill("#name", "still")
    page.click("#new button[type=submit]")
    assert "still" in toast(page, "exists", "error")
    visitor.problems.clear()  # the browser itself notes the refusal


def test_preferences_are_kept_and_lead_back_to_the_same_page(visitor: Any) -> None:
    page = visitor.go("/queue")
    page.click("button[name=lang]")
    page.wait_for_url("**/queue")
    assert page.inner_text("h1") == "キュー"
    page.click("button[name=theme]")
    page.wait_for_url("**/queue")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.click("button[name=lang]")
    page.wait_for_selector("h1:has-text('Queue')")


def test_a_device_is_paired_with_a_picture_may_what_was_said_and_is_revoked_after_one_question(
    served: Any, visitor: Any, browser: Any, toast: Any
) -> None:
    page = visitor.go("/settings")
    page.select_option("#scope", "look")
    page.click("form[action='/devices'] button")
    page.wait_for_selector(".qr svg")
    code = page.inner_text(".code")
    other = browser.new_context(locale="en-GB").new_page()
    other.goto(visitor.home)
    other.fill("#code", code)
    other.click("button[type=submit]")
    other.wait_for_selector("#main")
    other.goto(f"{visitor.home}/?open=new")
    other.wait_for_selector("#link[data-state=on]")
    other.fill("#name", "not-allowed")
    other.dispatch_event("#new button[type=submit]", "click")
    assert toast(other, "this device may not do that", "warning")
    asked = "() => fetch('/specs', {method: 'POST', body: new URLSearchParams({name: 'not-allowed'})}).then((it) => it.status)"
    assert other.evaluate(asked) == 403 and not served.project.spec("not-allowed").exists()
    page = visitor.go("/settings")
    page.locator("tr", has_text="look").locator("button").click()
    agree(page)
    page.wait_for_selector(".said")
    assert other.reload() is not None and other.locator("#code").count() == 1
    other.context.close()
