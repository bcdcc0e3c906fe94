"""One agent, run to its end by a real process: how it starts, speaks and ends by itself."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from shiage.agents import tail
from shiage.agents.adapter import AgentSettings, Job, Started, Text
from shiage.agents.attempt import Limits, attempt, read_log
from shiage.agents.launch import Ended, Launch
from shiage.agents.process import run
from shiage.agents.sidecar import path_of
from shiage.agents.table import adapter_for
from shiage.domain.outcome import Cause, Ending

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
PYTHON = (sys.executable, "-I", "-S", "-c")


@pytest.fixture
def launch(tmp_path):
    """Describes an agent; each has files and a marker of its own."""
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
        }
        return Launch(argv=argv, **(fields | changes))

    return make


def end_of(launch: Launch, lines: list[bytes] | None = None, **more) -> Ended:
    def keep(new: list[bytes]) -> bool:
        lines.extend(new)
        return False

    async def main() -> Ended:
        return await run(launch, stop=asyncio.Event(), on_lines=None if lines is None else keep, **more)

    return asyncio.run(main())


def test_an_exit_with_0_is_noticed(launch):
    ended = end_of(launch("true"))
    assert (ended.ending, ended.cause, ended.exit_code, ended.signal) == (Ending.COMPLETED, Cause.NONE, 0, None)
    assert ended.left_behind == 0


def test_an_exit_code_is_the_agents_own(launch):
    ended = end_of(launch("sh", "-c", "exit 37"))
    assert (ended.ending, ended.cause, ended.exit_code) == (Ending.FAILED, Cause.CRASHED, 37)
    assert ended.detail == "Ended with exit code 37."


@pytest.mark.parametrize(("number", "name"), [(9, " (SIGKILL)"), (11, " (SIGSEGV)"), (40, "")])
def test_an_end_by_a_signal_is_told_from_an_exit_code(launch, number, name):
    ended = end_of(launch(*PYTHON, f"import os; os.kill(os.getpid(), {number})"))
    assert (ended.ending, ended.exit_code, ended.signal) == (Ending.FAILED, None, number)
    assert ended.detail == f"Ended by signal {number}{name}."


@pytest.mark.slow
def test_300_instant_exits_in_a_row_are_all_noticed_in_order(launch):
    async def main():
        return [(await run(launch("sh", "-c", f"exit {n % 7}"), stop=asyncio.Event())).exit_code for n in range(300)]

    assert asyncio.run(main()) == [n % 7 for n in range(300)]


def test_the_prompt_arrives_whole_though_nobody_waits_for_it(launch, tmp_path):
    prompt = "日本語\0\n".encode() * 100_000
    ended = end_of(launch("sh", "-c", f"cat > {tmp_path}/got", stdin=prompt))
    assert ended.exit_code == 0
    assert (tmp_path / "got").read_bytes() == prompt
    assert end_of(launch("true", stdin=prompt)).exit_code == 0


def test_an_agent_gets_its_marker_and_only_the_environment_that_was_given(launch, monkeypatch):
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    described, lines = launch("env", env={"PATH": os.environ["PATH"], "SHIAGE_AGENT_ID": "other"}), []
    end_of(described, lines)
    assert f"SHIAGE_AGENT_ID={described.marker}".encode() in lines
    assert not any(b"SECRET_OF_OURS" in line or b"other" in line for line in lines)


def test_both_outputs_go_to_their_files(launch):
    described = launch("sh", "-c", "echo out; echo err >&2")
    end_of(described)
    assert (described.log.read_bytes(), described.err.read_bytes()) == (b"out\n", b"err\n")
    assert not path_of(described.log).exists()


def refusal(launch, *argv, **changes) -> Ended:
    ended = end_of(launch(*argv, **changes))
    assert ended.ending is Ending.NOT_STARTED
    assert ended.detail.endswith(".")
    return ended


def test_a_missing_program_is_a_value_with_a_sentence(launch):
    ended = refusal(launch, "no-such-agent")
    assert ended.cause is Cause.NOT_INSTALLED
    assert "no-such-agent was not found" in ended.detail


def test_what_cannot_be_executed_does_not_start(launch, tmp_path):
    (tmp_path / "plain").write_text("just text")
    assert "may not be executed" in refusal(launch, "./plain").detail
    (tmp_path / "plain").chmod(0o755)
    assert refusal(launch, "./plain").cause is Cause.NOT_INSTALLED
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    assert "interpreter" in refusal(launch, "./script").detail
    assert refusal(launch, "./plain/below").cause is Cause.NOT_INSTALLED


def test_a_folder_that_is_not_there_is_named(launch, tmp_path):
    ended = refusal(launch, "true", cwd=tmp_path / "gone")
    assert ended.cause is Cause.CRASHED
    assert f"The folder {tmp_path / 'gone'} cannot be entered" in ended.detail


def test_a_prompt_too_large_for_an_argument_does_not_start(launch):
    assert "standard input" in refusal(launch, "true", "x" * 200_000).detail


def test_a_command_line_that_no_system_takes_does_not_start(launch, tmp_path):
    assert refusal(launch, "true", "a\0b").cause is Cause.CRASHED
    assert refusal(launch, "true", env={"A=B": "c"}).cause is Cause.CRASHED
    assert refusal(launch).cause is Cause.CRASHED
    assert "cannot be used" in refusal(launch, "true", log=tmp_path / "none" / "log").detail


def test_a_link_laid_at_the_name_of_a_log_is_not_written_through(launch, tmp_path):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "trap").symlink_to(tmp_path / "victim")
    refusal(launch, "echo", "x", log=tmp_path / "trap")
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_child_that_holds_the_output_open_does_not_hold_up_the_end(launch):
    begun = time.monotonic()
    ended = end_of(launch("sh", "-c", "sleep 60 & echo done"), [])
    assert ended.exit_code == 0
    assert ended.left_behind == 1
    assert time.monotonic() - begun < 0.5


def test_an_agent_that_closes_its_output_goes_on(launch, tmp_path):
    ended = end_of(launch("sh", "-c", f"exec >&- 2>&-; touch {tmp_path}/after; exit 3"), [])
    assert ended.exit_code == 3
    assert (tmp_path / "after").exists()


def test_the_last_words_are_read_though_they_come_with_the_end(launch):
    lines = []
    end_of(launch("sh", "-c", "for i in 1 2 3; do echo $i; done; printf last"), lines)
    assert lines == [b"1", b"2", b"3", b"last"]


def test_an_agent_that_truncates_its_own_log_leaves_no_hole(launch):
    described = launch("sh", "-c", "echo long line; : > /dev/stdout; echo end")
    end_of(described)
    assert described.log.read_bytes() == b"end\n"


def test_bytes_of_all_kinds_pass(launch):
    lines = []
    end_of(launch(*PYTHON, r"import os; os.write(1, b'\xff\0\x1b[2J\xe3\x81\nnext')"), lines)
    assert lines == [b"\xff\0\x1b[2J\xe3\x81", b"next"]


def memory() -> int:
    """Resident bytes of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [64])
