"""Whose a process is: tells the processes of given agents from all others.

Only evidence that nobody else can carry counts, because what is found here is killed: the tag, the
marker, or the session of an agent's first process while that one holds its number. "A child of ours
that we do not remember" is no evidence: the program around us starts git, notifiers, tests.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shiage.agents.proc import system
from shiage.agents.rows import Row, above, below, tag_of


@dataclass(frozen=True, slots=True)
class Kin:
    markers: frozenset[str]
    leaders: frozenset[int] = frozenset()  #: first processes known to hold their pid, dead or alive
    tags: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        named = frozenset(self.markers - {""})
        object.__setattr__(self, "markers", named)
        object.__setattr__(self, "tags", frozenset(map(tag_of, named)))

    def owns(self, row: Row) -> bool:
        """Whether the process is one of these agents' or was started by one of theirs."""
        # Every agent has a session of its own and nobody can move into another's: whoever is in ours is not kin.
        if row.session == os.getsid(0):
            return False
        return self.near(row) or system.marker_of(row.pid) in self.markers

    def near(self, row: Row) -> bool:
        """The cheap part of `owns`: misses only what was forked in the instant before its agent was tagged."""
        return row.session in self.leaders or system.tag_on(row.pid) in self.tags

    def among(self, rows: Mapping[int, Row]) -> list[Row]:
        """All processes of the family, with all their descendants; never ourselves or our ancestors."""
        spared = above(rows, os.getpid())
        owned = {row.pid for row in rows.values() if self.owns(row)} - spared
        return family(rows, owned)


def family(rows: Mapping[int, Row], pids: Iterable[int]) -> list[Row]:
    """The processes and all their descendants, without what is in our own session or above us."""
    roots = set(pids)
    session = os.getsid(0)
    spared = above(rows, os.getpid())
    everyone = (roots | below(rows, roots)) - spared
    return [rows[pid] for pid in sorted(everyone) if pid in rows and rows[pid].session != session]


def seconds_used(kin: Kin, leader: int) -> dict[int, float]:
    """Processor time of each process of a living agent, by pid."""
    rows = system.everyone()
    near = {row.pid for row in rows.values() if kin.near(row)} | {leader} | below(rows, {leader})
    return {pid: rows[pid].cpu for pid in near if pid in rows}
