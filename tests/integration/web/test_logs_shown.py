"""Logs of any size: pages, the whole of it searched, a line without end cut."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiage.app.journals import AttemptRow
from shiage.app.logs import LONGEST, PAGE, Logs
from shiage.domain.errors import UserError

ROW = AttemptRow(
    run="r-0001", attempt=1, agent_id="a", agent="actor", phase="impl", role="implementer", round=0, started_at=0.0,
    log=".shiage/runs/r-0001/attempt-1.log",
)  # fmt: skip


@pytest.fixture
def log(desk: Any) -> Path:
    place: Path = desk.site.workspace.root / ROW.log
    place.parent.mkdir(parents=True)
    return place


def test_a_log_is_given_in_pages_and_searched_as_a_whole(desk: Any, log: Path) -> None:
    log.write_text("".join(f"line {number}{' Needle' if number % 7 == 0 else ''}\n" for number in range(1, 5001)))
    logs = Logs(desk.site.workspace)
    assert logs.count(ROW) == 5000
    assert [(line.number, line.text) for line in logs.lines(ROW, 2999, 2)] == [(2999, "line 2999"), (3000, "line 3000")]
    assert [len(logs.lines(ROW, first)) for first in (1, 4001, 4990, 5001)] == [PAGE, PAGE, 11, 0]
    hits = logs.search(ROW, "nEEDLE")
    assert (hits.count, hits.lines[:2]) == (714, (7, 14))


def test_a_log_that_grows_is_read_on_and_one_that_was_replaced_anew(desk: Any, log: Path) -> None:
    logs = Logs(desk.site.workspace)
    log.write_bytes(b"one\ntw")
    assert (logs.count(ROW), logs.lines(ROW, 2)[0].text) == (2, "tw")
    with log.open("ab") as file:
        file.write(b"o\n" + b"more\n" * 2500)
    assert (logs.count(ROW), logs.lines(ROW, 2)[0].text, logs.lines(ROW, 2502)[0].text) == (2502, "two", "more")
    log.unlink()
    log.write_bytes(b"new\n")
    assert [line.text for line in logs.lines(ROW, 1)] == ["new"]


def test_a_line_without_end_is_cut_and_says_so(desk: Any, log: Path) -> None:
    log.write_bytes(b"x" * 3_000_000 + b"\n\xff\xfe\n")
    first, second = Logs(desk.site.workspace).lines(ROW, 1)
    assert (len(first.text), first.cut, second.text) == (LONGEST, 3_000_000 - LONGEST, "\ufffd\ufffd")


def test_a_log_that_is_a_link_out_of_the_project_is_not_followed(desk: Any, log: Path) -> None:
    log.symlink_to("/etc/hostname")
    with pytest.raises(UserError):
        Logs(desk.site.workspace).lines(replace(ROW), 1)
