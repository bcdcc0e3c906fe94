"""Ending agents: stops, limits, cancellation, what they leave behind, and what a crash of ours left."""

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shiage.agents import proc_linux, sidecar, sweep
from shiage.agents.launch import Ended, Launch
from shiage.agents.process import run
from shiage.agents.sweep import sweep_marker
from shiage.domain.outcome import Cause, Ending

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
PYTHON = (sys.executable, "-I", "-S", "-c")

# Writes its pid where the test finds it, then does what it is named for.
NOTE = "import os, signal, sys, time\ndef note(name): open(name, 'w').write(str(os.getpid()))\n"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
DAEMON = """
def daemon(name, env):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            code = 'import os, signal, time; signal.signal(15, signal.SIG_IGN); '
            code += 'open(%r, "w").write(str(os.getpid())); time.sleep(90)'
            for n in range(3): os.dup2(os.open('/dev/null', 2), n)
            os.execve(sys.executable, [sys.executable, '-I', '-S', '-c', code % name], env)
        os._exit(0)
    os.wait()
def wait(*names):
    while not all(os.path.exists(name) and os.path.getsize(name) for name in names): time.sleep(0.01)
"""


@pytest.fixture
def launch(tmp_path):
    made = []

    def make(*argv, **changes) -> Launch:
        name = f"{tmp_path.name}-{len(made)}-{os.getpid()}"
        made.append(name)
        fields = {
            "env": {"PATH": os.environ["PATH"]},
            "cwd": tmp_path,
            "stdin": b"",
            "log": tmp_path / f"{name}.log",
            "err": tmp_path / f"{name}.err",
            "marker": name,
            "idle_seconds": 30.0,
            "total_seconds": 60.0,
            "patience_seconds": 0.3,
        }
        return Launch(argv=argv, **(fields | changes))

    return make


def pid_in(path: Path) -> int:
    return int(path.read_text())


def is_alive(pid: int) -> bool:
    row = proc_linux.look(pid)
    return row is not None and not row.zombie


async def appearance(*paths: Path) -> None:
    """Wait until each of the files has its content."""
    async with asyncio.timeout(20):
        while not all(path.exists() and path.read_text() for path in paths):
            await asyncio.sleep(0.01)


def stopped(launch: Launch, *paths: Path) -> tuple[Ended, float]:
    """Stop the agent when its files are there; how long the stop took."""

    async def main() -> tuple[Ended, float]:
        stop = asyncio.Event()
        running = asyncio.create_task(run(launch, stop=stop))
        await appearance(*paths)
        begun = time.monotonic()
        stop.set()
        return await running, time.monotonic() - begun

    return asyncio.run(main())


def test_a_stop_ends_a_polite_agent_at_once(launch, tmp_path):
    ended, seconds = stopped(launch(*PYTHON, NOTE + "note('pid'); time.sleep(60)"), tmp_path / "pid")
    assert (ended.ending, ended.cause, ended.signal) == (Ending.STOPPED, Cause.NONE, 15)
    assert seconds < 2
    assert not is_alive(pid_in(tmp_path / "pid"))


def test_a_stopped_agent_is_stopped_whatever_exit_code_it_gives(launch, tmp_path):
    polite = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\nnote('pid')\nwhile True: time.sleep(1)"
    ended, _ = stopped(launch(*PYTHON, NOTE + polite), tmp_path / "pid")
    assert (ended.ending, ended.exit_code) == (Ending.STOPPED, 0)


def test_a_stop_before_the_start_starts_nothing(launch, tmp_path):
    async def main() -> Ended:
        stop = asyncio.Event()
        stop.set()
        return await run(launch(*PYTHON, NOTE + "note('pid')"), stop=stop)

    assert asyncio.run(main()).ending is Ending.STOPPED
    assert not (tmp_path / "pid").exists()


def test_an_agent_that_ignores_the_request_is_killed(launch, tmp_path):
    ended, seconds = stopped(launch(*PYTHON, NOTE + STUBBORN + "note('pid'); time.sleep(60)"), tmp_path / "pid")
    assert (ended.ending, ended.signal) == (Ending.STOPPED, 9)
    assert 0.3 <= seconds < 3


