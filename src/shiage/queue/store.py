"""What a queue must be able to do. `tests/contracts/test_queue_stores.py` is the same in tests.

Every call is one transaction: it has happened durably when it returns, or not at all.
A store is used from several threads of one process, and by many processes.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shiage.domain.errors import ShiageError, UserError
from shiage.queue.tickets import Hold, Owner, State, Ticket, Wish

#: A ticket that was not renewed for so long may be claimed by another, and by its owner again.
LEASE_SECONDS = 30.0


class ClaimLost(ShiageError):
    """The ticket has another owner or none by now. End what was started for it; its result is refused."""


class Taken(ShiageError):
    """Somebody who is alive works on this ticket, or has reserved it."""

    def __init__(self, ticket: Ticket, owner: Owner) -> None:
        super().__init__(f"ticket {ticket.id} belongs to {owner.name}")
        self.ticket = ticket
        self.owner = owner


class QueueGone(UserError):
    """The queue cannot be reached now. It may come back: a worker waits, and loses nothing."""


class Store(Protocol):
    @property
    def me(self) -> Owner:
        """The owner that this store claims for. A worker is seen by the others from the opening on, everybody else from
        the first `reserve`, `claim` or `wait`; it is gone with its process."""

    @property
    def lease(self) -> float:
        """Seconds: an owner that has not renewed for so long may lose its tickets to another."""

    def add(self, wish: Wish) -> Ticket:
        """Queue it. An open ticket with the same key is returned as it is instead of a second one."""

    def reserve(self, wish: Wish) -> Ticket:
        """Queue it for nobody but this owner, or take over the open ticket of its key if nobody alive has it.

        A ticket that waits for a person is queued again. Raises Taken. `claim` with the ticket's id comes next.
        """

    def claim(self, *, most: int, id: int | None = None) -> Ticket | None:
        """The next ticket that may run, now owned by `me` under a new token; None if there is none.

        First a running ticket whose owner is gone, then the queued one with the highest priority and lowest id of which
        all is true: its time has come, its predecessor is complete, no other ticket of its subject runs, none of its
        agents is held, nobody alive has reserved it, and fewer than `most` tickets run. With `id` only that one.
        """

    def renew(self, mine: Sequence[Ticket]) -> Mapping[int, bool]:
        """Say that their owner is alive. Of those that are still owned: the id, and whether a stop is asked for."""

    def heard(self, ticket: Ticket) -> None:
        """The answer has reached the run's journal: forget it. Raises ClaimLost."""

    def finish(
        self, ticket: Ticket, state: State, *, run: str = "", reason: str = "", detail: str = "", not_before: float = 0
    ) -> Ticket:
        """Move a claimed ticket to what came of it; QUEUED puts it back. Raises ClaimLost if it was lost."""

    def cancel(self, id: int) -> Ticket:
        """What does not run is cancelled; the owner of what runs is told by its next `renew`."""

    def answer(self, id: int, text: str) -> Ticket:
        """Queue a ticket that waits for a person, with what the person said. Raises Taken if it does not wait."""

    def hold(self, hold: Hold) -> None:
        """Begin no ticket of this agent before a time; a later time wins."""

    def get(self, id: int) -> Ticket | None: ...

    def open(self) -> tuple[Ticket, ...]:
        """Every ticket that is not final, in the order in which they would begin."""

    def ended(self, most: int) -> tuple[Ticket, ...]:
        """The newest final tickets, newest first."""

    def holds(self) -> tuple[Hold, ...]:
        """Those whose time has not come yet."""

    def owners(self) -> tuple[Owner, ...]:
        """Those that are alive."""

    def blocked(self, ticket: Ticket) -> bool:
        """Whether it waits for a ticket that has ended otherwise, so that nothing begins it without a person."""

    def wait(self, seconds: float) -> bool:
        """Return when something may have changed (True), or after so long."""

    def wake(self) -> None:
        """End the `wait` of this owner."""

    def close(self) -> None:
        """Leave the queue; what is still claimed is lost at once."""
