"""A log of 200,000 lines: opened at its end, moved through, searched as a whole, quoted by its lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LINES = 200_000
LOG = "/specs/login/attempts/r-0001/1/log"


@pytest.fixture(scope="session")
def long(world: Any) -> Path:
    """What an agent that talks a lot leaves: every thousandth line is a needle, one is red."""
    place: Path = world.project.root / ".shiage" / "runs" / "r-0001" / "attempt-1.log"
    lines = [f"line {n}{' needle' if n % 1000 == 0 else ''}" for n in range(1, LINES + 1)]
    lines[-2] = "\x1b[31mred\x1b[0m <b>plain</b>"
    place.write_text("\n".join(lines) + "\n")
    return place


@pytest.fixture
def page(world: Any, long: Path, browser: Any) -> Iterator[Any]:
    visitor = world.visitor(browser)
    context = visitor.page.context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.page.goto(world.address + LOG)
    visitor.page.wait_for_selector(f"#L{LINES}")
    yield visitor.page
    context.close()
    assert visitor.problems == []


def test_it_opens_at_its_end_and_holds_few_lines_at_once(page: Any) -> None:
    assert page.inner_text("#total") == "200,000 lines"
    assert page.is_visible(f"#L{LINES}")
    page.evaluate(
        "for (let n = 0; n < 40; n += 1) setTimeout(() => { log.scrollTop = log.scrollHeight * n / 40; }, n * 20)"
    )
    page.wait_for_function("() => log.scrollTop / log.scrollHeight > .9")
    page.wait_for_function("() => document.querySelectorAll('.l').length > 1000")
    assert page.locator(".l").count() <= 20_000
    assert page.evaluate("log.scrollHeight") == pytest.approx(LINES * 20, rel=0.01)


def test_any_place_is_reached_by_moving_there(page: Any) -> None:
    page.evaluate("log.scrollTop = 100000 * 20; log.dispatchEvent(new Event('wheel'))")
    page.wait_for_selector("#L100001")
    assert page.is_visible("#L100001")
    assert page.get_attribute("#follow", "aria-pressed") == "false"
    page.click("#follow")
    page.wait_for_function(f"() => document.getElementById('L{LINES}')?.getBoundingClientRect().bottom <= innerHeight")


def test_the_search_counts_all_of_it_and_leads_from_hit_to_hit(page: Any) -> None:
    page.fill("#q", "NEEDLE")
    page.keyboard.press("Enter")
    page.wait_for_selector(".l.at")
    assert page.inner_text("#hits").startswith("200 lines found")
    assert page.get_attribute(".l.at", "id") == "L1000"
    page.click("#hits button")
    page.wait_for_selector("#L2000.at")
    assert "2/200" in page.inner_text("#hits")


def test_lines_have_addresses_that_can_be_shared(page: Any, world: Any) -> None:
    page.goto(f"{world.address}{LOG}#L150012-L150014")
    page.reload()
    page.wait_for_selector("#L150014.at")
    assert [page.locator(f"#L{n}.at").count() for n in range(150_011, 150_016)] == [0, 1, 1, 1, 0]
    page.click("#L150020 .n")
    assert page.url.endswith("#L150020")
    page.click("#L150023 .n", modifiers=["Shift"])
    assert page.url.endswith("#L150020-L150023")
    assert page.locator(".l.at").count() == 4


def test_what_is_copied_has_no_numbers_and_colours_are_no_commands(page: Any) -> None:
    page.evaluate(f"getSelection().setBaseAndExtent(L{LINES - 2}, 0, L{LINES}, L{LINES}.childNodes.length)")
    page.keyboard.press("Control+c")
    text = page.evaluate("navigator.clipboard.readText()")
    assert [line for line in text.splitlines() if line] == ["line 199998", "red <b>plain</b>", "line 200000 needle"]
    assert page.inner_text(f"#L{LINES - 1} .c1") == "red"


def test_raw_bytes_are_downloaded_as_they_are(page: Any, long: Path) -> None:
    with page.expect_download() as started:
        page.click("a[download]")
    assert Path(started.value.path()).read_bytes() == long.read_bytes()


def test_new_lines_are_followed_until_somebody_reads_upwards(world: Any, browser: Any) -> None:
    log = world.project.root / ".shiage" / "runs" / "r-0005" / "attempt-6.log"
    visitor = world.visitor(browser, viewport={"width": 1280, "height": 500})
    page = visitor.page
    page.goto(f"{world.address}/specs/busy/attempts/r-0005/6/log")
    page.wait_for_selector("#L2")
    with log.open("a") as file:
        file.writelines(f"more {n}\n" for n in range(3, 101))
    page.wait_for_selector("#L100")
    page.wait_for_function("() => document.getElementById('L100').getBoundingClientRect().bottom <= innerHeight")
    page.hover("#log")
    page.mouse.wheel(0, -600)
    page.wait_for_selector("#follow[aria-pressed=false]")
    with log.open("a") as file:
        file.writelines(f"late {n}\n" for n in range(12))
    page.wait_for_selector("#newer:not([hidden])")
    assert page.inner_text("#newer") == "↓ 12 new lines"
    page.click("#newer")
    page.wait_for_function("() => document.getElementById('L112')?.getBoundingClientRect().bottom <= innerHeight")
    page.click("#read")
    assert "late 11" in page.inner_text("#heard")
    assert visitor.problems == []
    page.context.close()
