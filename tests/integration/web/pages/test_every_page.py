"""Every page in every state: nothing is wrong for a screen reader, on a phone, in the dark, in either language."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
WIDE, SMALL = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
ATTEMPT = "/specs/login/attempts/r-0001"
PAGES = (
    "/",
    "/?state=waiting&q=a",
    "/?q=nothing-fits",
    "/specs/login?open=impl,document-review-1,a-r-0001-10",
    "/specs/talk",
    "/specs/ask",
    "/specs/broken",
    "/specs/idle",
    "/specs/busy",
    "/specs/login/files/requirements.md",
    f"{ATTEMPT}/10",
    f"{ATTEMPT}/10/log",
    "/questions",
    "/queue?open=add",
    "/activity?show=full&spec=broken",
    "/numbers?open=table-findings",
    "/settings",
    "/specs/there-is-none",
)
EMPTY = ("/", "/questions", "/queue", "/activity", "/numbers")
VARIANTS = {
    "desk-light-en": {"viewport": WIDE, "color_scheme": "light", "locale": "en-GB"},
    "desk-dark-ja": {"viewport": WIDE, "color_scheme": "dark", "locale": "ja-JP"},
    "phone-light-ja": {"viewport": SMALL, "color_scheme": "light", "locale": "ja-JP", "has_touch": True},
    "phone-dark-en": {"viewport": SMALL, "color_scheme": "dark", "locale": "en-GB", "has_touch": True},
}
#: What a finger must hit: 44 px, but for links within lines of text.
LOW = "all => all.filter(e => e.offsetHeight && e.offsetHeight < 44).map(e => e.outerHTML.slice(0, 120))"


def troubles(page: Any, width: int, *, phone: bool) -> Iterator[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    yield from (f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"])
    if page.evaluate("document.documentElement.scrollWidth") > width:
        yield "wider than its window"
    if page.locator("h1").count() != 1:
        yield "not one h1"
    if phone:
        yield from (
            f"low: {each}" for each in page.eval_on_selector_all("main button, main .button, .bar a, .bar button", LOW)
        )


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_is_wrong_on_any_page(world: Any, browser: Any, variant: str, part: int) -> None:
    options = VARIANTS[variant]
    visitor = world.visitor(browser, **options)
    said = {}
    for path in PAGES[part::2]:
        page = visitor.page
        page.goto(world.address + path)
        page.wait_for_selector("#link[data-state=on]")
        said[path] = list(troubles(page, options["viewport"]["width"], phone="has_touch" in options))
    assert [f"{path}: {each}" for path, found in said.items() for each in found] == []
    assert page.get_attribute("html", "lang") == variant[-2:]
    assert [each for each in visitor.problems if "404" not in each] == []  # the last page is one that is not there
    page.context.close()


def test_nothing_is_wrong_where_there_is_nothing_yet(apart: Any, browser: Any) -> None:
    empty = apart.serve()
    for variant in ("desk-light-en", "phone-dark-en"):
        visitor = empty.visitor(browser, **VARIANTS[variant])
        said = {}
        for path in EMPTY:
            page = visitor.go(path)
            said[path] = list(troubles(page, VARIANTS[variant]["viewport"]["width"], phone="phone" in variant))
        assert [f"{path}: {each}" for path, found in said.items() for each in found] == []
        assert visitor.problems == []
        page.context.close()


def test_the_door_and_what_opens_over_a_page_are_fine_too(world: Any, browser: Any) -> None:
    stranger = browser.new_context(locale="en-GB").new_page()
    stranger.goto(world.address)
    assert list(troubles(stranger, 1280, phone=False)) == []
    stranger.context.close()
    visitor = world.visitor(browser)
    page = visitor.go("/specs/busy")
    page.click("form[action$='/stop'] button")
    page.wait_for_selector("#sure[open]")
    assert list(troubles(page, 1280, phone=False)) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.wait_for_selector("#choices li")
    assert list(troubles(page, 1280, phone=False)) == []
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.wait_for_selector("#drawer[open]")
    assert list(troubles(page, 1280, phone=False)) == []
    page.context.close()


@pytest.mark.parametrize("width", [320, 3840])
def test_a_very_small_and_a_very_large_window_show_everything_without_moving_sideways(
    world: Any, browser: Any, width: int
) -> None:
    visitor = world.visitor(browser, viewport={"width": width, "height": 800})
    for path in (
        "/",
        "/specs/login?open=impl,a-r-0001-10",
        f"{ATTEMPT}/10",
        "/queue?open=add",
        "/numbers",
        "/settings",
    ):
        assert visitor.go(path).evaluate("document.documentElement.scrollWidth") <= width, path
    visitor.page.context.close()


def test_who_wants_no_motion_sees_none(world: Any, browser: Any) -> None:
    visitor = world.visitor(browser, reduced_motion="reduce")
    page = visitor.go("/")
    page.evaluate("document.querySelector('#said').innerHTML = '<div class=toast></div>'")
    assert page.eval_on_selector(".toast", "e => getComputedStyle(e).animationName") == "none"
    page.context.close()
