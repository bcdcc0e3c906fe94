"""Qwen Code, headless: the events of Claude Code, with errors of its own (0.24.4 measured)."""

import json
import re
from pathlib import Path

from shiage.agents.adapter import (
    WRITERS,
    AgentEvent,
    AgentSettings,
    Features,
    Invocation,
    Job,
    Login,
    Retrying,
    Terminal,
    UsageSeen,
    plain,
    session_of,
    words_of,
)
from shiage.agents.claude_stream import Stream, tokens_of
from shiage.agents.failures import by_status, by_text, row
from shiage.agents.json_lines import Done, Json, part, text
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Usage

PROGRAM = ("qwen",)
STATUS = re.compile(r"API Error: (\d{3})\b")
FAILURES = (
    row(r"no auth type is selected|set an auth method|/auth\b", Cause.NOT_LOGGED_IN),
    row(r"max session turns", Cause.MAX_TURNS),
    row(r"API Error: (?:terminated|Connection error)", Cause.TRANSIENT),
)
#: Its weakest settings, so that a person's own win. After a turn it would let another agent, with a shell and the
#: right to write, look for what is worth remembering.
QUIET = {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
DEFAULTS = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"
#: Those that an administrator has laid are not displaced.
OF_THE_SYSTEM = (
    Path("/etc/qwen-code/system-defaults.json"),
    Path("/Library/Application Support/QwenCode/system-defaults.json"),
)


class Events(Stream):
    def _told(self, event: Json) -> tuple[AgentEvent, ...]:
        if event.get("subtype") == "retry":
            return (Retrying(plain(text(event.get("message")) or text(event.get("error")))),)
        return Stream.readers["system"](self, event)

    def _over(self, event: Json) -> tuple[AgentEvent, ...]:
        """Its counts are the session's, hidden requests among them, so those of the last result hold."""
        self._result = event
        ok = event.get("subtype") == "success" and event.get("is_error") is False
        told = "" if ok else text(part(event, "error").get("message")) or self.said
        self.ended(Done(ok, told, text(event.get("result"))))
        self.usage = Usage(*tokens_of(event.get("usage")))
        return (UsageSeen(self.usage), Terminal(ok, plain(told)))

    def why(self, told: str, _ended: Ended, /) -> Cause | None:
        found = STATUS.search(told)
        return by_text(told, FAILURES) or by_status(int(found[1]) if found else None)

    readers = {**Stream.readers, "system": _told, "result": _over}  # noqa: RUF012


class Qwen:
    features = Features(
        "Qwen Code",
        resumes=True,
        reports_usage=True,
        usage_of_session=True,
        protocol=True,
        announces=True,
        rules=True,
        tells_refusals=True,
        env_prefixes=("QWEN_", "DASHSCOPE_", "BAILIAN_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_"),
        login=Login(
            "run `qwen` and /auth, or set OPENAI_API_KEY",
            (
                "OPENAI_API_KEY",
                "DASHSCOPE_API_KEY",
                "BAILIAN_CODING_PLAN_API_KEY",
                "ANTHROPIC_API_KEY",
                "GEMINI_API_KEY",
            ),
            ("~/.qwen/oauth_creds.json", "~/.qwen/settings.json"),
        ),
        tried=("0.24.4",),
        needs=("--output-format", "--approval-mode", "--resume", "--allowed-tools", "--exclude-tools"),
        limits=(
            "Reviewers and inspectors have no shell, yet may write any file: it knows no rule for single files.",
            "It resumes a session only in the folder where that began.",
            "It is silent for minutes while it retries an overloaded model.",
            "It tells no cost.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = [*(settings.command or PROGRAM), "--output-format", "stream-json"]
        argv += ["--approval-mode", (settings.permission_mode or "yolo") if job.role in WRITERS else "auto-edit"]
        # Joined to their option, so that none of them can be one.
        argv += [f"--allowed-tools={rule}" for rule in words_of(job.allow)]
        argv += [f"--exclude-tools={rule}" for rule in words_of(job.deny)]
        argv += ["--model", settings.model] if settings.model else []
        argv += ["--resume", session] if (session := session_of(job)) else []
        files = _defaults(job)
        env = {"QWEN_CODE_SUPPRESS_YOLO_WARNING": "1", **({DEFAULTS: str(*files)} if files else {})}
        return Invocation((*argv, *settings.extra_args), job.prompt.encode("utf-8", "replace"), env, files)

    def reader(self) -> Events:
        return Events()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _defaults(job: Job) -> dict[Path, str]:
    if job.desk is None or any(map(Path.exists, OF_THE_SYSTEM)):
        return {}
    return {job.desk.with_name(f"{job.desk.name}.defaults.json"): json.dumps(QUIET)}
