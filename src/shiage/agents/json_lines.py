"""What the readers of agents share that write one JSON event per line: each adapter says only what its events mean."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeGuard

from shiage.agents.adapter import (
    WORDS,
    AgentEvent,
    Report,
    ToolEnd,
    ToolStart,
    Unknown,
    cut_short,
    explained,
    last_line,
    plain,
)
from shiage.agents.failures import Table, by_status, by_text, reset_in
from shiage.agents.launch import Ended
from shiage.domain.outcome import Cause, Ending, Outcome, Usage

Json = dict[str, Any]
MOST_USAGE = 64 * 1024  #: bytes of the last that a program said in which its complaint is looked for
BEGINNING = 300  #: bytes kept of a line that is no event; a flood of such lines must cost little


@dataclass(frozen=True, slots=True)
class Done:
    """The final result, as the agent gave it."""

    ok: bool
    told: str = ""  #: what it says of a failure
    words: str = ""
    status: int | None = None  #: of the HTTP answer that ended it


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool that the agent called and was not allowed to use."""

    call: str
    rule: str  #: what would have allowed it, in the agent's own words for rules


class Tools:
    """The calls of a run: how many, and which refusals it did not do without."""

    def __init__(self) -> None:
        self.calls = 0
        self._open: dict[str, tuple[str, str]] = {}  # name and subject by id, of calls that have not ended
        self._ended = 0
        self._last_ok = 0  # the how-many-eth to end was the last that worked
        self._failed: dict[str, int] = {}

    def start(self, call: str, name: object, given: object) -> ToolStart:
        """`given` is its input; the first text in it says what it is about."""
        about = first_text(given)
        event = ToolStart(plain(text(name), 80), plain(about, 120))
        self.calls += 1
        self._open[call] = event.name, about[:1000]
        return event

    def end(self, call: str, *, ok: bool) -> ToolEnd:
        self._ended += 1
        if ok:
            self._last_ok = self._ended
        else:
            self._failed[call] = self._ended
        return ToolEnd(self._open.pop(call, ("", ""))[0], ok)

    def is_open(self, call: str) -> bool:
        return call in self._open

    def called(self, call: str) -> tuple[str, str]:
        """The name and the subject of a call that is open."""
        return self._open.get(call, ("a tool", ""))

    def still(self, refusals: list[Refusal]) -> tuple[Refusal, ...]:
        """Those that it did not do without: nothing that it called afterwards worked."""
        never = self._ended + 1  # a refusal whose answer was never seen is open
        return tuple(each for each in refusals if self._failed.get(each.call, never) > self._last_ok)


