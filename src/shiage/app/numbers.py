"""Charts over time, drawn from the sums of the journals: rounds, findings, re-runs, rejections, time and cost."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from shiage.app.figures import Figures, Summed
from shiage.app.workspace import Workspace

HUNDREDTHS = 100


@dataclass(frozen=True, slots=True)
class Series:
    """One line or one set of bars; its name is a value, or a key of the catalogue."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    id: str  #: names its title in the catalogue
    labels: tuple[str, ...]  #: along the bottom
    series: tuple[Series, ...]
    shape: str = "lines"  #: lines, bars, or stack: bars on top of each other

    def rows(self) -> Iterable[tuple[str, tuple[float, ...]]]:
        """The same figures as a table."""
        columns = [each.values for each in self.series]
        return zip(self.labels, zip(*columns, strict=True), strict=True)

    @property
    def csv(self) -> str:
        """A label that a spreadsheet would take for a formula cannot occur: names and days begin otherwise."""
        head = ",".join(("label", *(each.name for each in self.series)))
        lines = (",".join((label, *(f"{value:g}" for value in values))) for label, values in self.rows())
        return "\r\n".join((head, *lines, ""))


class Numbers:
    def __init__(self, workspace: Workspace) -> None:
        self._summed = Summed(workspace)

    def charts(self, spec: str = "") -> tuple[Chart, ...]:
        """All charts that have something to show; of one spec, or of all."""
        return _charts(self._summed.of(spec))

    def soon(self, spec: str = "") -> tuple[tuple[Chart, ...], int]:
        """The same of what was read so far, and how many specs are still being read."""
        figures, left = self._summed.soon(spec)
        return _charts(figures), left


def _charts(figures: Sequence[Figures]) -> tuple[Chart, ...]:
    return tuple(made for make in _CHARTS if (made := make(figures)).labels)


def _findings(figures: Sequence[Figures]) -> Chart:
    """What the reviews left to fix and to discuss, by round."""
    fix, discuss = Counter[int](), Counter[int]()
    for number, (one, other) in (pair for each in figures for pair in each.found.items()):
        fix[number] += one
        discuss[number] += other
    labels = sorted(fix.keys())
    series = (Series("fix", tuple(fix[n] for n in labels)), Series("discuss", tuple(discuss[n] for n in labels)))
    return Chart("findings", tuple(f"#{number}" for number in labels), series)


def _rounds(figures: Sequence[Figures]) -> Chart:
    """How many rounds the reviews took: a distribution over specs."""
    taken = Counter(max(each.found) for each in figures if each.found)
    labels = range(1, max(taken, default=0) + 1)
    return Chart("rounds", tuple(map(str, labels)), (Series("specs", tuple(taken[n] for n in labels)),), "bars")


def _first_pass(figures: Sequence[Figures]) -> Chart:
    """Of the first attempts at a piece of work, how many the judge let pass, in per cent by day."""
    found = _by_day("firstpass", figures)
    shares = tuple(round(100 * counts["PASS"] / counts.total(), 1) for counts in found.values())
    return Chart("firstpass", tuple(found), (Series("PASS %", shares),), "bars")


def _reruns(figures: Sequence[Figures]) -> Chart:
    """Attempts at the implementation after the first, by spec."""
    again = {each.spec: each.implementations - 1 for each in figures if each.implementations}
    return Chart("reruns", tuple(again), (Series("reruns", tuple(again.values())),), "bars")


def _stacked(name: str, parts: int = HUNDREDTHS) -> Callable[[Sequence[Figures]], Chart]:
    """Sums by day, the kinds on top of each other."""

    def made(figures: Sequence[Figures]) -> Chart:
        found = _by_day(name, figures)
        kinds = sorted({kind for counts in found.values() for kind in counts if counts[kind]})
        series = tuple(Series(kind, tuple(counts[kind] / parts for counts in found.values())) for kind in kinds)
        return Chart(name, tuple(found) if kinds else (), series, "stack")

    return made


def _by_day(name: str, figures: Sequence[Figures]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for (day, kind), value in (pair for each in figures for pair in each.days.get(name, {}).items()):
        found[day][kind] += value
    return dict(sorted(found.items()))


#: Rejected attempts are counted by the criterion that failed, the rest by phase or by who was at work.
_CHARTS: tuple[Callable[[Sequence[Figures]], Chart], ...] = (
    _findings, _rounds, _first_pass, _stacked("rejected", parts=1), _reruns, _stacked("waiting"), _stacked("time"),
    _stacked("cost"), _stacked("tokens"),
)  # fmt: skip
