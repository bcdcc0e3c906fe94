"""A real terminal: keys, Ctrl-C, and a run that goes on without one."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PATIENCE = 30.0  #: seconds for a whole program on a busy machine
SHIAGE = (sys.executable, "-m", "shiage")
_WORK = "import time; print('at work', flush=True); time.sleep(60)"
SLEEPER = f'agent = "mine"\n[agents.mine]\ncommand = ["{sys.executable}", "-c", "{_WORK}"]\n'


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.seen = ""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(SHIAGE[0], (*SHIAGE, *arguments))

    def until(self, text: str) -> None:
        """Read on until this was shown."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            self._read()

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def code(self) -> int:
        """The exit code, when it has come to its end."""
        while self._read():
            pass
        os.close(self._fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        if not select.select([self._fd], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux says so at the end of a terminal
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)


@pytest.fixture
def sleeper(project: Path, spec: Path, shiage: Callable[..., tuple[int, str, str]]) -> Path:
    """A project whose agent would work for a minute."""
    (project / "shiage.toml").write_text(SLEEPER)
    shiage("trust")
    return project


@pytest.mark.slow
def test_a_key_stops_the_run_in_the_live_view(sleeper: Path) -> None:
    terminal = Terminal("run", "login")
    terminal.until("at work")
    terminal.press("?")
    terminal.until("Ctrl-C twice")
    terminal.press("s")
    assert terminal.code() == 130
    assert "login paused: on request (stopped)" in terminal.seen


@pytest.mark.slow
def test_a_run_that_is_detached_gives_the_terminal_back_and_goes_on(
    sleeper: Path, shiage: Callable[..., tuple[int, str, str]]
) -> None:
    terminal = Terminal("run", "login")
    terminal.until("at work")
    terminal.until("d detach")
    terminal.press("d")
    assert terminal.code() == 0
    assert "login runs in the background (process " in terminal.seen
    assert json.loads(shiage("status", "login", "--json")[1])["status"] == "running"
    assert shiage("stop", "login")[1].startswith("login: paused (stopped)")
    told = (sleeper / ".shiage" / "login.out").read_text()
    assert "requirements: paused, on request (stopped)" in told
    assert "\x1b" not in told


@pytest.mark.slow
def test_a_run_whose_terminal_process_is_killed_is_stopped(
    sleeper: Path, shiage: Callable[..., tuple[int, str, str]]
) -> None:
    terminal = Terminal("run", "login")
    terminal.until("at work")
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.code() == -signal.SIGKILL
    deadline = time.monotonic() + PATIENCE
    while (said := json.loads(shiage("status", "login", "--json")[1]))["status"] == "running":
        assert time.monotonic() < deadline
    assert (said["status"], said["reason"]) == ("paused", "stopped")


@pytest.mark.slow
def test_the_live_view_keeps_the_agents_last_lines_and_says_where_the_dashboard_is(sleeper: Path) -> None:
    terminal = Terminal("--lang", "ja", "run", "login")
    terminal.until("at work")
    terminal.until("l ログ")
    terminal.press("o")
    terminal.until("`shiage serve`")
    terminal.press("l")
    terminal.until("shiage log login -f")
    terminal.press("s")
    assert terminal.code() == 130
    assert "s stop" not in terminal.seen


@pytest.mark.slow
def test_a_view_that_is_read_again_ends_with_ctrl_c(spec: Path) -> None:
    terminal = Terminal("status", "--watch")
    terminal.until("login")
    terminal.press("\x03")
    assert terminal.code() == 130


@pytest.mark.slow
def test_a_question_is_asked_on_a_terminal_and_no_means_no(sleeper: Path) -> None:
    (sleeper / "shiage.toml").write_text(SLEEPER + "\n[checks]\ntest = 'true'\n")
    terminal = Terminal("trust")
    terminal.until("[Y/n]")
    terminal.press("n\n")
    assert terminal.code() == 1
    assert "not accepted" in terminal.seen


@pytest.mark.slow
def test_a_run_in_the_background_is_found_and_stopped(
    sleeper: Path, shiage: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = shiage("run", "login", "--detach")
    assert (code, out.startswith("login runs in the background (process ")) == (0, True)
    assert json.loads(shiage("status", "login", "--json")[1])["status"] == "running"
    assert shiage("run", "login")[2].startswith("error[busy]")
    assert shiage("stop", "--all")[1].startswith("login: paused (stopped)")


@pytest.mark.slow
def test_a_log_that_is_followed_ends_with_ctrl_c(spec: Path) -> None:
    entry = {"seq": 1, "event_type": "RESET_REQUESTED", "timestamp": "2026-01-02T03:04:05.000Z"}
    entry |= {"visibility": "summary", "run": "", "content": {}, "prev": ""}
    (spec / "event-log.jsonl").write_text(json.dumps(entry) + "\n")
    with subprocess.Popen((*SHIAGE, "log", "login", "-f"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "2026-01-02T03:04:05Z  login  reset\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly(spec: Path) -> None:
    with subprocess.Popen((*SHIAGE, "schema"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_the_demo_plays_to_its_end_and_says_where_to_look(
    tmp_path: Path, shiage: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = shiage("demo", "--speed", "0", "--keep", str(tmp_path / "demo"))
    assert code == 0
    assert f"shiage log demo --project {tmp_path / 'demo'}" in out
    assert "demo finished in " in out


@pytest.mark.slow
def test_the_board_on_a_terminal_is_left_with_q_and_a_run_is_stopped_from_it(
    sleeper: Path, shiage: Callable[..., tuple[int, str, str]]
) -> None:
    assert shiage("run", "login", "--detach")[0] == 0
    terminal = Terminal("status", "--watch")
    terminal.until("running")
    terminal.press("?")
    terminal.until("asks first")
    terminal.press("x")
    terminal.press("s")
    terminal.until("Stop the run of login?")
    terminal.press("y")
    terminal.until("login was stopped")
    terminal.press("q")
    assert terminal.code() == 0
    assert json.loads(shiage("status", "login", "--json")[1])["reason"] == "stopped"
