"""Layers, defaults, conversion: what `load` makes of what people wrote."""

import json
from pathlib import Path

import pytest

from shiage.config import Layer, load
from shiage.config.load import user_config_file
from shiage.config.settings import COMMAND, ROLES, AgentConfig, Settings
from shiage.domain.errors import UsageError, UserError
from shiage.domain.run import MAX_DOCUMENT_REVIEW_ROUNDS, Role

CONTRACT = "SPEC SPEC_DIR PHASE ROLE ROUND ATTEMPT RUN AGENT_ID PROJECT TASK"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / ".claude").mkdir(parents=True)
    return folder


def settings(project, toml="", **more):
    (project / "shiage.toml").write_text(toml, encoding="utf-8")
    return load(project, environ={}, **more).settings


def from_environment(project, **variables):
    return load(project, environ=variables).settings


def review_loop_json(project, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (project / ".claude/review-loop.json").write_text(text, encoding="utf-8")


def test_without_any_file_everything_has_its_default(project):
    loaded = load(project, environ={})
    assert loaded.settings == Settings()
    assert {origin.layer for origin in loaded.origins.values()} == {Layer.DEFAULT}
    assert loaded.warnings == ()


def test_the_defaults_are_those_of_the_product_page(project):
    found = load(project, environ={}).settings
    assert (found.agent, found.language, found.max_parallel) == ("claude", None, 5)
    assert [phase for phase, permitted in found.permissions.items() if not permitted] == ["deploy"]
    limits = found.limits
    assert (limits.review_rounds, limits.impl_reruns, limits.inspection_rounds) == (7, 7, 3)
    assert (limits.attempt_minutes, limits.idle_minutes, limits.retries) == (240, 30, 3)
    assert (found.review_loop.max_iterations, found.review_loop.retry_delay_ms) == (3, 1000)
    assert found.review_loop.criteria.mandatory == ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6")
    assert found.limits.review_rounds == MAX_DOCUMENT_REVIEW_ROUNDS


def test_the_roles_are_those_of_the_domain():
    assert tuple(Role) == ROLES


def test_every_section_of_a_full_file_is_read(project):
    found = settings(
        project,
        """
agent = "codex"
language = "ja"
max_parallel = 2
[permissions]
document-review = false
verify = false
[roles]
reviewer = "mine"
[limits]
idle_minutes = 0.5
[budget]
usd = 1.5
tokens = 1000
[guard]
optional = "skip"
ignore_headings = ["Checklist"]
[checks]
test = "pytest -q 'a b'"
lint = ["ruff", "check"]
[review_loop]
todo_words = ["XXX"]
template = "goal_drift_guard"
[review_loop.criteria]
optional = ["Q7"]
[agents.mine]
command = ["python", "agent.py"]
env = ["MY_TOKEN"]
[notify]
desktop = false
webhooks = ["https://example.org/hook"]
[queue]
url = "postgresql://host/name"
""",
    )
    assert (found.agent, found.language, found.max_parallel) == ("codex", "ja", 2)
    assert found.permissions["document-review"] is False
    assert found.permissions["verify"] is False
    assert (found.agent_for("reviewer"), found.agent_for("author")) == ("mine", "codex")
    assert found.limits.idle_minutes == 0.5
    assert (found.budget.usd, found.budget.tokens, found.budget.minutes) == (1.5, 1000, None)
    assert (found.guard.optional, found.guard.ignore_headings) == ("skip", ("Checklist",))
    assert found.checks.test == ("pytest", "-q", "a b")
    assert found.checks.lint == ("ruff", "check")
    assert (found.review_loop.todo_words, found.review_loop.template) == (("XXX",), "goal_drift_guard")
    assert found.review_loop.criteria.optional == ("Q7",)
    assert found.agents["mine"] == AgentConfig(COMMAND, command=("python", "agent.py"), env=("MY_TOKEN",))
    assert found.notify.webhooks == ("https://example.org/hook",)
    assert found.notify.desktop is False
    assert found.queue.url == "postgresql://host/name"


def test_each_layer_wins_over_the_ones_below(project, tmp_path):
    user = tmp_path / "user.toml"
    key = "review_loop.max_iterations"

    def now(**more):
        loaded = load(project, user_file=user, **{"environ": {}, **more})
        return loaded.settings.review_loop.max_iterations, loaded.origins[key].layer

    assert now() == (3, Layer.DEFAULT)
    user.write_text("[review_loop]\nmax_iterations = 10\n")
    assert now() == (10, Layer.USER)
    review_loop_json(project, {"max_iterations": 11})
    assert now() == (11, Layer.REVIEW_LOOP)
    (project / "shiage.toml").write_text("[review_loop]\nmax_iterations = 12\n")
    assert now() == (12, Layer.PROJECT)
    environ = {"SHIAGE_REVIEW_LOOP__MAX_ITERATIONS": "13"}
    assert now(environ=environ) == (13, Layer.ENVIRONMENT)
    assert now(environ=environ, overrides={key: 14}) == (14, Layer.COMMAND_LINE)


def test_layers_are_joined_key_by_key(project):
    review_loop_json(project, {"max_iterations": 9, "retry_delay_ms": 5})
    found = settings(project, "[review_loop]\nmax_iterations = 2\n").review_loop
    assert (found.max_iterations, found.retry_delay_ms) == (2, 5)


def test_origins_name_file_and_line_or_variable(project):
    (project / "shiage.toml").write_text('# first\nagent = "codex"\n\n[limits]\nretries = 1\n')
    origins = load(project, environ={"SHIAGE_LANG": "ja"}).origins
    assert str(origins["agent"]) == "shiage.toml:2"
    assert str(origins["limits.retries"]) == "shiage.toml:5"
    assert str(origins["language"]) == "SHIAGE_LANG"
    assert str(origins["max_parallel"]) == "default"


def test_the_review_loop_file_is_honoured_as_the_seed_shows_it_with_its_comment(project):
    review_loop_json(
        project,
        """// .claude/review-loop.json
{
  "enabled": false,
  "max_iterations": 4,
  "retry_delay_ms": 0, /* no wait */
  "escalate_on_max": false,
  "criteria": {"mandatory": ["Q1"], "optional": ["Q7"]},
  "omission_patterns": ["// 残り省略", "/* 省略 */"],
  "early_termination_patterns": []
}""",
    )
    found = load(project, environ={}).settings.review_loop
    assert (found.enabled, found.max_iterations, found.retry_delay_ms, found.escalate_on_max) == (False, 4, 0, False)
    assert (found.criteria.mandatory, found.criteria.optional) == (("Q1",), ("Q7",))
    assert found.omission_patterns == ("// 残り省略", "/* 省略 */")
    assert found.early_termination_patterns == ()


def test_pyproject_serves_when_there_is_no_shiage_toml(project):
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.shiage]\nagent = "codex"\n')
    loaded = load(project, environ={})
    assert loaded.settings.agent == "codex"
    assert str(loaded.origins["agent"]) == "pyproject.toml:4"