@pytest.mark.slow
def test_the_most_stubborn_family_is_gone_within_12_seconds(launch, tmp_path):
    code = NOTE + STUBBORN + DAEMON + "daemon('a', dict(os.environ)); daemon('b', {}); wait('a', 'b'); note('pid')\n"
    files = [tmp_path / name for name in ("a", "b", "pid")]
    ended, seconds = stopped(launch(*PYTHON, code + "time.sleep(90)", patience_seconds=5.0), *files)
    assert ended.ending is Ending.STOPPED
    assert ended.left_behind == 2
    assert seconds < 12
    assert not any(is_alive(pid_in(path)) for path in files)


@pytest.mark.parametrize("env", ["dict(os.environ)", "{}"])
def test_what_an_agent_leaves_behind_is_ended_with_it(launch, tmp_path, env, monkeypatch):
    monkeypatch.setattr(sweep, "PATIENCE", 0.1)
    ended = asyncio.run(
        run(launch(*PYTHON, NOTE + DAEMON + f"daemon('server', {env}); wait('server')"), stop=asyncio.Event())
    )
    assert (ended.ending, ended.left_behind) == (Ending.COMPLETED, 1)
    assert not is_alive(pid_in(tmp_path / "server"))


def test_whoever_was_below_an_agent_at_its_stop_is_ended_even_without_a_trace(launch, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "PATIENCE", 0.1)
    monkeypatch.setattr(proc_linux, "set_tag", lambda pid, marker: None)
    monkeypatch.setattr(proc_linux, "born_tagged", lambda marker: contextlib.nullcontext())
    child = NOTE + "note('child'); time.sleep(90)"
    code = "if os.fork() == 0: os.setsid(); "
    code += f"os.execve(sys.executable, [sys.executable, '-I', '-S', '-c', {child!r}], {{}})\ntime.sleep(90)"
    stopped(launch(*PYTHON, NOTE + code), tmp_path / "child")
    assert not is_alive(pid_in(tmp_path / "child"))


def test_what_others_in_this_process_started_is_never_touched(launch, tmp_path):
    """Neither our children, nor their daemons that we inherit, nor another agent's."""
    ours = [subprocess.Popen(["sleep", "60"], start_new_session=new) for new in (True, False)]
    bystander = NOTE + DAEMON + f"os.chdir({str(tmp_path)!r}); daemon('bystander', dict(os.environ)); wait('bystander')"

    async def main() -> tuple[Ended, bool]:
        stop = asyncio.Event()
        other = launch(*PYTHON, NOTE + DAEMON + "daemon('other', {}); wait('other'); note('pid'); time.sleep(60)")
        running = asyncio.create_task(run(other, stop=stop))
        await appearance(tmp_path / "pid")
        subprocess.run([*PYTHON, bystander], check=True)  # its orphan comes to us, the adopter
        await run(launch("true"), stop=asyncio.Event())
        silent = await run(launch("sleep", "60", idle_seconds=0.1), stop=asyncio.Event())
        lived = is_alive(pid_in(tmp_path / "other"))
        stop.set()
        await running
        return silent, lived

    silent, lived = asyncio.run(main())
    try:
        assert lived
        assert not is_alive(pid_in(tmp_path / "other"))
        assert silent.left_behind == 0
        assert [process.poll() for process in ours] == [None, None]
        assert is_alive(pid_in(tmp_path / "bystander"))
        assert proc_linux.look(pid_in(tmp_path / "bystander")).parent == os.getpid()
    finally:
        for process in ours:
            process.kill()
            process.wait()
        os.kill(pid_in(tmp_path / "bystander"), signal.SIGKILL)
        os.waitpid(pid_in(tmp_path / "bystander"), 0)


