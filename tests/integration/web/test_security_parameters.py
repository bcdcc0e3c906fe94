"""Whatever stands in a path, behind `?` or in a form: no file is reached by it, nothing breaks, nothing is half done."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aimed
import pytest

SECRET = "what only the owner of the machine may read"
TRAVERSALS = (
    "../../secret.txt", "..%2f..%2fsecret.txt", "%2e%2e/%2e%2e/secret.txt", "..%252f..%252fsecret.txt", "....//secret.txt",
    "..\\..\\secret.txt", "%2e%2e%5csecret.txt", "/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "link.md",
    "a%00.md", "%c0%ae%c0%ae/secret.txt", "..;/secret.txt", "~", "-rf", "--help", "CON", "a" * 5000, "%ff%fe", "\u202etxt.md",
)  # fmt: skip
WORDS = (
    *TRAVERSALS,
    "<script>alert(1)</script>",
    "'; drop table x; --",
    "{{7*7}}",
    "$(id)",
    "\x00",
    "\r\nX-Evil: 1",
    "🙂" * 500,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def outside(desk: Any) -> Path:
    """A file beside the project, and links in it that lead there."""
    root: Path = desk.site.workspace.root
    secret = root.parent / "secret.txt"
    secret.write_text(SECRET)
    spec = root / ".kiro" / "specs" / "login"
    (spec / "link.md").symlink_to(secret)
    (spec / "design.md").symlink_to(secret)
    (root / ".kiro" / "specs" / "linked").symlink_to(root.parent)
    return secret


def harmless(answer: Any, what: object) -> None:
    assert answer.status_code < 500, what
    assert SECRET not in answer.text and "root:x:0" not in answer.text, what
    assert "X-Evil" not in answer.headers, what


def tree(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if ".shiage" not in path.parts}


def test_no_place_in_a_path_reaches_a_file_that_it_does_not_name(desk: Any, outside: Path) -> None:
    client, before = desk.client(Accept="text/html"), tree(outside.parent)
    for row in aimed.TABLE:
        for place in aimed.places(row):
            for word in TRAVERSALS:
                harmless(
                    client.request("POST" if row.post else "GET", aimed.path(row, **{place: word})), (row.path, word)
                )
    assert client.get("/specs/login/files/design.md").status_code in (404, 409)
    assert tree(outside.parent) == before


def test_no_word_behind_the_question_mark_breaks_a_page(desk: Any, outside: Path) -> None:
    client = desk.client(Accept="text/html")
    known = {"q", "state", "spec", "show", "open", "done", "from", "raw", "after", "wait", "to", "page", "lang"}
    words = [word for word in WORDS if len(word) < 200]
    for row in (row for row in aimed.TABLE if not row.post):
        names, place = known | set(row.takes), aimed.path(row).partition("?")[0]
        for word in words:
            harmless(client.get(place, params=dict.fromkeys(names, word) | {"wait": "0"}), (row.path, word))


def test_no_word_in_a_form_reaches_a_file_or_a_command_line(desk: Any, outside: Path) -> None:
    """`reset` and the like do what they say; a word that names nothing does nothing."""
    client, before = desk.client(), tree(outside.parent)
    paths = [
        (aimed.path(row, action=action), row.takes) for row in aimed.POSTS for action in ("reset", "approve", "answer")
    ]
    for path, takes in dict.fromkeys(paths):
        for word in WORDS if not path.endswith("/answer") else ("", " "):
            for accept in ("text/html", "application/json"):
                answer = client.post(path, data=dict.fromkeys((*takes, "other"), word), headers={"Accept": accept})
                harmless(answer, (path, word))
                assert answer.headers.get("location", "/").startswith("/"), (path, word)
                assert not answer.headers.get("location", "/").startswith(("//", "/\\")), (path, word)
    assert tree(outside.parent) - before <= {"project/.kiro/specs/login/event-log.jsonl"}


@pytest.mark.parametrize("word", ["--help", "$(touch made)"])
def test_no_word_becomes_an_option_of_the_command_that_is_started(desk: Any, word: str) -> None:
    client = desk.client(Accept="application/json")
    for action, field in (("run", "until"), ("step", "phase")):
        answer = client.post(f"/specs/login/{action}", data={field: word})
        assert answer.status_code == 409 and "Usage" not in answer.text, (action, answer.text)
    assert not list(desk.site.workspace.root.rglob("made"))


def forms() -> Iterator[tuple[bytes, str]]:
    kind = "application/x-www-form-urlencoded"
    yield b"name=" + b"y" * 70_000, kind
    yield b"&".join([b"a=b"] * 50), kind
    yield b"name=%ff\xff", kind
    yield b"\x00" * 100, kind
    yield b"%%%=%%&&&===", kind
    yield b'{"name": "x"}', "application/json"
    yield b"<x/>", "text/xml"
    yield b"x", "multipart/form-data; boundary=x"
    yield b"x", ""
    yield b"name=x", "application/x-www-form-urlencoded; charset=utf-7"
    yield b"name=x", "text/plain"


def test_every_form_refuses_what_is_no_form(desk: Any) -> None:
    client = desk.client(Accept="application/json")
    for row in aimed.POSTS:
        for body, kind in forms():
            answer = client.post(aimed.path(row), content=body, headers={"Content-Type": kind} if kind else {})
            harmless(answer, (row.path, body[:20]))
            if kind.startswith(("application/json", "text/", "multipart")) and not row.path.endswith("/revoke"):
                assert answer.status_code == 415, (row.path, kind)


def test_every_action_is_written_down_whether_done_or_refused(desk: Any) -> None:
    """With the device's id, also where the device may not do it, and where its form is none."""
    log = desk.site.workspace.root / ".shiage" / "shiage.log"

    def lines() -> list[Any]:
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    looking, client = desk.client("look", Accept="application/json"), desk.client(Accept="application/json")
    for row in (row for row in aimed.POSTS if row.need is not None):
        for who in (looking, client):
            for body in (b"", b"\xff=\xff"):
                before = len(lines())
                answer = who.post(
                    aimed.path(row), content=body, headers={"Content-Type": "application/x-www-form-urlencoded"}
                )
                fresh = lines()[before:]
                assert [line["event"] for line in fresh] == ["REMOTE_ACTION"], (row.path, answer.status_code, fresh)
                assert fresh[0]["device"] and (fresh[0]["result"] == "done") == (answer.status_code < 400), row.path


def test_a_flood_of_refused_requests_does_not_push_the_log_away(desk: Any) -> None:
    stranger = desk.client(None)
    for _ in range(300):
        stranger.post("/specs", data={"name": "x" * 5000})
    assert (desk.site.workspace.root / ".shiage" / "shiage.log").stat().st_size < 60_000
