"""The block at the bottom of the live view: the only part of the screen that is drawn again."""

from collections import deque
from dataclasses import dataclass, field

from shiage.app.views import SpecView
from shiage.cli.pages import header, waiting
from shiage.cli.text import clean, duration, fit, lines_of
from shiage.cli.words import counted, has, t
from shiage.domain.run import Attempt

_SAID = 3  #: lines of the agent's words
_KEPT = 20  #: of them that a key shows
_NARROWEST = 40
Styled = tuple[str, str]  #: a line and its style


@dataclass
class Block:
    """The last lines of the screen. Changed by the run, read by whoever draws."""

    spec: str = ""
    began: float = 0.0
    view: SpecView | None = None
    notice: str = ""
    keys: tuple[str, ...] = ("stop", "log", "open", "keys")  #: what the bar at the bottom names
    attempt: Attempt | None = None
    attempt_began: float = 0.0
    calls: int = 0
    tool: str = ""
    total: int = 0
    words: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def look(self, view: SpecView, now: float) -> None:
        """Where the spec stands now."""
        if self.view is None or view.agent_id != self.view.agent_id:
            self.attempt_began = now
        self.view = view

    def _of(self, attempt: Attempt) -> None:
        """A new attempt begins with nothing said."""
        if self.attempt is None or self.attempt.agent_id != attempt.agent_id:
            self.attempt, self.calls, self.tool, self.total = attempt, 0, "", 0
            self.words.clear()

    def said(self, attempt: Attempt, text: str) -> None:
        self._of(attempt)
        lines = [line for line in lines_of(text) if line.strip()]
        self.total += len(lines)
        self.words.extend(lines[-_KEPT:])

    def called(self, attempt: Attempt, tool: str) -> None:
        self._of(attempt)
        self.calls += 1
        self.tool = clean(tool)

    def title(self) -> str:
        """For the window: as short as it can be."""
        if self.view is None:
            return f"shiage {self.spec}"
        at = f" {self.view.round['current']}/{self.view.round['max']}" if self.view.phase == "document-review" else ""
        return clean(f"⏵ {self.spec} {self.view.phase}{at}")

    def lines(self, width: int, now: float) -> list[Styled]:
        """The block at this moment, no line wider than the terminal."""
        width = max(width, _NARROWEST) - 1  # the last column makes some terminals wrap
        if self.view is None:
            return [(fit(f"{self.spec}  {t('live.starting')}", width), "dim")]
        head, *told = self._work(self.view, now)
        notice = (f" {self.notice}", "yellow") if self.notice else (f" {self._bar()}", "dim")
        drawn = [("", ""), (header(self.view, now - self.began, width), "bold"), ("", ""), (head, "blue")]
        drawn += [*((line, "dim") for line in told), ("", ""), notice]
        return [(fit(line, width), style) for line, style in drawn]

    def _bar(self) -> str:
        return "   ".join(t(f"live_key.{name}") for name in self.keys)

    def _work(self, view: SpecView, now: float) -> list[str]:
        if not view.agent_id and (waits := waiting(view)):
            return [f"  {view.phase}   {waits}"]
        if not view.agent_id:
            return [f"  {view.phase}   {t('doing.assess')}"]
        number = f" #{view.round['current']}" if view.phase == "document-review" else ""
        doing = t(f"doing.{view.role}") if has(f"doing.{view.role}") else view.role
        parts = [
            f"{view.phase}{number}   {doing} {duration(now - self.attempt_began)}",
            f"{view.agent}  a-{view.attempt}",
        ]
        if self.calls:
            parts.append(counted("call", self.calls))
        if self.tool:
            parts.append(t("live.last", tool=self.tool))
        return [f"  {'   '.join(parts)}", *self.told(_SAID)]

    def told(self, most: int = _KEPT) -> list[str]:
        """The agent's last words, and where all of them are."""
        words = [f"  │ {line}" for line in [*self.words][-most:]]
        return [*words, f"  └ {counted('line', self.total)}   {t('live.log', spec=self.spec)}"]