class JsonLines:
    """One run's events. Of several results the last decides, and a new turn takes the last one back."""

    key: ClassVar[str] = "type"  #: where an event says what it is
    readers: ClassVar[Mapping[str, Callable[[Any, Json], tuple[AgentEvent, ...]]]] = {}  #: by what the event is
    failures: ClassVar[Table] = ()  #: words by which this agent tells a cause, before those that all share

    def __init__(self) -> None:
        self.final = False
        self.session = ""
        self.said = ""  #: the last text of the main agent
        self.complaint = ""  #: an error that was not the end
        self.done: Done | None = None
        self.usage = Usage()
        self.tools = Tools()
        self.refusals: list[Refusal] = []
        self.cut_by_refusal = False  #: a refusal was the last thing, of an agent that ends with it
        self.overcome = Cause.CRASHED  #: of an error after which it said done; its exit code may still tell of it
        self.commands: frozenset[str] | None = None  #: slash commands that it knows; None: it does not say
        self._stray = b""  # the last line that was no event

    def feed(self, line: bytes) -> tuple[AgentEvent, ...]:
        event = event_in(line)
        if event is None:
            return self._strange(line)
        read = self.readers.get(text(event.get(self.key)))
        return read(self, event) if read else (_unknown(line),)

    def begun(self) -> tuple[AgentEvent, ...]:
        """A new turn: whatever was final is not any more."""
        self.final, self.done, self.cut_by_refusal = False, None, False
        return ()

    def ended(self, done: Done) -> None:
        self.final, self.done = True, done

    def refuse(self, call: str) -> None:
        """To be noted before the call's end."""
        self.refusals.append(Refusal(call, self.rule(*self.tools.called(call))))

    def rule(self, tool: str, _about: str, /) -> str:
        """What would have allowed this call."""
        return tool

    def _strange(self, line: bytes) -> tuple[AgentEvent, ...]:
        if not line.strip():
            return ()
        self._stray = line[:BEGINNING]
        return (_unknown(line),)

    def conclude(self, ended: Ended, _out: bytes, err: bytes, /) -> Report:
        ending, cause, detail = self._verdict(ended, err)
        refused = self._missing()
        outcome = Outcome(
            ending,
            cause,
            exit_code=ended.exit_code,
            signal=ended.signal,
            detail=detail,
            until=self.until(detail) if cause is Cause.USAGE_LIMIT else None,
            session=self.session,
            usage=self.usage,
            asked=refused if cause is Cause.PERMISSION_REFUSED else (),
        )
        words = ((self.done.words if self.done else "") or self.said)[-WORDS:]
        return Report(outcome, words, self.tools.calls, refused, ended.left_behind, ended.seconds, self.commands)

    def _missing(self) -> tuple[str, ...]:
        return tuple(sorted({each.rule for each in self.refused()}))

    def refused(self) -> tuple[Refusal, ...]:
        return self.tools.still(self.refusals)

    def until(self, told: str) -> float | None:
        return reset_in(told)

    def silence(self, _err: bytes, /) -> tuple[Cause | None, str]:
        """What an agent waited for that was silent until it was ended, if it told that beside its events."""
        return None, ""

    def why(self, told: str, _ended: Ended, /) -> Cause | None:
        """The cause, if anything tells it."""
        return by_text(told, self.failures) or by_status(self.done.status if self.done else None)

    def _verdict(self, ended: Ended, err: bytes) -> tuple[Ending, Cause, str]:
        hung = ended.cause is Cause.HUNG
        if cut_short(ended) and not hung:
            cause, said = self.silence(err) if ended.cause is Cause.IDLE else (None, "")
            return ended.ending, cause or ended.cause, f"{ended.detail} {said}".strip()
        if self.done is None:
            return (Ending.FAILED, *self._without_result(ended, err))
        if not self.done.ok:
            told = self.done.told or self.said
            return Ending.FAILED, self.why(told, ended) or Cause.CRASHED, plain(told) or "Its result says failed."
        if ended.ending is Ending.FAILED:
            return Ending.FAILED, self.overcome, explained(f"{ended.detail} Its result said done.", err)
        if refused := self._missing():
            return Ending.FAILED, Cause.PERMISSION_REFUSED, f"It was not allowed to use {', '.join(refused)}."
        return Ending.COMPLETED, Cause.HUNG if hung else Cause.NONE, ended.detail

    def _without_result(self, ended: Ended, err: bytes) -> tuple[Cause, str]:
        told = " ".join(filter(None, (self.complaint, last_line(self._stray), _option_refused(err) or last_line(err))))
        cause = self.why(told, ended)
        # Only where the refusal itself was the end: a crash after an earlier one is a crash.
        if cause is None and self.cut_by_refusal and ended.ending is Ending.COMPLETED and (refused := self._missing()):
            return Cause.PERMISSION_REFUSED, f"It ended when it was not allowed to use {', '.join(refused)}."
        if ended.ending is Ending.COMPLETED:
            return cause or Cause.NO_RESULT, f"Ended without its final result. {plain(told)}".strip()
        return cause or Cause.CRASHED, f"{ended.detail} {plain(told)}".strip()


#: How command lines refuse what they do not know; the usage that they print behind it says nothing of that.
REFUSED_OPTION = re.compile(
    r"^.*(?:unknown (?:option|argument)|unexpected argument|invalid values?\b|is invalid\. allowed choices).*$",
    re.IGNORECASE | re.MULTILINE,
)


def _option_refused(err: bytes) -> str:
    found = REFUSED_OPTION.search(err[-MOST_USAGE:].decode("utf-8", "replace"))
    return f"{plain(found[0])} (`shiage doctor` tells what this version lacks)" if found else ""


def _unknown(line: bytes) -> Unknown:
    return Unknown(line[:BEGINNING].decode("utf-8", "replace"))


def event_in(line: bytes) -> Json | None:
    """The JSON object that a line holds, if it holds one."""
    if not line[:BEGINNING].lstrip().startswith(b"{"):
        return None
    try:
        event = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return event if is_json(event) else None


def is_json(value: object) -> TypeGuard[Json]:
    return isinstance(value, dict)


def part(value: object, *names: str) -> Json:
    """What lies under these names, an empty object where something else does."""
    for name in names:
        value = value.get(name) if is_json(value) else None
    return value if is_json(value) else {}


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def first_text(given: object) -> str:
    """The first text in a tool's input: what the call is about."""
    values = given.values() if is_json(given) else (given,)
    return next((value for value in values if isinstance(value, str)), "")


def number(value: object) -> float | None:
    """A finite number that is not negative; JSON of strangers knows NaN and huge integers too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 1e18 and math.isfinite(value) else None


def status(value: object) -> int | None:
    found = number(value)
    return None if found is None else int(found)


def tokens(counts: Json, *names: str) -> int | None:
    """The sum of the counts under these names; None when the agent gave none of them."""
    found = [count for name in names if (count := number(counts.get(name))) is not None]
    return int(sum(found)) if found else None