def test_pyproject_is_ignored_with_a_warning_beside_a_shiage_toml(project):
    (project / "shiage.toml").write_text("max_parallel = 3\n")
    (project / "pyproject.toml").write_text('[tool.shiage]\nagent = "codex"\n')
    loaded = load(project, environ={})
    assert (loaded.settings.agent, loaded.settings.max_parallel) == ("claude", 3)
    assert loaded.warnings == ("pyproject.toml: [tool.shiage] is ignored because there is a shiage.toml",)


@pytest.mark.parametrize("text", ["[project]\nbroken = \n", 'text = """\n[tool.shiage]\n"""\n', ""])
def test_a_pyproject_without_our_table_says_nothing(project, text):
    (project / "pyproject.toml").write_text(text)
    assert load(project, environ={}).settings == Settings()


def test_a_pyproject_that_is_a_folder_says_nothing(project):
    (project / "pyproject.toml").mkdir()
    assert load(project, environ={}).settings == Settings()


def test_the_environment_reaches_nested_keys_of_every_kind(project):
    found = from_environment(
        project,
        SHIAGE_AGENT="codex",
        SHIAGE_LANGUAGE="ja",
        SHIAGE_LIMITS__REVIEW_ROUNDS="2",
        SHIAGE_LIMITS_IDLE_MINUTES="0.25",
        SHIAGE_BUDGET__USD="none",
        SHIAGE_PERMISSIONS_DOCUMENT_REVIEW="0",
        SHIAGE_PERMISSIONS__DEPLOY="TRUE",
        SHIAGE_CHECKS__TEST="pytest -q",
        SHIAGE_GUARD__IGNORE_HEADINGS="One, Two",
        SHIAGE_REVIEW_LOOP__OMISSION_PATTERNS='["a,b", "c"]',
        SHIAGE_NOTIFY__WEBHOOKS="https://example.org/hook",
    )
    assert (found.agent, found.language) == ("codex", "ja")
    assert (found.limits.review_rounds, found.limits.idle_minutes, found.budget.usd) == (2, 0.25, None)
    assert (found.permissions["document-review"], found.permissions["deploy"]) == (False, True)
    assert found.checks.test == ("pytest", "-q")
    assert found.guard.ignore_headings == ("One", "Two")
    assert found.review_loop.omission_patterns == ("a,b", "c")
    assert found.notify.webhooks == ("https://example.org/hook",)


