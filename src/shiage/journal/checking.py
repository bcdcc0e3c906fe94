"""Was the history changed afterwards? Each line names the digest of the one before it, the head that of the newest."""

from dataclasses import dataclass, field
from pathlib import Path

from shiage.journal.entry import Entry, decode, digest
from shiage.journal.head import REWOUND, Head, garbled, load
from shiage.journal.reading import readable
from shiage.journal.tail import settle


@dataclass(frozen=True, slots=True)
class Problem:
    """A line and what is wrong with it, or worth knowing."""

    line: int  #: counts from 1
    what: str  #: a sentence
    code: str  #: the same for a program: changed, missing, inserted, order, end, rewound, head; foreign, torn, no-head


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    entries: int
    problems: tuple[Problem, ...] = ()  #: the history is not what was written
    notes: tuple[Problem, ...] = ()  #: true, and harmless

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(path: Path, head: Path) -> Report:
    """Check every line against the next one, and the newest against the head. Changes nothing."""
    newest = load(head)  # before the file: a writer may be at work, and a head that lags is fine
    walk = _Walk()
    tail = settle(readable(path) or b"", newest)
    for number, line in enumerate(tail.lines, 1):
        walk.step(number, line, newest)
    if tail.torn:
        walk.notes.append(Problem(len(tail.lines) + 1, "cut short by a crash; the next run repairs it", "torn"))
    if newest is None and garbled(head):
        walk.problems.append(Problem(len(tail.lines), "the head that is kept here is not what was written", "head"))
    else:
        walk.end(len(tail.lines), newest)
    return Report(walk.entries, tuple(walk.problems), tuple(walk.notes))


@dataclass(slots=True)
class _Walk:
    """What is known while going down the lines."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    entries: int = 0
    seq: int = 0  #: of the last entry
    above: str = ""  #: digest of the line above
    ours: str = ""  #: digest of the last entry's line
    skipped: int = 0  #: lines since then that are no entries
    seen: bool = False  #: the head's line

    def step(self, number: int, line: bytes, newest: Head | None) -> None:
        entry = decode(line)
        hashed = digest(line)
        if entry is None:
            self.notes.append(Problem(number, "not a line of shiage's; kept and skipped", "foreign"))
            self.skipped += 1
        else:
            self._check(number, entry)
            self.entries += 1
            self.seq, self.ours, self.skipped = entry.seq, hashed, 0
            self.seen = self.seen or newest == Head(entry.seq, hashed)
        self.above = hashed

    def _check(self, number: int, entry: Entry) -> None:
        if entry.prev != self.above:
            self.problems.append(self._break(number, entry))
        elif entry.seq != self.seq + 1:
            what = f"has number {entry.seq} where {self.seq + 1} was due"
            self.problems.append(Problem(number, what, "order"))
        if entry.event_type == REWOUND:
            what = f"the lines up to number {entry.content.get('expected')} had been changed or removed before this one"
            self.problems.append(Problem(number, what, "rewound"))

    def _break(self, number: int, entry: Entry) -> Problem:
        """The likeliest of the ways in which a line does not continue the one above."""
        missing = entry.seq - self.seq - 1
        if missing > self.skipped:
            return Problem(number, f"{missing - self.skipped} lines are missing before this one", "missing")
        if missing < 0:
            return Problem(number, f"number {entry.seq} stands after {self.seq}: inserted or reordered", "order")
        if self.ours == entry.prev:
            return Problem(number - 1, "was inserted here", "inserted")
        if number == 1:
            return Problem(number, "lines above it are missing", "missing")
        return Problem(number - 1, "was changed after it had been written", "changed")

    def end(self, lines: int, newest: Head | None) -> None:
        if newest is None:
            self.notes.append(Problem(lines, "no head is kept here: a change of the end would not show", "no-head"))
        elif not self.seen:
            self.problems.append(Problem(lines, _end(self.seq, newest), "end"))


def _end(seq: int, newest: Head) -> str:
    if seq < newest.seq:
        return f"the end is missing: number {newest.seq} had been written, number {seq} is the last"
    return f"number {newest.seq} is not the line that had been written"
