"""The seal on the tasks: what was to be done when work began must still be there when it ends."""

from collections import Counter
from collections.abc import Iterable

from shiage.domain.run import SealedTask
from shiage.specs.tasks import Box, TaskList

MOST_LINES = 40  #: of a diff; whoever removed more than that sees enough
WIDTH = 200


def seal(tasks: TaskList) -> tuple[SealedTask, ...]:
    """Take down every task as it is now."""
    return tuple(SealedTask(box.id, box.text, order) for order, box in enumerate(tasks.boxes))


def compare(sealed: Iterable[SealedTask], tasks: TaskList) -> str:
    """Empty while every sealed task is there, else a diff that names those that are not.

    Ticks, additions and another order are free. Equal tasks count as many times as they stand there.
    """
    then = list(sealed)
    left = Counter((box.id, box.text) for box in tasks.boxes)
    gone: list[SealedTask] = []
    for task in then:
        if left[task.id, task.text]:
            left[task.id, task.text] -= 1
        else:
            gone.append(task)
    return _diff(gone, [box for box in tasks.boxes if left[box.id, box.text]]) if gone else ""


def _diff(gone: list[SealedTask], added: list[Box]) -> str:
    """The lost tasks, and the new ones that may stand for them: those of the same id, or without one as they were."""
    ids = {task.id for task in gone}
    lines = [f"- {task.text[:WIDTH]}" for task in gone]
    lines += [f"+ {box.text[:WIDTH]}  (line {box.line})" for box in added if box.id in ids]
    more = len(lines) - MOST_LINES
    rest = [f"… and {more} more"] if more > 0 else []
    return "\n".join(["--- tasks.md when the work began", "+++ tasks.md now", *lines[:MOST_LINES], *rest])
