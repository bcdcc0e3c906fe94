"""GitHub Copilot CLI, headless: `--output-format json`, one event per line (1.0.102 measured)."""

import re

from shiage.agents.adapter import (
    WRITERS,
    AgentEvent,
    AgentSettings,
    Denied,
    Features,
    Invocation,
    Job,
    Login,
    Retrying,
    Started,
    Terminal,
    Text,
    plain,
    reports,
    session_of,
    words_of,
)
from shiage.agents.failures import row
from shiage.agents.json_lines import Done, Json, JsonLines, part, status, text
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause

PROGRAM = ("copilot",)
ENVIRONMENT = {
    # A person's wish for their own terminal; here it would make reviewers writers.
    "COPILOT_ALLOW_ALL": "false",
    "COPILOT_AUTO_UPDATE": "false",
}
#: Its rules have names of their own.
RULE_OF = {"create": "write", "edit": "write", "str_replace": "write", "web_fetch": "url"}
KINDS = {
    "authentication": Cause.NOT_LOGGED_IN,
    "authorization": Cause.NOT_LOGGED_IN,
    "quota": Cause.USAGE_LIMIT,
    "rate_limit": Cause.TRANSIENT,
    "context_limit": Cause.CONTEXT_OVERFLOW,
}

#: One program with its arguments, and nothing that a shell would make of them.
SIMPLE = re.compile(r"[\w./-]+(?: [^;&|<>()$`\n]*)?")


class Events(JsonLines):
    failures = (
        row(r"no authentication information|authentication failed|/login", Cause.NOT_LOGGED_IN),
        row(r"premium requests?.{0,40}(?:exceeded|used up|limit)", Cause.USAGE_LIMIT),
        row(r"AI credits?.{0,40}limit|session limits? reached", Cause.MAX_TURNS),
        row(r"exceeds the (?:context|limit)|model_max_prompt_tokens_exceeded", Cause.CONTEXT_OVERFLOW),
        # A stream that broke off has no status; what it does try again may pass.
        row(r"retried \d+ times", Cause.TRANSIENT),
    )

    def __init__(self) -> None:
        super().__init__()
        self._error: Json = {}

    def _turn(self, _event: Json) -> tuple[AgentEvent, ...]:
        self._error = {}
        return self.begun()

    def _message(self, event: Json) -> tuple[AgentEvent, ...]:
        data = part(event, "data")
        said = text(data.get("content"))
        if not said:
            return ()
        self.said = self.said if data.get("parentToolCallId") else said
        return (Text(said),)

    def _tool(self, event: Json) -> tuple[AgentEvent, ...]:
        data = part(event, "data")
        return (self.tools.start(text(data.get("toolCallId")), data.get("toolName"), data.get("arguments")),)

    def _tool_over(self, event: Json) -> tuple[AgentEvent, ...]:
        data = part(event, "data")
        call = text(data.get("toolCallId"))
        if part(data, "error").get("code") != "denied":
            return (self.tools.end(call, ok=data.get("success") is True),)
        self.refuse(call)
        over = self.tools.end(call, ok=False)
        return (Denied(over.name), over)

    def rule(self, tool: str, about: str, /) -> str:
        return _shell(about) if tool == "bash" else RULE_OF.get(tool, tool)

    def _retry(self, event: Json) -> tuple[AgentEvent, ...]:
        data = part(event, "data")
        why = text(data.get("reason")) or text(data.get("errorMessage"))
        return (Retrying(plain(why)),)

    def _failed(self, event: Json) -> tuple[AgentEvent, ...]:
        """Said before the result, whose exit code says it again."""
        self._error = part(event, "data")
        self.complaint = text(self._error.get("message"))
        return ()

    def _result(self, event: Json) -> tuple[AgentEvent, ...]:
        self.session = text(event.get("sessionId"))
        ok = event.get("exitCode") == 0 and not self._error
        told = "" if ok else self.complaint
        self.ended(Done(ok, told, status=status(self._error.get("statusCode"))))
        return (Started(self.session), Terminal(ok, plain(told)))

    def why(self, told: str, ended: Ended, /) -> Cause | None:
        return KINDS.get(text(self._error.get("errorType"))) or super().why(told, ended)

    readers = {  # noqa: RUF012
        "assistant.turn_start": _turn,
        "assistant.turn_retry": _retry,
        "model.call_failure": _retry,
        "assistant.message": _message,
        "tool.execution_start": _tool,
        "tool.execution_complete": _tool_over,
        "session.error": _failed,
        "result": _result,
    }


class Copilot:
    features = Features(
        "GitHub Copilot CLI",
        resumes=True,
        read_only=True,
        rules=True,
        tells_refusals=True,
        protocol=True,
        announces=True,
        env_prefixes=("COPILOT_", "GH_TOKEN", "GH_HOST", "GITHUB_TOKEN"),
        login=Login(
            "run `copilot login`, or set COPILOT_GITHUB_TOKEN",
            ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"),
            ("$COPILOT_HOME/config.json", "~/.copilot/config.json"),
        ),
        tried=("1.0.102",),
        needs=("--output-format", "--allow-tool", "--deny-tool", "--no-ask-user", "--resume"),
        limits=(
            "It allows a command by its name alone, whatever the arguments; of git and gh by the name of their subcommand.",
            "It counts premium requests and tells neither tokens nor cost.",
            "It masks the value of its key wherever it writes, in the names of its own events too: a key of a few letters spoils them.",
            "Its session is named at its very end: a run that was cut short cannot be resumed.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = [*(settings.command or PROGRAM), "--output-format", "json", "--no-ask-user"]
        if job.role in WRITERS and (settings.permission_mode or "all") == "all":
            argv.append("--allow-all-tools")
        # Joined to their option, so that none of them can be one.
        argv += [f"--allow-tool=write({path})" for path in reports(job)]
        argv += [f"--allow-tool={rule}" for rule in words_of(job.allow)]
        argv += [f"--deny-tool={rule}" for rule in words_of(job.deny)]
        argv += ["--model", settings.model] if settings.model else []
        argv += [f"--resume={session}"] if (session := session_of(job)) else []
        return Invocation((*argv, *settings.extra_args), job.prompt.encode("utf-8", "replace"), ENVIRONMENT)

    def reader(self) -> Events:
        return Events()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _shell(command: str) -> str:
    """The narrowest rule that allows a command: of what is more than one program, all of the shell."""
    if not SIMPLE.fullmatch(command):
        return "shell"
    named = command.split()[: 2 if command.startswith(("git ", "gh ")) else 1]
    return f"shell({' '.join(named)})"
