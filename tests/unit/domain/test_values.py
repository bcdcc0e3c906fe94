"""The vocabulary: what its values say of themselves."""

import pickle

import pytest

from shiage.domain.errors import IllegalEvent, OurBug, ShiageError, UsageError, UserError, Where
from shiage.domain.outcome import POLICY, Cause, Ending, Outcome, Policy, Usage
from shiage.domain.reasons import REASONS, next_action
from shiage.domain.run import Assessment, Attempt, Counts, Order, Role, Run
from shiage.domain.verdict import CriterionResult, Finding, Judgment, Verdict


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where("spec.json"), "spec.json"),
        (Where("spec.json", 3), "spec.json:3"),
        (Where("spec.json", 3, 7), "spec.json:3:7"),
    ],
)
def test_a_place_is_named_as_precisely_as_it_is_known(where: Where, text: str) -> None:
    assert str(where) == text


@pytest.mark.parametrize(("kind", "code"), [(UserError, 1), (UsageError, 2)])
def test_an_error_names_code_place_remedy_and_exit_code(kind: type[UserError], code: int) -> None:
    error = kind("spec-not-found", "there is no spec login", where=Where("a", 1), help="shiage status")
    assert (error.exit_code, error.code, str(error), error.message) == (
        code, "spec-not-found", "there is no spec login", "there is no spec login",
    )  # fmt: skip
    assert (error.where, error.help) == (Where("a", 1), "shiage status")
    assert isinstance(error, ShiageError)


@pytest.mark.parametrize("kind", [UserError, UsageError])
def test_an_error_survives_the_way_between_processes(kind: type[UserError]) -> None:
    error = pickle.loads(pickle.dumps(kind("code", "message", where=Where("a", 1), help="remedy")))
    assert type(error) is kind
    assert (error.code, error.message, error.where, error.help) == ("code", "message", Where("a", 1), "remedy")


def test_an_illegal_event_is_our_bug_and_not_the_persons() -> None:
    assert issubclass(IllegalEvent, OurBug)
    assert not issubclass(OurBug, UserError)


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_has_a_next_action_with_everything_filled_in(code: str) -> None:
    action = next_action(code, spec="login", phase="impl", path="tasks.md")
    assert "login" in action
    assert not set(action) & set("{}")
    assert next_action(code, spec="login", phase="impl")


def test_an_unnamed_file_is_still_a_sentence() -> None:
    assert next_action("spec-unreadable", spec="login", phase="impl") == "repair the file, then `shiage run login`"


def test_only_incomplete_tasks_need_a_reset() -> None:
    assert [code for code, reason in REASONS.items() if reason.needs_reset] == ["tasks-incomplete"]


def test_a_reason_is_found_under_its_own_code() -> None:
    assert all(code == reason.code for code, reason in REASONS.items())


def test_only_known_transient_failures_are_retried_waited_for_or_asked_about() -> None:
    assert POLICY == {
        Cause.TRANSIENT: Policy.RETRY,
        Cause.USAGE_LIMIT: Policy.WAIT,
        Cause.PERMISSION_REFUSED: Policy.ASK,
    }


def test_costs_add_up_and_what_is_not_told_stays_unknown() -> None:
    total = Usage(1, None, 0.5) + Usage(2, 3, None)
    assert total == Usage(3, 3, 0.5)
    assert Usage() + Usage() == Usage()


@pytest.mark.parametrize(("counts", "clean"), [((0, 0), True), ((1, 0), False), ((0, 1), False), ((2, 2), False)])
def test_a_reply_is_clean_when_both_counts_are_0(counts: tuple[int, int], clean: bool) -> None:
    assert Counts(*counts).clean is clean


def attempt(outcome: Outcome | None = None, **changes: object) -> Attempt:
    order = Order("impl", Role.IMPLEMENTER)
    return Attempt(1, "a1", "claude", order, 10.0, outcome=outcome, **changes)  # type: ignore[arg-type]


def test_an_attempt_is_in_flight_until_it_ended_or_was_lost() -> None:
    assert attempt().in_flight
    assert not attempt(Outcome(Ending.COMPLETED)).in_flight
    assert not attempt(lost=True).in_flight


@pytest.mark.parametrize("ending", list(Ending))
def test_only_a_completed_attempt_is_completed(ending: Ending) -> None:
    assert attempt(Outcome(ending)).completed is (ending is Ending.COMPLETED)
    assert not attempt().completed


def test_a_transient_attempt_is_known_by_its_cause() -> None:
    assert attempt(Outcome(Ending.FAILED, Cause.TRANSIENT)).transient
    assert not attempt(Outcome(Ending.FAILED, Cause.CRASHED)).transient
    assert not attempt().transient


def test_an_attempt_lasts_from_its_start_to_its_end() -> None:
    assert attempt(ended_at=25.0).seconds == 15.0
    assert attempt().seconds == 0.0


def test_a_run_without_attempts_has_none_in_flight() -> None:
    assert Run().in_flight is None
    assert Run(attempts=(attempt(Outcome(Ending.COMPLETED)),)).in_flight is None
    assert Run(attempts=(attempt(),)).in_flight == attempt()


def test_used_rounds_are_those_of_this_allowance() -> None:
    run = Run(closed={"document-review": 9}, base={"document-review": 7})
    assert (run.used("document-review"), run.used("inspection")) == (2, 0)


def test_two_rejections_are_the_same_when_they_quote_the_same() -> None:
    one, other = Finding("Q2", "marker", "a.py", 3, "TODO"), Finding("Q2", "marker", "a.py", 9, "TODO")
    assert Assessment(findings=(one,)).signature == Assessment(findings=(other,)).signature
    assert Assessment(findings=(one,)).signature != Assessment().signature


@pytest.mark.parametrize(("line", "place"), [(None, "a.py"), (3, "a.py:3")])
def test_a_finding_names_its_place(line: int | None, place: str) -> None:
    assert Finding("Q2", "marker", "a.py", line).place == place


def test_a_verdict_names_the_criteria_that_failed() -> None:
    results = (CriterionResult("Q1", True), CriterionResult("Q2", False), CriterionResult("Q4", False))
    assert Verdict(Judgment.REJECT, results).criteria_failed == ("Q2", "Q4")
