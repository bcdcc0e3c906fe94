"""Each agent with a run that ended well and one that did not, shaped as its program writes them."""

from acp_program import acp_program

from shiage.agents.table import adapter_for
from shiage.domain.outcome import Cause, Usage
from shiage.testing import Subject

UUID = "e875fa90-d285-42d6-8dd0-3753ee6f18ed"
WORDS = "仕上げました\u2028ok"

CLAUDE_DONE = (
    {"type": "system", "subtype": "init", "session_id": "s-1", "tools": ["Bash"]},
    {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": WORDS}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": WORDS, "session_id": "s-1", "total_cost_usd": 0.25,
     "usage": {"input_tokens": 100, "output_tokens": 20}, "permission_denials": []},
)  # fmt: skip
CLAUDE_FAILED = (
    CLAUDE_DONE[0],
    {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": 401,
        "result": "Failed to authenticate.",
    },
)

THREAD = "01a1f272-0026-7c23-95d3-3d2d0eafb128"
CODEX_DONE = (
    {"type": "thread.started", "thread_id": THREAD},
    {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "Model metadata not found."}},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"id": "item_1", "type": "command_execution", "command": "ls", "status": "in_progress"}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "command_execution", "command": "ls", "exit_code": 0,
                                        "aggregated_output": "é\n", "status": "completed"}},
    {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"},
    {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": WORDS}},
    {"type": "turn.completed", "usage": {"input_tokens": 200, "cached_input_tokens": 20, "output_tokens": 40}},
)  # fmt: skip
CODEX_FAILED = (
    *CODEX_DONE[:3],
    {"type": "error", "message": "unexpected status 401 Unauthorized: no, url: http://127.0.0.1/v1/responses"},
    {
        "type": "turn.failed",
        "error": {"message": "unexpected status 401 Unauthorized: no, url: http://127.0.0.1/v1/responses"},
    },
)

GEMINI_DONE = (
    {"type": "init", "session_id": UUID, "model": "gemini-2.5-flash"},
    {"type": "message", "role": "user", "content": "hello\n"},
    {
        "type": "tool_use",
        "tool_name": "write_file",
        "tool_id": "w1",
        "parameters": {"file_path": "c.txt", "content": "hi"},
    },
    {"type": "tool_result", "tool_id": "w1", "status": "success"},
    {"type": "message", "role": "assistant", "content": WORDS[:4], "delta": True},
    {"type": "message", "role": "assistant", "content": WORDS[4:], "delta": True},
    {"type": "result", "status": "success", "stats": {"total_tokens": 240, "input_tokens": 200, "output_tokens": 40}},
)
GEMINI_FAILED = (
    *GEMINI_DONE[:2],
    {
        "type": "result",
        "status": "error",
        "error": {"type": "unknown", "message": '[API Error: {"error":{"message":"no","code":401}}]'},
    },
)

SES = "ses_e0d8d8e91ffe8vmCWNY5FcBuqs"


def step(kind, **part):
    return {"type": kind, "timestamp": 1, "sessionID": SES, "part": part}


def finish(reason, cost=0.125):
    counts = {"input": 90, "output": 15, "reasoning": 5, "cache": {"write": 0, "read": 10}}
    return step("step_finish", type="step-finish", reason=reason, tokens=counts, cost=cost)


OPENCODE_DONE = (
    step("step_start", type="step-start"),
    step(
        "tool_use",
        type="tool",
        tool="bash",
        callID="c1",
        state={"status": "completed", "input": {"command": "ls"}, "output": "é"},
    ),
    finish("tool-calls"),
    step("step_start", type="step-start"),
    step("text", type="text", text=WORDS),
    finish("stop"),
)
OPENCODE_FAILED = (
    OPENCODE_DONE[0],
    {
        "type": "error",
        "timestamp": 1,
        "sessionID": SES,
        "error": {"name": "APIError", "data": {"message": "no", "statusCode": 401}},
    },
)


def copilot(kind, **data):
    return {"type": kind, "data": data, "id": "x", "timestamp": "2026-01-01T00:00:00.000Z"}


def copilot_result(code):
    return {
        "type": "result",
        "sessionId": UUID,
        "exitCode": code,
        "usage": {"premiumRequests": 1},
    }


COPILOT_DONE = (
    copilot("user.message", content="hello"),
    copilot("assistant.turn_start", turnId="0"),
    copilot("tool.execution_start", toolCallId="c1", toolName="create", arguments={"path": "d.txt", "file_text": "é"}),
    copilot("tool.execution_complete", toolCallId="c1", success=True, result={"content": "Created"}),
    copilot("assistant.message", content=WORDS, toolRequests=[]),
    copilot("assistant.idle"),
    copilot_result(0),
)
COPILOT_FAILED = (
    *COPILOT_DONE[:2],
    copilot("session.error", errorType="authentication", message="Authentication failed (HTTP 401).", statusCode=401),
    copilot_result(1),
)

ACP_DONE = (
    {"type": "session", "id": "s-1", "resumed": False},
    {"type": "tool", "call": "c1", "name": "execute", "about": "ls é"},
    {"type": "tool-end", "call": "c1", "ok": True},
    {"type": "cost", "cost": {"amount": 0.125, "currency": "USD"}, "before": False},
    {"type": "text", "text": WORDS},
    {"type": "end", "stop": "end_turn", "usage": {"inputTokens": 100, "outputTokens": 20}, "meta": None},
)
ACP_FAILED = (
    ACP_DONE[0],
    {"type": "end", "stop": "", "error": {"code": -32000, "message": "Authentication required", "data": None}},
)

QWEN_DONE = (
    {"type": "system", "subtype": "init", "session_id": UUID, "tools": ["write_file"], "slash_commands": ["clear"]},
    {"type": "stream_event", "session_id": UUID, "event": {"type": "goal_state"}},
    {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "c1", "name": "write_file", "input": {"file_path": "a"}}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": False}]}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": WORDS}], "usage": {"input_tokens": 1200}}},
    {"type": "result", "subtype": "success", "session_id": UUID, "is_error": False, "result": WORDS,
     "usage": {"input_tokens": 2400, "output_tokens": 68, "cache_read_input_tokens": 0}, "permission_denials": []},
)  # fmt: skip
QWEN_FAILED = (
    QWEN_DONE[0],
    {"type": "result", "subtype": "error_during_execution", "session_id": UUID, "is_error": True,
     "error": {"message": "[API Error: 401 invalid x-api-key]"}},
)  # fmt: skip

