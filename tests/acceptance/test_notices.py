"""People who are not looking are told by webhook, operators by the log; neither can hold up a run."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from scenes import doing, implementer, responder, story


class Hook:
    """A webhook that keeps what it was told."""

    def __init__(self) -> None:
        told: list[dict[str, str]] = []

        class Listener(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told.append({**json.loads(body), "type": self.headers["Content-Type"]})
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Quiet."""

        self.told = told
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def of(self, spec: str) -> list[tuple[str, str]]:
        return [(note["event_type"], note["level"]) for note in self.told if note["spec"] == spec]


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def notify(*urls: str) -> str:
    return f"[notify]\ndesktop = false\nwebhook = {json.dumps(list(urls))}\n"


def operator_log(project) -> list[dict[str, object]]:
    return [json.loads(line) for line in (project.root / ".shiage" / "shiage.log").read_text().splitlines()]


def test_re_runs_limits_pauses_and_ends_are_told_to_the_webhook_and_the_operator_log(project, hook):
    project.cast(story(implementer("1")), "[limits]\nimpl_reruns = 1\n" + notify(hook.url))
    project.given("open", until="document-review")
    assert project.shiage("run", "open").code == 5
    project.cast(story(responder(discuss=1)), notify(hook.url))
    project.given("talk", until="tasks")
    project.given("done", until="impl")
    assert project.shiage("run", "talk", "done").code == 4
    assert hook.of("open") == [("IMPL_RERUN", "info"), ("IMPL_LIMIT_REACHED", "error"), ("RUN_FAILED", "error")]
    assert hook.of("talk") == [("RUN_PAUSED", "warning")]
    assert hook.of("done") == [("RUN_COMPLETED", "info")]
    assert all(note["type"] == "application/json" and note["text"] and note["title"] for note in hook.told), hook.told
    texts = {note["event_type"]: note["text"] for note in hook.told}
    assert "(1/1)" in texts["IMPL_RERUN"] and "(1/3)" in texts["IMPL_RERUN"]
    assert "needs-discussion" in texts["RUN_PAUSED"] and "tasks-incomplete" in texts["RUN_FAILED"]
    seen = {(line["spec"], line["event"], line["level"]) for line in operator_log(project)}
    assert {(note["spec"], note["event_type"], note["level"]) for note in hook.told} <= seen


def test_a_note_names_the_next_action(project, hook):
    project.cast(story(responder(discuss=1)), notify(hook.url))
    project.given(until="tasks")
    project.shiage("run", "login")
    assert "shiage approve login document-review" in hook.told[-1]["text"]


def test_the_end_of_a_manual_step_is_told_in_words(project, hook):
    project.cast(story(), notify(hook.url))
    project.given()
    assert project.shiage("step", "login", "requirements").code == 0
    assert hook.of("login") == [("STEP_COMPLETED", "info")]
    assert "requirements" in hook.told[0]["text"]


def test_a_webhook_that_cannot_be_reached_is_logged_and_fails_nothing(project, hook):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        project.cast(story(), notify(refused, hook.url))
        project.given(until="impl")
        assert project.shiage("run", "login").code == 0
    assert any("notification" in str(line["message"]) and line["level"] == "warning" for line in operator_log(project))
    assert hook.of("login") == [("RUN_COMPLETED", "info")], "the other webhook is told all the same"


def test_a_webhook_that_never_answers_holds_up_the_end_no_longer_than_its_limit(project):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        project.cast(story(implementer("1", nth=1)), notify(f"http://127.0.0.1:{silent.getsockname()[1]}/"))
        project.given(until="tasks")
        running = project.start("run", "login", "--json")
        assert any('"RUN_COMPLETED"' in line for line in running.stdout)
        began = time.monotonic()
        assert running.wait(60) == 0
        assert time.monotonic() - began < 8, "5 s for all that is under way together, not for each"


def test_nothing_is_sent_to_where_a_project_points_before_the_person_trusts_it(project, hook):
    project.cast(story(responder(discuss=1)))
    project.given(until="tasks")
    assert project.shiage("run", "login").code == 4
    (project.root / "shiage.toml").write_text(notify(hook.url))
    assert project.shiage("run", "login", "--json").lines[-1]["error"]["code"] == "not-trusted"
    project.shiage("approve", "login", "document-review")
    project.shiage("reset", "login")
    assert hook.told == []


def test_a_stop_of_an_untrusted_project_works_and_sends_nothing(project, hook, until):
    project.cast(story(doing("author", ["hang", 60], phase="requirements")))
    project.given()
    running = project.start("run", "login")
    until(lambda: (project.spec() / "event-log.jsonl").exists() and project.attempts())
    running.kill()
    running.wait()
    (project.root / "shiage.toml").write_text(notify(hook.url))
    assert project.shiage("stop", "login").code == 0
    assert hook.told == []
