"""Ends what agents leave behind: after each exit, at a stop, and after a crash of our own."""

import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from shiage.agents import scratch, sidecar
from shiage.agents.kin import Kin, family
from shiage.agents.proc import system
from shiage.agents.rows import Row

PATIENCE = 1.0  #: seconds between asking and killing what was left behind
AFTER_EXIT = 4.0  #: seconds that a sweep may take; with the ladder before it a stop stays below 12
AFTER_CRASH = 10.0
CHANGE = 0.1  #: that a look waits for what is in the middle of an exec

#: Agents that some `run` of this process waits for: it alone reaps them.
awaited: set[int] = set()


def adopted(kin: Kin) -> list[Row]:
    """The family's orphans that became our children, with their descendants. Cheap when there are none."""
    orphans = [row for row in _known(_strays()) if kin.owns(row)]
    for row in orphans:
        bury(row)
    if all(row.zombie for row in orphans):
        return []
    return family(system.everyone(), {row.pid for row in orphans})


def bury_dead(kin: Kin) -> None:
    """Reap orphans that ended while their agent runs on: it may run for hours and leave thousands."""
    for row in _strays():
        if row.zombie and kin.near(row):
            bury(row)


def _known(rows: Collection[Row]) -> Collection[Row]:
    """The same rows, once none of them is in the middle of an exec: without a tag it would pass for a stranger."""
    deadline = time.monotonic() + CHANGE
    while any(map(system.changing, rows)) and time.monotonic() < deadline:
        time.sleep(0.001)
    return rows


def _strays() -> list[Row]:
    return [row for row in map(system.look, set(system.own_children()) - awaited) if row]


def everywhere(kin: Kin) -> list[Row]:
    """All of the family, wherever its parents are now."""
    _known(system.everyone().values())
    found = kin.among(system.everyone())
    for row in found:
        bury(row)
    return found


def bury(row: Row) -> None:
    """Reap a dead orphan: exactly this pid, and only if nobody waits for it."""
    if not row.zombie or row.parent != os.getpid() or row.pid in awaited:
        return
    try:
        os.waitpid(row.pid, os.WNOHANG)
    except ChildProcessError:
        return  # buried in between by another sweep


def finder(kin: Kin) -> Callable[[], list[Row]]:
    """How the leftovers of an ended agent are found on this system."""
    search = adopted if system.adopts() else everywhere
    return lambda: search(kin)


class Sweep:
    """Asks, then kills, until two looks in a row find nobody."""

    def __init__(
        self, find: Callable[[], list[Row]], *, known: Iterable[Row] = (), hurry: threading.Event | None = None
    ) -> None:
        self._find = find
        self._known = {row.pid: row for row in known}  # seen once below an agent: stays suspect as an orphan
        self._hurry = hurry or threading.Event()
        self._asked: dict[int, float] = {}
        self._refused: set[int] = set()  # belong to another user: nothing we can do

    def quiet(self) -> bool:
        """Whether there is nobody to end: the usual case after an exit."""
        return not self._living() and not self._living()

    def finish(self, seconds: float | None = None) -> int:
        """Returns how many processes had to be ended. Gives up, after AFTER_EXIT by default, on what cannot die."""
        deadline = time.monotonic() + (AFTER_EXIT if seconds is None else seconds)
        pause = 0.002
        quiet = 0
        while quiet < 2 and time.monotonic() < deadline:
            living = self._living()
            quiet = 0 if living else quiet + 1
            for row in living:
                self._press(row)
            if living:
                time.sleep(pause)
                pause = min(2 * pause, 0.05)
        return len(self._asked)

    def _living(self) -> list[Row]:
        self._known.update((row.pid, row) for row in self._find())
        for row in list(self._known.values()):
            now = system.look(row.pid)
            if now is not None and now.zombie:
                bury(now)
            if now is None or now.zombie or not row.names(now):
                del self._known[row.pid]
        return [row for row in self._known.values() if row.pid not in self._refused]

    def _press(self, row: Row) -> None:
        """Ask once, kill when patience is over."""
        first = row.pid not in self._asked
        asked = self._asked.setdefault(row.pid, time.monotonic())
        patient = time.monotonic() - asked < PATIENCE and not self._hurry.is_set()
        if patient and not first:
            return
        if not system.send(row, signal.SIGTERM if patient else signal.SIGKILL):
            self._refused.add(row.pid)


def sweep_marker(markers: Collection[str], *, logs: Iterable[Path] = ()) -> int:
    """End every process of these agents that outlived us; returns how many there were.

    For a start after a crash, before anything else runs. `logs` are the logs of the attempts that
    were in flight: beside each may lie the record of its first process.
    """
    notes = [(log, sidecar.read(log)) for log in logs]
    kin = Kin(frozenset(markers))
    leaders = [row for _, note in notes if note and (row := sidecar.living(note)) and kin.owns(row)]
    kin = Kin(frozenset(markers), frozenset(row.pid for row in leaders))
    ended = Sweep(lambda: everywhere(kin)).finish(AFTER_CRASH)
    for log, _ in notes:
        sidecar.remove(log)
    for marker in markers:
        scratch.remove(scratch.folder_of(marker))
    return ended


def sweep_folder(folder: Path, *, markers: Collection[str] = ()) -> int:
    """The same for everything whose log lies in this folder: agents, judges and commands have a note beside theirs."""
    logs = [note.with_suffix("") for note in folder.glob("*.pid")]
    noted = {note.marker for log in logs if (note := sidecar.read(log))}
    return sweep_marker({*markers, *noted}, logs=logs) if logs or markers else 0
