"""What a spec's folder and a bug's share: reading, and a state file rewritten without touching what is not ours."""

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Self

from shiage.domain.errors import OurBug, UserError, Where
from shiage.specs import files
from shiage.specs.inspections import InspectionVerdict, read_verdict
from shiage.specs.jsonedit import Changes, JsonObject, edit, parse
from shiage.specs.replies import Reply, count_reply
from shiage.specs.state import SpecState, read_state
from shiage.specs.tasks import REQUIRE

Plan = Callable[[JsonObject], Changes]  #: what to change, decided on what the file says under the lock

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
ARTEFACT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
REPLY = "document-review-{}-reply.md"
REVIEW = "document-review-{}.md"
INSPECTION = "inspection-{}.md"
TRIES = 10  #: a state file that somebody else changed between our look and our write so often is not ours to write
TORN = 0.01  #: seconds; an agent that rewrites the file in place needs less


@dataclass(frozen=True, slots=True)
class Asked:
    """What a phase's rule may look at beside the files."""

    state: SpecState
    person_approved: bool
    optional: str
    ignore_headings: Collection[str]


def valid_name(name: str) -> str:
    """The name itself; anything that is not one is refused before it reaches a path or a command line."""
    if NAME.fullmatch(name):
        return name
    raise UserError(
        "spec-name-invalid",
        f"{name[:80]!r} is not a name for a spec",
        help="use lower-case letters, digits and hyphens, beginning with a letter or digit, 64 at most",
    )


class Folder(ABC):
    """What the two kinds of folder share."""

    workflow: ClassVar[str]
    parent: ClassVar[str]  #: below the root
    state_name: ClassVar[str]
    known: ClassVar[tuple[str, ...]]  #: files that show that a folder is one of these

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = valid_name(name)
        self.path = root.joinpath(self.parent, name)
        self._seen: dict[str, bytes | None] | None = None  #: by file, where each is read once only
        self._value: JsonObject | None = None  #: of the state file, likewise
        self._state: SpecState | None = None

    def still(self) -> Self:
        """The folder as it is now: each file is read once, however often it is asked for. For one look, not for work."""
        same = copy(self)
        same._seen = {}
        return same

    @property
    @abstractmethod
    def key(self) -> str:
        """Names it among all that this project has."""

    @property
    def state_file(self) -> Path:
        return self.path / self.state_name

    def artefact_path(self, name: str) -> Path:
        """Where a file of this folder is, or would be."""
        if name and not ARTEFACT.fullmatch(name):
            raise OurBug(f"{name!r} is no name of a file in a spec folder")
        return self.path / name

    def shown(self, name: str) -> str:
        """How a person and an agent are told of a file here: from the project's root."""
        return files.shown(self.root, self.artefact_path(name))

    def text(self, name: str) -> str | None:
        """The content of a file; None if there is none."""
        data = self._bytes(name)
        return None if data is None else files.as_text(data)

    def _bytes(self, name: str) -> bytes | None:
        if self._seen is None:
            return files.read_bytes(self.root, self.artefact_path(name))
        if name not in self._seen:
            self._seen[name] = files.read_bytes(self.root, self.artefact_path(name))
        return self._seen[name]

    def review(self, number: int) -> str | None:
        return self.text(REVIEW.format(number))

    def reply(self, number: int) -> str | None:
        return self.text(REPLY.format(number))

    def inspection(self, number: int) -> str | None:
        return self.text(INSPECTION.format(number))

    def value(self) -> JsonObject:
        """The state file as it is."""
        if self._seen is None:
            return self._settled()[1]
        if self._value is None:
            self._value = self._settled()[1]
        return self._value

    def state(self) -> SpecState:
        if self._seen is None:
            return read_state(self.value())
        if self._state is None:
            self._state = read_state(self.value())
        return self._state

    def write_state(self, changes: Changes | Plan) -> bool:
        """Change these values and no other byte, under a lock, on what the file says now; whether anything changed."""
        plan = changes if callable(changes) else lambda value: changes
        files.inside(self.root, self.path)
        with files.locked(self.root, self.root / ".shiage" / "locks" / f"{self.key}.state"):
            files.sweep(self.state_file)
            for _ in range(TRIES):
                before, value = self._settled()
                after = _edited(before, value, plan(value))
                if after == before:
                    return False
                if files.read_bytes(self.root, self.state_file) == before:
                    files.write_atomic(self.root, self.state_file, after)
                    return True
        raise UserError(
            "spec-not-writable",
            f'{self.state_name} of "{self.name}" is being rewritten all the time by another program',
            where=Where(self.shown(self.state_name)),
            help=f"end that program, then `shiage run {self.name}`",
        )

    def _settled(self) -> tuple[bytes | None, JsonObject]:
        """The state file and its value. A torn one is looked at again until it stands still: then it is broken."""
        seen: bytes | None = None
        while True:
            data = files.read_bytes(self.root, self.state_file)
            if data is None:
                return None, self._without_state()
            try:
                return data, parse(data, self.shown(self.state_name))
            except UserError:
                if data == seen:
                    raise
            seen = data
            time.sleep(TORN)

    @abstractmethod
    def _without_state(self) -> JsonObject:
        """What counts where there is no state file; an error where there must be one."""

    def closed_rounds(self) -> int:
        """Document-review rounds that are closed: said so by the state, and with a reply that can be counted."""
        said = {each.number: each.status for each in self.state().rounds}
        number = 0
        while said.get(number + 1) == "reply_complete" and self._countable(number + 1):
            number += 1
        return number

    def _countable(self, number: int) -> bool:
        text = self.reply(number)
        return text is not None and count_reply(text).counts is not None

    def last_reply(self) -> Reply | None:
        """The reply of the newest round that the disk or the state knows of, counted; None if it is not there."""
        known = [each.number for each in self.state().rounds]
        text = self.reply(max([*self._numbers(REPLY), *known], default=0))
        return None if text is None else count_reply(text)

    def last_verdict(self) -> InspectionVerdict:
        """What the newest inspection says."""
        text = self.inspection(max(self._numbers(INSPECTION), default=0))
        return read_verdict(text or "")

    def _numbers(self, pattern: str) -> list[int]:
        """The numbers of the files that are there."""
        before, after = pattern.split("{}")
        form = re.compile(f"{re.escape(before)}([1-9][0-9]{{0,5}}){re.escape(after)}")
        names = (form.fullmatch(path.name) for path in files.entries(self.root, self.path))
        return [int(match[1]) for match in names if match]

    @abstractmethod
    def request(self) -> str:
        """What the person asked for, in their words."""

    @abstractmethod
    def _rules(self) -> Mapping[str, Callable[[Asked], bool]]:
        """By phase, what the disk must say for it to be over."""

    def finished(
        self,
        phase: str,
        person_approved: bool = False,
        optional: str = REQUIRE,
        ignore_headings: Collection[str] = (),
    ) -> bool:
        """Whether the disk says that this phase is over; what a person approved in so many words, the engine knows."""
        rule = self._rules().get(phase)
        if rule is None:
            raise OurBug(f"a {self.workflow} has no phase {phase!r}")
        return rule(Asked(self.state(), person_approved, optional, ignore_headings))


def _edited(before: bytes | None, value: JsonObject, changes: Changes) -> bytes:
    text = written(value) if before is None else before
    after = edit(text, changes)
    return after if after == before else edit(after, {("updated_at",): now()})


def written(value: Mapping[str, object]) -> bytes:
    """A new state file."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def now() -> str:
    """The time as state files have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
