"""What an adapter is: it translates between one agent program and us, and does nothing else.

Everything here is pure, so an attempt's log can be read again after a crash with the same result.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from shiage.agents.launch import Ended
from shiage.domain.outcome import Ending, Outcome, Usage

WORDS = 256 * 1024  #: the most that is kept of an agent's final words
LONGEST_RULE = 200  #: characters of a command that is asked for by its own words
#: Roles whose work is a change; the others look, and write a report.
WRITERS = frozenset({"author", "responder", "implementer", "fixer"})


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One configured agent: a section [agents.NAME] of the settings."""

    name: str
    kind: str  #: which adapter
    command: tuple[str, ...] = ()  #: the program with its first arguments; empty: the adapter's own
    model: str = ""
    permission_mode: str = ""
    extra_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)  #: set for the agent; "$NAME" hands on our own NAME


@dataclass(frozen=True, slots=True)
class Job:
    """What one attempt is to do."""

    prompt: str
    role: str  #: author, reviewer, responder, implementer, inspector or fixer
    cwd: Path
    session: str = ""  #: the agent's own session to go on with; empty: a new one
    environment: Mapping[str, str] = field(default_factory=dict)  #: the SHIAGE_* variables
    allow: tuple[str, ...] = ()  #: tools that this role may use without asking, in the agent's own words
    deny: tuple[str, ...] = ()  #: tools that it may not use
    desk: Path | None = None  #: how names of files begin that belong to this attempt alone; None: there is no place


@dataclass(frozen=True, slots=True)
class Invocation:
    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)  #: what this agent needs beside the rest
    files: Mapping[Path, str] = field(default_factory=dict)  #: to be written before it starts; each lies at `Job.desk`


@dataclass(frozen=True, slots=True)
class Features:
    """What an agent can do: a row of the table in the documentation."""

    title: str
    resumes: bool = False  #: goes on with an earlier session
    slash_commands: bool = False
    reports_usage: bool = False
    read_only: bool = False  #: reviewers and inspectors can be kept from changing the work
    protocol: bool = False  #: says in its output that it is done; each line must be read to know the result
    announces: bool = False  #: says a first word as soon as it has started, before it asks its model
    env_prefixes: tuple[str, ...] = ()  #: names of our environment that it needs for itself
    env_if: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: further ones, where the name before them is set
    rules: bool = False  #: `Job.allow` and `Job.deny` reach it
    reports_cost: bool = False
    usage_of_session: bool = False  #: what it tells is the total of its session, not of this attempt
    tells_refusals: bool = False  #: its output shows that it was refused a permission
    login: "Login | None" = None  #: where its credentials lie
    help: tuple[str, ...] = ("--help",)  #: how it prints the options that we use
    tried: tuple[str, ...] = ()  #: versions that were driven, the oldest and the newest
    needs: tuple[str, ...] = ()  #: what its help must name, or its version is not one that we can drive
    silent_files: tuple[str, ...] = ()  #: its own settings in JSON, of which it says nothing when they are broken
    limits: tuple[str, ...] = ()  #: what it cannot do, in sentences for the documentation


@dataclass(frozen=True, slots=True)
class Login:
    """Where an agent keeps its credentials: enough to look for them, never to read them."""

    remedy: str  #: what a person calls to log in
    variables: tuple[str, ...] = ()  #: any of these names in the environment is a login
    files: tuple[str, ...] = ()  #: any of these files is one; "~" is HOME, "$NAME/…" a folder named by the environment


@dataclass(frozen=True, slots=True)
class Started:
    session: str


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class ToolStart:
    name: str
    summary: str  #: one line about its input


@dataclass(frozen=True, slots=True)
class ToolEnd:
    name: str  #: empty when the agent does not say which
    ok: bool


@dataclass(frozen=True, slots=True)
class UsageSeen:
    usage: Usage  #: since the last such event: to be added up


@dataclass(frozen=True, slots=True)
class Retrying:
    detail: str


@dataclass(frozen=True, slots=True)
class Denied:
    tool: str


@dataclass(frozen=True, slots=True)
class RateLimited:
    until: float | None  #: seconds since the epoch


