"""Who is who among the system's processes."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from shiage.agents import proc_linux, proc_portable, rows
from shiage.agents.kin import Kin, family, seconds_used
from shiage.agents.rows import Row, above, below

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def row(pid: int, parent: int, session: int = 9, started: float = 1.0) -> Row:
    return Row(pid, parent, session, started, zombie=False, cpu=0.0)


TREE = {r.pid: r for r in (row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 1), row(6, 99))}


def test_descendants_and_ancestors_follow_parenthood():
    assert below(TREE, [2]) == {3, 4}
    assert below(TREE, [1]) == {2, 3, 4, 5}
    assert below(TREE, [6]) == set()
    assert above(TREE, 4) == {4, 3, 2, 1}


def test_a_circle_in_a_torn_picture_of_the_processes_ends():
    circle = {r.pid: r for r in (row(1, 2), row(2, 1))}
    assert below(circle, [1]) == {1, 2}
    assert above(circle, 1) == {1, 2}


def test_tags_are_distinct_positive_and_fit_a_limit():
    tags = {rows.tag_of(f"run-1-{n}") for n in range(1000)}
    assert len(tags) == 1000
    assert all(0 < tag < 2**63 - 1 for tag in tags)


@pytest.fixture
def sleeper():
    """A process of its own session that carries a marker."""
    env = {"PATH": os.environ["PATH"], "OTHER_SHIAGE_AGENT_ID": "wrong", "SHIAGE_AGENT_ID": "unit-marker"}
    process = subprocess.Popen(["sleep", "60"], env=env, start_new_session=True)
    while not proc_linux.marker_of(process.pid):  # in the instant of its exec a process shows no environment
        os.sched_yield()
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("system", [proc_linux, proc_portable])
def test_both_readers_see_the_same_process(system, sleeper):
    seen = system.look(sleeper.pid)
    assert (seen.pid, seen.parent, seen.session, seen.zombie) == (sleeper.pid, os.getpid(), sleeper.pid, False)
    assert system.marker_of(sleeper.pid) == "unit-marker"
    assert sleeper.pid in system.own_children()
    everyone = system.everyone()
    assert everyone[sleeper.pid].names(seen)
    assert not everyone[os.getpid()].names(seen)
    assert system.boot() == system.boot() != ""


@pytest.mark.parametrize("system", [proc_linux, proc_portable])
def test_both_readers_know_a_dead_process_from_none(system, sleeper):
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert system.look(sleeper.pid).zombie
    assert system.marker_of(sleeper.pid) == ""
    sleeper.wait()
    assert system.look(sleeper.pid) is None
    assert system.marker_of(sleeper.pid) == ""
    assert system.tag_on(sleeper.pid) == 0
    system.set_tag(sleeper.pid, "gone")


@pytest.mark.parametrize("system", [proc_linux, proc_portable])
def test_a_signal_goes_to_the_process_that_was_seen_and_to_no_other(system, sleeper):
    seen = system.look(sleeper.pid)
    earlier = Row(seen.pid, seen.parent, seen.session, seen.started - 1, zombie=False, cpu=0.0)
    assert system.send(earlier, signal.SIGKILL)
    with pytest.raises(subprocess.TimeoutExpired):
        sleeper.wait(0.05)
    assert system.send(seen, signal.SIGKILL)
    assert sleeper.wait() == -signal.SIGKILL
    assert system.send(seen, signal.SIGKILL)


def test_a_system_without_pidfd_signals_by_pid(monkeypatch, sleeper):
    def refuse(pid: int) -> int:
        raise OSError(38, "Function not implemented")

    seen = proc_linux.look(sleeper.pid)
    monkeypatch.setattr(os, "pidfd_open", refuse)
    assert proc_linux.send(seen, signal.SIGKILL)
    assert sleeper.wait() == -signal.SIGKILL


def test_what_belongs_to_another_user_is_told_apart(monkeypatch, sleeper):
    def forbidden(*_: object) -> None:
        raise PermissionError

    seen, seen_portably = proc_linux.look(sleeper.pid), proc_portable.look(sleeper.pid)
    with monkeypatch.context() as patch:
        patch.setattr(signal, "pidfd_send_signal", forbidden)
        patch.setattr(os, "kill", forbidden)
        assert not proc_linux.send(seen, signal.SIGTERM)
        assert not proc_portable.send(seen_portably, signal.SIGTERM)
    assert sleeper.poll() is None


def test_a_name_with_brackets_and_blanks_does_not_confuse_the_reader(tmp_path):
    program = tmp_path / "a ) R 1 ("
    program.symlink_to("/bin/sleep")
    process = subprocess.Popen([program, "60"])
    try:
        assert proc_linux.look(process.pid).parent == os.getpid()
    finally:
        process.kill()
        process.wait()


def test_a_tag_outlives_a_cleared_environment_a_new_session_and_death():
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, env={}, start_new_session=True)
    proc_linux.set_tag(process.pid, "some-marker")
    tag = rows.tag_of("some-marker")
    assert proc_linux.tag_on(process.pid) == tag
    assert proc_linux.tag_on(os.getpid()) != tag
    assert Kin(frozenset({"some-marker"})).owns(proc_linux.look(process.pid))
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert Kin(frozenset({"some-marker"})).near(proc_linux.look(process.pid))
    process.wait()


def test_the_tag_is_lent_only_while_nobody_else_could_inherit_it(monkeypatch):
    monkeypatch.setattr(proc_linux.threading, "active_count", lambda: 1)
    before = proc_linux.tag_on(os.getpid())
    with proc_linux.born_tagged("m"):
        assert proc_linux.tag_on(os.getpid()) == rows.tag_of("m")
    assert proc_linux.tag_on(os.getpid()) == before
    monkeypatch.setattr(proc_linux.threading, "active_count", lambda: 2)
    with proc_linux.born_tagged("m"):
        assert proc_linux.tag_on(os.getpid()) == before


def test_kin_are_known_by_marker_or_session_and_strangers_are_not(sleeper):
    seen = proc_linux.look(sleeper.pid)
    assert Kin(frozenset({"unit-marker"})).owns(seen)
    assert Kin(frozenset(), frozenset({sleeper.pid})).owns(seen)
    assert not Kin(frozenset({"unit-marker-2", "unit"})).owns(seen)
    assert not Kin(frozenset({""})).owns(proc_linux.look(os.getppid()))


def test_nothing_in_our_own_session_is_ever_kin():
    process = subprocess.Popen(["sleep", "60"], env={"PATH": os.environ["PATH"], "SHIAGE_AGENT_ID": "m"})
    try:
        kin = Kin(frozenset({"m"}))
        assert not kin.owns(proc_linux.look(process.pid))
        assert family(proc_linux.everyone(), {process.pid}) == []
        assert kin.among(proc_linux.everyone()) == []
    finally:
        process.kill()
        process.wait()


def test_we_and_our_ancestors_are_never_kin():
    everyone = proc_linux.everyone()
    found = {r.pid for r in family(everyone, {1, os.getppid(), os.getpid()})}
    assert not found & above(everyone, os.getpid())


def test_processor_time_is_counted_over_the_whole_agent(sleeper):
    used = seconds_used(Kin(frozenset({"unit-marker"}), frozenset({sleeper.pid})), sleeper.pid)
    assert set(used) == {sleeper.pid}


def test_the_portable_reader_adopts_nobody_and_tags_nobody():
    with proc_portable.born_tagged("m"):
        assert not proc_portable.adopts()
        assert proc_portable.tag_on(os.getpid()) == 0


def test_a_kernel_without_lists_of_children_is_searched(monkeypatch, sleeper):
    real = proc_linux.Path.read_bytes

    def without(path):
        if path.name == "children":
            raise FileNotFoundError
        return real(path)

    monkeypatch.setattr(proc_linux.Path, "read_bytes", without)
    assert sleeper.pid in proc_linux.own_children()


def test_an_unreadable_boot_id_is_an_empty_one(monkeypatch):
    def unreadable(*_: object) -> str:
        raise PermissionError

    assert len(proc_linux.boot()) == 36
    monkeypatch.setattr(proc_linux.Path, "read_text", unreadable)
    assert proc_linux.boot() == ""


def test_what_is_in_the_middle_of_an_exec_is_told_from_what_has_no_environment():
    """Two quick looks at it would both take it for a stranger."""
    held = subprocess.Popen(["sh", "-c", "kill -STOP $$"], env={}, start_new_session=True)  # none, as in an exec
    own = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        os.waitid(os.P_PID, held.pid, os.WSTOPPED | os.WNOWAIT)
        seen = proc_linux.look(held.pid)
        assert proc_linux.changing(seen)
        assert not proc_linux.changing(replace(seen, zombie=True))
        assert not proc_linux.changing(replace(seen, session=0))
        assert not proc_linux.changing(replace(seen, started=seen.started - 100 * os.sysconf("SC_CLK_TCK")))
        while not proc_linux.marker_of(own.pid) and proc_linux.changing(proc_linux.look(own.pid)):
            os.sched_yield()
        assert not proc_linux.changing(proc_linux.look(own.pid))
    finally:
        for process in (held, own):
            process.kill()
            process.wait()
