"""What a person can do to a spec now, and why not where they can't: the same answer on every screen."""

from dataclasses import dataclass

from shiage.app.views import SpecView
from shiage.domain.reasons import REASONS


@dataclass(frozen=True, slots=True)
class Offer:
    """An action on a spec; `obstacle` names in the catalogue why it is not possible now."""

    action: str
    obstacle: str = ""
    sure: bool = False  #: cannot be undone, so a person is asked once


def offers(view: SpecView) -> tuple[Offer, ...]:
    """In the order in which a person looks for them."""
    busy = "running" if view.status == "running" else ""
    idle = "" if busy else "not-running"
    refused = bool(view.reason) and REASONS[view.reason].needs_reset
    finished = "completed" if view.status == "completed" else ""
    waits = view.status in ("paused", "error")
    return (
        Offer("run", busy or finished or ("needs-reset" if refused else "")),
        Offer("stop", idle, sure=True),
        Offer("approve", busy or finished or ("needs-reset" if refused else ""), sure=True),
        Offer("answer", busy or ("" if view.answerable else "no-question")),
        Offer("reset", busy or ("" if waits or finished else "nothing-to-reset"), sure=True),
        Offer("step", busy),
    )