def test_a_flood_is_read_whole_within_bounded_memory(launch, megabytes):
    counted, most, before = 0, 0, memory()

    def count(lines: list[bytes]) -> bool:
        nonlocal counted, most
        counted += len(lines)
        most = max(most, memory())
        return False

    code = f"import os\nblock = (b'x' * 63 + b'\\n') * 16384\nfor _ in range({megabytes}): os.write(1, block)"
    ended = asyncio.run(run(launch(*PYTHON, code), stop=asyncio.Event(), on_lines=count))
    assert ended.exit_code == 0
    assert counted == megabytes * 16384
    assert most - before < 20_000_000


def test_one_giant_line_is_not_held(launch):
    lines, before = [], memory()
    code = "import os\nfor _ in range(20): os.write(1, b'y' * 1048576)\nos.write(1, b'\\nend\\n')"
    end_of(launch(*PYTHON, code), lines)
    assert [len(line) < 5000 for line in lines] == [True, True]
    assert lines[1] == b"end"
    assert memory() - before < 20_000_000


def test_five_agents_at_once_do_not_mix(launch):
    async def main():
        async def one(n):
            lines = []
            code = f"import time; print({n}); time.sleep({0.05 * (5 - n)}); print({n}); raise SystemExit({n})"
            ended = await run(launch(*PYTHON, code), stop=asyncio.Event(), on_lines=lambda new: lines.extend(new))
            return ended.exit_code, ended.left_behind, lines

        return await asyncio.gather(*map(one, range(5)))

    assert asyncio.run(main()) == [(n, 0, [str(n).encode()] * 2) for n in range(5)]


def test_a_system_without_pidfd_notices_the_end_too(launch, monkeypatch):
    monkeypatch.delattr(os, "pidfd_open")
    assert end_of(launch("sh", "-c", "exit 5")).exit_code == 5
    assert end_of(launch("sleep", "60", idle_seconds=0.2)).cause is Cause.IDLE


def attempted(tmp_path, kind, script, on_event=None, role="implementer", **limits):
    adapter = adapter_for(kind)
    settings = AgentSettings("a", kind, (*PYTHON, script))
    job = Job("The prompt.", role, tmp_path, environment={"SHIAGE_SPEC": "login"})
    log, err = tmp_path / "a.log", tmp_path / "a.err"
    marker = f"{tmp_path.name}-{os.getpid()}"
    times = Limits(**({"idle_seconds": 30, "total_seconds": 60} | limits))
    running = attempt(
        adapter, settings, job, marker=marker, log=log, err=err, limits=times, stop=asyncio.Event(), on_event=on_event
    )
    return asyncio.run(running), lambda ended: read_log(adapter, log, ended, err=err)


