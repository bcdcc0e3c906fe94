"""A person without a mouse: every page, every spec, every action, and back to the same place."""

from typing import Any


def test_letters_lead_to_pages_and_through_lists(world: Any, browser: Any) -> None:
    visitor = world.visitor(browser)
    page = visitor.go("/")
    for letter, place in (
        ("q", "/questions"),
        ("u", "/queue"),
        ("a", "/activity"),
        ("n", "/numbers"),
        ("t", "/settings"),
        ("s", "/"),
    ):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.wait_for_url(world.address + place)
        page.wait_for_selector("#link[data-state=on]")
    page.keyboard.press("j")
    page.keyboard.press("j")
    chosen = page.get_attribute(".at-key", "data-spec")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/specs/{chosen}")
    page.wait_for_selector("#link[data-state=on]")
    page.keyboard.press("Escape")
    page.wait_for_url(world.address + "/")
    assert visitor.problems == []
    page.context.close()


def test_rounds_are_walked_opened_and_the_actions_reached(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/specs/login")
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert page.get_attribute(".at-key", "id") == "design"
    page.keyboard.press("[")
    page.keyboard.press("Enter")
    page.wait_for_selector("details#requirements[open]")
    page.keyboard.press("x")
    assert page.locator("details.round:not([open])").count() == 0
    page.wait_for_selector("details#impl .diff .add")
    page.keyboard.press(".")
    assert page.evaluate("document.activeElement.closest('form').action").endswith("/run")
    page.context.close()


def test_the_palette_goes_finds_and_acts(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/specs/busy")
    page.keyboard.press("Control+k")
    page.wait_for_selector("#choices li")
    page.keyboard.type("busy stop")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sure[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.wait_for_selector("#choices li")
    page.keyboard.type("login")
    page.keyboard.press("Enter")
    page.wait_for_url("**/specs/login")
    page.wait_for_selector("#link[data-state=on]")
    page.keyboard.press("Control+k")
    page.wait_for_selector("#choices li")
    page.keyboard.type("there is none")
    assert page.inner_text("#palette [role=status]") == "nothing fits"
    page.context.close()


def test_letters_can_be_switched_off_and_keys_are_listed(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/settings")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    assert "previous, next round" in page.inner_text("#keys")
    page.keyboard.press("Escape")
    page.uncheck("#letter-keys")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.keyboard.press("m")
    assert page.locator("#drawer[open]").count() == 0 and page.url.endswith("/settings")
    page.context.close()


def test_the_first_tab_leads_to_the_content(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.context.close()


def test_the_filter_of_the_board_stands_in_the_address(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/")
    page.select_option("#state", "waiting")
    page.wait_for_url("**/?state=waiting")
    assert page.locator("li.card").evaluate_all("all => all.map(each => each.dataset.spec)") == [
        "broken",
        "ask",
        "talk",
    ]
    page.keyboard.press("/")
    page.keyboard.type("tal")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=tal&state=waiting")
    assert page.locator("li.card").count() == 1
    page.context.close()


def test_a_task_leads_to_the_place_of_its_requirement(world: Any, browser: Any) -> None:
    page = world.visitor(browser).go("/specs/login")
    page.click(".boxes a.tag >> nth=0")
    page.wait_for_url("**/files/requirements.md#requirement-1.2")
    assert page.inner_text("#requirement-1\\.2") == "IT SHALL."
    page.context.close()
