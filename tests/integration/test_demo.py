"""The demo plays its whole story, with real files, a real history and tests that really fail and pass."""

import asyncio
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shiage.app import story
from shiage.app.demo import DemoResult, play
from shiage.app.journals import verify
from shiage.app.runs import Watch
from shiage.app.workspace import open_workspace
from shiage.domain.errors import UserError
from shiage.domain.verdict import Judgment
from shiage.journal.entry import Entry
from shiage.specs.folder import find
from shiage.specs.replies import count_reply

GIT = shutil.which("git") or ""
OMISSION = {"en": "# ... rest omitted", "ja": "# 残り省略"}
SLIP = "6.53029318"  #: the stone before it was repaired


@dataclass
class Played:
    language: str
    result: DemoResult
    environ: Mapping[str, str]
    entries: list[Entry] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.result.root

    def told(self, kind: str) -> list[Mapping[str, Any]]:
        return [entry.content for entry in self.entries if entry.event_type == kind]

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)

    def commit(self, scene: str) -> str:
        """The commit that the agent made in this scene."""
        subject = words(self.language)[scene]["commit"]
        return next(
            name
            for name, _, found in (line.partition(" ") for line in self.git("log", "--format=%H %s").splitlines())
            if found == subject
        )

    def document(self, name: str) -> str:
        return (self.root / ".kiro/specs/demo" / name).read_text(encoding="utf-8")


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run([GIT, "-C", str(root), *arguments], check=True, capture_output=True)
    return done.stdout.decode()


def words(language: str) -> dict[str, Any]:
    place = Path(story.__file__).parent / language / "words.toml"
    return tomllib.loads(place.read_text(encoding="utf-8"))


def troublesome_home(home: Path) -> dict[str, str]:
    """A person whose own settings would ruin the story, if they were used."""
    hooks = home / "hooks"
    hooks.mkdir(parents=True)
    for hook in ("pre-commit", "post-commit", "prepare-commit-msg"):
        (hooks / hook).write_text("#!/bin/sh\nexit 1\n")
        (hooks / hook).chmod(0o755)
    (home / "ignored").write_text(".kiro\n*.py\n")
    (home / ".gitconfig").write_text(
        f"[user]\n\tuseConfigOnly = true\n[commit]\n\tgpgSign = true\n"
        f"[core]\n\thooksPath = {hooks}\n\texcludesFile = {home / 'ignored'}\n"
    )
    (home / ".config/shiage").mkdir(parents=True)
    (home / ".config/shiage/config.toml").write_text('agent = "claude"\n[permissions]\nimpl = false\n')
    path = f"{Path(GIT).parent}:/usr/bin:/bin"
    return {"HOME": str(home), "PATH": path, "GIT_DIR": str(home), "SHIAGE_AGENT": "claude"}


def perform(folder: Path | None, language: str, environ: Mapping[str, str]) -> Played:
    entries: list[Entry] = []
    said: list[str] = []
    watch = Watch(
        entries=lambda spec, new: entries.extend(new),
        agent=lambda spec, attempt, event: said.append(getattr(event, "text", "")),
    )
    result = asyncio.run(play(folder, language=language, speed=0, environ=environ, watch=watch))
    return Played(language, result, environ, entries, said)


