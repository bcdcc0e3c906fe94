"""Every adapter keeps every promise, and an adapter with a planted defect is caught."""

from dataclasses import replace

import pytest
from subjects import SUBJECTS

from shiage.agents.adapter import Report
from shiage.agents.claude import Claude
from shiage.agents.claude_stream import Stream
from shiage.agents.table import ADAPTERS
from shiage.domain.outcome import Ending
from shiage.testing import promises_for

PAIRS = [pytest.param(s, p, id=f"{s.kind}-{p.__name__}") for s in SUBJECTS for p in promises_for(s)]


@pytest.mark.parametrize(("subject", "promise"), PAIRS)
def test_adapters_keep_their_promises(subject, promise, tmp_path):
    promise(subject, tmp_path)


def test_every_adapter_is_put_to_the_test():
    assert {subject.kind for subject in SUBJECTS} >= set(ADAPTERS)


class IgnoresItsResult(Stream):
    def _ignored(self, _event):
        return ()

    readers = Stream.readers | {"result": _ignored}


class BelievesExitZero(Stream):
    def conclude(self, ended, out, err, /):
        report = super().conclude(ended, out, err)
        ending = Ending.COMPLETED if ended.exit_code == 0 else report.outcome.ending
        return Report(replace(report.outcome, ending=ending), report.words, report.tool_calls)


class BelievesItsResult(Stream):
    def conclude(self, ended, out, err, /):
        report = super().conclude(ended, out, err)
        ending = Ending.COMPLETED if self.done and self.done.ok else report.outcome.ending
        return Report(replace(report.outcome, ending=ending), report.words, report.tool_calls)


class StumblesOverNews(Stream):
    def feed(self, line):
        return self.readers[line.split(b'"')[3].decode()](self, {}) and super().feed(line)


class SplitsAtUnicodeLines(Stream):
    def feed(self, line):
        parts = [part.encode() for part in line.decode("utf-8", "replace").splitlines()]
        return tuple(event for part in parts for event in super(SplitsAtUnicodeLines, self).feed(part))


class LetsTheFirstResultDecide(Stream):
    def ended(self, done):
        if self.done is None:
            super().ended(done)

    def begun(self):
        return ()


class ReadsLinesOfSomeKilobytes(Stream):
    def feed(self, line):
        return super().feed(line[:65_536])


class CountsItsUsageTwice(Stream):
    def _twice(self, event):
        return (*Stream.readers["result"](self, event), *Stream.readers["result"](self, event))

    readers = Stream.readers | {"result": _twice}


class AddsItsUsageWithoutAWord(Stream):
    def _silently(self, event):
        events = Stream.readers["result"](self, event)
        self.usage += self.usage
        return events

    readers = Stream.readers | {"result": _silently}


class CutsItsWordsWithinACharacter(Stream):
    def feed(self, line):
        events = super().feed(line)
        self.said = self.said.encode()[:4].decode("utf-8", "replace")
        if self.done:
            self.done = replace(self.done, words=self.said)
        return events


class DropsWhatIsNotAscii(Stream):
    def feed(self, line):
        return super().feed(line.decode("ascii", "ignore").encode())


class LosesItsSession(Stream):
    def conclude(self, ended, out, err, /):
        self.session = ""
        return super().conclude(ended, out, err)


class LosesItsSessionWhenItFails(Stream):
    def conclude(self, ended, out, err, /):
        if ended.ending is not Ending.COMPLETED:
            self.session = ""
        return super().conclude(ended, out, err)


@pytest.mark.parametrize(
    "reader",
    [
        CountsItsUsageTwice,
        AddsItsUsageWithoutAWord,
        CutsItsWordsWithinACharacter,
        DropsWhatIsNotAscii,
        LosesItsSession,
        LosesItsSessionWhenItFails,
        IgnoresItsResult,
        BelievesExitZero,
        BelievesItsResult,
        StumblesOverNews,
        SplitsAtUnicodeLines,
        LetsTheFirstResultDecide,
        ReadsLinesOfSomeKilobytes,
    ],
)
def test_a_planted_defect_breaks_a_promise(reader, tmp_path):
    class Defective(Claude):
        def reader(self):
            return reader()

    subject = replace(SUBJECTS[0], adapter=Defective())
    assert any(_breaks(promise, subject, tmp_path) for promise in promises_for(subject))


@pytest.mark.parametrize("subject", [s for s in SUBJECTS if s.adapter.features.protocol], ids=lambda s: s.kind)
def test_an_adapter_that_ignores_its_result_is_caught(subject, tmp_path):
    """Whichever agent it is for: its reader is deaf to the kind of event in which the result comes."""

    class Deaf(type(subject.adapter)):
        def reader(self):
            reader = super().reader()
            reader.readers = {kind: read for kind, read in reader.readers.items() if kind != subject.done[-1]["type"]}
            return reader

    broken = replace(subject, adapter=Deaf())
    promises = {promise.__name__: promise for promise in promises_for(subject)}
    for name in ("a_run_that_ended_well_is_complete", "it_knows_its_final_line"):
        assert _breaks(promises[name], broken, tmp_path), name


def _breaks(promise, subject, folder):
    try:
        promise(subject, folder)
    except Exception:
        return True
    return False
