"""Reads the event stream of Claude Code (2.1.197 to 2.1.327 measured)."""

import re

from shiage.agents.adapter import (
    AgentEvent,
    Denied,
    RateLimited,
    Retrying,
    Started,
    Terminal,
    Text,
    ToolEnd,
    UsageSeen,
    exactly,
    plain,
)
from shiage.agents.claude_failures import Facts, cause_of
from shiage.agents.failures import reset_in
from shiage.agents.json_lines import (
    Done,
    Json,
    JsonLines,
    Refusal,
    event_in,
    is_json,
    number,
    part,
    status,
    text,
    tokens,
)
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Usage

#: Said when a Stop hook has blocked so often in a row that the program ends against its will.
OVERRIDDEN = re.compile(r"hook blocked the turn from ending \d+ consecutive times")
#: This one has been written into the middle of another line, with a line end of its own (anthropics/claude-code#49640).
INTRUDER = b'{"type":"rate_limit_event"'
#: Tools that are allowed by the command they run: those of Claude Code, and of who speaks as it does.
SHELLS = ("Bash", "run_shell_command")


class Stream(JsonLines):
    def __init__(self) -> None:
        super().__init__()
        self._torn = b""  # the beginning of a line that was broken by another event
        self._error = ""  # of the last message that carried one
        self._limit: RateLimited | None = None
        self._result: Json = {}
        self._total = 0.0  # the last total_cost_usd
        self._hook = ""  # why a hook was overridden, if one was

    def feed(self, line: bytes) -> tuple[AgentEvent, ...]:
        torn, self._torn = self._torn, b""
        if torn and event_in(torn + line) is not None:
            line = torn + line
        head, mark, rest = line.partition(INTRUDER)
        if head and mark and event_in(line) is None:
            self._torn, line = head, mark + rest
        return super().feed(line)

    def _system(self, event: Json) -> tuple[AgentEvent, ...]:
        match event.get("subtype"):
            case "init":
                self.begun()
                self._result = {}
                self.commands = _names(event.get("slash_commands"))
                self.session = text(event.get("session_id")) or self.session
                return (Started(self.session),)
            case "api_retry":
                what = (event.get("error_status"), event.get("error"))
                why = " ".join(str(part) for part in what if isinstance(part, str | int))
                return (Retrying(plain(f"try {event.get('attempt')} of {event.get('max_retries')}: {why}")),)
            case "permission_denied":
                return (Denied(plain(text(event.get("tool_name")))),)
            case "informational" if OVERRIDDEN.search(text(event.get("content"))):
                self._hook = text(event.get("content"))
                return ()
            case _:
                return ()

    def _assistant(self, event: Json) -> tuple[AgentEvent, ...]:
        self.final, self._hook = False, ""
        self._error = text(event.get("error"))
        events: list[AgentEvent] = []
        for block in _blocks(event):
            if block.get("type") == "text" and (said := text(block.get("text"))):
                self.said = self.said if event.get("parent_tool_use_id") else said
                events.append(Text(said))
            elif block.get("type") == "tool_use":
                events.append(self.tools.start(text(block.get("id")), block.get("name"), block.get("input")))
        self.complaint = self._error and self.said
        return tuple(events)

    def _user(self, event: Json) -> tuple[AgentEvent, ...]:
        self.final = False
        return tuple(self._answered(block) for block in _blocks(event) if block.get("type") == "tool_result")

    def _answered(self, block: Json) -> ToolEnd:
        return self.tools.end(text(block.get("tool_use_id")), ok=block.get("is_error") is not True)

    def _rate_limit(self, event: Json) -> tuple[AgentEvent, ...]:
        info = event.get("rate_limit_info")
        facts = info if is_json(info) else event
        # What is paid for beyond the plan goes on being answered.
        if facts.get("status") != "rejected" or facts.get("isUsingOverage") is True:
            self._limit = None
            return ()
        self._limit = RateLimited(number(facts.get("resetsAt")))
        return (self._limit,)

    def _concluded(self, event: Json) -> tuple[AgentEvent, ...]:
        self._result = event
        ok = event.get("subtype") == "success" and event.get("is_error") is False and not self._hook
        told = self._hook or _told(event)
        self.ended(Done(ok, told, text(event.get("result")), status(event.get("api_error_status"))))
        used = Usage(*tokens_of(event.get("usage")), self._cost(event))
        self.usage += used
        return (UsageSeen(used), Terminal(ok, plain(told)))

    def _cost(self, event: Json) -> float | None:
        """What this result adds. Totals are never added: a resumed session's total may include its past."""
        total = number(event.get("total_cost_usd"))
        before, self._total = self._total, self._total if total is None else total
        models = event.get("model_usage_since_last_result")
        if is_json(models):
            costs = [number(model.get("costUSD")) for model in models.values() if is_json(model)]
            return sum(cost for cost in costs if cost is not None)
        return None if total is None else max(0.0, total - before)

    def why(self, told: str, _ended: Ended, /) -> Cause | None:
        facts = Facts(
            subtype=text(self._result.get("subtype")),
            error=self._error,
            status=self.done.status if self.done else None,
            reason=text(self._result.get("terminal_reason")),
            text=told,
            limited=self._limit is not None,
            overridden=bool(self._hook),
        )
        return cause_of(facts)

    def until(self, told: str) -> float | None:
        return self._limit.until if self._limit else reset_in(told)

    def refused(self) -> tuple[Refusal, ...]:
        listed = self._result.get("permission_denials")
        denials = [denial for denial in listed if is_json(denial)] if isinstance(listed, list) else []
        return self.tools.still([_refusal(denial) for denial in denials])

    readers = {  # noqa: RUF012
        "system": _system,
        "assistant": _assistant,
        "user": _user,
        "rate_limit_event": _rate_limit,
        "result": _concluded,
    }


def _refusal(denial: Json) -> Refusal:
    tool = plain(text(denial.get("tool_name")), 80) or "a tool"
    command = text(part(denial, "tool_input").get("command")) if tool in SHELLS else ""
    return Refusal(text(denial.get("tool_use_id")), exactly(tool, command))


def _names(listed: object) -> frozenset[str] | None:
    return frozenset(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else None


def _told(result: Json) -> str:
    errors = result.get("errors")
    listed = " ".join(filter(None, map(text, errors))) if isinstance(errors, list) else ""
    return text(result.get("result")) or listed or text(result.get("subtype"))


def _blocks(event: Json) -> list[Json]:
    message = event.get("message")
    content = message.get("content") if is_json(message) else None
    return [block for block in content if is_json(block)] if isinstance(content, list) else []


def tokens_of(usage: object) -> tuple[int | None, int | None]:
    """Read and written tokens; what came from or went to a cache was read too."""
    if not is_json(usage):
        return None, None
    read = tokens(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return read or 0, tokens(usage, "output_tokens") or 0
