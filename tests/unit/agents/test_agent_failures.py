"""What each agent says when it fails, and the one word that shiage has for it."""

import json
from datetime import datetime

import pytest

from shiage.agents.failures import reset_in
from shiage.agents.launch import Ended
from shiage.agents.table import adapter_for
from shiage.domain.outcome import Cause, Ending


def exit_with(code):
    ending = Ending.COMPLETED if code == 0 else Ending.FAILED
    return Ended(
        ending, Cause.NONE if code == 0 else Cause.CRASHED, exit_code=code, detail=f"Ended with exit code {code}."
    )


def outcome(kind, *events, code=0, err=b""):
    reader = adapter_for(kind).reader()
    for event in events:
        reader.feed(json.dumps(event).encode())
    return reader.conclude(exit_with(code), b"", err).outcome


def codex(message):
    return {"type": "turn.failed", "error": {"message": message}}


def gemini(message):
    return {"type": "result", "status": "error", "error": {"type": "unknown", "message": message}}


def opencode(name, message, status=None):
    return {
        "type": "error",
        "sessionID": "ses_1",
        "error": {"name": name, "data": {"message": message, "statusCode": status}},
    }


def copilot(kind, message, status=None):
    return {"type": "session.error", "data": {"errorType": kind, "message": message, "statusCode": status}}


RESULT_1 = {"type": "result", "sessionId": "s", "exitCode": 1}


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("unexpected status 401 Unauthorized: bad key, url: http://x", Cause.NOT_LOGGED_IN),
        ("exceeded retry limit, last status: 429 Too Many Requests", Cause.TRANSIENT),
        ("We’re currently experiencing high demand, which may cause temporary errors.", Cause.TRANSIENT),
        ("Selected model is at capacity. Please try a different model.", Cause.TRANSIENT),
        ("unexpected status 503 Service Unavailable: m, url: http://x", Cause.TRANSIENT),
        ("stream disconnected before completion: idle timeout waiting for SSE", Cause.TRANSIENT),
        ("Quota exceeded. Check your plan and billing details.", Cause.USAGE_LIMIT),
        ("You've hit your usage limit. Upgrade to Pro or try again at Nov 21st, 2026 3:45 PM.", Cause.USAGE_LIMIT),
        ("Codex ran out of room in the model's context window. Start a new thread.", Cause.CONTEXT_OVERFLOW),
        ("The model gpt-x does not exist", Cause.CRASHED),
    ],
)
def test_codex(message, cause):
    told = outcome("codex", codex(message), code=1)
    assert (told.ending, told.cause, told.detail) == (Ending.FAILED, cause, message)


@pytest.mark.parametrize(
    ("events", "code", "cause"),
    [
        ([gemini('[API Error: {"error":{"message":"API key not valid","code":401}}]')], 145, Cause.NOT_LOGGED_IN),
        ([gemini('[API Error: {"error":{"message":"m","code":429,"status":"X"}}]')], 173, Cause.TRANSIENT),
        ([gemini("[API Error: m]")], 244, Cause.TRANSIENT),
        ([gemini("[API Error: terminated]")], 1, Cause.TRANSIENT),
        ([gemini("The input token count (11) exceeds the maximum number of tokens allowed (10).")], 144, Cause.CONTEXT_OVERFLOW),
        ([gemini("You have exhausted your daily quota on this model.")], 173, Cause.USAGE_LIMIT),
        ([gemini("Reached max session turns for this session.")], 53, Cause.MAX_TURNS),
        ([], 41, Cause.NOT_LOGGED_IN),
        ([], 145, Cause.NOT_LOGGED_IN),
        ([], 247, Cause.TRANSIENT),
        ([], 0, Cause.NO_RESULT),
        ([], 55, Cause.CRASHED),
    ],
)  # fmt: skip
def test_gemini_whose_exit_code_is_an_http_status_modulo_256(events, code, cause):
    assert outcome("gemini", *events, code=code).cause is cause


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (opencode("APIError", "bad key", 401), Cause.NOT_LOGGED_IN),
        (opencode("APIError", "slow down", 429), Cause.TRANSIENT),
        (opencode("APIError", "Overloaded", 529), Cause.TRANSIENT),
        (
            opencode("APIError", "Cannot connect to API: The socket connection was closed unexpectedly."),
            Cause.TRANSIENT,
        ),
        (opencode("ProviderAuthError", "no credentials"), Cause.NOT_LOGGED_IN),
        (opencode("ContextOverflowError", "too long"), Cause.CONTEXT_OVERFLOW),
        (opencode("APIError", "You exceeded your current quota", 429), Cause.USAGE_LIMIT),
        (opencode("UnknownError", "boom"), Cause.CRASHED),
    ],
)
def test_opencode(event, cause):
    assert outcome("opencode", event, code=1).cause is cause


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (copilot("authentication", "Authentication failed", 401), Cause.NOT_LOGGED_IN),
        (copilot("rate_limit", "slow", 429), Cause.TRANSIENT),
        (
            copilot("query", "Failed to get response from the AI model; retried 5 times Last error: 500", 500),
            Cause.TRANSIENT,
        ),
        (
            copilot("query", "Failed to get response from the AI model; retried 5 times Last error: unexpected EOF"),
            Cause.TRANSIENT,
        ),
        (copilot("quota", "no quota"), Cause.USAGE_LIMIT),
        (copilot("query", "model_max_prompt_tokens_exceeded", 400), Cause.CONTEXT_OVERFLOW),
        (copilot("query", "what"), Cause.CRASHED),
    ],
)
def test_copilot(event, cause):
    assert outcome("copilot", event, RESULT_1, code=1).cause is cause


