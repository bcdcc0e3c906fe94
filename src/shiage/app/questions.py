"""All that waits for a person, across specs, bugs and free-form tasks: read off their views, decided nowhere else."""

from collections.abc import Iterable
from dataclasses import dataclass

from shiage.app.views import SpecView
from shiage.domain.errors import UserError
from shiage.domain.run import Status

#: Stops that a person chose: they know, and nothing is asked of them.
_KNOWN = frozenset({"stopped", "approved", "muted"})
_WAITS = frozenset({Status.PAUSED.value, Status.ERROR.value})


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a person has to settle, in the words that every front end shows."""

    spec: str  #: what it is about: the name of a spec, a bug or a task
    kind: str  #: spec, bug, task
    status: str  #: paused, or error
    reason: str
    phase: str
    text: str  #: what is asked, or what went wrong
    path: str  #: the file it is about
    since: str  #: RFC 3339; empty where the journal does not tell
    next_action: str
    answerable: bool = False  #: whether an answer in words is taken
    run: str = ""
    attempt: int = 0  #: the attempt that led to it
    cause: str = ""  #: why that attempt failed, where it did


def question_of(view: SpecView) -> Question | None:
    """What this spec asks, if it asks anything."""
    if view.status not in _WAITS or view.reason in _KNOWN:
        return None
    return Question(
        view.spec, view.workflow, view.status, view.reason, view.phase, view.detail, view.path, view.since,
        view.next_action, view.answerable, view.run, view.attempt, view.cause,
    )  # fmt: skip


def questions_of(views: Iterable[SpecView]) -> tuple[Question, ...]:
    """All questions, the longest waiting first."""
    found = [question for view in views if (question := question_of(view))]
    return tuple(sorted(found, key=lambda question: (not question.since, question.since, question.spec)))


def require_words(text: str) -> None:
    """Silence answers nothing."""
    if not text.strip():
        raise UserError("answer-empty", "an answer needs words", help='say what to do: `shiage answer SPEC "…"`.')
