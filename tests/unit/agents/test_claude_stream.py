"""Claude Code's event stream, from scripted lines to a report."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiage.agents.adapter import (
    Denied,
    RateLimited,
    Retrying,
    Started,
    Terminal,
    Text,
    ToolEnd,
    ToolStart,
    Unknown,
    UsageSeen,
)
from shiage.agents.claude_stream import Stream
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Ending, Usage

EXIT_0 = Ended(Ending.COMPLETED, exit_code=0)
EXIT_1 = Ended(Ending.FAILED, Cause.CRASHED, exit_code=1, detail="Ended with exit code 1.")
INIT = {"type": "system", "subtype": "init", "session_id": "s-1", "tools": ["Read"]}


def result(**changes):
    base = {"type": "result", "subtype": "success", "is_error": False, "result": "All done.", "session_id": "s-1"}
    return base | changes


def said(text, **more):
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}, **more}


def called(identity, name="Bash", **given_input):
    block = {"type": "tool_use", "id": identity, "name": name, "input": given_input}
    return {"type": "assistant", "message": {"content": [block]}}


def answered(identity, *, error=False):
    block = {"type": "tool_result", "tool_use_id": identity, "is_error": error, "content": "…"}
    return {"type": "user", "message": {"content": [block]}}


def denial(identity, name="Bash"):
    return {"tool_name": name, "tool_use_id": identity, "tool_input": {}}


def read(*events, ended=EXIT_0, err=b""):
    stream = Stream()
    for event in events:
        stream.feed(event if isinstance(event, bytes) else json.dumps(event).encode())
    return stream.conclude(ended, b"", err)


def outcome(*events, **more):
    found = read(*events, **more).outcome
    return found.ending, found.cause


def test_a_run_that_ends_well_is_complete():
    report = read(INIT, said("I begin."), called("1"), answered("1"), said("So."), result())
    assert (report.outcome.ending, report.outcome.cause) == (Ending.COMPLETED, Cause.NONE)
    assert report.outcome.session == "s-1"
    assert report.words == "All done."
    assert report.tool_calls == 1


def test_each_event_is_told_as_it_comes():
    stream = Stream()

    def feed(event):
        return stream.feed(json.dumps(event).encode())

    assert feed(INIT) == (Started("s-1"),)
    assert feed(said("Hello")) == (Text("Hello"),)
    assert feed(called("1", "Edit", file_path="a.py", old="x\ny")) == (ToolStart("Edit", "a.py"),)
    assert feed(answered("1")) == (ToolEnd("Edit", ok=True),)
    assert feed(answered("2", error=True)) == (ToolEnd("", ok=False),)
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "error_status": 529}
    assert feed(retry) == (Retrying("try 1 of 2: 529"),)
    assert feed({"type": "system", "subtype": "permission_denied", "tool_name": "Write"}) == (Denied("Write"),)
    assert feed({"type": "system", "subtype": "status"}) == ()
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1760000000}}
    assert feed(limit) == (RateLimited(1760000000.0),)
    assert feed({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}}) == ()
    assert feed(result(usage={"input_tokens": 1, "output_tokens": 2})) == (
        UsageSeen(Usage(1, 2, None)),
        Terminal(ok=True, detail="All done."),
    )


@pytest.mark.parametrize("code", [EXIT_0, EXIT_1])
def test_a_run_without_a_result_never_completes(code):
    ending, cause = outcome(INIT, said("All done, everything works!"), ended=code)
    assert ending is Ending.FAILED
    assert cause is (Cause.NO_RESULT if code is EXIT_0 else Cause.CRASHED)


def test_success_with_is_error_is_a_failure():
    assert outcome(INIT, result(is_error=True)) == (Ending.FAILED, Cause.CRASHED)


@pytest.mark.parametrize("changes", [{"subtype": None}, {"is_error": None}, {"is_error": 0}, {"subtype": "odd"}])
def test_a_result_that_does_not_say_success_outright_is_a_failure(changes):
    assert outcome(INIT, result(**changes)) == (Ending.FAILED, Cause.CRASHED)


def test_a_good_result_before_a_bad_exit_is_a_failure():
    assert outcome(INIT, result(), ended=EXIT_1) == (Ending.FAILED, Cause.CRASHED)


def test_the_last_of_several_results_decides():
    assert outcome(INIT, result(is_error=True), INIT, result()) == (Ending.COMPLETED, Cause.NONE)
    assert outcome(INIT, result(), INIT, result(is_error=True)) == (Ending.FAILED, Cause.CRASHED)
    assert read(INIT, result(result="one"), INIT, result(result="two")).words == "two"


def test_a_turn_that_began_after_a_result_and_gave_none_is_no_success():
    assert outcome(INIT, result(), INIT, said("On I go")) == (Ending.FAILED, Cause.NO_RESULT)


def test_a_run_that_hangs_after_its_result_is_judged_by_the_result():
    hung = Ended(Ending.TIMED_OUT, Cause.HUNG, signal=15, detail="Did not leave.")
    assert outcome(INIT, result(), ended=hung) == (Ending.COMPLETED, Cause.HUNG)
    assert outcome(INIT, result(is_error=True), ended=hung)[0] is Ending.FAILED


def test_final_follows_the_last_turn():
    stream = Stream()
    seen = []
    for event in (INIT, said("x"), result(), {"type": "system", "subtype": "status"}, INIT, result()):
        stream.feed(json.dumps(event).encode())
        seen.append(stream.final)
    assert seen == [False, False, True, True, False, True]


@pytest.mark.parametrize(
    "ended",
    [
        Ended(Ending.STOPPED, exit_code=0, detail="Stopped by a person."),
        Ended(Ending.TIMED_OUT, Cause.IDLE, signal=15, detail="Silent."),
        Ended(Ending.NOT_STARTED, Cause.NOT_INSTALLED, detail="Not found."),
    ],
)
def test_what_we_ended_ourselves_outranks_every_event(ended):
    report = read(INIT, result(), ended=ended)
    assert (report.outcome.ending, report.outcome.cause) == (ended.ending, ended.cause)
    assert report.outcome.detail == ended.detail


FAILURES = [
    (result(is_error=True, api_error_status=401), Cause.NOT_LOGGED_IN),
    (result(is_error=True, api_error_status=403), Cause.NOT_LOGGED_IN),
    (result(is_error=True, result="Not logged in · Please run /login"), Cause.NOT_LOGGED_IN),
    (result(is_error=True, api_error_status=429), Cause.TRANSIENT),
    (result(is_error=True, api_error_status=500), Cause.TRANSIENT),
    (result(is_error=True, api_error_status=529), Cause.TRANSIENT),
    (result(is_error=True, result="API Error: Connection error."), Cause.TRANSIENT),
    (result(is_error=True, result="fetch failed: ECONNREFUSED"), Cause.TRANSIENT),
    (result(is_error=True, terminal_reason="prompt_too_long", api_error_status=400), Cause.CONTEXT_OVERFLOW),
    (result(is_error=True, result="Prompt is too long"), Cause.CONTEXT_OVERFLOW),
    (result(is_error=True, subtype="error_max_turns"), Cause.MAX_TURNS),
    (result(is_error=False, subtype="error_max_turns"), Cause.MAX_TURNS),
    (result(is_error=True, subtype="error_max_budget_usd"), Cause.MAX_TURNS),
    (result(is_error=True, api_error_status=404), Cause.CRASHED),
    (result(is_error=True, result="Credit balance is too low", api_error_status=400), Cause.CRASHED),
    (
        result(is_error=True, subtype="error_during_execution", errors=["overloaded_error"], result=None),
        Cause.TRANSIENT,
    ),
]


@pytest.mark.parametrize(("event", "cause"), FAILURES)
def test_a_failure_is_put_into_our_words_whatever_the_exit_code(event, cause):
    assert outcome(INIT, event) == (Ending.FAILED, cause)
    assert outcome(INIT, event, ended=EXIT_1) == (Ending.FAILED, cause)
    assert read(INIT, event).outcome.detail


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("billing_error", Cause.CRASHED),
        ("authentication_failed", Cause.NOT_LOGGED_IN),
        ("model_not_found", Cause.CRASHED),
        ("rate_limit", Cause.TRANSIENT),
    ],
)
def test_the_error_of_the_last_message_tells_more_than_a_status(error, cause):
    assert outcome(INIT, said("…", error=error), result(is_error=True, api_error_status=400)) == (Ending.FAILED, cause)


def test_words_of_a_successful_run_are_never_read_as_an_error():
    assert outcome(INIT, result(result="Not logged in? Rate limit? Prompt is too long!"))[0] is Ending.COMPLETED


def limited(status="rejected", **more):
    return {"type": "rate_limit_event", "rate_limit_info": {"status": status, **more}}


def test_a_rejected_quota_waits_until_it_resets():
    found = read(INIT, limited(resetsAt=1760000000), result(is_error=True, api_error_status=429)).outcome
    assert (found.ending, found.cause, found.until) == (Ending.FAILED, Cause.USAGE_LIMIT, 1760000000.0)
    found = read(INIT, limited(), result(is_error=True)).outcome
    assert (found.cause, found.until) == (Cause.USAGE_LIMIT, None)
    flat = {"type": "rate_limit_event", "status": "rejected", "resetsAt": 5}
    assert read(INIT, flat, result(is_error=True)).outcome.until == 5.0


def test_the_old_text_of_a_usage_limit_carries_its_time():
    found = read(INIT, result(is_error=True, result="Claude AI usage limit reached|1760000000")).outcome
    assert (found.cause, found.until) == (Cause.USAGE_LIMIT, 1760000000.0)


def test_a_quota_that_was_granted_again_is_no_reason():
    assert outcome(INIT, limited(), limited("allowed"), result(is_error=True)) == (Ending.FAILED, Cause.CRASHED)
    assert outcome(INIT, limited(), result())[0] is Ending.COMPLETED
    paid = limited()
    paid["rate_limit_info"]["isUsingOverage"] = True
    assert outcome(INIT, paid, result(is_error=True, api_error_status=529))[1] is Cause.TRANSIENT


def test_a_run_whose_calls_were_all_denied_did_not_complete():
    report = read(INIT, called("1"), answered("1", error=True), result(permission_denials=[denial("1")]))
    assert (report.outcome.ending, report.outcome.cause) == (Ending.FAILED, Cause.PERMISSION_REFUSED)
    assert report.denied == ("Bash",)
    assert "Bash" in report.outcome.detail


def test_a_denied_call_that_the_agent_did_without_is_closed():
    report = read(
        INIT,
        called("1"),
        answered("1", error=True),
        called("2", "Write"),
        answered("2"),
        result(permission_denials=[denial("1")]),
    )
    assert report.outcome.ending is Ending.COMPLETED
    assert report.denied == ()


@pytest.mark.parametrize("denials", [[denial("unseen")], [{}], [denial("1"), denial("2", "Write")]])
def test_a_denial_at_the_end_is_open(denials):
    events = (INIT, called("0"), answered("0"), called("1"), answered("1", error=True))
    assert outcome(*events, result(permission_denials=denials)) == (Ending.FAILED, Cause.PERMISSION_REFUSED)


def test_an_end_that_a_hook_would_not_allow_is_no_success():
    told = "A hook blocked the turn from ending 9 consecutive times—overriding and ending turn."
    override = {"type": "system", "subtype": "informational", "content": told, "level": "warning"}
    found = read(INIT, said("I am done."), override, result(result="")).outcome
    assert (found.ending, found.cause) == (Ending.FAILED, Cause.MAX_TURNS)
    assert "hook" in found.detail
    of_an_inner_agent = (INIT, override, said("On I go."), result())
    assert outcome(*of_an_inner_agent)[0] is Ending.COMPLETED


def test_the_commands_that_it_knows_are_told():
    assert read(INIT, result()).commands is None
    assert read({**INIT, "slash_commands": ["kiro:spec-impl", 7]}, result()).commands == {"kiro:spec-impl"}


def test_tokens_are_added_over_all_results_caches_included():
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 7}
    assert read(INIT, result(usage=usage), INIT, result(usage=usage)).outcome.usage == Usage(222, 14, None)


def test_money_is_what_each_result_adds_where_it_says_so():
    models = {"a": {"costUSD": 0.25}, "b": {"costUSD": 0.5}, "c": "odd"}
    one = result(total_cost_usd=9.0, model_usage_since_last_result=models)
    assert read(INIT, one, INIT, one).outcome.usage.cost_usd == 1.5


def test_money_is_else_the_increase_of_the_total():
    events = [result(total_cost_usd=total) for total in (1.0, 1.5, 1.5)]
    assert read(*events).outcome.usage.cost_usd == 1.5


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, True, "1", None, 10**40, [1]])
def test_a_number_that_is_none_costs_nothing(odd):
    used = read(INIT, result(total_cost_usd=odd, usage={"input_tokens": odd, "output_tokens": odd})).outcome.usage
    assert used in (Usage(0, 0, None), Usage(0, 0, 0.0))


def test_the_words_are_the_result_or_else_the_last_text_of_the_main_agent():
    inner = said("from a subagent", parent_tool_use_id="1")
    assert read(INIT, said("mine"), inner, result(result="")).words == "mine"
    assert read(INIT, said("mine"), inner, result(result=None)).words == "mine"
    assert read(INIT, result(result="x" * 300_000)).words == "x" * 256 * 1024


def test_a_line_separator_within_json_is_text():
    line = json.dumps(result(result="a\u2028b\u0085c"), ensure_ascii=False).encode()
    assert read(INIT, line).words == "a\u2028b\u0085c"


@pytest.mark.parametrize("at", [1, 40, 90])
@pytest.mark.parametrize("torn", [0, 1, 2])
def test_an_event_that_was_written_into_another_line_loses_neither(torn, at):
    lines = [json.dumps(event).encode() for event in (INIT, said("x" * 60), result(total_cost_usd=0.5))]
    limit = b'{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1760000000}}'
    lines[torn : torn + 1] = [lines[torn][:at] + limit, lines[torn][at:]]
    report = read(*lines)
    assert report.outcome.ending is Ending.COMPLETED
    assert (report.words, report.outcome.session, report.outcome.usage.cost_usd) == ("All done.", "s-1", 0.5)
    limited = read(lines[0], lines[1], *lines[2:-1], json.dumps(result(is_error=True)).encode())
    assert limited.outcome.until == 1760000000


def test_bytes_that_are_not_utf8_are_replaced():
    line = json.dumps(result(result="MARK")).encode().replace(b"MARK", b"a\xff\xe3\x81")
    assert read(INIT, line).words == "a\ufffd\ufffd"


@pytest.mark.parametrize(
    "line",
    [b"plain words", b"{broken", b"[1, 2]", b'"text"', b"\xff\xfe{\0", b"{" * 100_000, b'{"a":' * 100_000, b"[" * 99],
)
def test_a_line_that_is_no_event_is_unknown_and_harmless(line):
    stream = Stream()
    assert isinstance(stream.feed(line)[0], Unknown)
    assert len(stream.feed(line)[0].line) <= 300
    stream.feed(json.dumps(result()).encode())
    assert stream.conclude(EXIT_0, b"", b"").outcome.ending is Ending.COMPLETED


def test_empty_lines_are_nothing_and_unknown_types_are_told():
    assert Stream().feed(b"") == ()
    assert Stream().feed(b" \r") == ()
    assert isinstance(Stream().feed(b'{"type": "from the future"}')[0], Unknown)
    assert isinstance(Stream().feed(b'{"type": ["odd"]}')[0], Unknown)


def test_what_was_said_last_explains_a_run_without_a_result():
    found = read(INIT, b"\x1b[31mInvalid API key\x1b[0m", ended=EXIT_1, err=b"warning\n\n").outcome
    assert found.cause is Cause.NOT_LOGGED_IN
    assert found.detail == "Ended with exit code 1. Invalid API key warning"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = sorted({*result(), "message", "error", "usage", "permission_denials", "errors", "rate_limit_info", "status"})
KEYS += ["resetsAt", "model_usage_since_last_result", "api_error_status", "total_cost_usd", "attempt"]
TYPES = ["system", "assistant", "user", "result", "rate_limit_event"]
events = st.builds(
    lambda kind, rest: rest | {"type": kind},
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(KEYS), json_values),
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(st.binary(max_size=30) | events.map(lambda event: json.dumps(event).encode()), max_size=6))
def test_no_stream_breaks_the_reader_and_none_without_a_clear_success_completes(lines):
    stream = Stream()
    for line in lines:
        stream.feed(line)
    report = stream.conclude(EXIT_0, b"", b"")
    clear = any(b'"success"' in line and b'"is_error": false' in line for line in lines)
    assert report.outcome.ending is Ending.FAILED or clear


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_reader_fed_twice_with_the_same_lines_says_the_same(data):
    lines = data.draw(st.lists(events.map(lambda event: json.dumps(event).encode()), max_size=5))
    one, two = Stream(), Stream()
    assert [one.feed(line) for line in lines].__repr__() == [two.feed(line) for line in lines].__repr__()
    assert repr(one.conclude(EXIT_0, b"", b"")) == repr(two.conclude(EXIT_0, b"", b""))
