"""Exit code 0 without the work done: each way in which a real program did that, in the lines that it wrote."""

import json

import pytest

from shiage.agents.launch import Ended
from shiage.agents.table import adapter_for
from shiage.domain.outcome import Cause, Ending

EXIT_0 = Ended(Ending.COMPLETED, exit_code=0)

INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
CALL = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]}}
FAILED_CALL = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True}]}}
SUCCESS = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s-1"}
BLOCKED = "A hook blocked the turn from ending 9 consecutive times—overriding and ending turn."

REJECTED = {
    "tool": "bash",
    "callID": "c",
    "state": {"status": "error", "error": "The user rejected permission to use it."},
}
DENIED = {"toolCallId": "c", "success": False, "error": {"code": "denied"}}

WAYS = {
    "claude: every call was denied": (
        "claude",
        (INIT, CALL, FAILED_CALL, SUCCESS | {"permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1"}]}),
        Cause.PERMISSION_REFUSED,
    ),
    "qwen: it was declined a shell": (
        "qwen",
        (INIT, CALL, FAILED_CALL, SUCCESS | {"permission_denials": [{"tool_name": "edit", "tool_use_id": "t1"}]}),
        Cause.PERMISSION_REFUSED,
    ),
    "claude: interrupted while it waited for its model": ("claude", (INIT,), Cause.NO_RESULT),
    "claude: interrupted in a tool": (
        "claude",
        (INIT, CALL, SUCCESS | {"is_error": True, "terminal_reason": "aborted_tools", "result": ""}),
        Cause.CRASHED,
    ),
    "claude: a hook would not let it end": (
        "claude",
        (INIT, {"type": "system", "subtype": "informational", "content": BLOCKED}, SUCCESS | {"result": ""}),
        Cause.MAX_TURNS,
    ),
    "opencode: a permission was rejected and the run ended with it": (
        "opencode",
        (
            {"type": "step_start", "sessionID": "ses_1"},
            {"type": "tool_use", "sessionID": "ses_1", "part": REJECTED},
            {"type": "step_finish", "sessionID": "ses_1", "part": {"reason": "tool-calls", "tokens": {}}},
        ),
        Cause.PERMISSION_REFUSED,
    ),
    "gemini: asked to end": (
        "gemini",
        ({"type": "init", "session_id": "s"}, {"type": "message", "role": "assistant", "content": "I begin"}),
        Cause.NO_RESULT,
    ),
    "copilot: its tools were denied": (
        "copilot",
        (
            {"type": "assistant.turn_start"},
            {
                "type": "tool.execution_start",
                "data": {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}},
            },
            {"type": "tool.execution_complete", "data": DENIED},
            {"type": "result", "sessionId": "s", "exitCode": 0},
        ),
        Cause.PERMISSION_REFUSED,
    ),
    "acp: it told an error as its answer": (
        "acp",
        (
            {"type": "session", "id": "s", "resumed": False},
            {"type": "text", "text": "Info: Retrying...Error: Authentication failed with provider (HTTP 401)."},
            {"type": "end", "stop": "end_turn", "usage": None},
        ),
        Cause.NOT_LOGGED_IN,
    ),
}


def concluded(kind, events, ended):
    reader = adapter_for(kind).reader()
    for event in events:
        reader.feed(json.dumps(event).encode())
    return reader.conclude(ended, b"", b"").outcome


@pytest.mark.parametrize(("kind", "events", "cause"), WAYS.values(), ids=WAYS)
def test_exit_code_0_is_no_proof(kind, events, cause):
    told = concluded(kind, events, EXIT_0)
    assert (told.ending, told.cause) == (Ending.FAILED, cause)


@pytest.mark.parametrize("ending", [Ending.STOPPED, Ending.TIMED_OUT])
def test_a_result_that_was_written_after_we_asked_it_to_end_is_none(ending):
    """Copilot, asked to end, wrote exit code 0 in its result in two of three runs."""
    done = ({"type": "assistant.turn_start"}, {"type": "result", "sessionId": "s", "exitCode": 0})
    asked = Ended(ending, Cause.IDLE if ending is Ending.TIMED_OUT else Cause.NONE, signal=15)
    assert concluded("copilot", done, asked).ending is ending
