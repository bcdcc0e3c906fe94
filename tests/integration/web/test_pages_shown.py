"""What pages show, without a browser: text of agents is text, logs of any size are pages, both languages are whole."""

import re
from typing import Any

import pytest

from shiage.web.escapes import painted
from shiage.web.markdown import rendered

PAGES = ("/", "/specs/login", "/specs/login/files/requirements.md", "/questions", "/activity", "/numbers", "/settings")
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) "
    '![b](http://evil.example/p.png) "><svg onload=alert(1)>'
)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_is_there_in_both_languages(desk: Any, language: str) -> None:
    client = desk.client(**{"Accept-Language": language})
    for path in PAGES:
        answer = client.get(path)
        assert answer.status_code == 200 and f'<html lang="{language}"' in answer.text
        assert len(re.findall("<h1", answer.text)) == 1


def test_nothing_that_agents_wrote_becomes_markup(desk: Any) -> None:
    spec = desk.site.workspace.root / ".kiro" / "specs" / "login"
    (spec / "requirements.md").write_text(f"# {HOSTILE}\n\n{HOSTILE}\n\n```html\n{HOSTILE}\n```\n")
    (spec / "tasks.md").write_text(f"- [ ] 1. {HOSTILE}\n  - _Requirements: {HOSTILE}_\n")
    client = desk.client()
    for path in PAGES:
        text = client.get(path).text
        assert "<script>alert" not in text and "<img" not in text and "<svg onload" not in text
        assert 'href="javascript' not in text and "onerror=alert(1)>" not in re.sub("&[a-z0-9#]+;", "", text)


def test_markdown_keeps_its_shape_and_loses_its_teeth() -> None:
    html = rendered(
        "# One\n\n- a\n- b\n\n| x |\n|:-:|\n| y |\n\n[site](https://example.org) [file](file:///etc/passwd)\n"
    )
    assert "<h2>One</h2>" in html and "<li>a</li>" in html and "<td>y</td>" in html
    assert 'href="https://example.org" rel="noopener noreferrer nofollow"' in html
    assert "style=" not in html and 'href="file' not in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("\x1b[31mred\x1b[0m plain", '<span class="c1">red</span> plain'),
        ("\x1b[1;32mok\x1b[22m\x1b[39m.", '<span class="b c2">ok</span>.'),
        ("\x1b[38;5;196mx\x1b[48;2;1;2;3my", "xy"),
        ("\x1b]0;title\x07a\x00b", "␛]0;title␇a␀b"),
        ("a\u202eb\u200b", "a⟨U+202E⟩b⟨U+200B⟩"),
        ("<b>&\r", "&lt;b&gt;&amp;"),
        ("\x1b[999999999999999999999999m?", "?"),
    ],
)
def test_what_a_terminal_would_obey_is_seen(text: str, html: str) -> None:
    assert painted(text) == html


@pytest.mark.parametrize("path", ["/runs/r-0001", "/runs/x", "/attempts/r-0001-a1-00000000", "/attempts/x/log"])
def test_an_address_of_a_run_that_no_journal_tells_of_leads_nowhere(desk: Any, path: str) -> None:
    answer = desk.client(**{"Accept-Language": "ja"}, Accept="text/html").get(path)
    assert answer.status_code == 404 and "run-unknown" in answer.text and "ジャーナル" in answer.text


def test_a_ticket_that_has_ended_is_not_cancelled_again(desk: Any) -> None:
    client = desk.client()
    assert client.post("/queue", data={"name": "login", "not_before": "+1h"}).status_code == 303
    first, second = (client.post("/queue/1/cancel", data={}) for _ in range(2))
    assert (first.status_code, second.status_code) == (303, 409) and "ticket-ended" in second.text
