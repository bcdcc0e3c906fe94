"""What the scripted model says: scenes that a request finds by its words, however often and in whatever order it comes.

A scene is chosen by the request alone and not by a counter, so an agent's own retries, side requests and
resumed sessions get the same answers on every run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """The turn's last words."""

    text: str


@dataclass(frozen=True)
class Call:
    """One call of a tool that the agent offers."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Fail:
    """An answer that is no answer: an HTTP status with the error in the words of that API."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)  #: further fields of the error


@dataclass(frozen=True)
class Drop:
    """The stream breaks off after some words."""

    text: str = "I begin with"


@dataclass(frozen=True)
class Stall:
    """The stream begins and then says nothing until the client or the endpoint gives up."""

    text: str = "Let me think"


@dataclass(frozen=True)
class Overflow:
    """The context window is too small for this conversation."""


Reply = Say | Call | Fail | Drop | Stall | Overflow


@dataclass(frozen=True)
class Scene:
    """What to answer, turn by turn, to whoever was asked something that contains the cue."""

    cue: str
    replies: tuple[Reply, ...]


@dataclass(frozen=True)
class Message:
    who: str  #: user, agent or tool
    text: str


@dataclass(frozen=True)
class Asked:
    """One request in words that all APIs share."""

    dialect: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    raw: Any

    def said(self, text: str) -> bool:
        return any(text in message.text for message in self.messages)


SIDE = Say("ok")  #: to what agents ask beside the work: a title, a summary, whether the line is up


def answer(scenes: Sequence[Scene], asked: Asked) -> Reply:
    """The scene of the latest user message that has one; how far it is, the tool results after it tell."""
    if not asked.tools:
        # What compacts a conversation that is too long for the window is too long for it as well.
        return Overflow() if any(Overflow() in s.replies and asked.said(s.cue) for s in scenes) else SIDE
    for at in range(len(asked.messages) - 1, -1, -1):
        message = asked.messages[at]
        scene = next((s for s in scenes if message.who == "user" and s.cue in message.text), None)
        if scene:
            done = sum(later.who == "tool" for later in asked.messages[at:])
            return scene.replies[min(done, len(scene.replies) - 1)]
    return SIDE
