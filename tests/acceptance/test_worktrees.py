"""Specs in worktrees of their own: begun, merged, refused, given up; uncommitted work is never touched."""

import hashlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from scenes import doing, inspector, responder, story

DEPLOY = "[permissions]\ndeploy = true\n"
WORKTREES = ".shiage/worktrees"


def git(project, *arguments: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd or project.root, env=dict(project.environ), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repo(project):
    """A project under git with one commit and a person who commits."""
    (project.home / ".gitconfig").write_text(
        "[user]\nname = Ada\nemail = ada@localhost\n[init]\ndefaultBranch = main\n"
    )
    git(project, "symbolic-ref", "HEAD", "refs/heads/main")
    (project.root / ".gitignore").write_text("build/\n")
    (project.root / "README.md").write_text("# A project\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "begin")
    return project


def writing(name: str, file: str = "", **when):
    """An implementer whose file has the spec's name in it."""
    code = f'def {name}() -> str:\n    return "{name}"\n'
    return doing(
        "implementer", ["write", file or f"{name}.py", code], ["tick"], ["say", f"wrote {file or name + '.py'}"], **when
    )


def files_of(root: Path) -> dict[str, str]:
    """Every file of the main checkout but git's, ours and the specs'."""
    kept = [
        path
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] not in (".git", ".shiage", ".kiro")
    ]
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


def tree(project, name: str = "login") -> Path:
    return project.root / WORKTREES / name


def test_a_run_in_a_worktree_leaves_the_main_checkout_as_it_is(repo):
    repo.cast(story(writing("login")))
    repo.given(until="document-review")
    (repo.root / "README.md").write_text("# edited, not committed\n")
    (repo.root / "draft.txt").write_text("mine\n")
    before = files_of(repo.root)
    ended = repo.ran("login", "--worktree")
    assert (ended["exit_code"], ended["status"], ended["phases"]["inspection"]) == (0, "completed", "done")
    assert files_of(repo.root) == before
    assert (tree(repo) / "login.py").exists() and not (tree(repo) / "draft.txt").exists()
    assert (tree(repo) / "README.md").read_text() == "# A project\n"
    assert not (repo.spec() / "inspection-1.md").exists()
    assert (tree(repo) / ".kiro/specs/login/inspection-1.md").exists()
    assert (repo.spec() / "event-log.jsonl").exists()
    assert not (tree(repo) / ".kiro/specs/login/event-log.jsonl").exists()
    said = repo.state()["worktree"]
    assert (said["path"], said["branch"], said["base"]) == (f"{WORKTREES}/login", "shiage/login", "main")
    assert said["created_at"].endswith("Z")
    assert git(repo, "status", "--porcelain", cwd=tree(repo)) == ""
    assert set(git(repo, "log", "--format=%an <%ae>", "main..shiage/login").splitlines()) == {"Ada <ada@localhost>"}
    subjects = git(repo, "log", "--format=%s", "main..shiage/login").splitlines()
    assert subjects[-1] == "login: the spec as it was" and "login: impl, implementer 1" in subjects
    assert repo.status()["worktree"]["branch"] == "shiage/login"
    assert repo.shiage("verify", "login").code == 0


def test_the_base_is_what_the_person_names(repo):
    repo.cast(story(writing("login")))
    repo.given(until="document-review")
    git(repo, "tag", "v1")
    (repo.root / "later.txt").write_text("later\n")
    git(repo, "add", "later.txt")
    git(repo, "commit", "-qm", "later")
    assert repo.ran("login", "--worktree", "--base", "v1")["exit_code"] == 0
    assert not (tree(repo) / "later.txt").exists()
    blocked = repo.shiage("step", "login", "deploy", "--json").lines[-1]
    assert (blocked["exit_code"], blocked["reason"]) == (4, "merge-blocked")


def test_a_permitted_deploy_merges_into_the_base_and_clears_up(repo):
    repo.cast(story(writing("login")), DEPLOY)
    repo.given(until="tasks")
    (repo.root / "draft.txt").write_text("mine\n")
    (repo.root / "staged.txt").write_text("staged\n")
    git(repo, "add", "staged.txt")
    before = files_of(repo.root)
    ended = repo.ran("login", "--worktree")
    assert (ended["exit_code"], ended["status"], ended["phases"]["deploy"]) == (0, "completed", "done"), ended
    after = files_of(repo.root)
    assert after.pop("login.py") and after == before
    assert git(repo, "status", "--porcelain").splitlines() == [
        "A  staged.txt",
        "?? .kiro/specs/login/event-log.jsonl",
        "?? draft.txt",
    ]
    assert not tree(repo).exists() and git(repo, "branch", "--list", "shiage/*") == ""
    assert git(repo, "log", "-1", "--format=%s").strip() == "Merge the spec login"
    assert repo.state()["phase"] == "deploy-complete" and not repo.state().get("worktree")
    assert json.loads(git(repo, "show", "HEAD:.kiro/specs/login/spec.json")) == repo.state()
    assert repo.status()["worktree"] == {}


def test_a_deploy_by_hand_merges_what_was_left(repo):
    repo.cast(story(writing("login")))
    repo.given(until="document-review")
    repo.ran("login", "--worktree")
    said = repo.shiage("show", "login", "--pr", "--json").json
    assert (said["branch"], said["base"]) == ("shiage/login", "main")
    assert "login.py" in said["body"]
    assert repo.shiage("step", "login", "deploy").code == 0
    assert (repo.root / "login.py").exists() and not tree(repo).exists()


@pytest.mark.parametrize("kind", ["edited", "untracked", "ignored"])
def test_uncommitted_work_in_the_way_pauses_the_merge_and_is_named(repo, kind):
    place = {"edited": "README.md", "untracked": "login.py", "ignored": "build/login.py"}[kind]
    scene = writing("login", place)
    if kind == "ignored":
        scene["do"].insert(0, ["write", ".gitignore", "dist/\n"])
    repo.cast(story(scene), DEPLOY)
    repo.given(until="document-review")
    (repo.root / place).parent.mkdir(exist_ok=True)
    (repo.root / place).write_text("mine, in the middle\n")
    before, head = files_of(repo.root), git(repo, "rev-parse", "HEAD")
    ended = repo.ran("login", "--worktree")
    assert (ended["exit_code"], ended["reason"], ended["path"]) == (4, "merge-blocked", place), ended
    assert place in ended["next_action"]
    assert files_of(repo.root) == before and git(repo, "rev-parse", "HEAD") == head
    (repo.root / place).unlink()
    if kind == "edited":
        git(repo, "checkout", "--", place)
    assert repo.ran("login")["exit_code"] == 0
    assert "def login" in (repo.root / place).read_text()


def test_a_conflict_pauses_with_the_files_named_and_goes_on_once_it_is_settled(repo):
    edits = doing("implementer", ["write", "README.md", "# Theirs\n"], ["tick"], ["say", "rewrote README.md"])
    repo.cast(story(edits))
    repo.given(until="document-review")
    assert repo.ran("login", "--worktree")["exit_code"] == 0
    (repo.root / "README.md").write_text("# Ours\n")
    git(repo, "commit", "-qam", "ours")
    repo.cast(story(), DEPLOY)
    ended = repo.ran("login", "--until", "deploy")
    assert (ended["exit_code"], ended["reason"], ended["path"]) == (4, "merge-conflict", "README.md"), ended
    assert repo.status()["phases"]["deploy"] == "current"
    subprocess.run(
        ["git", "merge", "-q", "main"], cwd=tree(repo), env=dict(repo.environ), capture_output=True, check=False
    )
    again = repo.ran("login", "--until", "deploy")
    assert (again["reason"], again["path"]) == ("merge-conflict", "README.md"), "unsettled conflicts are not committed"
    (tree(repo) / "README.md").write_text("# Both\n")
    git(repo, "add", "README.md", cwd=tree(repo))
    assert repo.ran("login", "--until", "deploy")["exit_code"] == 0
    assert (repo.root / "README.md").read_text() == "# Both\n"


def test_a_base_that_is_not_checked_out_pauses_the_merge(repo):
    repo.cast(story(writing("login")), DEPLOY)
    repo.given(until="document-review")
    git(repo, "branch", "release")
    ended = repo.ran("login", "--worktree", "--base", "release")
    assert (ended["reason"], ended["path"]) == ("merge-blocked", "release")
    git(repo, "switch", "-q", "release")
    assert repo.ran("login")["exit_code"] == 0
    assert (repo.root / "login.py").exists()


def test_a_base_that_moved_meanwhile_is_merged_with(repo):
    repo.cast(story(writing("login")))
    repo.given(until="document-review")
    repo.ran("login", "--worktree")
    (repo.root / "other.py").write_text("OTHER = 1\n")
    git(repo, "add", "other.py")
    git(repo, "commit", "-qm", "other")
    assert repo.shiage("step", "login", "deploy").code == 0
    assert (repo.root / "other.py").exists() and (repo.root / "login.py").exists()
    assert git(repo, "status", "--porcelain").splitlines() == ["?? .kiro/specs/login/event-log.jsonl"]


def test_a_worktree_and_its_work_are_given_up_only_on_request(repo):
    repo.cast(story(writing("login")))
    spec = repo.given(until="document-review")
    repo.ran("login", "--worktree")
    assert repo.shiage("reset", "login").code == 0
    assert tree(repo).exists()
    assert repo.shiage("reset", "login", "--discard").code == 0
    assert not tree(repo).exists() and git(repo, "branch", "--list", "shiage/*") == ""
    assert not (spec / "inspection-1.md").exists()
    assert repo.status()["phases"]["impl"] != "done"
    refused = repo.shiage("reset", "login", "--discard", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "no-worktree")
    assert repo.ran("login", "--worktree")["exit_code"] == 0


def test_the_permission_in_either_spec_json_counts(repo):
    repo.cast(story(writing("login")))
    repo.given(until="tasks")
    repo.ran("login", "--worktree", "--until", "document-review")
    held = repo.state() | {"autoExecution": {"permissions": {"impl": False}}}
    (repo.spec() / "spec.json").write_text(json.dumps(held))
    assert repo.ran("login")["reason"] == "not-permitted"


def test_a_persons_answers_reach_a_spec_in_a_worktree(repo):
    repo.cast(story(responder(discuss=1, nth=1), writing("login")))
    repo.given(until="tasks")
    ended = repo.ran("login", "--worktree")
    assert (ended["reason"], ended["round"]["closed"]) == ("needs-discussion", 1)
    assert repo.status()["round"]["closed"] == 1
    assert repo.shiage("approve", "login", "document-review").code == 0
    assert repo.ran("login")["exit_code"] == 0
    assert "documentReview" not in repo.state()
    there = json.loads((tree(repo) / ".kiro/specs/login/spec.json").read_text())
    assert there["documentReview"]["approvedBy"] == "person"


def test_shiage_killed_in_the_middle_goes_on_in_the_same_worktree(repo, until):
    slow = doing("reviewer", ["hang", 60], nth=1)
    repo.cast(story(slow, writing("login")), DEPLOY)
    repo.given(until="tasks")
    running = repo.start("run", "login", "--worktree")
    until((repo.home / "script.json.calls").exists)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    ended = repo.ran("login")
    assert (ended["exit_code"], ended["phases"]["deploy"]) == (0, "done"), ended
    assert (repo.root / "login.py").exists() and not tree(repo).exists()


def test_a_making_that_was_cut_short_is_repeated(repo):
    repo.cast(story(writing("login")))
    spec = repo.given(until="document-review")
    (repo.root / ".shiage").mkdir()
    start = git(repo, "rev-parse", "HEAD").strip()
    said = {
        "path": f"{WORKTREES}/login",
        "branch": "shiage/login",
        "created_at": "2026-01-02T03:04:05Z",
        "base": "main",
        "start": start,
    }
    (spec / "spec.json").write_text(json.dumps({**repo.state(), "worktree": said}))
    git(repo, "worktree", "add", "-q", "-b", "shiage/login", f"{WORKTREES}/login")
    assert repo.ran("login")["exit_code"] == 0
    assert (tree(repo) / "login.py").exists() and not (repo.root / "login.py").exists()


def test_a_worktree_that_lost_its_link_to_git_never_reaches_the_main_checkout(repo):
    removes = doing(
        "implementer",
        ["run", "rm", "-f", ".git"],
        ["write", "login.py", "LOGIN = 1\n"],
        ["tick"],
        ["say", "wrote login.py"],
    )
    repo.cast(story(removes))
    repo.given(until="document-review")
    (repo.root / "draft.txt").write_text("mine\n")
    ended = repo.ran("login", "--worktree")
    assert (ended["exit_code"], ended["reason"]) == (4, "worktree-broken"), ended
    assert git(repo, "log", "--format=%s").splitlines() == ["begin"]
    assert "?? draft.txt" in git(repo, "status", "--porcelain")


def test_a_branch_that_an_agent_left_is_not_committed_to(repo):
    leaves = doing("implementer", ["run", "git", "switch", "-q", "-c", "elsewhere"], ["tick"], ["say", "switched"])
    repo.cast(story(leaves))
    repo.given(until="document-review")
    assert repo.ran("login", "--worktree")["reason"] == "worktree-broken"
    git(repo, "switch", "-q", "shiage/login", cwd=tree(repo))
    repo.cast(story(writing("login")))
    assert repo.ran("login")["exit_code"] == 0


FIVE = {"one": 1.0, "two": 1.5, "three": 2.0, "four": 2.5, "five": 5.5}


def _at_work(name: str, seconds: float):
    """A spec's agents, which wait as for a model before they act."""
    scenes = [writing(name), inspector()]
    return [{**scene, "spec": name, "do": [["hang", seconds], *scene["do"]]} for scene in scenes]


@pytest.mark.slow
def test_five_specs_in_parallel_end_merged_and_correct_in_the_time_of_the_longest(repo):
    paces = {"alone": FIVE["five"], **FIVE}
    repo.cast([scene for name, seconds in paces.items() for scene in _at_work(name, seconds)], DEPLOY)
    for name in paces:
        repo.given(name, until="document-review")
    (repo.root / "draft.txt").write_text("mine\n")
    (repo.root / "README.md").write_text("# edited, not committed\n")
    before, alone = files_of(repo.root), wall(repo, "alone")
    together = wall(repo, *FIVE)
    after = files_of(repo.root)
    assert [after.pop(f"{name}.py", "") != "" for name in paces] == [True] * 6
    assert after == before
    for name in paces:
        assert f'return "{name}"' in git(repo, "show", f"main:{name}.py")
        assert repo.state(name)["phase"] == "deploy-complete"
    assert git(repo, "status", "--porcelain", "--untracked-files=no").splitlines() == [" M README.md"]
    assert git(repo, "fsck", "--no-dangling") == ""
    assert together <= 1.3 * alone, f"{together:.1f} s, the longest alone {alone:.1f} s"


def wall(project, *specs: str) -> float:
    """Seconds until one command has brought all of them to a good end."""
    began = time.monotonic()
    said = project.shiage("run", *specs, "--worktree", "--json")
    assert said.code == 0, said.out[-2000:]
    return time.monotonic() - began


def test_a_worktree_that_somebody_else_made_is_worked_in_and_never_removed(repo, tmp_path):
    repo.cast(story(writing("login")), DEPLOY)
    repo.given(until="document-review")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "spec")
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "feature/login", str(other))
    said = {"path": "../other", "branch": "feature/login"}
    (repo.spec() / "spec.json").write_text(json.dumps({**repo.state(), "worktree": said}))
    ended = repo.ran("login")
    assert (ended["exit_code"], ended["phases"]["deploy"]) == (0, "done"), ended
    assert (repo.root / "login.py").exists() and (other / "login.py").exists()
    assert not repo.state().get("worktree")


