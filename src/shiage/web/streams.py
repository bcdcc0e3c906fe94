"""The feeds that are open: how many a device may have, and their end when the device is ended."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from shiage.app.devices import Device, Devices
from shiage.app.feed import Listener
from shiage.domain.errors import UserError

MOST = 100  #: over all devices
MOST_EACH = 24  #: of one device; with one more its oldest ends, and comes back if it is still wanted
LOOK_SECONDS = 0.2  #: between two looks whether the paired devices have changed: `shiage pair` is another process
AGE_SECONDS = 60.0  #: a device that nobody ended may also grow too old


@dataclass(frozen=True, slots=True)
class _Open:
    device: str
    token: str


class Streams:
    def __init__(self, devices: Devices) -> None:
        self._devices = devices
        self._kept: dict[Listener, _Open] = {}  #: the oldest first
        self._watching: asyncio.Task[None] | None = None

    def room(self) -> bool:
        return len(self._kept) < MOST

    @contextlib.contextmanager
    def opened(self, listener: Listener, device: Device, token: str) -> Iterator[None]:
        """While this is open the listener is ended as soon as its device is."""
        mine = [each for each, kept in self._kept.items() if kept.device == device.id]
        if len(mine) >= MOST_EACH:
            self._end(mine[0])
        if not self.room():
            listener.end()
        self._kept[listener] = _Open(device.id, token)
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self._kept.pop(listener, None)

    def _end(self, listener: Listener) -> None:
        self._kept.pop(listener, None)
        listener.end()

    async def _watch(self) -> None:
        try:
            async for _ in self._changes():
                for listener, kept in tuple(self._kept.items()):
                    if not await asyncio.to_thread(self._welcome, kept.token):
                        self._end(listener)
        finally:
            self._watching = None

    async def _changes(self) -> AsyncIterator[None]:
        """Once at the start, for what changed before; then with every change, until no stream is open."""
        loop = asyncio.get_running_loop()
        seen, at = self._devices.stamp(), loop.time()
        yield
        while self._kept:
            await asyncio.sleep(LOOK_SECONDS)
            found = self._devices.stamp()
            if found != seen or loop.time() - at > AGE_SECONDS:
                seen, at = found, loop.time()
                yield

    def _welcome(self, token: str) -> bool:
        try:
            return self._devices.of(token) is not None
        except UserError:  # nobody can be known, so nobody stays
            return False
