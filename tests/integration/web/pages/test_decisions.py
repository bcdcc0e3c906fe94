"""What a person is asked, wherever they look: how much it is, and what exactly is to be decided."""

import json
from typing import Any

from scenes import doing, reply, responder, story

FIXES = (
    "\n## Warning Issues\n\n### W1: No figure\n\n**Judgment**: **Fix Required** ✅\n\n"
    "### W2: A matter of taste\n\n**Judgment**: **No Fix Needed** ❌\n"
)


def test_a_pause_to_discuss_lists_the_points_with_their_words_and_places(world: Any, browser: Any) -> None:
    visitor = world.visitor(browser, viewport={"width": 360, "height": 740})
    for path, place in (("/specs/talk", ".decide"), ("/questions", "#q-talk .decide")):
        page = visitor.go(path)
        (shown,) = page.locator(f"{place} li").all_inner_texts()
        assert all(words in shown for words in ("C1", "discuss", "Greeting by name", "Option B: greet without it."))
        text = (world.project.spec("talk") / "document-review-1-reply.md").read_text().splitlines()
        line = next(number for number, each in enumerate(text, 1) if "Needs Discussion**" in each)
        assert f"document-review-1-reply.md:{line}" in shown
        assert page.locator("form[action='/specs/talk/approve'] button").count() == 1
    agent = world.project.journal("talk", "ATTEMPT_STARTED")[-1]
    page = visitor.go(f"/runs/{agent['run']}/rounds/1#C1")
    assert page.url == f"{world.address}/specs/talk?round=1&open=points-1,document-review-1#C1"
    assert page.locator("#C1:target").is_visible() and page.locator("details#document-review-1[open]").count() == 1
    visitor.go(f"/attempts/{agent['content']['agent_id']}/log#L1")
    assert page.url == f"{world.address}/specs/talk/attempts/{agent['run']}/{agent['content']['attempt']}/log#L1"
    page = visitor.go("/questions")
    page.click("#q-talk .decide a.place")
    page.wait_for_url("**/specs/talk/files/document-review-1-reply.md")
    assert visitor.problems == []
    page.context.close()


def test_the_number_of_questions_stands_in_the_header_and_changes_by_itself(apart: Any, browser: Any) -> None:
    served = apart.serve()
    visitor = served.visitor(browser, color_scheme="dark")
    page = visitor.go("/numbers")
    assert page.locator("#asked").is_hidden()
    apart.cast(story(responder(0, 1)))
    for name in ("first", "second"):
        apart.project.given(name, until="tasks")
    apart.run("first")
    page.wait_for_selector("#asked:text-is('1')")
    log = served.beside(page.context)
    log.go("/specs/first/attempts/r-0001/1/log")
    apart.run("second")
    for each in (page, log.page):
        each.wait_for_selector("#asked:text-is('2')")
    assert len(apart.project.shiage("status", "--json").json["questions"]) == 2
    page.goto(served.address + "/questions")
    page.click("form[action='/specs/first/approve'] button")
    if page.locator("#sure[open]").count():
        page.click("#sure button[value=yes]")
    log.page.wait_for_selector("#asked:text-is('1')")
    assert (visitor.problems, log.problems) == ([], [])
    page.context.close()


