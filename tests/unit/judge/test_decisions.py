"""Single decisions of the judge: a sentence, a change, and exactly what is found in it."""

from typing import Any

import pytest
from labelled import HERE, table

from shiage.judge import check

FILES = sorted(path.stem for path in (HERE / "decisions").glob("*.toml"))


def changes(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The row once, or once for each of its words, which takes the place of §."""
    words = row.get("each", [""])
    return [
        {key: value.replace("§", word) if isinstance(value, str) else value for key, value in row.items()}
        for word in words
    ]


def wanted(row: dict[str, Any]) -> list[str]:
    """The findings of a row; a word instead means a mark in each line that says it."""
    if isinstance(row["finds"], list):
        return row["finds"]
    lines = enumerate(row["text"].split("\n"), 1)
    return [f"comment-mark {number}" for number, line in lines if row["finds"] in line]


def found(criterion: str, row: dict[str, Any]) -> list[str]:
    path = row.get("file", "a.py")
    before = {path: row["before"]} if "before" in row else {}
    after = {path: row["text"]} if "text" in row else {} if "nothing" in row else {"src/done.py": "x = 1\n"}
    given = {key: row[key] for key in ("report", "request", "status") if key in row}
    findings = check(criteria=[criterion], after=after, before=before, **given).findings
    return [f"{one.rule} {one.line}" for one in findings]


ROWS = [
    pytest.param(criterion, row, id=row["says"])
    for name in FILES
    for criterion, rows in table(f"decisions/{name}").items()
    for row in rows
]


@pytest.mark.parametrize(("criterion", "row"), ROWS)
def test_it_is_decided(criterion: str, row: dict[str, Any]) -> None:
    judged = [(one, found(criterion, one)) for one in changes(row)]
    assert [(one, findings) for one, findings in judged if findings != wanted(one)] == []


def test_every_row_has_a_sentence_of_its_own() -> None:
    said = [row.id for row in ROWS]
    assert len(said) == len(set(said))