def test_dead_orphans_are_buried_while_their_agent_runs_and_exit_codes_of_others_survive(launch, tmp_path):
    orphan = "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        note('orphan')\n"
    orphan += "    os._exit(0)\nos.wait()\n"
    ours = subprocess.Popen(["sh", "-c", "exit 41"], start_new_session=True)

    async def main() -> None:
        stop = asyncio.Event()
        # Looked at each 0.75 s; the end of the agent, which would bury it too, is 6 s away.
        described = launch(*PYTHON, NOTE + orphan + "time.sleep(60)", idle_seconds=6.0)
        running = asyncio.create_task(run(described, stop=stop))
        await appearance(tmp_path / "orphan")
        async with asyncio.timeout(4):
            while proc_linux.look(pid_in(tmp_path / "orphan")):
                await asyncio.sleep(0.01)
        stop.set()
        assert (await running).ending is Ending.STOPPED

    asyncio.run(main())
    assert ours.wait() == 41


@pytest.mark.parametrize(
    ("code", "changes", "cause"),
    [
        ("time.sleep(60)", {"idle_seconds": 0.25}, Cause.IDLE),
        (
            "while True: print('x', flush=True); time.sleep(0.05)",
            {"idle_seconds": 0.3, "total_seconds": 0.7},
            Cause.TOTAL,
        ),
        ("while True: pass", {"idle_seconds": 0.3, "total_seconds": 0.9}, Cause.TOTAL),
        ("print('final', flush=True); time.sleep(60)", {"grace_seconds": 0.2}, Cause.HUNG),
    ],
)
def test_limits_are_fractions_of_seconds_and_leave_nothing_alive(launch, tmp_path, code, changes, cause):
    described = launch(*PYTHON, NOTE + "note('pid')\n" + code, **changes)
    ended = asyncio.run(run(described, stop=asyncio.Event(), on_lines=lambda lines: b"final" in lines))
    assert (ended.ending, ended.cause) == (Ending.TIMED_OUT, cause)
    assert ended.seconds < 4
    assert not is_alive(pid_in(tmp_path / "pid"))


def test_writing_to_the_error_output_is_a_sign_of_life(launch):
    code = "import sys, time\nfor _ in range(10): print('x', file=sys.stderr, flush=True); time.sleep(0.1)"
    assert asyncio.run(run(launch(*PYTHON, code, idle_seconds=0.5), stop=asyncio.Event())).exit_code == 0


def test_a_cancelled_task_leaves_no_agent(launch, tmp_path):
    async def main() -> None:
        described = launch(*PYTHON, NOTE + "note('pid'); time.sleep(60)")
        running = asyncio.create_task(run(described, stop=asyncio.Event()))
        await appearance(tmp_path / "pid")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert not is_alive(pid_in(tmp_path / "pid"))


def test_a_second_cancellation_takes_the_patience_and_not_the_end(launch, tmp_path):
    async def main() -> float:
        described = launch(*PYTHON, NOTE + STUBBORN + "note('pid'); time.sleep(60)", patience_seconds=30.0)
        running = asyncio.create_task(run(described, stop=asyncio.Event()))
        await appearance(tmp_path / "pid")
        running.cancel()
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return time.monotonic() - begun

    assert asyncio.run(main()) < 5
    assert not is_alive(pid_in(tmp_path / "pid"))


def test_the_end_of_the_event_loop_leaves_no_agent(launch, tmp_path):
    async def main() -> None:
        described = launch(*PYTHON, NOTE + "note('pid'); time.sleep(60)")
        task = asyncio.create_task(run(described, stop=asyncio.Event()))
        await appearance(tmp_path / "pid")
        assert not task.done()

    asyncio.run(main())
    assert not is_alive(pid_in(tmp_path / "pid"))


CRASHING = """
import asyncio, os, sys
from pathlib import Path
from shiage.agents.launch import Launch
from shiage.agents.process import run
folder, marker, code = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
env = {"PATH": os.environ["PATH"]}
argv = (sys.executable, "-I", "-S", "-c", code)
agent = Launch(argv, env, folder, b"", folder / "log", folder / "err", marker, 60, 60)
asyncio.run(run(agent, stop=asyncio.Event()))
"""


