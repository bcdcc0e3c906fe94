"""OpenCode, headless: `opencode run --format json`, one event per line (1.18.33 measured)."""

import json
import re
from datetime import datetime
from pathlib import PurePath

from shiage.agents.adapter import (
    WRITERS,
    AgentEvent,
    AgentSettings,
    Denied,
    Features,
    Invocation,
    Job,
    Login,
    Started,
    Terminal,
    Text,
    UsageSeen,
    exactly,
    last_line,
    plain,
    reports,
    session_of,
    words_of,
)
from shiage.agents.failures import by_text, row
from shiage.agents.json_lines import Done, Json, JsonLines, number, part, status, text, tokens
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Ending, Usage

PROGRAM = ("opencode",)
REJECTED = "rejected permission"  #: nobody was there to allow it: the run ends with this step, and exit code 0
FORBIDDEN = "specified a rule which prevents"  #: a rule forbids it: the run goes on
#: The rules of tools that have none of their own.
RULE_OF = {"write": "edit", "patch": "edit", "multiedit": "edit"}
#: Allowed to those who look. A tool that may do nothing at all would be hidden, and its refusals with it.
LOOKING = dict.fromkeys(("git diff", "git log", "git status"), "allow")
#: When an event came, and what an error in its log says of a request.
TIME = re.compile(rb'"timestamp":(\d{13})\b')
LOGGED = re.compile(r'^timestamp=(\S+) level=ERROR .*?message="stream error".*?error="([^"]*)')
Rules = dict[str, dict[str, str]]


class Events(JsonLines):
    """It has no event for its end: done is the last step when its model had nothing more to do."""

    failures = (
        row(r"ContextOverflowError|maximum context length|too many tokens", Cause.CONTEXT_OVERFLOW),
        row(r"ProviderAuthError|ProviderModelNotFound.*auth", Cause.NOT_LOGGED_IN),
    )

    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0  # when the last event came

    def _step(self, event: Json) -> tuple[AgentEvent, ...]:
        self.begun()
        if self.session:
            return ()
        self.session = text(event.get("sessionID"))
        return (Started(self.session),)

    def _text(self, event: Json) -> tuple[AgentEvent, ...]:
        said = part(event, "part")
        if said.get("synthetic") is True:  # what it tells its model after compacting the session
            return ()
        self.said = text(said.get("text"))
        return (Text(self.said),)

    def _tool(self, event: Json) -> tuple[AgentEvent, ...]:
        """One event, when the tool has ended."""
        tool, state = part(event, "part"), part(event, "part", "state")
        call, error = text(tool.get("callID")), text(state.get("error"))
        begun = self.tools.start(call, tool.get("tool"), state.get("input"))
        refused = REJECTED in error or FORBIDDEN in error
        if refused:
            self.refuse(call)
            self.cut_by_refusal = REJECTED in error
        over = self.tools.end(call, ok=state.get("status") == "completed")
        return (begun, Denied(begun.name), over) if refused else (begun, over)

    def _step_over(self, event: Json) -> tuple[AgentEvent, ...]:
        step = part(event, "part")
        reason, counts = text(step.get("reason")), part(step, "tokens")
        cache = part(counts, "cache")
        read = {**counts, "written": cache.get("write"), "cached": cache.get("read")}
        used = Usage(
            tokens(read, "input", "written", "cached"), tokens(counts, "output", "reasoning"), number(step.get("cost"))
        )
        self.usage += used
        if reason == "tool-calls":
            return (UsageSeen(used),)
        told = "" if reason == "stop" else f"Its model stopped: {reason or 'no reason given'}."
        self.ended(Done(reason == "stop", told))
        return (UsageSeen(used), Terminal(reason == "stop", told))

    def _error(self, event: Json) -> tuple[AgentEvent, ...]:
        error, data = part(event, "error"), part(event, "error", "data")
        self.session = self.session or text(event.get("sessionID"))
        told = f"{text(error.get('name'))}: {text(data.get('message'))}"
        self.ended(Done(ok=False, told=told, status=status(data.get("statusCode"))))
        # It compacts a session that overflowed and goes on, yet leaves with a failure whatever comes of it.
        self.overcome = self.why(told, Ended(Ending.FAILED)) or Cause.CRASHED
        return (Terminal(False, plain(told)),)

    def rule(self, tool: str, about: str, /) -> str:
        return exactly(tool, about) if tool == "bash" else RULE_OF.get(tool, tool)

    def feed(self, line: bytes) -> tuple[AgentEvent, ...]:
        events = super().feed(line)
        if found := TIME.search(line):
            self._last = float(found[1]) / 1000
        return events

    def silence(self, err: bytes, /) -> tuple[Cause | None, str]:
        """It says nothing while it waits until its provider may be asked again; its log tells what it was refused."""
        found = LOGGED.search(last_line(err))
        if not found or datetime.fromisoformat(found[1]).timestamp() < self._last:
            return None, ""
        return by_text(found[2], self.failures) or Cause.TRANSIENT, plain(found[2])

    readers = {  # noqa: RUF012
        "step_start": _step,
        "text": _text,
        "tool_use": _tool,
        "step_finish": _step_over,
        "error": _error,
    }