def test_the_environment_reaches_agents_that_files_declare(project):
    (project / "shiage.toml").write_text('[agents.My-One]\nkind = "claude"\n')
    found = from_environment(
        project,
        SHIAGE_AGENTS__MY_ONE__MODEL="big",
        SHIAGE_AGENTS__NEW__COMMAND="run 'a b'",
        SHIAGE_AGENTS__CODEX__EXTRA_ARGS="--a --b",
    )
    assert found.agents["My-One"] == AgentConfig("claude", model="big")
    assert found.agents["new"] == AgentConfig(COMMAND, command=("run", "a b"))
    assert found.agents["codex"] == AgentConfig("codex", extra_args=("--a", "--b"))


def test_what_an_agent_finds_in_its_environment_is_no_setting(project):
    loaded = load(project, environ={f"SHIAGE_{name}": "x" for name in CONTRACT.split()})
    assert (loaded.settings, loaded.warnings) == (Settings(), ())


def test_an_empty_variable_is_one_that_is_not_set(project):
    assert from_environment(project, SHIAGE_AGENT="", OTHER="x").agent == "claude"


def test_options_that_were_not_given_leave_the_layers_below_alone(project):
    found = settings(project, "max_parallel = 2\n", overrides={"max_parallel": None, "agent": "codex"})
    assert (found.max_parallel, found.agent) == (2, "codex")


def test_an_option_may_come_as_text_or_as_a_value(project):
    found = settings(project, overrides={"max_parallel": "4", "budget.usd": 2.5, "agents.x.command": ["a"]})
    assert (found.max_parallel, found.budget.usd, found.agents["x"].command) == (4, 2.5, ("a",))


def test_an_option_for_a_setting_that_does_not_exist_is_a_usage_error(project):
    with pytest.raises(UsageError, match=r'did you mean "limits\.retries"') as caught:
        load(project, environ={}, overrides={"limits.retrys": 1})
    assert caught.value.code == "setting-unknown"


def test_none_takes_a_lower_layers_value_away(project, tmp_path):
    user = tmp_path / "user.toml"
    user.write_text('[review_loop]\njudge = "codex"\n[roles]\nfixer = "codex"\n')
    found = settings(project, '[review_loop]\njudge = "none"\n[roles]\nfixer = "none"\n', user_file=user)
    assert found.review_loop.judge is None
    assert dict(found.roles) == {}


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "acp", "demo"])
def test_built_in_agents_need_no_declaration(project, name):
    assert load(project, environ={}).settings.agents[name] == AgentConfig(kind=name)


def test_a_command_under_a_built_in_name_is_a_command(project):
    found = settings(project, '[agents.claude]\ncommand = ["fake"]\n[agents.codex]\nmodel = "m"\n')
    assert found.agents["claude"] == AgentConfig(COMMAND, command=("fake",))
    assert found.agents["codex"] == AgentConfig("codex", model="m")


def test_a_kind_with_a_command_keeps_both(project):
    found = settings(project, '[agents.mine]\nkind = "acp"\ncommand = ["my-acp"]\n')
    assert found.agents["mine"] == AgentConfig("acp", command=("my-acp",))


def test_an_agent_with_neither_command_nor_kind_is_refused_with_its_place(project):
    with pytest.raises(UserError, match=r'agents\.mine must have command = \["…"\] or kind') as caught:
        settings(project, '[agents.mine]\nmodel = "m"\n')
    assert str(caught.value.where) == "shiage.toml:2:9"


def test_webhook_is_another_name_for_webhooks(project):
    assert settings(project, '[notify]\nwebhook = "http://host/x"\n').notify.webhooks == ("http://host/x",)


def test_settings_cannot_be_changed(project):
    found = load(project, environ={}).settings
    with pytest.raises(AttributeError):
        found.agent = "other"
    with pytest.raises(TypeError):
        found.permissions["deploy"] = True


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble(project):
    (project / "shiage.toml").write_bytes(b'\xef\xbb\xbfagent = "codex"\r\n[limits]\r\nretries = 1\r\n')
    loaded = load(project, environ={})
    assert (loaded.settings.agent, loaded.settings.limits.retries) == ("codex", 1)
    assert loaded.origins["limits.retries"].line == 3


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/shiage/config.toml"),
        ({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config/shiage/config.toml"),
        ({"USERPROFILE": "/u"}, "/u/.config/shiage/config.toml"),
        ({}, None),
    ],
)
def test_the_user_file_stands_where_xdg_says(environ, expected):
    assert user_config_file(environ) == (Path(expected) if expected else None)


def test_the_user_file_is_found_through_the_environment(project, tmp_path):
    (tmp_path / "shiage").mkdir()
    (tmp_path / "shiage/config.toml").write_text("max_parallel = 8\n")
    assert from_environment(project, XDG_CONFIG_HOME=str(tmp_path)).max_parallel == 8
