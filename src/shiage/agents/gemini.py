"""Gemini CLI, headless: `--output-format stream-json`, one event per line (0.61.0 measured)."""

import re

from shiage.agents.adapter import (
    WRITERS,
    AgentEvent,
    AgentSettings,
    Features,
    Invocation,
    Job,
    Login,
    Retrying,
    Started,
    Terminal,
    Text,
    UsageSeen,
    exactly,
    plain,
    session_of,
)
from shiage.agents.failures import by_status, by_text, row
from shiage.agents.gemini_policy import SHELL, WRITING, policy
from shiage.agents.json_lines import Done, Json, JsonLines, part, text, tokens
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Usage

PROGRAM = ("gemini",)
#: A folder that it does not trust ends a headless run; that this project is trusted, shiage has asked already.
ENVIRONMENT = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
REFUSED = frozenset({"policy_violation", "permission_denied"})
#: Not there without a terminal, in modes that would have asked. Other unknown names are a model's own invention.
WITHHELD = frozenset({SHELL, *WRITING})
CODE = re.compile(r'"code":\s*(\d{3})\b')
STATUSES = (400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 529)
#: Its own exit codes; every other one from 100 on is an HTTP status modulo 256, and no signal.
EXITS = {41: Cause.NOT_LOGGED_IN, 53: Cause.MAX_TURNS}


class Events(JsonLines):
    failures = (
        row(r"input token count .{0,40}exceeds|exceeds the maximum number of tokens", Cause.CONTEXT_OVERFLOW),
        row(r"max session turns|maximum session turns", Cause.MAX_TURNS),
        row(r"daily quota|quota will reset|TerminalQuota", Cause.USAGE_LIMIT),
        row(r"set an auth method|invalid auth method", Cause.NOT_LOGGED_IN),
        row(r"RESOURCE_EXHAUSTED|UNAVAILABLE|API Error: terminated", Cause.TRANSIENT),  # the last: a stream broke off
    )

    def _init(self, event: Json) -> tuple[AgentEvent, ...]:
        self.session = text(event.get("session_id"))
        self.begun()
        return (Started(self.session),)

    def _message(self, event: Json) -> tuple[AgentEvent, ...]:
        """The agent's words come in pieces, until it calls a tool."""
        said = text(event.get("content"))
        if event.get("role") != "assistant" or not said:
            return ()
        self.begun()
        self.said = self.said + said if event.get("delta") else said
        return (Text(said),)

    def _tool(self, event: Json) -> tuple[AgentEvent, ...]:
        self.begun()
        self.said = ""
        return (self.tools.start(text(event.get("tool_id")), event.get("tool_name"), event.get("parameters")),)

    def _tool_result(self, event: Json) -> tuple[AgentEvent, ...]:
        call = text(event.get("tool_id"))
        why = text(part(event, "error").get("type"))
        withheld = why == "tool_not_registered" and self.tools.called(call)[0] in WITHHELD
        if withheld or why in REFUSED:
            self.refuse(call)
        return (self.tools.end(call, ok=event.get("status") == "success"),)

    def rule(self, tool: str, about: str, /) -> str:
        return exactly(tool, about) if tool == SHELL else tool

    def _error(self, event: Json) -> tuple[AgentEvent, ...]:
        self.complaint = text(event.get("message"))
        return (Retrying(plain(self.complaint)),)

    def _result(self, event: Json) -> tuple[AgentEvent, ...]:
        ok = event.get("status") == "success"
        told = text(part(event, "error").get("message")) or ("" if ok else self.complaint)
        found = CODE.search(told)
        self.ended(Done(ok, told, status=int(found[1]) if found else None))
        counts = part(event, "stats")
        used = Usage(tokens(counts, "input_tokens"), tokens(counts, "output_tokens"))
        self.usage = used  # of this process so far, so the last one holds
        return (UsageSeen(used), Terminal(ok, plain(told)))

    def why(self, told: str, ended: Ended, /) -> Cause | None:
        code = ended.exit_code
        http = next((each for each in STATUSES if each % 256 == code), None) if code and code >= 100 else None
        known = by_text(told, self.failures) or EXITS.get(code or 0)
        return known or by_status(self.done.status if self.done and self.done.status else http)

    readers = {  # noqa: RUF012
        "init": _init,
        "message": _message,
        "tool_use": _tool,
        "tool_result": _tool_result,
        "error": _error,
        "result": _result,
    }


class Gemini:
    features = Features(
        "Gemini CLI",
        resumes=True,
        reports_usage=True,
        read_only=True,
        rules=True,
        tells_refusals=True,
        protocol=True,
        announces=True,
        env_prefixes=("GEMINI_", "GOOGLE_", "CLOUDSDK_"),
        login=Login(
            "run `gemini` and log in, or set GEMINI_API_KEY",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"),
            ("~/.gemini/oauth_creds.json",),
        ),
        tried=("0.61.0",),
        needs=("--output-format", "stream-json", "--approval-mode", "--resume", "--admin-policy"),
        limits=(
            "Rules for tools reach it as a policy file; where the system has policies of an administrator it ignores ours.",
            "It resumes a session only in the folder where that began.",
            "It is silent for minutes while it retries an overloaded model.",
            "It tells no cost.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = [*(settings.command or PROGRAM), "--output-format", "stream-json"]
        argv += ["--approval-mode", _mode(settings, job)]
        argv += ["--model", settings.model] if settings.model else []
        argv += ["--resume", session] if (session := session_of(job)) else []
        files = policy(job)
        argv += [f"--admin-policy={path}" for path in files]
        return Invocation((*argv, *settings.extra_args), job.prompt.encode("utf-8", "replace"), ENVIRONMENT, files)

    def reader(self) -> Events:
        return Events()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _mode(settings: AgentSettings, job: Job) -> str:
    """A looking role must write its report; the mode that writes files and has no shell is the least that lets it."""
    return settings.permission_mode or "yolo" if job.role in WRITERS else "auto_edit"
