"""Codex, headless: `codex exec --json`, one event per line (0.169.0 measured)."""

import json
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
    ToolStart,
    UsageSeen,
    plain,
    session_of,
    spec_folder,
)
from shiage.agents.failures import by_status, row
from shiage.agents.json_lines import Done, Json, JsonLines, is_json, part, text, tokens
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Usage

PROGRAM = ("codex",)
#: What an item is called, and which of its fields says what it is about. Other items are no tools.
TOOLS = {"command_execution": "command", "file_change": "changes", "mcp_tool_call": "tool", "web_search": "query"}
STATUS = re.compile(r"unexpected status (\d{3})|last status: (\d{3})")


class Events(JsonLines):
    failures = (
        row(r"experiencing high demand|model is at capacity|stream disconnected|idle timeout", Cause.TRANSIENT),
        row(r"ran out of room in the model's context window", Cause.CONTEXT_OVERFLOW),
    )

    def _thread(self, event: Json) -> tuple[AgentEvent, ...]:
        self.session = text(event.get("thread_id"))
        return (Started(self.session),)

    def _turn(self, _event: Json) -> tuple[AgentEvent, ...]:
        return self.begun()

    def _item_begun(self, event: Json) -> tuple[AgentEvent, ...]:
        item = part(event, "item")
        return (self._called(item),) if text(item.get("type")) in TOOLS else ()

    def _item_over(self, event: Json) -> tuple[AgentEvent, ...]:
        item = part(event, "item")
        kind, call = text(item.get("type")), text(item.get("id"))
        if kind == "agent_message":
            self.said = text(item.get("text"))
            return (Text(self.said),)
        if kind not in TOOLS:
            return ()
        begun = () if self.tools.is_open(call) else (self._called(item),)
        if item.get("status") == "declined":
            self.refuse(call)
        return (*begun, self.tools.end(call, ok=item.get("status") == "completed"))

    def _called(self, item: Json) -> ToolStart:
        kind = text(item.get("type"))
        about = item.get(TOOLS[kind])
        first = next((change for change in about if is_json(change)), {}) if isinstance(about, list) else about
        return self.tools.start(text(item.get("id")), kind, first)

    def _error(self, event: Json) -> tuple[AgentEvent, ...]:
        """Not the end: it goes on trying, and says "Reconnecting… 1/5"."""
        self.complaint = text(event.get("message"))
        return (Retrying(plain(self.complaint)),)

    def _completed(self, event: Json) -> tuple[AgentEvent, ...]:
        counts = part(event, "usage")
        used = Usage(tokens(counts, "input_tokens"), tokens(counts, "output_tokens"))
        self.usage = used  # of the whole session, so the last one holds
        self.ended(Done(ok=True))
        return (UsageSeen(used), Terminal(True, ""))

    def _failed(self, event: Json) -> tuple[AgentEvent, ...]:
        told = text(part(event, "error").get("message")) or self.complaint
        self.ended(Done(ok=False, told=told))
        return (Terminal(False, plain(told)),)

    def why(self, told: str, ended: Ended, /) -> Cause | None:
        found = STATUS.search(told)
        return by_status(int(found[1] or found[2])) if found else super().why(told, ended)

    readers = {  # noqa: RUF012
        "thread.started": _thread,
        "turn.started": _turn,
        "item.started": _item_begun,
        "item.completed": _item_over,
        "error": _error,
        "turn.completed": _completed,
        "turn.failed": _failed,
    }


class Codex:
    features = Features(
        "Codex",
        resumes=True,
        reports_usage=True,
        usage_of_session=True,
        read_only=True,
        protocol=True,
        announces=True,
        env_prefixes=("CODEX_", "OPENAI_"),
        login=Login(
            "run `codex login`, or set OPENAI_API_KEY",
            ("OPENAI_API_KEY", "CODEX_API_KEY"),
            ("$CODEX_HOME/auth.json", "~/.codex/auth.json"),
        ),
        help=("exec", "--help"),
        tried=("0.169.0",),
        needs=("--json", "--sandbox", "--skip-git-repo-check", "resume"),
        limits=(
            "Its sandbox has no rules for single tools.",
            "What its sandbox refuses shows in no event; the judge sees it from the missing work.",
            'Its sandbox lets writers neither commit nor reach the network; `permission_mode = "danger-full-access"` does.',
            "It has no limit of turns and tells no cost.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        # Without a network it would wait five seconds for its analytics after every run.
        argv = [*(settings.command or PROGRAM), "exec", "--json", "--skip-git-repo-check"]
        argv += ["-c", "analytics.enabled=false", *_sandbox(settings, job)]
        argv += ["-m", settings.model] if settings.model else []
        argv += settings.extra_args
        argv += ["resume", session] if (session := session_of(job)) else []
        return Invocation((*argv, "-"), job.prompt.encode("utf-8", "replace"))

    def reader(self) -> Events:
        return Events()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _sandbox(settings: AgentSettings, job: Job) -> list[str]:
    """Writers get the project. Those who look may read everything and write the spec's folder alone: their report."""
    if job.role in WRITERS:
        return ["-s", settings.permission_mode or "workspace-write"]
    if not (folder := spec_folder(job)):
        return ["-s", "read-only"]
    profile = f'{{":root"="read",{json.dumps(folder)}="write"}}'
    return ["-c", 'default_permissions="shiage"', "-c", f"permissions.shiage.filesystem={profile}"]