#: It speaks with many providers, and finds the key of each by its name.
PROVIDERS = (
    "ANTHROPIC_", "OPENAI_", "OPENROUTER_", "GEMINI_", "GOOGLE_", "AZURE_", "CEREBRAS_", "DEEPSEEK_", "FIREWORKS_",
    "GROQ_", "MISTRAL_", "MOONSHOT_", "TOGETHER_", "XAI_", "ZHIPU_",
)  # fmt: skip


class OpenCode:
    features = Features(
        "OpenCode",
        resumes=True,
        reports_usage=True,
        reports_cost=True,
        read_only=True,
        rules=True,
        tells_refusals=True,
        protocol=True,
        env_prefixes=("OPENCODE_", *PROVIDERS),
        login=Login(
            "run `opencode auth login`, or set the key of a provider",
            (*(f"{provider}API_KEY" for provider in PROVIDERS), "OPENCODE_API_KEY"),
            ("$XDG_DATA_HOME/opencode/auth.json", "~/.local/share/opencode/auth.json"),
        ),
        help=("run", "--help"),
        tried=("1.18.33",),
        needs=("--format", "--session", "--auto", "--print-logs"),
        limits=(
            "A tool shows only when it has ended.",
            "It is silent while it retries an overloaded model, for about a minute, and while it waits for a quota that its"
            " provider gives back later: there the limit of silence ends it, and its log tells the cause.",
            "A session that overflowed is compacted and goes on, yet ends with a failing exit code: it counts as failed.",
            "It resumes a session only in the folder where that began.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = [*(settings.command or PROGRAM), "run", "--format", "json", "--print-logs", "--log-level", "ERROR"]
        # Allows what would be asked, and nothing that is forbidden.
        auto = job.role in WRITERS and (settings.permission_mode or "auto") == "auto"
        argv += ["--auto"] if auto else []
        argv += ["--model", settings.model] if settings.model else []
        argv += ["--session", session] if (session := session_of(job)) else []
        rules = _rules(job)
        env = {"OPENCODE_PERMISSION": json.dumps(rules)} if rules else {}
        return Invocation((*argv, *settings.extra_args), job.prompt.encode("utf-8", "replace"), env)

    def reader(self) -> Events:
        return Events()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _rules(job: Job) -> Rules:
    """Of several rules that fit, the last decides. A rule is a tool, or a tool and a pattern: `bash(git push *)`."""
    rules: Rules = {} if job.role in WRITERS else {"bash": {"*": "deny", **LOOKING}, "edit": {"*": "deny"}}
    for path in reports(job):
        # Its paths begin at the repository, which may lie above the project.
        rules["edit"]["*" + "/".join(PurePath(path).parts[-3:])] = "allow"
    for answer, words in (("allow", job.allow), ("deny", job.deny)):
        for word in words_of(words):
            tool, _, pattern = word.removesuffix(")").partition("(")
            rules.setdefault(tool, {})[pattern or "*"] = answer
    return rules