NO_LOGIN = Cause.NOT_LOGGED_IN
SUBJECTS = (
    Subject("claude", adapter_for("claude"), CLAUDE_DONE, WORDS, "s-1", CLAUDE_FAILED, NO_LOGIN, Usage(100, 20, 0.25)),
    Subject("codex", adapter_for("codex"), CODEX_DONE, WORDS, THREAD, CODEX_FAILED, NO_LOGIN, Usage(200, 40)),
    Subject("gemini", adapter_for("gemini"), GEMINI_DONE, WORDS, UUID, GEMINI_FAILED, NO_LOGIN, Usage(200, 40)),
    Subject(
        "opencode", adapter_for("opencode"), OPENCODE_DONE, WORDS, SES, OPENCODE_FAILED, NO_LOGIN, Usage(200, 40, 0.25)
    ),
    Subject("copilot", adapter_for("copilot"), COPILOT_DONE, WORDS, UUID, COPILOT_FAILED, NO_LOGIN, Usage()),
    Subject("qwen", adapter_for("qwen"), QWEN_DONE, WORDS, UUID, QWEN_FAILED, NO_LOGIN, Usage(2400, 68)),
    Subject(
        "acp", adapter_for("acp"), ACP_DONE, WORDS, "s-1", ACP_FAILED, NO_LOGIN, Usage(100, 20, 0.125), acp_program
    ),
    Subject("command", adapter_for("command"), ("working 仕上げ".encode(), b"done"), "working 仕上げ\ndone\n"),
)
