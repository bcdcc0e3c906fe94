"""What bad settings get: the key, what was expected, the place, the remedy."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.config import load
from shiage.config.nearest import distance, nearest
from shiage.domain.errors import UserError


def refused(project, toml=None, environ=None, **files):
    if toml is not None:
        (project / "shiage.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(project, environ=environ or {}, **files)
    return caught.value


def warned(project, toml="", environ=None):
    (project / "shiage.toml").write_text(toml, encoding="utf-8")
    return load(project, environ=environ or {}).warnings


@pytest.fixture
def review_loop(tmp_path):
    (tmp_path / ".claude").mkdir()
    return tmp_path / ".claude/review-loop.json"


def test_a_wrong_type_is_told_as_the_documentation_shows_it(tmp_path):
    error = refused(tmp_path, '# a\n\n\n\n\n\n[review_loop]\nmax_iterations = "three"\n')
    assert error.code == "setting-invalid"
    assert error.exit_code == 1
    assert error.message == 'review_loop.max_iterations must be a whole number, not "three"'
    assert str(error.where) == "shiage.toml:8:18"
    assert error.where.excerpt == ("[review_loop]", 'max_iterations = "three"')
    assert error.help == "`shiage config show review_loop` lists the keys, their values and where each comes from."


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("max_parallel = true", "max_parallel must be a whole number, not true"),
        ("max_parallel = 1.5", "max_parallel must be a whole number, not 1.5"),
        ("max_parallel = 0", "max_parallel must be at least 1, not 0"),
        ("max_parallel = 2000000000", "max_parallel must be at most 1000000000, not 2000000000"),
        ("agent = 5", "agent must be a name of letters, digits, dots, hyphens and underscores, not 5"),
        ('agent = "-x"', 'agent must be a name of letters, digits, dots, hyphens and underscores, not "-x"'),
        ('language = "de"', 'language must be "en" or "ja", not "de"'),
        ("limits = 5", "limits must be a table, not 5"),
        ("limits.review_rounds = 0", "limits.review_rounds must be at least 1, not 0"),
        ("limits.idle_minutes = 0", "limits.idle_minutes must be more than 0 and at most a year of minutes, not 0"),
        (
            "limits.idle_minutes = inf",
            "limits.idle_minutes must be more than 0 and at most a year of minutes, not Infinity",
        ),
        ('limits.idle_minutes = "1"', 'limits.idle_minutes must be a number, not "1"'),
        ("budget.usd = -0.1", "budget.usd must be at least 0 and finite, not -0.1"),
        ("budget.usd = inf", "budget.usd must be at least 0 and finite, not Infinity"),
        ("budget.usd = nan", "budget.usd must be at least 0 and finite, not NaN"),
        ("permissions.deploy = 1", "permissions.deploy must be true or false, not 1"),
        ('guard.optional = "no"', 'guard.optional must be "require" or "skip", not "no"'),
        ('guard.ignore_headings = "x"', 'guard.ignore_headings must be a list of texts, not "x"'),
        ("guard.ignore_headings = [1]", "guard.ignore_headings must be a list of texts, not [1]"),
        (
            'review_loop.omission_patterns = [" "]',
            'review_loop.omission_patterns must be a list of texts that are not empty, not [" "]',
        ),
        (
            'review_loop.criteria.mandatory = ["Q12"]',
            'review_loop.criteria.mandatory must be a list of criteria such as Q1 to Q9 or GD1 to GD5, not ["Q12"]',
        ),
        ("review_loop.criteria = []", "review_loop.criteria must be a table, not []"),
        ('checks.test = "pytest \'"', 'checks.test must be a command line with closed quotes, not "pytest \'"'),
        ('checks.test = ""', 'checks.test must be a command line such as "pytest -q", not ""'),
        ("checks.test = 5", 'checks.test must be a command line such as "pytest -q", not 5'),
        ("checks.test = {}", 'checks.test must be a command line such as "pytest -q", not a table'),
        (
            'agents.x.command = "run"',
            'agents.x.command must be a list of words such as ["my-agent", "--headless"], not "run"',
        ),
        ("agents.x.command = []", 'agents.x.command must be a list of words such as ["my-agent", "--headless"]'),
        ('agents.x.command = ["a\\u0000"]', "must be text without NUL or broken characters"),
        ('agents.x.model = "--yolo"', "agents.x.model must be a word without spaces that starts with no hyphen"),
        ('agents.x.model = "a\\u202eb"', "agents.x.model must be a word without spaces"),
        ('agents.x.env = ["A=b"]', 'agents.x.env must be a list of variable names such as ["MY_TOKEN"], not ["A=b"]'),
        ("agents.x.env = 1", 'agents.x.env must be a list of variable names such as ["MY_TOKEN"], not 1'),
        ("agents.x = 1", "agents.x must be a table, not 1"),
        ('agents."a b".model = "m"', "agents.NAME must be a name of letters, digits, hyphens and underscores"),
        ('notify.webhooks = "file:///x"', "notify.webhooks must be a list of http or https URLs"),
        ('queue.url = "no url"', 'queue.url must be a URL such as postgresql://host/name, not "no url"'),
        ("max_parallel = 2020-01-01", 'max_parallel must be a whole number, not "2020-01-01"'),
    ],
)
def test_each_wrong_value_is_named_with_what_was_expected(tmp_path, toml, message):
    error = refused(tmp_path, toml)
    assert message in error.message
    assert error.code == "setting-invalid"
    assert error.where.line == 1


def test_a_long_wrong_value_is_cut(tmp_path):
    error = refused(tmp_path, f'max_parallel = "{"x" * 5000}"')
    assert len(error.message) < 200
    assert error.message.endswith("…")
    assert max(map(len, error.where.excerpt)) <= 200


def test_control_characters_never_reach_a_message(tmp_path):
    error = refused(tmp_path, 'max_parallel = "\\u001b[31m"')
    assert "\x1b" not in error.message


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("SHIAGE_LIMITS__RETRIES", "many", 'limits.retries must be a whole number, not "many"'),
        ("SHIAGE_PERMISSIONS__DEPLOY", "yes", 'permissions.deploy must be true or false, not "yes"'),
        ("SHIAGE_GUARD__IGNORE_HEADINGS", "[broken", "guard.ignore_headings must be a list of texts"),
        ("SHIAGE_CHECKS__TEST", "a '", "checks.test must be a command line with closed quotes"),
        ("SHIAGE_AGENTS__X__COMMAND", "a '", "agents.x.command must be a list of words"),
        ("SHIAGE_AGENTS__A B__MODEL", "m", "agents.NAME must be a name of letters"),
        ("SHIAGE_CHECKS__LINT", "ruff \udcff", "checks.lint must be a command line"),
    ],
)
def test_a_wrong_variable_is_named_as_the_place(tmp_path, variable, value, message):
    error = refused(tmp_path, environ={variable: value})
    assert message in error.message
    assert str(error.where) == variable


def test_the_place_of_a_wrong_option_is_the_command_line(tmp_path):
    error = refused(tmp_path, overrides={"max_parallel": "x"})
    assert str(error.where) == "command line"


def test_a_wrong_value_in_the_review_loop_file_has_the_full_key_and_its_place(tmp_path, review_loop):
    review_loop.write_text('{\n  "criteria": {\n    "mandatory": "Q1"\n  }\n}')
    error = refused(tmp_path)
    assert error.message.startswith("review_loop.criteria.mandatory must be a list of criteria")
    assert str(error.where) == ".claude/review-loop.json:3:18"


def test_a_wrong_value_in_pyproject_has_its_place(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.shiage.limits]\nretries = -1\n")
    assert str(refused(tmp_path).where) == "pyproject.toml:2:11"


def test_our_pyproject_table_must_be_a_table(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[[tool.shiage]]\nagent = 1\n")
    error = refused(tmp_path)
    assert error.message.startswith("tool.shiage must be a table")
    assert error.where.line == 1
    assert error.help.startswith("`shiage config show` lists")


def test_toml_that_cannot_be_read_is_told_with_line_and_column(tmp_path):
    error = refused(tmp_path, 'agent = "codex"\nlimits = = 5\n')
    assert error.code == "settings-unreadable"
    assert error.message.startswith("shiage.toml is not valid TOML: ")
    assert "line" not in error.message
    assert (error.where.line, error.where.column) == (2, 10)
    assert error.where.excerpt[-1] == "limits = = 5"


def test_toml_that_ends_too_early_is_told_with_its_last_line(tmp_path):
    error = refused(tmp_path, 'a = 1\nb = """open')
    assert (error.code, error.where.line) == ("settings-unreadable", 2)


