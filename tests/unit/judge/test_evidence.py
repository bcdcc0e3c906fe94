"""Q5: evidence that is there, missing, contradicted or weakened."""

import pytest

from shiage.domain.verdict import Judgment
from shiage.judge import check

DONE = {"src/app.py": "def go() -> int:\n    return 1\n"}
TEST = "def test_a():\n    assert go() == 1\n\n\ndef test_b():\n    assert go() != 2\n"


def rules(**given):
    given.setdefault("report", "Implemented it.")
    return {finding.rule for finding in check(**given).findings if finding.criteria_id == "Q5"}


@pytest.mark.parametrize("status", ["INCOMPLETE", "NO_EVIDENCE", "ERROR", "BLOCKED", "", "whatever"])
def test_any_status_but_complete_is_rejected(status):
    verdict = check(report="Implemented it.", after=DONE, status=status)
    assert verdict.judgment is Judgment.REJECT
    assert verdict.criteria_failed == ("Q5",)


@pytest.mark.parametrize(
    "said",
    [
        "API Error: 529 overloaded",
        "rate limit exceeded",
        "Request timed out",
        "ECONNRESET",
        "一時的なエラーが発生しました",
    ],
)
def test_a_passing_error_is_tried_again(said):
    assert check(report=said, after={}, status="ERROR").judgment is Judgment.RETRY
    assert check(report=said, after={"a.py": "# TODO: x\n"}, status="ERROR").judgment is Judgment.REJECT
    assert check(report=said, after=DONE).judgment is Judgment.PASS


@pytest.mark.parametrize("report", ["", " \n\t"])
def test_empty_output_is_rejected_whatever_was_changed(report):
    assert check(report=report, after={}).judgment is Judgment.REJECT
    assert rules(report=report, after=DONE) == {"empty-output"}


def test_without_any_report_only_the_change_is_judged():
    assert check(after=DONE).judgment is Judgment.PASS
    assert check().judgment is Judgment.REJECT


def test_a_change_that_changes_nothing_is_no_change():
    assert rules(after=DONE, before=DONE) == {"no-change"}
    assert rules(after={"a.txt": "x\r\n"}, before={"a.txt": "x\n"}) == {"no-change"}


def test_words_are_the_evidence_of_a_request_for_words():
    answer = "The cache holds the last hundred pages and drops the oldest one first."
    assert rules(report=answer, after={}, request="Explain how the cache works") == set()
    assert rules(report="Done.", after={}, request="Explain how the cache works") == {"no-change"}
    assert rules(report=answer, after={}, request="Fix the cache") == {"no-change"}


def test_deletions_are_the_evidence_of_a_request_for_deletion():
    gone = {"after": {"old.py": None}, "before": {"old.py": "x = 1\n"}}
    assert rules(**gone, request="Delete old.py") == set()
    assert rules(after={"old.py": None}, request="Delete old.py") == set()
    assert rules(**gone, request="Add a login page") == {"only-deletions"}
    assert rules(**gone) == set()


def test_a_change_of_empty_files_is_no_evidence():
    assert rules(after={"app.py": ""}) == {"empty-change"}
    assert rules(after={"pkg/__init__.py": ""}) == set()


@pytest.mark.parametrize(
    "report",
    [
        "Created `src/login.py` with the form.",
        "I added tests in tests/test_login.py.",
        "src/login.py を作成しました。",
        "Files changed:\n- src/login.py\n- src/app.py",
    ],
)
def test_a_claimed_file_that_is_not_in_the_change_is_a_finding(report):
    assert rules(report=report, after=DONE) == {"claim-without-file"}


@pytest.mark.parametrize(
    "report",
    [
        "Created `src/app.py`.",
        "Updated app.py.",
        "I would have created src/login.py but it exists already.",
        "Ran tests/test_login.py.",
        "I read src/login.py.",
        "Files changed:\n- src/app.py: the entry",
    ],
)
def test_files_that_are_only_mentioned_are_no_claims(report):
    assert rules(report=report, after=DONE) == set()


def test_a_file_that_was_given_as_it_stood_is_no_empty_claim():
    both = {"after": {**DONE, "src/b.py": "x = 1\n"}, "before": {"src/b.py": "x = 1\n"}}
    assert rules(**both, report="Updated src/app.py and src/b.py.") == set()
    assert rules(**both, report="Updated src/c.py.") == {"claim-without-file"}


def test_a_deleted_test_is_weaker_evidence():
    gone = {"after": {**DONE, "tests/test_app.py": None}, "before": {"tests/test_app.py": TEST}}
    assert rules(**gone, request="Fix go()") == {"test-deleted"}
    assert rules(**gone, request="Remove the obsolete tests") == set()


def test_tests_of_deleted_code_may_go_with_it():
    after = {"src/app.py": None, "tests/test_app.py": None}
    assert rules(after=after, before={**DONE, "tests/test_app.py": TEST}) == set()


def test_moved_tests_are_not_lost():
    after = {"tests/test_app.py": None, "tests/unit/test_app.py": TEST}
    assert rules(after=after, before={"tests/test_app.py": TEST}) == set()


def test_a_test_taken_out_of_its_file_is_weaker_evidence():
    assert rules(after={"tests/test_app.py": TEST.split("\n\n\n")[0] + "\n"}, before={"tests/test_app.py": TEST}) == {
        "test-removed"
    }


