"""How often somebody may be wrong about a code."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from starlette.requests import Request

EACH = 10  #: wrong codes of one client within the window
ALL = 100  #: by one door: behind a tunnel an attacker may have many addresses
SECONDS = 60.0


class Client(NamedTuple):
    """Who guesses. The doors count apart: a flood through the tunnel never holds up the person at the machine."""

    door: str  #: the origin that was asked for
    address: str


class Guesses:
    """The wrong codes of the last minute. Nothing is kept longer, and who is paired is never held up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: deque[tuple[float, Client]] = deque()

    def wait(self, client: Client) -> float:
        """Seconds until the next guess of this client is looked at; 0 for now."""
        at = self._clock()
        while self._wrong and self._wrong[0][0] + SECONDS <= at:
            self._wrong.popleft()
        mine = [then for then, who in self._wrong if who == client]
        door = [then for then, who in self._wrong if who.door == client.door]
        return max(_left(mine, EACH, at), _left(door, ALL, at))

    def begin(self, client: Client) -> None:
        """Counts as wrong until it turns out right: many at once must not slip through together."""
        self._wrong.append((self._clock(), client))

    def right(self, client: Client) -> None:
        newest = next(guess for guess in reversed(self._wrong) if guess[1] == client)
        self._wrong.remove(newest)


def _left(wrong: Sequence[float], most: int, at: float) -> float:
    return wrong[-most] + SECONDS - at if len(wrong) >= most else 0.0


def client_of(request: Request, origin: str, *, tunnelled: bool) -> Client:
    """Behind a tunnel all come from one address, and the tunnel names the one before it last.

    A program on this machine can claim to be the tunnel; it gains guesses of its own, never more than the door's.
    """
    peer = request.client.host if request.client else ""
    named = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()[:64] if tunnelled else ""
    return Client(origin, named or peer)