def test_rounds_that_another_tool_closed_are_shown_with_what_was_found(apart: Any, browser: Any) -> None:
    apart.cast(story())
    spec = apart.project.given("foreign", until="tasks")
    (spec / "document-review-1.md").write_text("# Review\n")
    (spec / "document-review-1-reply.md").write_text(reply(1, 0) + FIXES)
    state = json.loads((spec / "spec.json").read_text())
    row = {"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 1, "needsDiscussionCount": 0}
    state["documentReview"] = {"status": "in_progress", "roundDetails": [row]}
    (spec / "spec.json").write_text(json.dumps(state))
    served = apart.serve()
    (told,) = apart.project.shiage("show", "foreign", "--json").json["rounds"]
    assert (told["run"], told["round"], told["fix"]) == ("", 1, 1)
    visitor = served.visitor(browser, locale="ja-JP")
    page = visitor.go("/specs/foreign")
    assert page.inner_text("#round-1").split()[:3] == ["#1", "1", "0"]
    (shown,) = page.locator("#points-1[open] li").all_inner_texts()
    assert "W1" in shown and "要修正" in shown and "No figure" in shown
    page.click("form[action$='/run'] button")
    page.wait_for_selector("h1 + .state.completed")
    assert page.inner_text("#current-round") == "2/7"
    assert page.locator("#document-review tbody tr").count() == 2
    for path in ("/", "/numbers", "/activity", "/specs/foreign/files/document-review-1-reply.md"):
        visitor.go(path)
    assert visitor.problems == []
    page.context.close()


NOTES = """
window.noted = [];
window.Notification = new Proxy(Notification, {
  construct(kind, [title, options]) {
    window.noted.push([title, options.body, options.tag]);
    return new kind(title, options);
  },
});
"""
HIDE = """
Object.defineProperty(document, "hidden", { get: () => window.away });
window.leave = (away) => { window.away = away; document.dispatchEvent(new Event("visibilitychange")); };
window.away = false;
"""
#: How many hidden tabs listen, and how many wait for the first to go.
HELD = """([held, pending]) => navigator.locks.query()
  .then((all) => all.held.length === held && all.pending.length === pending)"""


def test_a_hidden_tab_alone_notifies_once_and_only_of_what_a_person_waits_for(apart: Any, browser: Any) -> None:
    apart.cast(story(doing("implementer", ["say", "QUESTION: Formal or friendly?"], spec="asking")))
    apart.project.given("asking", until="document-review")
    served = apart.serve()
    context = served.context(browser)
    context.grant_permissions(["notifications"], origin=served.address)
    context.add_init_script(HIDE)
    context.add_init_script(NOTES)
    tabs = [served.beside(context) for _ in range(2)]
    one, other = (tab.go("/specs/asking") for tab in tabs)
    assert one.evaluate("Notification.permission") == "granted"
    one.evaluate("leave(true)")
    one.wait_for_function(HELD, arg=[1, 0])
    other.evaluate("leave(true)")
    one.wait_for_function(HELD, arg=[1, 1])
    apart.run("asking")
    one.wait_for_function("() => noted.length")
    ((title, body, tag),) = one.evaluate("noted")
    (paused,) = apart.project.journal("asking", "RUN_PAUSED")
    assert (title, tag) == ("shiage · asking", f"asking/{paused['seq']}") and body
    assert other.evaluate("noted") == []
    for page in (one, other):
        page.evaluate("leave(false)")
        page.wait_for_selector("h1 + .state.paused")
    assert [each for page in (one, other) for each in page.evaluate("noted")] == [[title, body, tag]]
    assert [tab.problems for tab in tabs] == [[], []]
    context.close()


def test_a_project_that_becomes_trusted_while_it_is_served_works_from_then_on(apart: Any, browser: Any) -> None:
    apart.cast(story())
    apart.new("later")
    own = (apart.project.home / ".config/shiage/config.toml").read_text()
    (apart.project.root / "shiage.toml").write_text(own)  # whose commands nobody has accepted
    visitor = apart.serve().visitor(browser)
    page = visitor.go("/specs/later")
    page.click("form[action$='/run'] button")
    page.locator(".toast.error", has_text="shiage trust").wait_for()
    assert page.locator("h1 + .state.idle").count() == 1
    assert not (apart.project.spec("later") / "event-log.jsonl").exists()
    assert apart.project.shiage("trust", "--yes").code == 0
    page.click("form[action$='/run'] button")
    page.wait_for_selector("h1 + .state.completed")
    assert [each for each in visitor.problems if "40" not in each] == []  # the refusal itself is told by the browser
    page.context.close()