STREAM = 'timestamp={} level=ERROR run=1 message="stream error" providerID=p error.error="AI_APICallError: {}"\n'


@pytest.mark.parametrize(
    ("at", "said", "cause"),
    [
        ("2026-11-19T21:20:53.357Z", "You exceeded your current quota", Cause.USAGE_LIMIT),
        ("2026-11-19T21:20:53.357Z", "slow down", Cause.TRANSIENT),
        ("2026-11-19T21:00:00.000Z", "slow down", Cause.IDLE),
    ],
)
def test_an_opencode_that_was_silent_until_it_was_ended_may_have_waited_for_its_provider(at, said, cause):
    reader = adapter_for("opencode").reader()
    reader.feed(
        json.dumps({"type": "step_start", "timestamp": 1795123200000, "part": {}}, separators=(",", ":")).encode()
    )
    silent = Ended(Ending.TIMED_OUT, Cause.IDLE, signal=15, detail="No output.")
    told = reader.conclude(silent, b"", STREAM.format(at, said).encode()).outcome
    assert (told.ending, told.cause) == (Ending.TIMED_OUT, cause)
    assert (said in told.detail) == (cause is not Cause.IDLE)


def acp(message, **data):
    return {"type": "end", "stop": "", "error": {"code": -32603, "message": f"Internal error: {message}", "data": data}}


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (acp("Internal server error", errorName="APIError"), Cause.TRANSIENT),
        (acp("The socket connection was closed unexpectedly."), Cause.TRANSIENT),
        (acp("Session too large to compact", errorName="ContextOverflowError"), Cause.CONTEXT_OVERFLOW),
        (acp("You exceeded your current quota"), Cause.USAGE_LIMIT),
        (acp("boom"), Cause.CRASHED),
    ],
)
def test_an_agent_over_acp_has_words_alone(event, cause):
    assert outcome("acp", event, code=1).cause is cause


def test_opencode_that_overflowed_compacted_and_said_done_fails_for_its_overflow():
    begun = {"type": "step_start", "sessionID": "ses_1", "part": {"type": "step-start"}}
    notice = {"type": "text", "part": {"type": "text", "synthetic": True, "text": "Continue if you have next steps"}}
    done = {"type": "step_finish", "part": {"reason": "stop", "tokens": {}, "cost": 0}}
    reader = adapter_for("opencode").reader()
    for event in (opencode("ContextOverflowError", "too long"), begun, notice, begun, done):
        reader.feed(json.dumps(event).encode())
    report = reader.conclude(exit_with(1), b"", b"")
    assert (report.outcome.ending, report.outcome.cause) == (Ending.FAILED, Cause.CONTEXT_OVERFLOW)
    assert report.words == "", "what it told its model is not its word"


def test_copilot_that_could_not_begin_says_why_on_its_standard_error():
    told = outcome("copilot", code=1, err=b"Error: No authentication information found.\n")
    assert told.cause is Cause.NOT_LOGGED_IN


def test_an_error_that_codex_recovers_from_is_no_failure():
    done = {"type": "turn.completed", "usage": {}}
    assert outcome("codex", {"type": "error", "message": "unexpected status 500"}, done).ending is Ending.COMPLETED


def refused_by(kind, *events, code=0):
    told = outcome(kind, *events, code=code)
    return told.ending, told.cause, told.asked


def test_a_refused_permission_is_a_question_and_no_success():
    refused = (Ending.FAILED, Cause.PERMISSION_REFUSED)
    tool = {
        "type": "tool_use",
        "sessionID": "s",
        "part": {
            "tool": "bash",
            "callID": "c",
            "state": {
                "status": "error",
                "input": {"command": "npm test"},
                "error": "The user rejected permission to use this tool.",
            },
        },
    }
    cut = {"type": "step_finish", "part": {"reason": "tool-calls"}}
    assert refused_by("opencode", tool, cut) == (*refused, ("bash(npm test)",))
    begun = {
        "type": "tool.execution_start",
        "data": {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}},
    }
    denied = {
        "type": "tool.execution_complete",
        "data": {"toolCallId": "c", "success": False, "error": {"code": "denied"}},
    }
    assert refused_by("copilot", begun, denied, RESULT_1 | {"exitCode": 0}) == (*refused, ("shell(ls)",))
    call = {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "r", "parameters": {"command": "ls"}}
    answer = {"type": "tool_result", "tool_id": "r", "status": "error", "error": {"type": "tool_not_registered"}}
    done = {"type": "result", "status": "success"}
    assert refused_by("gemini", call, answer, done) == (*refused, ("run_shell_command(ls)",))
    assert refused_by("gemini", call | {"tool_name": "invented"}, answer, done)[0] is Ending.COMPLETED
    again = [{**call, "tool_id": "q"}, {"type": "tool_result", "tool_id": "q", "status": "success"}]
    assert refused_by("gemini", call, answer, *again, done) == (Ending.COMPLETED, Cause.NONE, ())


