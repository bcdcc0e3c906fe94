"""What a report says in its own voice, and what it delivers in fences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from shiage.judge.change import FileChange
from shiage.judge.languages import LANGUAGES, language_named
from shiage.judge.prose import Line, fences, prose_lines, without_quotes

PATH = "report"  #: what findings in a report name as their file
MAX_REPORT = 100_000  #: characters that are read; the end is what counts, so the head is dropped
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*;\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in the agent's own voice: `text` without quotations, `raw` with them."""

    line: int
    text: str
    raw: str


@lru_cache(maxsize=4)
def sentences(report: str) -> tuple[Sentence, ...]:
    """Sentences outside fences, block quotes, code spans and quotation marks; several criteria ask for them."""
    return tuple(_sentences(report))


def read_lines(report: str) -> Iterator[Line]:
    """The lines of prose of the part that is read, with their numbers in the whole report."""
    dropped = report[:-MAX_REPORT].count("\n")
    for line in prose_lines(report[-MAX_REPORT:]):
        yield replace(line, number=line.number + dropped) if dropped else line


def _sentences(report: str) -> Iterator[Sentence]:
    for line in read_lines(report):
        own = without_quotes(line.raw)
        start = 0
        for end in [*(match.start() for match in _SENTENCE_END.finditer(own)), len(own)]:
            if own[start:end].strip():
                yield Sentence(line.number, own[start:end].strip(), line.raw[start:end].strip())
            start = end


def delivered(report: str) -> tuple[FileChange, ...]:
    """The fenced blocks of a report as new files: its deliverable when nothing else was changed."""
    blocks = [block for block in fences(report[-MAX_REPORT:]) if block.text.strip()]
    files = []
    for number, block in enumerate(blocks, 1):
        language = language_named(block.info)
        extension = next((row.extensions[0] for row in LANGUAGES if row is language), "")
        files.append(FileChange(f"{PATH}#{number}{extension}", block.text, None, spoken=language))
    return tuple(files)
