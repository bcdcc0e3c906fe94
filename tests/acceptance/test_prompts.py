"""What an agent is told and given: the project's commands, the spec's language, no more environment than needed."""

import json
import sys
from pathlib import Path

import pytest
from scenes import DOCUMENTS, doing, story

DESIGNS = 'printf "# Design\\n\\nOne.\\n" > .kiro/specs/login/design.md; echo done'
KIRO = ".claude/commands/kiro/{}.md"
NAMES = {
    "SHIAGE_SPEC", "SHIAGE_SPEC_DIR", "SHIAGE_PHASE", "SHIAGE_ROLE", "SHIAGE_ROUND", "SHIAGE_ATTEMPT", "SHIAGE_RUN",
    "SHIAGE_AGENT_ID", "SHIAGE_PROJECT",
}  # fmt: skip


def commands(project, *paths: str) -> None:
    for path in paths:
        place = project.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("# a command of the project's own\n")


def agent(project, table: str, settings: str = "") -> None:
    """Let every role be played by an agent of this table; the scripted one stays beside it."""
    project.cast(story(), f"{settings}\n[agents.other]\n{table}\n")
    config = project.home / ".config" / "shiage" / "config.toml"
    config.write_text(config.read_text().replace('agent = "actor"', 'agent = "other"', 1))


def test_a_command_agent_gets_the_projects_slash_command_first_and_the_whole_brief_behind(project):
    project.cast(story())
    commands(project, *(KIRO.format(name) for name in ("spec-tasks", "document-review", "document-review-reply")))
    project.given(until="design")
    assert project.ran("login", "--until", "document-review")["exit_code"] == 0
    lines = [prompt.partition("\n\n") for prompt in project.prompts()]
    assert [first for first, _, _ in lines] == [
        "/kiro:spec-tasks login -y",
        "/kiro:document-review login",
        "/kiro:document-review-reply login 1 --autofix",
    ]
    assert all(".kiro/specs/login/" in brief and len(brief) > 300 for _, _, brief in lines)


def test_a_manual_reply_is_not_told_to_fix_by_itself(project):
    project.cast(story())
    commands(project, KIRO.format("document-review"), KIRO.format("document-review-reply"))
    project.given(until="tasks")
    assert project.shiage("step", "login", "document-review").code == 0
    assert project.prompts()[1].splitlines()[0] == "/kiro:document-review-reply login 1"


def test_without_commands_of_the_project_the_brief_itself_is_sent_with_the_persons_words(project):
    project.cast(story())
    assert project.shiage("new", "login", "greet the user kindly").code == 0
    assert project.ran("login", "--until", "requirements")["exit_code"] == 0
    prompt = project.prompts()[0]
    assert not prompt.startswith("/") and "greet the user kindly" in prompt
    assert ".kiro/specs/login/requirements.md" in prompt


@pytest.mark.parametrize(
    ("marker", "first"),
    [
        (".claude/skills/kiro-spec-design/SKILL.md", "/kiro-spec-design login -y"),
        (".claude/skills/speckit-plan/SKILL.md", "/speckit-plan"),
        (".claude/commands/kiro/spec-impl.md", None),
    ],
    ids=["cc-sdd", "speckit", "another command only"],
)
def test_the_dialect_is_detected_and_a_command_is_sent_only_where_its_file_is(project, marker, first):
    project.cast(story())
    commands(project, marker)
    project.given(until="requirements")
    assert project.shiage("step", "login", "design").code == 0
    prompt = project.prompts()[0]
    assert prompt.splitlines()[0] == first if first else not prompt.startswith("/")


def test_claude_gets_the_slash_command_alone_and_after_a_rejection_the_whole_modification(project):
    program = project.home / "talker.py"
    program.write_text(
        "import json, os, sys\n"
        "sys.stdin.read()\n"
        "place = os.path.join(os.environ['SHIAGE_SPEC_DIR'], 'design.md')\n"
        "if os.environ['SHIAGE_ATTEMPT'] == '2':\n"
        f"    open(place, 'w').write({DOCUMENTS['design']!r})\n"
        "calls = os.path.join(os.environ['SHIAGE_PROJECT'], '.shiage', 'argv')\n"
        "open(calls, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
        "print(json.dumps({'type': 'system', 'subtype': 'init', 'session_id': 's-1'}))\n"
        "print(json.dumps({'type': 'result', 'subtype': 'success', 'is_error': False, 'session_id': 's-1',\n"
        "                  'result': 'design.md is written', 'usage': {'input_tokens': 1, 'output_tokens': 1}}))\n"
    )
    argv = json.dumps([sys.executable, "-I", "-S", str(program)])
    agent(project, f'kind = "claude"\ncommand = {argv}\nmodel = "opus"\n')
    commands(project, KIRO.format("spec-design"))
    project.given(until="requirements")
    assert project.ran("login", "--until", "design")["exit_code"] == 0
    first, second = project.prompts()
    assert first == "/kiro:spec-design login -y"
    assert "design.md" in second and not second.startswith("/")
    calls = [json.loads(line) for line in (project.root / ".shiage" / "argv").read_text().splitlines()]
    assert all(call[call.index("--model") + 1] == "opus" for call in calls)
    assert "--resume" not in calls[0] and calls[1][calls[1].index("--resume") + 1] == "s-1"