def test_a_crash_after_a_refusal_is_a_crash():
    begun = {
        "type": "tool.execution_start",
        "data": {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}},
    }
    denied = {
        "type": "tool.execution_complete",
        "data": {"toolCallId": "c", "success": False, "error": {"code": "denied"}},
    }
    assert refused_by("copilot", begun, denied)[1:] == (Cause.NO_RESULT, ())
    assert refused_by("copilot", begun, denied, code=1)[1:] == (Cause.CRASHED, ())
    assert refused_by("copilot", begun, denied, RESULT_1 | {"exitCode": 0}, code=1)[1:] == (Cause.CRASHED, ())


def test_claude_asks_for_what_it_was_denied():
    denial = {"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "git push"}}
    done = {"type": "result", "subtype": "success", "is_error": False, "permission_denials": [denial]}
    assert refused_by("claude", done) == (Ending.FAILED, Cause.PERMISSION_REFUSED, ("Bash(git push)",))


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("[API Error: 401 invalid x-api-key]", Cause.NOT_LOGGED_IN),
        ("[API Error: 429 slow] Possible quota limitations in place or slow response times detected.", Cause.TRANSIENT),
        ("[API Error: 500 Internal server error]", Cause.TRANSIENT),
        ("[API Error: 400 This model's maximum context length is 8192 tokens.]", Cause.CONTEXT_OVERFLOW),
        ("[API Error: Connection error.]", Cause.TRANSIENT),
        ("Reached max session turns for this session.", Cause.MAX_TURNS),
        ("something else", Cause.CRASHED),
    ],
)
def test_qwen_tells_its_errors_in_words(message, cause):
    told = outcome("qwen", {"type": "result", "is_error": True, "error": {"message": message}}, code=1)
    assert (told.cause, told.detail) == (cause, message)


def test_qwen_counts_for_its_session_and_the_last_count_holds():
    init = {"type": "system", "subtype": "init", "session_id": "s"}
    done = {"type": "result", "subtype": "success", "is_error": False, "result": "ok"}
    told = outcome("qwen", init, *({**done, "usage": {"input_tokens": n, "output_tokens": n}} for n in (10, 30)))
    assert (told.ending, told.usage.input_tokens, told.usage.output_tokens) == (Ending.COMPLETED, 30, 30)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("claude", "error: unknown option '--new'"),
        ("codex", "error: unexpected argument '--new' found"),
        ("gemini", "Unknown argument: new"),
        ("claude", "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are plan."),
    ],
)
def test_an_option_that_a_version_does_not_know_is_told_and_not_the_usage_behind_it(kind, said):
    told = outcome(kind, code=1, err=f"warning\n{said}\n\nUsage: it [OPTIONS]\n  -h  help\n".encode())
    assert told.cause is Cause.CRASHED
    assert said in told.detail and "shiage doctor" in told.detail and "-h" not in told.detail


def test_opencode_that_was_cut_off_by_its_model_is_not_done():
    assert outcome("opencode", {"type": "step_finish", "part": {"reason": "length"}}).ending is Ending.FAILED


def local(year, month, day, hour, minute):
    return datetime(year, month, day, hour, minute).astimezone().timestamp()


def test_a_reset_is_read_as_people_write_it():
    now = local(2026, 11, 19, 12, 0)
    assert reset_in("usage limit reached|1760000000") == 1760000000
    assert reset_in("or try again at Nov 21st, 2026 3:45 PM.", now) == local(2026, 11, 21, 15, 46)
    assert reset_in("try again at 3:45 PM.", now) == local(2026, 11, 19, 15, 46)
    assert reset_in("try again at 9:05 AM", now) == local(2026, 11, 20, 9, 6)
    assert reset_in("try again in 2 hours 5 minutes", now) == now + 7500
    assert reset_in("Your quota will reset after 3h10m5s.", now) == now + 11405
    assert reset_in("try again at Foo 99th, 2026 3:45 PM", now) is None
    assert reset_in("try again later") is None


def test_a_usage_limit_says_when_it_resets():
    told = outcome("codex", codex("You've hit your usage limit. Try again at Nov 21st, 2026 3:45 PM."), code=1)
    assert told.until == local(2026, 11, 21, 15, 46)
