"""Any agent that speaks the Agent Client Protocol over stdio: our own program talks with it, and we read what that says."""

import json
import re
import sys
from pathlib import Path

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
    Unknown,
    UsageSeen,
    plain,
    reports,
    session_of,
)
from shiage.agents.json_lines import Done, Json, JsonLines, Refusal, number, part, text, tokens
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Ending, Usage

BRIDGE = Path(__file__).with_name("acp_bridge.py")
#: Kinds of tools in the protocol's own words. Those who look may neither change files nor run commands.
LOOK = ("read", "search", "think", "fetch")
WORK = (*LOOK, "edit", "delete", "move", "execute")
STOPS = {"max_tokens": Cause.MAX_TURNS, "max_turn_requests": Cause.MAX_TURNS, "cancelled": Cause.CRASHED}
#: Codes of errors: the bridge's own, and the protocol's for "log in first".
CODES = (("not-installed", Cause.NOT_INSTALLED), (-32000, Cause.NOT_LOGGED_IN))


#: How an agent ends its only words when these are an error.
ERROR = re.compile(r"(?:^|[\s.])Error: (.{1,1000})\Z", re.DOTALL)


class Events(JsonLines):
    """What our bridge writes, which is what the agent told it."""

    def __init__(self) -> None:
        super().__init__()
        self._cause: Cause | None = None
        self._cost_before: float | None = None
        self._cost: float | None = None
        self._resumed = False

    def _session(self, event: Json) -> tuple[AgentEvent, ...]:
        self.session, self._resumed = text(event.get("id")), event.get("resumed") is True
        return (Started(self.session),)

    def _text(self, event: Json) -> tuple[AgentEvent, ...]:
        self.said = text(event.get("text"))
        return (Text(self.said),)

    def _tool(self, event: Json) -> tuple[AgentEvent, ...]:
        return (self.tools.start(text(event.get("call")), event.get("name"), event.get("about")),)

    def _tool_over(self, event: Json) -> tuple[AgentEvent, ...]:
        return (self.tools.end(text(event.get("call")), ok=event.get("ok") is True),)

    def _permission(self, event: Json) -> tuple[AgentEvent, ...]:
        if event.get("allowed") is True:
            return ()
        call = text(event.get("call"))
        self.refusals.append(Refusal(call, text(event.get("rule"))))
        self.tools.end(call, ok=False)  # some agents never tell the end of what they were refused
        return (Denied(plain(self.refusals[-1].rule)),)

    def _cost_seen(self, event: Json) -> tuple[AgentEvent, ...]:
        """Of the whole session: what a resumed one had cost before is not this attempt's."""
        cost = part(event, "cost")
        amount = number(cost.get("amount")) if cost.get("currency") == "USD" else None
        if amount is not None and event.get("before") is True:
            self._cost_before = amount
        elif amount is not None:
            self._cost = amount
        return ()

    def _stray_line(self, event: Json) -> tuple[AgentEvent, ...]:
        return (Unknown(text(event.get("text"))),)

    def _over(self, event: Json) -> tuple[AgentEvent, ...]:
        error, stop = part(event, "error"), text(event.get("stop"))
        if error:
            self._failed(error)
            return (Terminal(False, plain(self.done.told if self.done else "")),)
        used = _usage(event, self._spent())
        self.usage += used
        self._cause = STOPS.get(stop) or self._broken_promise()
        ok = stop == "end_turn" and self._cause is None
        told = self.said if stop == "end_turn" else f"It stopped with {stop or 'no reason'}. {self.said}"
        self.ended(Done(ok=ok, told="" if ok else told, words=self.said))
        return (UsageSeen(used), Terminal(ok, "" if ok else plain(told)))

    def _failed(self, error: Json) -> None:
        told, data = text(error.get("message")), error.get("data")
        more = data if isinstance(data, str) else json.dumps(data) if data else ""
        self._cause = next((cause for code, cause in CODES if code == error.get("code")), None)
        self.ended(Done(ok=False, told=f"{told} {more}".strip()))

    def _broken_promise(self) -> Cause | None:
        """An end of turn is an agent's word: some give it for an error that only their text tells."""
        if self.tools.calls:
            return None
        if not self.said.strip():
            return Cause.NO_RESULT
        told = ERROR.search(self.said)
        return (super().why(told[1], Ended(Ending.FAILED)) or Cause.CRASHED) if told else None

    def _spent(self) -> float | None:
        if self._cost is None:
            return None
        before = self._cost_before if self._resumed else 0.0
        return None if before is None else max(0.0, self._cost - before)

    def why(self, told: str, ended: Ended, /) -> Cause | None:
        return self._cause or super().why(told, ended)

    readers = {  # noqa: RUF012
        "session": _session,
        "text": _text,
        "tool": _tool,
        "tool-end": _tool_over,
        "permission": _permission,
        "cost": _cost_seen,
        "stray": _stray_line,
        "end": _over,
    }


def _usage(event: Json, cost: float | None) -> Usage:
    """Tokens stand in the answer; Gemini puts them into the answer's margin."""
    counts = part(event, "usage")
    margin = part(event, "meta", "quota", "token_count")
    read = tokens(counts, "inputTokens", "cachedReadTokens", "cachedWriteTokens")
    written = tokens(counts, "outputTokens")
    return Usage(
        tokens(margin, "input_tokens") if read is None else read,
        tokens(margin, "output_tokens") if written is None else written,
        cost,
    )


class Acp:
    features = Features(
        "any ACP agent",
        resumes=True,
        reports_usage=True,
        reports_cost=True,
        read_only=True,
        rules=True,
        tells_refusals=True,
        protocol=True,
        announces=True,
        # Nobody knows whose program it is, so no key is handed on unasked.
        login=Login("log in with the agent's own program, or name its key in env of [agents.NAME]"),
        limits=(
            'It has no program of its own: `command` names one, such as `["opencode", "acp"]`.',
            "Tools are named by their kind in the protocol (read, edit, delete, move, search, execute, think, fetch) "
            "or by their title, and only those that the agent asks about can be refused.",
            "Tokens and cost are known where the agent tells them; some tell those of the last step alone.",
            "The protocol hides retries and the time at which a limit resets.",
        ),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = (sys.executable, "-I", "-S", str(BRIDGE), json.dumps(_work(settings, job)))
        return Invocation(argv, job.prompt.encode("utf-8", "replace"))

    def reader(self) -> Events:
        return Events()

    def version(self, _settings: AgentSettings, /) -> tuple[str, ...]:
        return ()  # with further arguments its program may take a call for an order


def _work(settings: AgentSettings, job: Job) -> Json:
    """What the bridge is told; a mode from the settings is for those who work."""
    writes = job.role in WRITERS
    return {
        "command": [*settings.command, *settings.extra_args],
        "cwd": str(job.cwd),
        "session": session_of(job),
        "model": settings.model,
        "mode": settings.permission_mode if writes else "",
        "allow": [*(WORK if writes else LOOK), *job.allow],
        "deny": list(job.deny),
        "reports": list(reports(job)),
    }
