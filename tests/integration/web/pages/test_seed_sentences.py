"""The sentences of the seeds about the user interface, one test for each: 000 §7, 002 §4, 003 §7.3."""

import json
from typing import Any

from criteria import criterion
from scenes import implementer, reply, story


@criterion("000-7.1")
def test_000_7_1_the_remote_ui_shows_the_current_round_on_the_document_review_panel(world: Any, browser: Any) -> None:
    """Remote UI からも Document Review パネルで現在のラウンド数を確認できること"""
    page = world.visitor(browser, viewport={"width": 360, "height": 740}).go("/specs/login")
    assert page.inner_text("#document-review #current-round") == "3/7"
    page.context.close()


@criterion("000-7.2")
def test_000_7_2_the_rounds_shown_are_those_of_round_details_in_spec_json(world: Any, browser: Any) -> None:
    """spec.json の documentReview.roundDetails を読み取って表示すること"""
    page = world.visitor(browser).go("/specs/login")
    written = world.project.state("login")["documentReview"]["roundDetails"]
    shown = page.locator("#document-review tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].slice(0, 3).map(cell => cell.innerText.trim()))"
    )
    assert shown == [
        [f"#{r['roundNumber']}", str(r["fixRequiredCount"]), str(r["needsDiscussionCount"])] for r in written
    ]
    assert [row[1:] for row in shown] == [["2", "1"], ["1", "0"], ["0", "0"]]
    page.context.close()


@criterion("000-7.3")
def test_000_7_3_what_is_written_into_spec_json_is_enough_to_be_shown(served: Any, browser: Any) -> None:
    """追加の IPC / WebSocket 通知は不要（spec.json 書き込み後の表示で十分）"""
    spec = served.project.given("elsewhere", until="tasks")
    (spec / "document-review-1-reply.md").write_text(reply(2, 0))
    state = json.loads((spec / "spec.json").read_text())
    row = {"roundNumber": 1, "status": "reply_complete", "fixRequiredCount": 2, "needsDiscussionCount": 0}
    state["documentReview"] = {"status": "in_progress", "roundDetails": [row]}
    (spec / "spec.json").write_text(json.dumps(state))
    assert not (spec / "event-log.jsonl").exists()
    page = served.visitor(browser).go("/specs/elsewhere")
    assert page.inner_text("#current-round") == "1/7"
    assert page.inner_text("#round-1").split()[:3] == ["#1", "2", "0"]
    page.context.close()


LIMIT = "[limits]\nimpl_reruns = 1\n"


def again(stage: Any, browser: Any, name: str, *ticked: str) -> Any:
    """A run whose implementer leaves boxes open, watched from its beginning in Japanese."""
    stage.cast(story(implementer("1", nth=1, spec=name), implementer(*ticked, spec=name)), LIMIT)
    stage.project.given(name, until="document-review")
    visitor = stage.serve().visitor(browser, locale="ja-JP")
    visitor.page.clock.install()
    visitor.go(f"/specs/{name}").click("form[action$='/run'] button")
    return visitor.page


@criterion("002-4.1")
def test_002_4_1_a_re_run_of_impl_is_recorded_in_the_event_log_and_shown(world: Any, browser: Any) -> None:
    """When impl再実行が発生した場合, the system shall イベントログ（event-log.jsonl）に記録する"""
    (entry,) = world.project.journal("broken", "IMPL_RERUN")
    page = world.visitor(browser).go("/activity?spec=broken&q=rerun")
    assert page.locator(".activity li").count() == 1
    assert page.get_attribute(".activity li", "id") == f"e-broken-{entry['seq']}"
    page.context.close()


@criterion("002-4.2")
def test_002_4_2_a_re_run_of_impl_is_told_by_a_toast(apart: Any, browser: Any, toast: Any) -> None:
    """When impl再実行が発生した場合, the system shall UIにトースト通知を表示する"""
    page = again(apart, browser, "rerun", "2", "3")
    said = toast(page, "impl を再実行します", "info")
    assert said == "rerun: impl を再実行します (1/1): 未完了タスク 2 件"
    assert page.locator("[role=status] .toast", has_text="再実行").count() == 1
    page.wait_for_selector("h1 + .state.completed")
    page.context.close()


def test_002_4_3_the_limit_of_re_runs_is_recorded_as_an_error_and_shown(world: Any, browser: Any) -> None:
    """When 再実行上限に到達した場合, the system shall イベントログに「エラー」として記録する"""
    (entry,) = world.project.journal("broken", "IMPL_LIMIT_REACHED")
    assert entry["content"]["level"] == "error"
    page = world.visitor(browser).go("/activity?spec=broken&q=limit")
    assert "error" in (page.get_attribute(f"#e-broken-{entry['seq']}", "class") or "")
    page.context.close()


@criterion("002-4.4")
def test_002_4_4_the_limit_of_re_runs_is_told_by_an_error_toast(apart: Any, browser: Any, toast: Any) -> None:
    """When 再実行上限に到達した場合, the system shall UIにエラートースト通知を表示する"""
    page = again(apart, browser, "limited", "1")
    said = toast(page, "上限", "error")
    assert said == "limited: impl の再実行が上限 (1 回) に達しました。`shiage reset limited` で解除できます"
    assert page.locator("[role=alert] .toast.error", has_text="上限").count() == 1
    info = page.locator(".toast:not(.error)")
    info.first.wait_for()
    page.clock.run_for(7000)
    info.first.wait_for(state="detached")
    assert page.locator(".toast.error", has_text="上限").count() == 1  # it stays until it is closed
    page.context.close()


@criterion("003-7.3")
def test_003_7_3_the_web_ui_shows_the_current_iteration_number(world: Any, browser: Any) -> None:
    """現在のイテレーション番号"""
    page = world.visitor(browser).go("/specs/login")
    numbers = [
        row["iteration"] for row in world.project.shiage("show", "login", "--json").json["attempts"] if row["judgment"]
    ]
    assert page.inner_text("#iteration") == str(numbers[-1])
    page = world.visitor(browser).go("/specs/login?open=impl")
    shown = page.locator("details#impl .attempt > summary").all_inner_texts()
    assert ["iteration 1" in shown[0], "iteration 2" in shown[1]] == [True, True]


@criterion("003-7.3")
def test_003_7_3_the_web_ui_shows_the_last_judgment(world: Any, browser: Any) -> None:
    """前回の判定結果"""
    page = world.visitor(browser).go("/specs/login")
    rows = [row for row in world.project.shiage("show", "login", "--json").json["attempts"] if row["judgment"]]
    assert page.inner_text("#judgment .tag") == rows[-1]["judgment"]
    page.context.close()


@criterion("003-7.3")
def test_003_7_3_the_web_ui_shows_the_history_of_iterations_to_be_unfolded(world: Any, browser: Any) -> None:
    """イテレーション履歴（展開可能）"""
    page = world.visitor(browser).go("/specs/login")
    page.click("details#impl > summary")
    first = page.locator("details#impl .attempt").first
    assert (
        "REJECT" in first.locator("> summary").inner_text() and "failed: Q3" in first.locator("> summary").inner_text()
    )
    first.locator("> summary").click()
    finding = first.locator("table.findings tbody tr").first
    assert "greet.py:2" in finding.inner_text() and "# ... rest omitted" in finding.inner_text()
    first.locator("summary", has_text="What it was told to correct").click()
    first.locator("details[id$=correction] pre", has_text="greet.py").wait_for()
    first.locator(".diff .add", has_text="rest omitted").wait_for()
    page.context.close()
