"""The promises of an adapter. Each is a function that raises AssertionError when the subject breaks it."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shiage.agents.adapter import WORDS, Report, Started, UsageSeen
from shiage.agents.attempt import Limits
from shiage.agents.launch import Ended
from shiage.agents.sweep import sweep_marker
from shiage.domain.outcome import Cause, Ending, Usage
from shiage.testing.subject import EXIT_0, Line, Subject, put, raw

Promise = Callable[[Subject, Path], None]
EXIT_1 = Ended(Ending.FAILED, Cause.CRASHED, exit_code=1, detail="Ended with exit code 1.")
KILLED = Ended(Ending.FAILED, Cause.CRASHED, signal=9, detail="Ended by signal 9 (SIGKILL).")
STRANGE: tuple[bytes, ...] = (
    b'{"type":"from.the.future","data":{"deep":[{}]}}', b"[1]", b"null", b'{"type":7}', b"{", b"", b"\xff\xfe\0",
    b'{"type":null,"x":NaN}', b"[" * 5000, b"a warning in plain words", "{\u2028}".encode(),
)  # fmt: skip
HOSTILE_SESSIONS = ("--yolo", "-p", "a b", "x\n--yolo", "é", "x" * 500)
HOSTILE_PROMPTS = ("--dangerously-do-it", "-", "/clear", "@/etc/passwd", "日本語\u2028\0", "x" * 300_000)
ODD_VALUES: tuple[Any, ...] = (None, 7, "x", [], {}, [None], -1e400)
MEGABYTES = 3_000_000  #: bytes of one line: a file that an agent wrote, as one event
SAMPLES = 200  #: cuts and shuffles that are tried; the seed is fixed

_always: list[Promise] = []
_with_result: list[Promise] = []
_with_sessions: list[Promise] = []


def promises_for(subject: Subject) -> list[Promise]:
    """Those that hold for this adapter, by what it says that its agent can do."""
    can = subject.adapter.features
    return _always + (_with_result if can.protocol else []) + (_with_sessions if can.resumes else [])


def _of(listed: list[Promise]) -> Callable[[Promise], Promise]:
    def add(promise: Promise) -> Promise:
        listed.append(promise)
        return promise

    return add


always, with_result, with_sessions = _of(_always), _of(_with_result), _of(_with_sessions)


def _gist(report: Report) -> tuple[object, ...]:
    told = report.outcome
    return told.ending, told.cause, told.session, told.usage, report.words, report.tool_calls


def _completed(report: Report) -> bool:
    return report.outcome.ending is Ending.COMPLETED


@always
def a_run_that_ended_well_is_complete(subject: Subject, folder: Path) -> None:
    report = subject.read(folder, [raw(subject.done)])
    assert (report.outcome.ending, report.outcome.cause) == (Ending.COMPLETED, Cause.NONE), report.outcome
    assert report.words == subject.words, f"final words: {report.words!r}"
    assert report.outcome.session == subject.session, f"session: {report.outcome.session!r}"


@always
def output_may_be_cut_anywhere(subject: Subject, folder: Path) -> None:
    data = raw(subject.done)
    whole = _gist(subject.read(folder, [data]))
    inside = [at for at, byte in enumerate(data) if byte & 0xC0 == 0x80]  # between two bytes of one character
    cuts = random.Random(7).sample(range(1, len(data)), min(SAMPLES, len(data) - 1))  # noqa: S311
    for at in (*inside[:20], *cuts):
        assert _gist(subject.read(folder, [data[:at], data[at:]])) == whole, f"differs when cut at byte {at}"
    single = [bytes([byte]) for byte in data]
    assert _gist(subject.read(folder, single)) == whole, "differs when it comes byte by byte"


@always
def an_exit_code_outweighs_all_words(subject: Subject, folder: Path) -> None:
    for ended in (EXIT_1, KILLED):
        report = subject.read(folder, [raw(subject.done)], ended)
        assert report.outcome.ending is Ending.FAILED, f"complete in spite of: {ended.detail}"
        assert report.outcome.cause is not Cause.NONE, "failed without a cause"


@always
def what_we_ended_ourselves_is_not_complete(subject: Subject, folder: Path) -> None:
    for ending, cause in (
        (Ending.STOPPED, Cause.NONE),
        (Ending.TIMED_OUT, Cause.IDLE),
        (Ending.TIMED_OUT, Cause.TOTAL),
    ):
        told = subject.read(folder, [raw(subject.done)], Ended(ending, cause, signal=15)).outcome
        assert (told.ending, told.cause) == (ending, cause), f"{ending} became {told.ending}"
    none = subject.read(folder, [], Ended(Ending.NOT_STARTED, Cause.NOT_INSTALLED)).outcome
    assert none.cause is Cause.NOT_INSTALLED, "a program that is missing is not named as such"


@always
def no_prompt_becomes_an_option(subject: Subject, folder: Path) -> None:
    for prompt in HOSTILE_PROMPTS:
        job = subject.job(folder)
        given = subject.adapter.command(subject.settings(), type(job)(prompt, job.role, folder))
        plain = subject.adapter.command(subject.settings(), job)
        assert given.argv == plain.argv, "the prompt changes the command line"
        assert given.stdin == prompt.encode(), "the prompt does not come whole on standard input"


@always
def usage_adds_up(subject: Subject, folder: Path) -> None:
    reader = subject.adapter.reader()
    events = [event for line in raw(subject.done).split(b"\n") for event in reader.feed(line)]
    seen = [event.usage for event in events if isinstance(event, UsageSeen)]
    told = reader.conclude(EXIT_0, raw(subject.done), b"").outcome.usage
    assert told == sum(seen, Usage()), "the report has other usage than the events"
    assert subject.used in (None, told), f"it used {subject.used}, and the report says {told}"
    has_tokens = told.input_tokens is not None and told.output_tokens is not None
    assert has_tokens == subject.adapter.features.reports_usage, "features.reports_usage is not true"
    assert (told.cost_usd is not None) == subject.adapter.features.reports_cost, "features.reports_cost is not true"


@with_result
def strange_lines_change_nothing(subject: Subject, folder: Path) -> None:
    whole = _gist(subject.read(folder, [raw(subject.done)]))
    lines: list[Line] = [each for line in subject.done for each in (*STRANGE, line)]
    assert _gist(subject.read(folder, [raw(lines)])) == whole, "a line that it does not know changes the report"


@with_result
def events_of_odd_shapes_and_orders_do_no_harm(subject: Subject, folder: Path) -> None:
    for line in _odd(subject.done):
        subject.read(folder, [raw((line,))])
        subject.read(folder, [raw((*subject.done, line))])
    shuffled = random.Random(7)  # noqa: S311
    for _ in range(20):
        lines = shuffled.sample(subject.done, len(subject.done))
        first, again = (_gist(subject.read(folder, [raw(lines)])) for _ in range(2))
        assert first == again, "the same lines read twice give two reports"


def _odd(lines: tuple[Line, ...]) -> Iterator[Line]:
    for line in lines:
        if isinstance(line, bytes):
            continue
        for key in line:
            yield from ({**line, key: value} for value in ODD_VALUES if key != "type")
            inner = line[key]
            if isinstance(inner, dict):
                yield from ({**line, key: {**inner, name: value}} for name in inner for value in ODD_VALUES)


@with_result
def a_run_without_its_result_is_not_complete(subject: Subject, folder: Path) -> None:
    for count in range(len(subject.done)):
        report = subject.read(folder, [raw(subject.done[:count])])
        assert not _completed(report), f"complete after {count} of {len(subject.done)} lines, without the result"
        assert report.outcome.cause is not Cause.NONE, "failed without a cause"
    half = raw(subject.done)[:-12]
    assert not _completed(subject.read(folder, [half])), "complete though its result was cut off"


@with_result
def a_result_that_says_failed_outweighs_exit_0(subject: Subject, folder: Path) -> None:
    for ended in (EXIT_0, EXIT_1):
        told = subject.read(folder, [raw(subject.failed)], ended).outcome
        assert (told.ending, told.cause) == (Ending.FAILED, subject.cause), f"{told.ending}, {told.cause}"
        assert told.detail, "a failure without a word"


@with_sessions
def a_session_that_was_named_is_kept_whatever_comes(subject: Subject, folder: Path) -> None:
    for count in range(1, len(subject.done) + 1):
        reader = subject.adapter.reader()
        lines = raw(subject.done[:count]).rstrip(b"\n").split(b"\n")
        named = [event.session for line in lines for event in reader.feed(line) if isinstance(event, Started)]
        for ended in (EXIT_0, EXIT_1, KILLED, Ended(Ending.STOPPED, signal=15), Ended(Ending.TIMED_OUT, Cause.IDLE)):
            told = reader.conclude(ended, b"", b"").outcome.session
            assert not named or told == named[-1], f"{told!r} after {count} lines and {ended.ending}, not {named[-1]!r}"
    assert named, "its session is told by no event"


@with_result
def of_several_results_the_last_decides(subject: Subject, folder: Path) -> None:
    told = subject.read(folder, [raw((*subject.done, *subject.failed))]).outcome
    assert (told.ending, told.cause) == (Ending.FAILED, subject.cause), f"an earlier result decides: {told}"
    assert _completed(subject.read(folder, [raw((*subject.failed, *subject.done))])), "an earlier failure decides"


@with_result
def words_of_megabytes_arrive(subject: Subject, folder: Path) -> None:
    many = "仕\u2028" * (MEGABYTES // 6)
    lines = tuple(_with_words(line, subject.words, many) for line in subject.done)
    if lines == subject.done:  # its words come in pieces
        lines = (*subject.done[:-1], {"type": "from.the.future", "text": many}, subject.done[-1])
        many = subject.words
    report = subject.read(folder, [raw(lines)])
    assert _completed(report), "a line of megabytes hides the result"
    assert report.words == many[-WORDS:], f"other words: {report.words[:40]!r}"


def _with_words(value: Any, old: str, new: str) -> Any:
    """The same event with other words in it."""
    if isinstance(value, dict):
        return {key: _with_words(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_words(each, old, new) for each in value]
    return new if value == old else value


@with_result
def it_knows_its_final_line(subject: Subject, folder: Path) -> None:
    for lines in (subject.done, subject.failed):
        reader = subject.adapter.reader()
        finals = [[reader.feed(line), reader.final][1] for line in raw(lines).rstrip(b"\n").split(b"\n")]
        assert finals[-1], "its last line is not taken for final: a hung agent would keep its run"
        assert not finals[0], "its first line is taken for final"


@with_sessions
def a_session_is_resumed_and_no_session_is_an_option(subject: Subject, folder: Path) -> None:
    def argv(session: str) -> tuple[str, ...]:
        return subject.adapter.command(subject.settings(), subject.job(folder, session=session)).argv

    resumed = " ".join(argv(subject.session))
    assert subject.session in resumed, "the session does not reach the program"
    for hostile in HOSTILE_SESSIONS:
        assert argv(hostile) == argv(""), f"{hostile!r} reaches the command line"


@always
def a_real_process_is_read_to_its_end(subject: Subject, folder: Path) -> None:
    data = raw(subject.done)
    inside = next((at for at, byte in enumerate(data) if byte & 0xC0 == 0x80), len(data) // 2)
    noise = ("complain", "warning: \x1b[31mred\x1b[0m", 2000)
    steps = [put(data[:inside]), noise, ("hang", 0.12), put(data[inside:-3]), ("hang", 0.06), put(data[-3:])]
    report, _ = subject.run(folder, steps)
    assert _gist(report) == _gist(subject.read(folder, [data])), report.outcome
    failed, _ = subject.run(folder, [put(data), ("exit", 3)])
    assert (failed.outcome.ending, failed.outcome.exit_code) == (Ending.FAILED, 3), failed.outcome


@always
def a_process_may_end_in_an_instant_or_flood(subject: Subject, folder: Path) -> None:
    nothing, _ = subject.run(folder, [])
    assert _completed(nothing) != subject.adapter.features.protocol, "silence and exit 0: done only where that is all"
    report, _ = subject.run(folder, [("flood", "x" * 1000, 6000), put(raw(subject.done))])
    assert _completed(report), "its end is lost in a flood"


@with_result
def who_hangs_after_the_result_is_complete_and_ended(subject: Subject, folder: Path) -> None:
    limits = Limits(idle_seconds=20, total_seconds=30, grace_seconds=0.1)
    report, marker = subject.run(folder, [put(raw(subject.done)), ("child", 30), ("hang", 30)], limits)
    assert (report.outcome.ending, report.outcome.cause) == (Ending.COMPLETED, Cause.HUNG), report.outcome
    assert sweep_marker({marker}) == 0, "processes were left running"


@always
def a_stop_in_the_middle_leaves_nothing(subject: Subject, folder: Path) -> None:
    first = raw(subject.done[:1])
    report, marker = subject.run(folder, [("child", 30), put(first), ("hang", 30)], stop_after=first)
    assert report.outcome.ending is Ending.STOPPED, report.outcome
    assert sweep_marker({marker}) == 0, "processes were left running"


def lines_of(recording: bytes) -> tuple[Line, ...]:
    """A recording as lines: each as JSON where it is an object, so that its parts can be bent."""
    return tuple(_parsed(line) for line in recording.split(b"\n") if line.strip())


def _parsed(line: bytes) -> Line:
    try:
        event = json.loads(line)
    except ValueError:
        return line
    return event if isinstance(event, dict) else line