def test_json_that_cannot_be_read_is_told_with_line_and_column(tmp_path, review_loop):
    review_loop.write_text('{\n  "enabled": true,\n}')
    error = refused(tmp_path)
    assert error.code == "settings-unreadable"
    assert error.where.line in (2, 3)
    assert error.message.startswith(".claude/review-loop.json is not valid JSON: ")


def test_the_review_loop_file_must_hold_an_object(tmp_path, review_loop):
    review_loop.write_text("[]")
    assert refused(tmp_path).message == ".claude/review-loop.json must hold one object"


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
def test_json_bombs_are_refused(tmp_path, review_loop, content):
    review_loop.write_bytes(content)
    assert refused(tmp_path).code == "settings-unreadable"


@pytest.mark.parametrize(
    "content", [b"a = " + b"[" * 100_000, b"a = " + b"9" * 5000, b"#" * (1 << 20) + b"\n", b"\xff"]
)
def test_toml_bombs_are_refused(tmp_path, content):
    (tmp_path / "shiage.toml").write_bytes(content)
    assert refused(tmp_path).code == "settings-unreadable"


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    (tmp_path / "shiage.toml").write_bytes(b"a = 1\n# \xff\n")
    error = refused(tmp_path)
    assert (error.message, error.where.line) == ("shiage.toml is not UTF-8 text", 2)