CLAUDE = r"""
import json, sys, time
def tell(**event): print(json.dumps(event), flush=True)
tell(type="system", subtype="init", session_id="s-9")
tell(type="assistant", message={"content": [{"type": "text", "text": sys.stdin.read()}]})
"""
DONE = 'tell(type="result", subtype="success", is_error=False, result="Done.", session_id="s-9")\n'


def test_an_attempt_of_a_command_brings_its_words_and_shows_its_lines(tmp_path):
    events = []
    report, again = attempted(tmp_path, "command", "print(input()); print('end')", events.append)
    assert (report.outcome.ending, report.words) == (Ending.COMPLETED, "The prompt.\nend\n")
    assert events == [Text("The prompt."), Text("end")]
    assert again(Ended(Ending.COMPLETED, exit_code=0)).words == report.words


def test_an_attempt_of_claude_is_read_from_its_events_and_again_from_its_log(tmp_path):
    events = []
    report, again = attempted(tmp_path, "claude", CLAUDE + DONE, events.append)
    assert report.outcome.ending is Ending.COMPLETED
    assert (report.outcome.session, report.words) == ("s-9", "Done.")
    assert events[:2] == [Started("s-9"), Text("The prompt.")]
    assert again(Ended(Ending.COMPLETED, exit_code=0)).outcome == report.outcome


def test_no_event_of_claude_is_skipped_however_fast_they_come(tmp_path, monkeypatch):
    monkeypatch.setattr(tail, "LAG", 1000)
    monkeypatch.setattr(tail, "KEPT", 500)
    calls = 'for n in range(500): tell(type="assistant", message={"content": [{"type": "tool_use", "name": "Read"}]})\n'
    report, again = attempted(tmp_path, "claude", CLAUDE + calls + DONE)
    assert report.tool_calls == 500
    assert again(Ended(Ending.COMPLETED, exit_code=0)).tool_calls == 500


def test_claude_without_a_result_did_not_complete(tmp_path):
    report, _ = attempted(tmp_path, "claude", CLAUDE)
    assert (report.outcome.ending, report.outcome.cause) == (Ending.FAILED, Cause.NO_RESULT)
    assert report.words == "The prompt."


def test_claude_that_stays_after_its_result_is_ended_and_judged_by_it(tmp_path):
    report, _ = attempted(tmp_path, "claude", CLAUDE + DONE + "time.sleep(60)", grace_seconds=0.2)
    assert (report.outcome.ending, report.outcome.cause) == (Ending.COMPLETED, Cause.HUNG)
    assert report.seconds < 5


GEMINI = r"""
import json, sys
(path,) = [argument.partition("=")[2] for argument in sys.argv if argument.startswith("--admin-policy=")]
print(json.dumps({"type": "init", "session_id": "s-9"}))
print(json.dumps({"type": "message", "role": "assistant", "content": open(path).read()}))
print(json.dumps({"type": "result", "status": "success"}))
"""


def test_rules_that_an_agent_reads_from_a_file_lie_beside_its_log_and_lead_nowhere_else(tmp_path):
    report, _ = attempted(tmp_path, "gemini", GEMINI, role="reviewer")
    assert "write_file" in report.words and 'decision = "deny"' in report.words
    assert (tmp_path / "a.policy.toml").read_text() == report.words
    (tmp_path / "a.policy.toml").unlink()
    (tmp_path / "a.policy.toml").symlink_to(tmp_path / "theirs")
    report, _ = attempted(tmp_path, "gemini", GEMINI, role="reviewer")
    assert report.outcome.ending is Ending.NOT_STARTED and "a.policy.toml" in report.outcome.detail
    assert not (tmp_path / "theirs").exists()


def test_a_log_that_is_gone_reads_as_an_empty_one(tmp_path):
    report = read_log(adapter_for("claude"), tmp_path / "none", Ended(Ending.COMPLETED, exit_code=0))
    assert report.outcome.cause is Cause.NO_RESULT


def test_a_reader_that_breaks_leaves_no_agent_behind(launch, tmp_path):
    def broken(_: list[bytes]) -> bool:
        raise RuntimeError("broken reader")

    described = launch("sh", "-c", f"echo $$ > {tmp_path}/pid; echo x; sleep 60")
    with pytest.raises(RuntimeError, match="broken reader"):
        asyncio.run(run(described, stop=asyncio.Event(), on_lines=broken))
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()