@dataclass(frozen=True, slots=True)
class Terminal:
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Unknown:
    line: str  #: its beginning


AgentEvent = Started | Text | ToolStart | ToolEnd | UsageSeen | Retrying | Denied | RateLimited | Terminal | Unknown


@dataclass(frozen=True, slots=True)
class Report:
    """All that an attempt brought."""

    outcome: Outcome
    words: str = ""  #: the agent's final words; text, never to be trusted
    tool_calls: int = 0
    denied: tuple[str, ...] = ()  #: tools that were refused to it and that it did not do without
    left_behind: int = 0  #: processes that had to be ended after it
    seconds: float = 0.0
    commands: frozenset[str] | None = None  #: the slash commands that it knows; None: it does not say


class Reader(Protocol):
    """Reads the output of one attempt from its beginning."""

    @property
    def final(self) -> bool:
        """Whether the last thing it said is that the work is over."""
        ...

    def feed(self, line: bytes) -> tuple[AgentEvent, ...]:
        """One line without its end; never fails, whatever is in it."""
        ...

    def conclude(self, ended: Ended, out: bytes, err: bytes, /) -> Report:
        """The result, from the lines, the process's end, and the last bytes of both outputs."""
        ...


class Adapter(Protocol):
    """One agent program. Stateless: every method answers from what it is given."""

    @property
    def features(self) -> Features:
        """What the agent can do; the documentation's table and `doctor` are made from it."""
        ...

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        """How the program is called for a job. Nothing of a prompt may be taken for an option."""
        ...

    def reader(self) -> Reader:
        """A new reader, for the output of one attempt."""
        ...

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        """What to call for its version; empty: it must not be called for that."""
        ...


#: What may follow an option for resuming. Ids come out of an agent's output: none may be taken for an option.
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
#: What a role that looks may write in the spec's folder: its report, and the state that slash commands note.
_REPORTS = {
    "reviewer": ("document-review-*.md", "spec.json"),
    "inspector": ("inspection-*.md", "verification.md", "spec.json", "bug.json"),
}


def session_of(job: Job) -> str:
    """The session to resume; empty when there is none, or none that can safely stand on a command line."""
    return job.session if _SESSION.fullmatch(job.session) else ""


def spec_folder(job: Job) -> str:
    """The absolute path of the spec's folder; empty when it is not known."""
    folder = job.environment.get("SHIAGE_SPEC_DIR", "")
    return folder if folder.startswith("/") else ""


def reports(job: Job) -> tuple[str, ...]:
    """Absolute patterns of the files that a looking role writes."""
    folder = spec_folder(job)
    return tuple(f"{folder}/{name}" for name in _REPORTS.get(job.role, ())) if folder else ()


def words_of(rules: tuple[str, ...]) -> tuple[str, ...]:
    """Rules as arguments. Names that came out of an agent's output are among them: none may be an option."""
    return tuple(rule for rule in rules if rule[:1].isalpha())


def exactly(tool: str, command: str) -> str:
    """The narrowest rule that allows a command: by its own words, if a person can read them all in a line."""
    return f"{tool}({command})" if command and command == plain(command, LONGEST_RULE) else tool


def cut_short(ended: Ended) -> bool:
    """Whether the agent had no say in its end."""
    return ended.ending in (Ending.STOPPED, Ending.TIMED_OUT, Ending.NOT_STARTED)


_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")


def plain(text: str, most: int = 300) -> str:
    """One line for a person: no escape sequences, no control characters, not too long."""
    line = _CONTROLS.sub(" ", _ESCAPES.sub("", text[: 8 * most])).strip()
    return line if len(line) <= most else line[: most - 1] + "…"


def last_line(output: bytes) -> str:
    """The last line with something in it."""
    lines = (plain(line.decode("utf-8", "replace")) for line in reversed(output[-8192:].split(b"\n")))
    return next((line for line in lines if line), "")


def explained(detail: str, err: bytes) -> str:
    """A failure in words, with what the program said last."""
    said = last_line(err)
    return f"{detail} {said}".strip() if said else detail
