"""Q1: which files a request names, and what is said when they are missing."""

import tomllib
from pathlib import Path

import pytest

from shiage.domain.verdict import Judgment
from shiage.judge import check
from shiage.judge.requests import Wish, is_read_only, wanted_files

CASES = tomllib.loads((Path(__file__).parents[2] / "corpus" / "requests.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=[case["request"][:40] for case in CASES])
def test_the_files_of_a_request_are_understood(case):
    wanted = wanted_files(case["request"])
    assert {item.path for item in wanted if item.wish is Wish.WRITTEN} == set(case.get("written", []))
    assert {item.path for item in wanted if item.wish is Wish.DELETED} == set(case.get("deleted", []))


@pytest.mark.parametrize("case", [case for case in CASES if case.get("written")], ids=lambda case: case["request"][:40])
def test_each_requested_file_is_missed_when_it_alone_is_forgotten(case):
    for forgotten in case["written"]:
        after = {path: "x = 1\n" for path in case["written"] if path != forgotten} | {"other.txt": "x\n"}
        after |= dict.fromkeys(case.get("deleted", []))
        findings = check(report="Created all.", after=after, request=case["request"], criteria=["Q1"]).findings
        assert [(finding.rule, finding.path) for finding in findings] == [("file-missing", forgotten)]


@pytest.mark.parametrize("case", CASES, ids=[case["request"][:40] for case in CASES])
def test_a_fulfilled_request_passes(case):
    after = dict.fromkeys(case.get("written", []), "x = 1\n") | dict.fromkeys(case.get("deleted", []))
    assert check(report="Created all.", after=after, request=case["request"], criteria=["Q1"]).judgment is Judgment.PASS


def test_a_file_may_lie_in_another_folder_when_the_request_names_none():
    assert (
        check(report="Made.", after={"src/app.py": "x = 1\n"}, request="Create app.py", criteria=["Q1"]).judgment
        is Judgment.PASS
    )


def test_a_requested_file_that_is_empty_is_rejected():
    assert check(report="Made.", after={"app.py": "\n"}, request="Create app.py").findings[0].rule == "file-empty"
    assert check(report="Made.", after={"a/__init__.py": ""}, request="Create a/__init__.py").judgment is Judgment.PASS


def test_a_file_that_was_to_be_written_and_is_deleted_is_missing():
    assert check(
        report="Made.", after={"app.py": None}, before={"app.py": "x\n"}, request="Update app.py", criteria=["Q1"]
    ).criteria_failed == ("Q1",)


def test_a_file_that_was_to_be_deleted_and_is_there_is_rejected():
    assert (
        check(report="Gone.", after={"b.py": "x = 1\n"}, request="Delete old.py").findings[0].rule == "file-not-deleted"
    )


@pytest.mark.parametrize(
    "request_",
    [
        "Explain how the cache works",
        "What does main.go do?",
        "Review src/app.py",
        "このコードを説明して",
        "Look at a.py but do not change any files",
        "変更せずに調査して",
    ],
)
def test_requests_for_words_are_recognised(request_):
    assert is_read_only(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "Fix the bug",
        "Review src/app.py and fix it",
        "調査して修正してください",
        "Add a page that explains the cache",
    ],
)
def test_requests_for_changes_are_recognised(request_):
    assert not is_read_only(request_)