def refused(project, *arguments: str) -> str:
    said = project.shiage("run", "--json", *arguments)
    assert said.code in (1, 2), said
    return said.lines[-1]["error"]["code"]


def test_where_no_worktree_can_be_the_reason_is_clear(project, tmp_path):
    project.cast(story())
    project.given()
    (project.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@localhost\n")
    assert refused(project, "login", "--worktree") == "no-commit"
    git(project, "commit", "-qm", "begin", "--allow-empty")
    assert refused(project, "login", "--worktree", "--base", "--upload-pack=touch x") == "base-unknown"
    assert refused(project, "--worktree", "--", "--detach") == "spec-name-invalid"
    (project.home / ".gitconfig").write_text("[user]\nname = Ada\n")
    assert refused(project, "login", "--worktree") == "no-identity"
    (project.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@localhost\n")
    (project.root / ".gitignore").write_text(".kiro/\n")
    assert refused(project, "login", "--worktree") == "spec-ignored"
    (project.root / ".gitignore").unlink()
    git(project, "branch", "shiage/login")
    git(project, "switch", "-q", "shiage/login")
    git(project, "commit", "-qm", "theirs", "--allow-empty")
    git(project, "switch", "-q", "-")
    assert refused(project, "login", "--worktree") == "branch-exists"
    git(project, "config", "core.bare", "true")
    assert refused(project, "login", "--worktree") == "no-checkout"
    assert "worktree" not in project.state()
    (project.root / ".git").rename(tmp_path / "gone")
    assert refused(project, "login", "--worktree") == "no-repository"
