"""A repository's own settings run nothing before the person accepted exactly them."""

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.config import Layer, load
from shiage.config.files import Document
from shiage.config.trust import fingerprint, is_trusted, of_documents, require_trust, trust
from shiage.domain.errors import UserError

COMMANDS = '[checks]\ntest = "pytest -q"\n[agents.mine]\ncommand = ["run", "it"]\n'


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def keys(project, toml):
    (project / "shiage.toml").write_text(toml, encoding="utf-8")
    return [key for key, _ in fingerprint(project).items]


@pytest.mark.parametrize(
    ("toml", "relevant"),
    [
        ('checks.test = "x"', ["checks.test"]),
        ('checks.unknown = "x"', ["checks.unknown"]),
        ('checks = "x"', ["checks"]),
        ('agents.a.command = ["x"]', ["agents.a.command"]),
        ('agents.a.kind = "claude"', ["agents.a.kind"]),
        ('agents.a.extra_args = ["--x"]', ["agents.a.extra_args"]),
        ('agents.a.env = ["SECRET"]', ["agents.a.env"]),
        ('agents.claude.permission_mode = "bypassPermissions"', ["agents.claude.permission_mode"]),
        ('agents.claude.model = "m"', []),
        ('agents = "x"', ["agents"]),
        ('roles.reviewer = "codex"', ["roles.reviewer"]),
        ('agent = "codex"', []),
        ('agent = "mine"', ["agent"]),
        ("agent = []", ["agent"]),
        ('notify.webhooks = ["https://x/y"]', ["notify.webhooks"]),
        ('notify.webhook = "https://x/y"', ["notify.webhooks"]),
        ('notify.apprise = ["x://y"]', ["notify.apprise"]),
        ('notify = "https://x/y"', ["notify"]),
        ("notify.desktop = true", []),
        ('queue.url = "x://y"', ["queue.url"]),
        ('review_loop.judge = "codex"', ["review_loop.judge"]),
        ("review_loop.max_iterations = 9\nlimits.retries = 1\npermissions.deploy = true", []),
        ("", []),
    ],
)
def test_exactly_what_could_run_send_or_open_something_is_relevant(project, toml, relevant):
    assert keys(project, toml) == relevant


def test_the_review_loop_file_can_name_a_judge_and_shiage_toml_wins(project):
    (project / ".claude").mkdir()
    (project / ".claude/review-loop.json").write_text('{"judge": "spy", "max_iterations": 3}')
    assert fingerprint(project).items == (("review_loop.judge", '"spy"'),)
    (project / "shiage.toml").write_text('[review_loop]\njudge = "codex"\n')
    assert fingerprint(project).items == (("review_loop.judge", '"codex"'),)


def test_pyproject_is_looked_at_as_well(project):
    (project / "pyproject.toml").write_text('[tool.shiage.checks]\ntest = "x"\n')
    assert fingerprint(project).items == (("checks.test", '"x"'),)


def test_the_person_reads_whole_values_without_control_characters(project):
    long = "x" * 500
    (project / "shiage.toml").write_text(f'checks.test = "a \\u001b[2K \\u202e {long}"', encoding="utf-8")
    ((_, shown),) = fingerprint(project).items
    assert long in shown
    assert shown.isprintable()


def test_a_project_that_names_nothing_needs_no_trust_and_leaves_no_record(project, state):
    require_trust(project, state)
    trust(project, state)
    assert not state.exists()


def test_commands_are_refused_until_the_person_accepts_them(project, state):
    (project / "shiage.toml").write_text(COMMANDS)
    with pytest.raises(UserError) as caught:
        require_trust(project, state)
    assert caught.value.code == "not-trusted"
    assert "checks.test" in caught.value.message
    assert "agents.mine.command" in caught.value.message
    assert "`shiage trust`" in caught.value.help
    assert trust(project, state).items
    require_trust(project, state)


def test_a_changed_command_is_refused_again_and_the_old_one_is_known_again(project, state):
    file = project / "shiage.toml"
    file.write_text(COMMANDS)
    trust(project, state)
    file.write_text(COMMANDS.replace("-q", "-v"))
    assert not is_trusted(project, state)
    file.write_text("# only a comment more\n" + COMMANDS)
    assert is_trusted(project, state)


def test_a_sentence_names_only_some_of_many_commands(project, state):
    (project / "shiage.toml").write_text("".join(f'[agents.a{n}]\ncommand = ["x"]\n' for n in range(500)))
    with pytest.raises(UserError, match="and 494 more"):
        require_trust(project, state)


def test_projects_with_the_same_commands_are_trusted_each_for_itself(project, state, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for folder in (project, other):
        (folder / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    assert not is_trusted(other, state)
    trust(other, state)
    assert is_trusted(project, state)
    assert is_trusted(other, state)


def test_a_record_that_names_another_project_is_no_trust(project, state):
    (project / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    (record,) = (state / "trust").iterdir()
    record.write_text(record.read_text().replace(str(project), "/elsewhere"))
    assert not is_trusted(project, state)


def test_trust_is_bound_to_the_projects_path(project, state, tmp_path):
    (project / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    copy = tmp_path / "copy"
    project.rename(copy)
    assert not is_trusted(copy, state)


def test_only_what_was_shown_is_accepted_though_the_file_changed_meanwhile(project, state):
    file = project / "shiage.toml"
    file.write_text(COMMANDS)
    shown = fingerprint(project)
    file.write_text('checks.test = "evil"')
    trust(shown, state)
    assert not is_trusted(project, state)
    assert is_trusted(shown, state)


def test_what_was_loaded_is_what_is_judged(project, state):
    file = project / "shiage.toml"
    file.write_text(COMMANDS)
    loaded = load(project, environ={})
    file.write_text("")
    assert not is_trusted(of_documents(project, loaded.documents), state)


def test_the_record_is_the_persons_alone(project, state):
    (project / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    (record,) = (state / "trust").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"{}", b"[" * 100_000])
def test_a_damaged_record_is_no_trust(project, state, content):
    (project / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    (record,) = (state / "trust").iterdir()
    record.write_bytes(content)
    assert not is_trusted(project, state)


def test_a_state_folder_that_cannot_be_written_is_told(project, tmp_path):
    (project / "shiage.toml").write_text(COMMANDS)
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(UserError) as caught:
        trust(project, blocked)
    assert caught.value.code == "state-not-writable"


def test_a_failed_write_leaves_nothing_beside(project, state):
    (project / "shiage.toml").write_text(COMMANDS)
    trust(project, state)
    (record,) = (state / "trust").iterdir()
    record.unlink()
    record.mkdir()
    with pytest.raises(UserError):
        trust(project, state)
    assert list((state / "trust").iterdir()) == [record]


LINES = st.lists(
    st.sampled_from(['checks.test = "a"', 'checks.lint = "a"', 'agents.x.command = ["a"]', 'queue.url = "x://y"'])
    | st.sampled_from(["max_parallel = 2", 'agent = "codex"', "limits.retries = 1", 'language = "ja"']),
    unique=True,
    max_size=8,
)


def of(lines):
    text = "\n".join(lines)
    return of_documents(Path("/p"), [Document(Layer.PROJECT, "shiage.toml", text, tomllib.loads(text), {})])


@given(LINES, LINES)
def test_digests_are_equal_exactly_when_the_relevant_values_are(one, two):
    assert (of(one).digest == of(two).digest) == (of(one).items == of(two).items)