def test_after_a_crash_of_ours_the_whole_family_is_found_and_ended(tmp_path):
    code = NOTE + STUBBORN + DAEMON + "daemon('a', dict(os.environ)); daemon('b', {}); wait('a', 'b'); note('pid')\n"
    marker = f"{tmp_path.name}-{os.getpid()}"
    # Its source folder by path: the crashed program must load the same package as this test.
    env = os.environ | {"PYTHONPATH": str(Path(sweep.__file__).parents[2])}
    crashing = subprocess.Popen(
        [sys.executable, "-c", CRASHING, tmp_path, marker, code + "time.sleep(90)"], env=env, start_new_session=True
    )
    files = [tmp_path / name for name in ("a", "b", "pid")]
    asyncio.run(appearance(*files))
    assert sidecar.read(tmp_path / "log").pid == pid_in(tmp_path / "pid")
    crashing.kill()
    crashing.wait()
    assert all(is_alive(pid_in(path)) for path in files)
    begun = time.monotonic()
    assert sweep_marker({f"{marker}-of-another", "", f"x{marker}"}) == 0
    assert sweep_marker({marker}, logs=[tmp_path / "log", tmp_path / "none"]) == 3
    assert time.monotonic() - begun < 10
    assert not any(is_alive(pid_in(path)) for path in files)
    assert sidecar.read(tmp_path / "log") is None


def test_a_forged_note_beside_a_log_harms_no_stranger(tmp_path):
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        sidecar.write(tmp_path / "log", proc_linux.look(stranger.pid), "m")
        assert sweep_marker({"m"}, logs=[tmp_path / "log"]) == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_sweep_within_an_agents_own_tree_spares_itself_and_its_ancestors(tmp_path):
    """shiage started by an agent of shiage: the marker is in our own environment."""
    marker = f"{tmp_path.name}-{os.getpid()}"
    code = f"from shiage.agents.sweep import sweep_marker; sweep_marker({{{marker!r}}}); print('alive')"
    env = os.environ | {"SHIAGE_AGENT_ID": marker, "PYTHONPATH": str(Path(sweep.__file__).parents[2])}
    outer = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], start_new_session=True, check=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", outer + "; print('outer too')"], env=env, capture_output=True, start_new_session=True
    )
    assert done.stdout.split() == [b"alive", b"outer", b"too"]


def test_without_adoption_leftovers_are_found_by_their_marker(launch, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "PATIENCE", 0.1)
    monkeypatch.setattr(proc_linux, "adopts", lambda: False)
    described = launch(*PYTHON, NOTE + DAEMON + "daemon('server', dict(os.environ)); wait('server')")
    assert asyncio.run(run(described, stop=asyncio.Event())).left_behind == 1
    assert not is_alive(pid_in(tmp_path / "server"))


def test_a_process_that_nobody_may_signal_does_not_hold_up_a_sweep(launch, monkeypatch):
    monkeypatch.setattr(proc_linux, "send", lambda row, number: False)
    described = launch("sh", "-c", "setsid sleep 60 & echo $!")
    begun = time.monotonic()
    asyncio.run(run(described, stop=asyncio.Event()))
    assert time.monotonic() - begun < 2
    monkeypatch.undo()
    with contextlib.suppress(ProcessLookupError):
        sweep_marker({described.marker})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it is still running indeed
def test_an_agent_that_cannot_even_be_killed_is_told(launch, tmp_path, monkeypatch):
    real = os.killpg
    monkeypatch.setattr("shiage.agents.process.AFTER_KILL", 0.05)
    monkeypatch.setattr("shiage.agents.sweep.AFTER_EXIT", 0.1)
    monkeypatch.setattr(proc_linux, "send", lambda row, number: False)
    monkeypatch.setattr(os, "killpg", lambda pid, number: None)
    described = launch(*PYTHON, NOTE + "note('pid'); time.sleep(60)", patience_seconds=0.05)
    ended, _ = stopped(described, tmp_path / "pid")
    gc.collect()
    assert (ended.ending, ended.exit_code, ended.signal) == (Ending.STOPPED, None, None)
    assert ended.detail.endswith("It could not be ended.")
    monkeypatch.undo()
    real(pid_in(tmp_path / "pid"), signal.SIGKILL)
    os.waitpid(pid_in(tmp_path / "pid"), 0)
