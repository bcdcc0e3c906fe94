"""What every queue in SQL does alike. A database of its own kind adds how it is reached, who is alive, and who is woken."""

import json
import os
import re
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shiage.domain.errors import OurBug, UserError
from shiage.queue.ownership import Ownership
from shiage.queue.store import LEASE_SECONDS, ClaimLost, Taken
from shiage.queue.tickets import FINAL, Hold, Owner, State, Ticket, Wish


def named(path: Path) -> dict[str, str]:
    """The statements of a file, by name."""
    found = re.findall(r"^-- name: (\w+)\n(.*?)(?=^-- name|\Z)", path.read_text(encoding="utf-8"), re.M | re.S)
    return {name: text.strip() for name, text in found}


SQL = named(Path(__file__).parent / "sql" / "tickets.sql")
#: Token and renewals of a claim. Each process times them by its own steady clock, so the clock on the wall may jump.
Beat = tuple[int, int]
Row = Mapping[str, Any]
#: The name of a statement, and what it is given.
Step = tuple[str, Mapping[str, object]]
_TRIES = 20  #: how often others may come first before it is our mistake


@dataclass(frozen=True, slots=True)
class Clocks:
    wall: Callable[[], float | None] = time.time  #: None: the clock of the database
    steady: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Seen:
    """What a living owner's claim looked like, and since when it has not moved."""

    beat: Beat
    since: float