@pytest.fixture(scope="module", params=story.LANGUAGES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    place = tmp_path_factory.mktemp(f"demo-{request.param}")
    return perform(place / "project", request.param, troublesome_home(place / "home"))


@pytest.mark.slow
class TestTheStory:
    def test_the_run_reaches_its_end_and_counts_what_was_to_be_seen(self, played):
        result = played.result
        assert (result.run.status, result.run.reason) == ("completed", "")
        assert (result.phases, result.rounds, result.reruns) == (6, 2, 1)
        assert (result.rejections, result.inspections) == (1, 2)
        assert 0 < result.seconds < 30

    def test_the_phases_come_in_their_order(self, played):
        entered = [content["phase"] for content in played.told("PHASE_ENTERED")]
        assert entered == ["requirements", "design", "tasks", "document-review", "impl", "inspection"]

    def test_the_review_needs_exactly_two_rounds(self, played):
        closed = [c for c in played.told("ROUND_COMPLETED") if c["phase"] == "document-review"]
        assert [(c["round"], c["fixRequired"], c["needsDiscussion"]) for c in closed] == [(1, 3, 0), (2, 0, 0)]

    def test_the_replies_count_the_same_in_every_source(self, played):
        for number, fix in ((1, 3), (2, 0)):
            reply = count_reply(played.document(f"document-review-{number}-reply.md"))
            assert (reply.counts.fix, reply.counts.discuss, reply.differences) == (fix, 0, ())

    def test_the_three_fixes_are_really_made(self, played):
        requirements, design = played.document("requirements.md"), played.document("design.md")
        assert "1600 m" not in requirements
        assert "1609.344 m" in requirements
        assert words(played.language)["reply-1"]["digits"] in requirements
        assert re.search(r"^4\. If ", requirements, re.MULTILINE)
        assert "| 3.4 |" in design
        assert "_Requirements: 1.2, 3.4_" in played.document("tasks.md")

    def test_every_criterion_has_its_row_in_the_design_and_its_task(self, played):
        numbers, number = [], ""
        for line in played.document("requirements.md").splitlines():
            if heading := re.match(r"### Requirement (\d+):", line):
                number = heading[1]
            if criterion := re.match(r"(\d+)\. ", line):
                numbers.append(f"{number}.{criterion[1]}")
        served = re.findall(r"_Requirements: (.+)_", played.document("tasks.md"))
        assert numbers == ["1.1", "1.2", "1.3", "2.1", "3.1", "3.2", "3.3", "3.4"]
        assert sorted({n for line in served for n in line.split(", ")}) == numbers
        assert re.findall(r"^\| (\d\.\d) \|", played.document("design.md"), re.MULTILINE) == numbers

    def test_the_implementer_is_sent_back_to_the_open_boxes_once(self, played):
        (rerun,) = played.told("IMPL_RERUN")
        assert (rerun["rerun"], rerun["done"], rerun["total"], len(rerun["open"])) == (1, 4, 6, 2)

    def test_the_gate_rejects_the_mark_of_omission_with_file_and_line(self, played):
        assert [c["judgment"] for c in played.told("QUALITY_JUDGMENT")] == [*["PASS"] * 4, "REJECT", "PASS", "PASS"]
        (details,) = played.told("REJECTION_DETAILS")
        (issue,) = details["issues_detected"]
        assert (issue["location"], issue["quote"]) == ("units.py:20", OMISSION[played.language])
        rejected = played.git("show", f"{played.commit('impl-2')}:units.py").splitlines()
        assert rejected[20 - 1].strip() == OMISSION[played.language]
        assert OMISSION[played.language] not in (played.root / "units.py").read_text(encoding="utf-8")

    def test_the_inspection_says_nogo_and_then_go(self, played):
        verdicts = [c["verdict"] for c in played.told("ROUND_COMPLETED") if c["phase"] == "inspection"]
        assert verdicts == ["nogo", "fixed", "go"]

    def test_the_inspector_names_the_very_line_of_the_defect(self, played):
        place = re.search(r"\*\*Location\*\*: units\.py:(\d+)", played.document("inspection-1.md"))
        inspected = played.git("show", f"{played.commit('inspection-1')}:units.py").splitlines()
        assert place
        assert SLIP in inspected[int(place[1]) - 1]

    def test_every_line_that_the_inspections_point_to_is_a_definition_or_a_check(self, played):
        for name in ("inspection-1.md", "inspection-2.md"):
            places = re.findall(r"(\w+\.py):(\d+) \|", played.document(name))
            assert len(places) == 16
            for file, number in places:
                line = (played.root / file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
                assert re.search(r"\bdef |self\.assert|\bfor .+ in |UNITS = |start\.kind", line), (file, number, line)

    @pytest.mark.parametrize(("scene", "tests"), [("impl-1", 7), ("impl-2", 9), ("fix-1", 9)])
    def test_the_tests_pass_where_the_agent_says_so(self, played, tmp_path, scene, tests):
        ended = unittest_at(played, scene, tmp_path)
        assert ended.returncode == 0
        assert f"Ran {tests} tests" in ended.stderr
        assert str(tests) in words(played.language)[scene]["report"]

    def test_one_test_fails_at_nogo_with_the_words_that_the_inspector_quotes(self, played, tmp_path):
        ended = unittest_at(played, "inspection-1", tmp_path)
        report = played.document("inspection-1.md")
        for quoted in (f"AssertionError: {SLIP} != 6.35029318", "FAILED (failures=1)"):
            assert quoted in ended.stderr
            assert quoted in report

    def test_what_came_out_does_what_the_inspections_say(self, played):
        shown = {
            ("5", "km", "mi"): (0, "3.10686 mi\n", ""),
            ("1", "st", "kg"): (0, "6.35029 kg\n", ""),
            ("5", "km", "kg"): (2, "", "cannot convert km to kg\n"),
        }
        for arguments, expected in shown.items():
            done = run_python(played.root, "convert.py", *arguments)
            assert (done.returncode, done.stdout, done.stderr) == expected

    def test_each_step_is_a_commit_in_the_words_of_the_language(self, played):
        told = words(played.language)
        scenes = [name for name, value in told.items() if isinstance(value, dict) and "say" in value]
        expected = [told["before"]["commit"], *(told[s]["commit"] for s in scenes), told["after"]["commit"]]
        assert played.git("log", "--reverse", "--format=%s").splitlines() == expected
        assert set(played.git("log", "--format=%an").splitlines()) == {"shiage demo", "scripted agent"}
        assert played.git("status", "--porcelain") == ""

    def test_the_live_view_hears_every_line_of_the_agent(self, played):
        told = words(played.language).values()
        lines = [line for scene in told if "say" in scene for line in (*scene["say"], scene["report"])]
        assert played.said == lines

    def test_the_spec_says_that_it_was_reviewed_and_inspected(self, played):
        state = find(played.root, "demo").state()
        assert (state.phase, state.language) == ("inspection-complete", played.language)
        assert state.review_status == "approved"
        assert [(r.number, r.status, r.fix, r.discuss) for r in state.rounds] == [
            (1, "reply_complete", 3, 0),
            (2, "reply_complete", 0, 0),
        ]
        assert [(i.number, i.result) for i in state.inspections] == [(1, "nogo"), (2, "go")]
        assert set(state.approvals.values()) == {(True, True)}

    def test_the_demo_is_a_project_that_can_be_opened_again_and_is_trusted(self, played):
        workspace = open_workspace(played.root, {"HOME": played.environ["HOME"]})
        workspace.require_trust()
        assert workspace.settings.agent == "demo"
        assert verify(workspace, workspace.folder("demo")).ok
        assert find(played.root, "demo").request() == words(played.language)["request"]

    def test_no_other_attempt_is_rejected_or_cut_short(self, played):
        attempts = played.result.run.attempts
        assert len(attempts) == 13
        assert all(attempt.completed and attempt.assessment for attempt in attempts)
        rejected = [a.number for a in attempts if a.assessment and a.assessment.judgment is not Judgment.PASS]
        assert rejected == [9]


def test_a_demo_that_is_stopped_says_how_far_it_came(tmp_path):
    runners: list[Any] = []
    watch = Watch(agent=lambda spec, attempt, event: runners[0].request_stop(), started=runners.append)
    result = asyncio.run(play(tmp_path / "new", language="en", speed=1, environ=plain_environ(tmp_path), watch=watch))
    assert (result.run.status, result.run.reason) == ("paused", "stopped")
    assert (result.phases, result.rounds, result.reruns, result.rejections, result.inspections) == (0, 0, 0, 0, 0)
    assert git(result.root, "log", "--format=%an") == "shiage demo\n"


def unittest_at(played: Played, scene: str, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """Run the sample's tests on what the agent had left after this scene."""
    tree = tmp_path / "tree"
    git(tmp_path, "clone", "--quiet", str(played.root), str(tree))
    git(tree, "checkout", "--quiet", played.commit(scene))
    return run_python(tree, "-m", "unittest")


def run_python(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-B", *arguments]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def test_both_languages_have_the_same_words_and_documents():
    english, japanese = words("en"), words("ja")
    assert list(english) == list(japanese)
    assert all(sorted(english[name]) == sorted(japanese[name]) for name in english if isinstance(english[name], dict))
    folder = Path(story.__file__).parent
    assert {p.name for p in (folder / "en").iterdir()} == {p.name for p in (folder / "ja").iterdir()}


@pytest.mark.parametrize("language", story.LANGUAGES)
def test_the_agent_takes_its_time_at_full_speed_but_not_more_than_fourteen_seconds(language):
    actions = [action for scene in story.tell(language).scenes for action in scene["do"]]
    seconds = sum(0.12 * len(action[1:]) for action in actions if action[0] == "say")
    seconds += sum(action[1] for action in actions if action[0] == "sleep")
    assert 9 < seconds < 14


def test_a_language_that_the_story_does_not_have_is_told_in_english():
    assert story.tell("fr") == story.tell("en")


def refusal(folder: Path | None, environ: Mapping[str, str]) -> UserError:
    with pytest.raises(UserError) as refused:
        perform(folder, "en", environ)
    return refused.value


def plain_environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "PATH": f"{Path(GIT).parent}:/usr/bin:/bin"}


def test_without_git_the_demo_says_so_and_makes_nothing(tmp_path):
    error = refusal(tmp_path / "new", {**plain_environ(tmp_path), "PATH": str(tmp_path)})
    assert (error.code, error.help) == ("git-missing", "install git.")
    assert not (tmp_path / "new").exists()


def test_a_git_that_fails_is_quoted(tmp_path):
    broken = tmp_path / "bin" / "git"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'git: it is broken' >&2\nexit 3\n")
    broken.chmod(0o755)
    error = refusal(tmp_path / "new", {**plain_environ(tmp_path), "PATH": f"{broken.parent}:/usr/bin:/bin"})
    assert (error.code, error.message) == ("git-failed", "git: it is broken")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path):
    (tmp_path / "mine").write_text("precious")
    error = refusal(tmp_path, plain_environ(tmp_path))
    assert (error.code, str(error.where)) == ("not-empty", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_file_in_place_of_the_folder_is_refused_and_left_alone(tmp_path):
    (tmp_path / "mine").write_text("precious")
    assert refusal(tmp_path / "mine", plain_environ(tmp_path)).code == "not-empty"
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    error = refusal(tmp_path / "file" / "below", plain_environ(tmp_path))
    assert error.code == "demo-not-writable"
    assert str(tmp_path / "file" / "below") in str(error.where)


def test_without_a_home_the_demo_says_what_to_set(tmp_path):
    error = refusal(tmp_path / "new", {"PATH": plain_environ(tmp_path)["PATH"]})
    assert error.code == "no-home"
    assert "XDG_STATE_HOME" in error.help
    assert not (tmp_path / "new").exists()


def test_a_home_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path):
    (tmp_path / "home").write_text("a file, so nothing can lie below it")
    error = refusal(tmp_path / "new", plain_environ(tmp_path))
    assert error.code == "state-not-writable"
    assert str(tmp_path / "home") in str(error.where)
    assert "XDG_STATE_HOME" in error.help
    assert not (tmp_path / "new").exists()


def test_a_temporary_project_that_cannot_be_trusted_is_removed(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file, so nothing can lie below it")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert refusal(None, plain_environ(tmp_path)).code == "state-not-writable"
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
