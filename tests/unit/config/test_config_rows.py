"""What `config show` and the documentation say of each setting."""

import pytest

from shiage.config import load
from shiage.config.rows import rows
from shiage.config.table import TABLE, describe
from shiage.domain.errors import UserError


@pytest.fixture
def shown(tmp_path):
    def show(toml="", prefix="", language="en", **environ):
        (tmp_path / "shiage.toml").write_text(toml, encoding="utf-8")
        return {row.key: row for row in rows(load(tmp_path, environ=environ), prefix, language)}

    return show


def test_every_setting_is_shown_with_value_and_origin(shown):
    found = shown("max_parallel = 2\n", SHIAGE_LANG="ja")
    assert set(found) == {setting.key for setting in TABLE if "*" not in setting.key}
    assert (found["max_parallel"].text, str(found["max_parallel"].origin)) == ("2", "shiage.toml:1")
    assert (found["language"].text, str(found["language"].origin)) == ('"ja"', "SHIAGE_LANG")
    assert (found["budget.usd"].text, str(found["budget.usd"].origin)) == ("none", "default")
    assert found["permissions.deploy"].value is False


def test_a_prefix_shows_a_section_or_a_key(shown):
    assert set(shown(prefix="queue")) == {"queue.url", "queue.remote"}
    assert set(shown(prefix="review_loop.criteria")) == {
        "review_loop.criteria.mandatory",
        "review_loop.criteria.optional",
    }
    assert set(shown('[agents.mine]\nkind = "acp"\n', prefix="agent")) == {"agent"}


def test_declared_agents_are_shown_with_what_they_declare(shown):
    found = shown('[agents.mine]\ncommand = ["run", "a b"]\n', prefix="agents")
    assert found["agents.mine.command"].value == ["run", "a b"]
    assert found["agents.mine.command"].description == "program and arguments of an agent that is a command"
    assert shown(prefix="agents") == {}


def test_commands_are_shown_as_they_would_be_typed(shown):
    assert shown("checks.test = \"pytest -k 'a b'\"", prefix="checks.test")["checks.test"].value == "pytest -k 'a b'"


def test_descriptions_speak_the_language_that_is_asked_for(shown):
    assert shown(prefix="agent")["agent"].description == "default agent"
    assert shown(prefix="agent", language="ja")["agent"].description == "既定のエージェント"
    assert all(setting.en and setting.ja and setting.en != setting.ja for setting in TABLE)


def test_a_misspelt_prefix_is_refused_with_a_suggestion(shown):
    with pytest.raises(UserError) as caught:
        shown(prefix="revew_loop")
    assert caught.value.code == "setting-unknown"
    assert caught.value.help == "`shiage config show review_loop` lists what there is."
    with pytest.raises(UserError, match="no setting"):
        shown(prefix="nonsense")


def test_secrets_in_addresses_are_not_shown(shown):
    found = shown(
        """
[notify]
webhooks = ["https://hooks.example.org/T0/secret", "http://[broken/x"]
apprise = ["mailto://me:secret@example.org"]
[queue]
url = "postgresql://me:secret@host:5432/name?password=secret"
"""
    )
    assert found["notify.webhooks"].value == ["https://hooks.example.org/…", "…"]
    assert found["notify.apprise"].value == ["mailto://example.org"]
    assert found["queue.url"].value == "postgresql://host:5432/…"


def test_the_documentation_gets_key_type_default_and_description():
    described = {key: rest for key, *rest in describe()}
    rounds = ["whole number, at least 1", "7", "document review rounds before a pause"]
    assert described["limits.review_rounds"] == rounds
    assert described["budget.usd"][:2] == ["number, at least 0 and finite, or none", "none"]
    assert described["permissions.deploy"][1] == "false"
    assert described["agents.*.extra_args"][1] == "[]"
    assert described["agents.*.kind"][1] == "none"
    assert {key: rest for key, *rest in describe("ja")}["agent"][2] == "既定のエージェント"