@dataclass(slots=True)
class SqlStore(ABC):
    folder: Path  #: where the processes of one machine see each other
    name: str = ""  #: of the owner; empty: made from host and process
    worker: bool = False
    lease: float = LEASE_SECONDS
    clocks: Clocks = Clocks()
    me: Owner = field(init=False)
    _ownership: Ownership = field(init=False)
    _mutex: threading.RLock = field(init=False, default_factory=threading.RLock)
    _seen: dict[int, _Seen] = field(init=False, default_factory=dict)
    _mine: dict[int, int] = field(init=False, default_factory=dict)  #: tickets that a claim returned, and their tokens

    def __post_init__(self) -> None:
        unique, host = secrets.token_hex(8), socket.gethostname()
        name = self.name or f"{host}-{os.getpid()}-{unique[:4]}"
        self.me = Owner(unique, name, host, os.getpid(), self.worker, self.clocks.wall() or time.time())
        self._ownership = Ownership(self.folder, unique)
        self._open()
        if self.worker:
            self._enter()

    @abstractmethod
    def _open(self) -> None:
        """Reach the database, or say why not."""

    @abstractmethod
    def _enter(self) -> None:
        """Be seen by the others. Whoever only looks at the queue leaves no trace in it."""

    @abstractmethod
    def _do(self, *steps: Step) -> list[list[Row]]:
        """All of it durably, as one transaction, or nothing."""

    @abstractmethod
    def _gone(self, ids: Sequence[str]) -> set[str]:
        """Those of these owners whose processes are certainly over."""

    @abstractmethod
    def _living(self, ids: Iterable[str]) -> set[str]:
        """Those of these owners that are there, as far as one can see."""

    @abstractmethod
    def _tell(self) -> None:
        """Wake whoever waits."""

    def add(self, wish: Wish) -> Ticket:
        ticket = self._added(wish, reserved="")
        self._tell()
        return ticket

    def _added(self, wish: Wish, reserved: str) -> Ticket:
        """What was added, or the open ticket of its key."""
        if wish.after is not None and self._row("get", id=wish.after) is None:
            raise unknown(wish.after)
        given = {
            "subject": wish.subject, "key": wish.dedup, "order": json.dumps(dict(wish.order)), "agents": _agents(wish),
            "priority": wish.priority, "not_before": wish.not_before, "after": wish.after, "reserved": reserved,
        }  # fmt: skip
        for _ in range(_TRIES):
            _, found = self._do(("add", given), ("of_key", given))
            if found:
                return _ticket(found[0])
        raise OurBug("a ticket can neither be added nor found")

    def reserve(self, wish: Wish) -> Ticket:
        self._enter()
        for _ in range(_TRIES):
            row = self._row("of_key", key=wish.dedup)
            if row is None:
                ticket = self._added(wish, reserved=self.me.id)
                taken = ticket if ticket.reserved == self.me.id else None
            else:
                taken = self._taken_over(_ticket(row), wish)
            if taken:
                return taken
        raise OurBug("a ticket can neither be reserved nor found")

    def _taken_over(self, ticket: Ticket, wish: Wish) -> Ticket | None:
        """The ticket for nobody but us; None if somebody changed it meanwhile."""
        holder = ticket.owner if ticket.state is State.RUNNING else ticket.reserved
        if holder and holder != self.me.id and self._living([holder]):
            raise Taken(ticket, self._named(holder))
        if ticket.state is State.RUNNING:
            return ticket
        order, was = json.dumps(dict(wish.order)), ticket.reserved
        row = self._row("reserve", id=ticket.id, order=order, agents=_agents(wish), was=was)
        return _ticket(row) if row else None

    def claim(self, *, most: int, id: int | None = None) -> Ticket | None:
        self._enter()
        with self._mutex:
            for ticket in self._lost(id):
                row = self._row("retake", id=ticket.id, token=ticket.token, beat=ticket.beat)
                if row:
                    return self._held(row)
            row = self._row("take", id=id, most=most)
            return self._held(row) if row else None

    def _held(self, row: Row) -> Ticket:
        ticket = _ticket(row)
        self._mine[ticket.id] = ticket.token
        return ticket

    def _lost(self, id: int | None) -> Iterator[Ticket]:
        """Running tickets that nobody works on any more."""
        running = [ticket for ticket in map(_ticket, self._rows("running")) if id in (None, ticket.id)]
        gone = self._gone([ticket.owner for ticket in running]) if running else set()
        for ticket in running:
            # A claim whose answer never came back would else be held for ever by one who does not know of it.
            unheard = ticket.owner == self.me.id and self._mine.get(ticket.id) != ticket.token
            if self._still(ticket) or unheard or ticket.owner in gone:
                yield ticket

    def _still(self, ticket: Ticket) -> bool:
        """Its owner has not renewed for the time of a lease that this process has watched; the owner may be ourselves."""
        now, beat = self.clocks.steady(), (ticket.token, ticket.beat)
        seen = self._seen.setdefault(ticket.id, _Seen(beat, now))
        if seen.beat != beat:
            self._seen[ticket.id] = _Seen(beat, now)
            return False
        return now - seen.since > self.lease

    def renew(self, mine: Sequence[Ticket]) -> Mapping[int, bool]:
        if not mine:
            return {}
        told = self._do(*(("renew", {"id": ticket.id, "token": ticket.token}) for ticket in mine))
        return {ticket.id: bool(rows[0]["stop"]) for ticket, rows in zip(mine, told, strict=True) if rows}

    def heard(self, ticket: Ticket) -> None:
        if self._row("heard", id=ticket.id, token=ticket.token) is None:
            raise ClaimLost(f"ticket {ticket.id}")

    def finish(
        self, ticket: Ticket, state: State, *, run: str = "", reason: str = "", detail: str = "", not_before: float = 0
    ) -> Ticket:
        if state is State.RUNNING:
            raise OurBug("what is finished does not run")
        row = self._row(
            "finish", id=ticket.id, token=ticket.token, state=state.value, run=run or ticket.run, reason=reason,
            detail=detail, not_before=not_before, final=state in FINAL,
        )  # fmt: skip
        if row is None:
            raise ClaimLost(f"ticket {ticket.id}")
        if self._mine.get(ticket.id) == ticket.token:
            del self._mine[ticket.id]
        self._tell()
        return _ticket(row)

    def cancel(self, id: int) -> Ticket:
        cancelled, asked, found = self._do(
            ("cancel_waiting", {"id": id}), ("ask_stop", {"id": id}), ("get", {"id": id})
        )
        rows = cancelled or asked or found
        if not rows:
            raise unknown(id)
        self._tell()
        return _ticket(rows[0])

    def answer(self, id: int, text: str) -> Ticket:
        row = self._row("answer", id=id, answer=text)
        if row is None:
            raise self._not_waiting(id)
        self._tell()
        return _ticket(row)

    def _not_waiting(self, id: int) -> Exception:
        row = self._row("get", id=id)
        return Taken(_ticket(row), self._named(row["owner"])) if row else unknown(id)

    def hold(self, hold: Hold) -> None:
        self._do(("hold", {"agent": hold.agent, "until": hold.until, "why": hold.why}))
        self._tell()

    def get(self, id: int) -> Ticket | None:
        row = self._row("get", id=id)
        return _ticket(row) if row else None

    def open(self) -> tuple[Ticket, ...]:
        return tuple(map(_ticket, self._rows("open")))

    def ended(self, most: int) -> tuple[Ticket, ...]:
        return tuple(map(_ticket, self._rows("ended", most=most)))

    def holds(self) -> tuple[Hold, ...]:
        return tuple(Hold(row["agent"], row["until"], row["why"]) for row in self._rows("holds"))

    def owners(self) -> tuple[Owner, ...]:
        known = tuple(map(read_owner, self._rows("owners")))
        living = self._living(owner.id for owner in known)
        return tuple(owner for owner in known if owner.id in living)

    def blocked(self, ticket: Ticket) -> bool:
        return ticket.after is not None and bool(self._rows("blocked", after=ticket.after))

    @abstractmethod
    def wait(self, seconds: float) -> bool: ...

    def wake(self) -> None:
        self._ownership.wake()

    def close(self) -> None:
        with self._mutex:
            if self._ownership.held:
                with suppress(UserError):
                    self._do(("leave", {"id": self.me.id}))
            self._ownership.close()
            self._part()

    @abstractmethod
    def _part(self) -> None:
        """Let go of the database."""

    def _rows(self, name: str, **values: object) -> list[Row]:
        return self._do((name, values))[0]

    def _row(self, name: str, **values: object) -> Row | None:
        rows = self._rows(name, **values)
        return rows[0] if rows else None

    def _named(self, id: str) -> Owner:
        found = map(read_owner, self._rows("owners"))
        return next((owner for owner in found if owner.id == id), Owner(id, id, "", 0, False, 0.0))


def unknown(id: int) -> UserError:
    return UserError("ticket-unknown", f"there is no ticket {id}", help="`shiage queue list` shows those there are.")


def name_taken(other: Owner) -> UserError:
    return UserError(
        "worker-name-taken",
        f'a worker named "{other.name}" is at work: process {other.pid} on {other.host}',
        help="give this one another name with `--name`, or end the other one.",
    )


def _agents(wish: Wish) -> str:
    return f" {' '.join(wish.agents)} "


def read_owner(row: Row) -> Owner:
    return Owner(row["id"], row["name"], row["host"], row["pid"], bool(row["worker"]), row["since"])


def _ticket(row: Row) -> Ticket:
    fields = dict(row)
    return Ticket(
        **{
            **fields,
            "order": json.loads(fields["order"]),
            "agents": tuple(fields["agents"].split()),
            "state": State(fields["state"]),
            "stop": bool(fields["stop"]),
            "apart": bool(fields["apart"]),
        }
    )