def test_a_settings_file_that_is_a_folder_is_refused(tmp_path):
    (tmp_path / "shiage.toml").mkdir()
    assert refused(tmp_path).message == "shiage.toml is not a regular file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_settings_file_that_is_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "shiage.toml")
    os.mkfifo(tmp_path / "pyproject.toml")
    assert refused(tmp_path).message == "shiage.toml is not a regular file"


@pytest.mark.parametrize("target", ["shiage.toml", "missing"])
def test_a_link_to_nothing_or_to_itself_is_refused(tmp_path, target):
    (tmp_path / "shiage.toml").symlink_to(tmp_path / target)
    assert refused(tmp_path).message.startswith("shiage.toml cannot be read")


def test_a_link_out_of_the_project_is_refused(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret").write_text("password = 1\n")
    (project / "shiage.toml").symlink_to(tmp_path / "secret")
    error = refused(project)
    assert error.message == "shiage.toml is a link that leads out of the project"
    assert error.where.excerpt == ()


def test_the_users_own_file_may_be_a_link(tmp_path):
    (tmp_path / "real.toml").write_text("max_parallel = 9\n")
    (tmp_path / "user.toml").symlink_to(tmp_path / "real.toml")
    assert load(tmp_path, environ={}, user_file=tmp_path / "user.toml").settings.max_parallel == 9


@pytest.mark.parametrize(
    ("toml", "warning"),
    [
        (
            "[limits]\nreview_round = 3\n",
            'shiage.toml:2: unknown setting "limits.review_round"; did you mean "limits.review_rounds"?',
        ),
        ("[limit]\nretries = 3\n", 'shiage.toml:1: unknown setting "limit"; did you mean "limits"?'),
        ("colour = 1\n", 'shiage.toml:1: unknown setting "colour"'),
        ("x = 1\n", 'shiage.toml:1: unknown setting "x"'),
        (
            '[agents.m]\nkind = "acp"\nmodell = "x"\n',
            'shiage.toml:3: unknown setting "agents.m.modell"; did you mean "agents.m.model"?',
        ),
        (
            '[review_loop]\ntemplate = "goal_drift_gaurd"\n',
            'review_loop.template "goal_drift_gaurd" is not built in; did you mean "goal_drift_guard"?',
        ),
    ],
)
def test_an_unknown_key_is_a_warning_with_a_suggestion(tmp_path, toml, warning):
    assert warned(tmp_path, toml) == (warning,)


@pytest.mark.parametrize("template", ["goal_drift_guard", "acme_rules"])
def test_a_known_template_and_a_plugins_one_bring_no_warning(tmp_path, template):
    assert warned(tmp_path, f'[review_loop]\ntemplate = "{template}"\n') == ()


def test_an_unknown_variable_is_a_warning_with_a_suggestion(tmp_path):
    environ = {"SHIAGE_AGNET": "x", "SHIAGE_COLOURS_AND_MORE": "1", "SHIAGE_AGENTS__X__Y": "1"}
    assert set(warned(tmp_path, environ=environ)) == {
        "SHIAGE_AGNET is no setting; did you mean SHIAGE_AGENT?",
        "SHIAGE_COLOURS_AND_MORE is no setting",
        "SHIAGE_AGENTS__X__Y is no setting",
    }


def test_an_unknown_key_in_the_review_loop_file_is_a_warning(tmp_path, review_loop):
    review_loop.write_text('{\n "max_iteration": 3\n}')
    assert load(tmp_path, environ={}).warnings == (
        '.claude/review-loop.json:2: unknown setting "review_loop.max_iteration"; '
        'did you mean "review_loop.max_iterations"?',
    )


def test_a_hostile_key_cannot_steer_the_terminal(tmp_path):
    (warning,) = warned(tmp_path, f'"\\u001b]0;{"x" * 4000}" = 1\n')
    assert "\x1b" not in warning
    assert len(warning) < 200


@given(st.text(max_size=12), st.text(max_size=12))
def test_distance_is_symmetric_and_zero_only_for_the_same_word(one, two):
    assert distance(one, two) == distance(two, one)
    assert (distance(one, two) == 0) == (one == two)


def test_nearest_takes_the_closest_of_several():
    assert nearest("tets", ["lint", "test", "text"]) in ("test", "text")
    assert nearest("testt", ["text", "test"]) == "test"
    assert nearest("test", []) is None
    assert nearest("x", ["ab"]) is None  # every letter replaced is no resemblance


@given(st.binary(max_size=200))
def test_any_bytes_as_settings_are_read_or_refused_in_words(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp() / "any-bytes"
    (folder / ".claude").mkdir(parents=True, exist_ok=True)
    (folder / "shiage.toml").write_bytes(content)
    (folder / ".claude/review-loop.json").write_bytes(content)
    try:
        load(folder, environ={})
    except UserError as error:
        assert error.code in ("settings-unreadable", "setting-invalid")
        assert error.where is not None