def test_an_agent_gets_its_variables_whole_and_nothing_that_is_not_on_the_list(project):
    shell = ["run", "sh", "-c", "tr '\\0' '\\n' < /proc/$PPID/environ > environment.txt; pwd > cwd.txt"]
    look = ["write", "spec:document-review-{round}.md", "# Review {round}\n"]
    project.cast(story(doing("reviewer", shell, look, ["say", "reviewed"])))
    project.given(until="tasks")
    ours = {
        "AWS_SECRET_ACCESS_KEY": "x",
        "MY_TOKEN": "y",
        "SHIAGE_LIMITS__RETRIES": "1",
        "PYTHONSTARTUP": "/nowhere",
        "LC_TIME": "C",
    }
    said = project.shiage("run", "login", "--until", "document-review", "--json", variables=ours)
    assert said.code == 0
    pairs = [line.partition("=") for line in (project.root / "environment.txt").read_text().splitlines()]
    seen = {name: value for name, _, value in pairs if name}
    assert {name for name in seen if name.startswith("SHIAGE_")} == NAMES
    assert set(seen) - NAMES <= {"PATH", "HOME", "LANG", "LC_TIME", "LC_CTYPE", "PWD", "SHLVL", "_", "TMPDIR"}
    assert not Path(seen["TMPDIR"]).exists()
    assert (seen["LC_TIME"], seen["HOME"]) == ("C", str(project.home))
    root = str(project.root.resolve())
    expected = {
        "SHIAGE_SPEC": "login", "SHIAGE_SPEC_DIR": f"{root}/.kiro/specs/login", "SHIAGE_PHASE": "document-review",
        "SHIAGE_ROLE": "reviewer", "SHIAGE_ROUND": "1", "SHIAGE_ATTEMPT": "1", "SHIAGE_RUN": "r-0001",
        "SHIAGE_AGENT_ID": project.journal(kind="ATTEMPT_STARTED")[0]["content"]["agent_id"], "SHIAGE_PROJECT": root,
    }  # fmt: skip
    assert {name: seen[name] for name in NAMES} == expected
    assert (project.root / "cwd.txt").read_text().strip() == root


def test_a_variable_that_the_settings_name_is_handed_on(project):
    script = f'cat > /dev/null; printf %s "$MY_TOKEN" > token.txt; {DESIGNS}'
    agent(project, f'command = ["sh", "-c", {json.dumps(script)}]\nenv = ["MY_TOKEN"]\n')
    project.given(until="requirements")
    said = project.shiage("step", "login", "design", variables={"MY_TOKEN": "abc"})
    assert said.code == 0, said
    assert (project.root / "token.txt").read_text() == "abc"


def test_a_prompt_may_stand_in_an_argument(project):
    script = f'printf %s "$1" > got.txt; cat > stdin.txt; {DESIGNS}'
    agent(project, f'command = ["sh", "-c", {json.dumps(script)}, "agent", "{{prompt}}"]\n')
    project.given(until="requirements")
    assert project.shiage("step", "login", "design").code == 0
    assert (project.root / "got.txt").read_text() == project.prompts()[0]
    assert (project.root / "stdin.txt").read_text() == ""


@pytest.mark.parametrize(("language", "words"), [("ja", "日本語"), ("en", "English")])
def test_prompts_follow_the_specs_language_and_not_the_persons(project, language, words):
    project.cast(story())
    project.given(until="requirements", language=language)
    other = {"ja": "en", "en": "ja"}[language]
    assert project.shiage("step", "login", "design", "--lang", other).code == 0
    prompt = project.prompts()[0]
    assert words in prompt
    assert any("\u3040" <= letter <= "\u30ff" for letter in prompt) is (language == "ja")
