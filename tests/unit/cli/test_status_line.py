"""The status line: cheap, one line, and never an error."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shiage.app.headline import Headline, headlines, project_of
from shiage.cli import quickline
from shiage.cli.quickline import line


def headline(spec: str = "login", status: str = "running", **changes: object) -> Headline:
    values = {"phase": "impl", "round": 0, "reason": "", "at": "2026-01-02T03:04:05.000Z"}
    return Headline(spec, status, **values | changes)  # type: ignore[arg-type]


def test_what_runs_and_what_waits_stands_in_one_line() -> None:
    found = [headline(phase="document-review", round=3), headline("pay", "paused", reason="needs-discussion")]
    assert line(found) == "login document-review #3 running · pay impl paused (needs-discussion)"


def test_what_is_done_is_not_shown_and_much_is_counted() -> None:
    found = [headline("a", "completed"), *(headline(name) for name in "bcdef")]
    assert line(found) == "b impl running · c impl running · d impl running +2"


def write(spec: Path, *entries: tuple[str, dict[str, object]]) -> None:
    lines = [
        json.dumps({"event_type": kind, "timestamp": f"2026-01-02T03:04:{n:02}.000Z", "content": content})
        for n, (kind, content) in enumerate(entries)
    ]
    (spec / "event-log.jsonl").write_text("\n".join(lines) + "\n")


def test_the_newest_report_says_the_state(spec: Path, project: Path) -> None:
    write(
        spec,
        ("RUN_STARTED", {"phase": ""}),
        ("ROUND_STARTED", {"phase": "document-review", "round": 2}),
        ("RUN_PAUSED", {"phase": "document-review", "reason": "needs-discussion"}),
    )
    [found] = headlines(project)
    assert (found.spec, found.status, found.phase, found.round, found.reason) == (
        "login", "paused", "document-review", 2, "needs-discussion",
    )  # fmt: skip


def test_a_run_whose_process_is_gone_is_not_running(spec: Path, project: Path) -> None:
    write(spec, ("RUN_STARTED", {"phase": ""}), ("PHASE_ENTERED", {"phase": "design"}))
    [found] = headlines(project)
    assert (found.status, found.reason, found.phase) == ("paused", "interrupted", "design")


@pytest.mark.parametrize(
    "text", ["", "\n", "not json\n", '{"event_type": "RUN_STARTED"}\n', '{"content": 3}\n', "\0\n[[["]
)
def test_a_journal_with_nothing_in_it_is_passed_over(spec: Path, project: Path, text: str) -> None:
    (spec / "event-log.jsonl").write_text(text)
    assert headlines(project) == []


def test_the_project_is_looked_for_upwards(spec: Path, project: Path, tmp_path: Path) -> None:
    assert project_of(spec) == project
    assert project_of(tmp_path) is None


@pytest.mark.parametrize(
    "given",
    [
        '{"workspace": {"project_dir": "%s"}, "cwd": "/"}',
        '{"workspace": {"current_dir": "%s"}}',
        '{"workspace": null, "cwd": "%s"}',
    ],
)
def test_the_folder_is_the_one_that_claude_code_tells(given: str, tmp_path: Path) -> None:
    assert quickline._folder((given % tmp_path).encode()) == tmp_path


@pytest.mark.parametrize("given", [b"", b"[1]", b"{", b'{"cwd": 3}', b'"x"', b"\xff"])
def test_without_a_folder_it_is_the_current_one(given: bytes) -> None:
    assert quickline._folder(given) == Path.cwd()


def test_it_never_fails(spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    (spec / "event-log.jsonl").mkdir()
    quickline.main()
    assert capsys.readouterr() == ("\n", "")


def test_it_prints_one_line(
    spec: Path, shiage: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    write(spec, ("RUN_FAILED", {"phase": "impl", "reason": "agent-failed"}))
    assert shiage("statusline") == (0, "login impl error (agent-failed)\n", "")


LIGHT = """
import sys
import {module}
heavy = {{"click", "rich", "asyncio", "msgspec", "markdown_it", "tree_sitter", "psutil", "subprocess", "logging"}}
sys.exit(", ".join(sorted(heavy & sys.modules.keys())))
"""


def test_it_needs_none_of_the_heavy_libraries() -> None:
    script = LIGHT.format(module="shiage.cli.quickline")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_the_version_needs_nothing_at_all() -> None:
    script = "import sys, shiage.cli.entry as entry; sys.argv = ['shiage', '--version']; entry.main()\n"
    script += "print(sorted(name for name in sys.modules if name.startswith('shiage')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == str(["shiage", "shiage.cli", "shiage.cli.entry", "shiage.version"])


def test_help_needs_click_and_no_other_library() -> None:
    script = LIGHT.format(module="shiage.cli.main").replace('"click", ', "")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


ACTS = """
import sys
import shiage.cli.{command}
heavy = {{"asyncio", "shiage.judge", "shiage.plugins", "shiage.engine.runner", "shiage.engine.panel"}}
sys.exit(", ".join(sorted(heavy & sys.modules.keys())))
"""


@pytest.mark.parametrize("command", ["status", "log", "queue"])
def test_what_only_looks_loads_nothing_that_judges_or_runs_an_agent(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ACTS.format(command=command)], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == ""