def test_fewer_assertions_are_weaker_evidence():
    hollow = TEST.replace("    assert go() != 2\n", "    go()\n")
    assert rules(after={"tests/test_app.py": hollow}, before={"tests/test_app.py": TEST}) == {"assertion-removed"}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("tests/test_a.py", "    assert True"),
        ("a.test.js", "expect(true).toBe(true);"),
        ("src/a_test.rs", "assert!(true);"),
        ("tests/ATest.php", "$this->assertTrue(true);"),
    ],
)
def test_an_assertion_that_always_holds_is_none(path, line):
    assert "hollow-assertion" in rules(after={path: f"{'<?php' if path.endswith('php') else ''}\n{line}\n"})


SKIPS = [
    ("tests/test_a.py", "@pytest.mark.skip\ndef test_a():\n    assert go()\n"),
    ("tests/test_a.py", "@unittest.skip('later')\ndef test_a():\n    assert go()\n"),
    ("tests/test_a.py", "@pytest.mark.xfail\ndef test_a():\n    assert go()\n"),
    ("tests/test_a.py", "def test_a():\n    pytest.skip('later')\n    assert go()\n"),
    ("a.test.js", "it.skip('works', () => { expect(go()).toBe(1); });\n"),
    ("a.spec.ts", "xit('works', () => { expect(go()).toBe(1); });\n"),
    ("a.test.ts", "describe.only('works', () => { expect(go()).toBe(1); });\n"),
    ("a_test.go", 'package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip("later")\n}\n'),
    ("tests/a.rs", "#[test]\n#[ignore]\nfn works() {\n    assert!(go());\n}\n"),
    ("src/test/ATest.java", "class ATest {\n  @Disabled\n  @Test\n  void works() { assertTrue(go()); }\n}\n"),
]


@pytest.mark.parametrize(("path", "text"), SKIPS)
def test_a_test_that_is_switched_off_is_weaker_evidence(path, text):
    assert rules(after={path: text}) == {"test-skipped"}
    assert rules(after={path: text}, request="Skip the flaky test") == set()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "tests/test_a.py",
            "@pytest.mark.skipif(sys.platform == 'win32', reason='no fork')\ndef test_a():\n    assert go()\n",
        ),
        (
            "tests/test_a.py",
            "def test_a():\n    if not which('git'):\n        pytest.skip('no git')\n    assert go()\n",
        ),
        ("a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n"),
    ],
)
def test_a_test_that_depends_on_its_surroundings_may_be_skipped(path, text):
    assert rules(after={path: text}) == set()


SUPPRESSIONS = [
    ("a.py", "x = f()", "x = f()  # type: ignore"),
    ("a.py", "x = f()", "x = f()  # type: ignore[arg-type]"),
    ("a.py", "import os", "import os  # noqa: F401"),
    ("a.js", "console.log(1);", "// eslint-disable-next-line no-console\nconsole.log(1);"),
    ("a.ts", "const x: number = f();", "// @ts-ignore\nconst x: number = f();"),
    ("a.ts", "const x = f();", "// @ts-nocheck\nconst x = f();"),
    ("a.go", "f()", "f() //nolint:errcheck"),
    ("a.rs", "fn f() {}", "#[allow(dead_code)]\nfn f() {}"),
    ("A.java", "void f() { go(); }", '@SuppressWarnings("unchecked")\nvoid f() { go(); }'),
    ("a.rb", "x = 1", "x = 1 # rubocop:disable Lint/UselessAssignment"),
    ("a.sh", "ls $x", "# shellcheck disable=SC2086\nls $x"),
]


@pytest.mark.parametrize(("path", "old", "new"), SUPPRESSIONS)
def test_silencing_a_checker_on_old_code_is_weaker_evidence(path, old, new):
    assert rules(after={path: new + "\n"}, before={path: old + "\n"}) == {"suppression-added"}
    assert rules(after={path: new + "\n"}, before={path: new + "\n\n"}) == set()


@pytest.mark.parametrize(
    "text", ["import yaml  # type: ignore[import-untyped]\n", "from a import b  # noqa: F401\n", 'NAME = "# noqa"\n']
)
def test_new_code_may_name_the_rule_it_is_excused_from(text):
    assert rules(after={"a.py": text}) == set()


@pytest.mark.parametrize(
    "text", ["x = f()  # type: ignore\n", "from a import *  # noqa\n", "# mypy: ignore-errors\nx = 1\n"]
)
def test_new_code_may_not_be_excused_from_everything(text):
    assert rules(after={"a.py": text}) == {"suppression-added"}


def test_an_error_swallowed_around_old_code_is_weaker_evidence():
    before = {"a.py": "def go():\n    connect()\n    send()\n"}
    after = {"a.py": "def go():\n    try:\n        connect()\n        send()\n    except Exception:\n        pass\n"}
    assert rules(after=after, before=before) == {"error-swallowed"}
    assert rules(after=after, before=before, request="Ignore errors of send") == set()
    assert rules(after=after) == set()


def test_an_empty_catch_around_old_code_is_weaker_evidence():
    before = {"a.js": "function go() {\n  connect();\n}\n"}
    after = {"a.js": "function go() {\n  try {\n    connect();\n  } catch (error) {\n  }\n}\n"}
    assert rules(after=after, before=before) == {"error-swallowed"}
