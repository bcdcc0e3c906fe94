"""Connections that ask for nothing, or take nothing: they wait a little, and never in the place of one that asks.

The server's own limits count every connection alike, so a few hundred that say half a sentence would shut it for all.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 100  #: connections without a request; with one more the oldest goes
ASK_SECONDS = 20.0  #: for a whole head, and between two requests
TAKE_SECONDS = 30.0  #: for one buffer of an answer, some 50 KB


class Lobby:
    """The connections without a request, the oldest first."""

    def __init__(self, most: int = MOST, ask: float = ASK_SECONDS, take: float = TAKE_SECONDS) -> None:
        self.most, self.ask, self.take = most, ask, take
        self._waiting: dict[Connection, asyncio.TimerHandle] = {}

    def enter(self, connection: "Connection") -> None:
        """From now on it must ask for something; more bytes of the same half sentence buy no time."""
        if connection in self._waiting:
            return
        while len(self._waiting) >= self.most:
            next(iter(self._waiting)).end()
        self._waiting[connection] = connection.loop.call_later(self.ask, connection.end)

    def leave(self, connection: "Connection") -> None:
        if timer := self._waiting.pop(connection, None):
            timer.cancel()

    @property
    def protocol(self) -> Callable[..., asyncio.Protocol]:
        """What the server makes of each connection."""
        return partial(Connection, self)


class Connection(H11Protocol):
    def __init__(self, lobby: Lobby, **given: Any) -> None:
        super().__init__(**given)
        self._lobby = lobby
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the parent has it
        super().connection_made(transport)
        self._lobby.enter(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lobby.leave(self)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taking = self._taking or self.loop.call_later(self._lobby.take, self.end)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taking:
            self._taking.cancel()
            self._taking = None

    def end(self) -> None:
        """At once: a polite end would wait for a peer that takes nothing."""
        self._lobby.leave(self)
        self.transport.abort()

    def _settle(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering or self.transport.is_closing():
            self._lobby.leave(self)
        else:
            self._lobby.enter(self)
