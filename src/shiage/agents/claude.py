"""Claude Code, headless: one JSON event per line on its standard output."""

from shiage.agents.adapter import (
    WRITERS,
    AgentSettings,
    Features,
    Invocation,
    Job,
    Login,
    reports,
    session_of,
    words_of,
)
from shiage.agents.claude_stream import Stream

PROGRAM = ("claude",)
#: Given to those who change the work. Without Bash a headless run denies every test that it wants to run.
WORK = (
    "Bash", "Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Skill", "SlashCommand", "Task",
    "TodoWrite", "WebFetch", "WebSearch", "Write",
)  # fmt: skip
#: Given to those who look. No Bash: a shell can write what the file tools may not; in its default mode
#: the program itself still allows commands that it knows to only read.
LOOK = ("Glob", "Grep", "Read", "Skill", "SlashCommand", "Task", "TodoWrite")
#: Nobody is there to answer; a model that may not ask writes its question into its report.
NEVER = "AskUserQuestion"
ENVIRONMENT = {
    # A command in the background kept a finished run up for 600 s.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    # We retry ourselves, where it is seen; its own ten tries hide 100 s of silence.
    "CLAUDE_CODE_MAX_RETRIES": "2",
}
#: Settings of its own under other names. Root may use `bypassPermissions` only where the last one is set.
TUNING = (
    "API_TIMEOUT_MS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_", "MAX_THINKING_TOKENS", "MCP_", "IS_SANDBOX",
)  # fmt: skip
#: Where its model is reached through a cloud, the login is the cloud's.
CLOUDS = (
    ("CLAUDE_CODE_USE_BEDROCK", ("AWS_",)),
    ("CLAUDE_CODE_USE_VERTEX", ("GOOGLE_", "CLOUDSDK_", "CLOUD_ML_REGION", "VERTEX_REGION_")),
    ("CLAUDE_CODE_USE_FOUNDRY", ("AZURE_",)),
)


class Claude:
    features = Features(
        "Claude Code",
        resumes=True,
        slash_commands=True,
        reports_usage=True,
        read_only=True,
        protocol=True,
        announces=True,
        env_prefixes=("ANTHROPIC_", "CLAUDE_", *TUNING),
        env_if=CLOUDS,
        rules=True,
        reports_cost=True,
        tells_refusals=True,
        login=Login(
            "run `claude` and /login, or set ANTHROPIC_API_KEY",
            (
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
                "CLAUDE_CODE_OAUTH_TOKEN",
                "CLAUDE_CODE_USE_BEDROCK",
                "CLAUDE_CODE_USE_VERTEX",
                "CLAUDE_CODE_USE_FOUNDRY",
            ),
            ("$CLAUDE_CONFIG_DIR/.credentials.json", "~/.claude/.credentials.json"),
        ),
        tried=("2.1.197", "2.1.327"),
        needs=("--output-format", "--permission-mode", "--allowedTools", "--resume"),
        silent_files=(".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"),
        limits=("A forbidden tool is no barrier for those who may use the shell.",),
    )

    def command(self, settings: AgentSettings, job: Job) -> Invocation:
        argv = [*(settings.command or PROGRAM), "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--permission-mode", _mode(settings, job), "--allowedTools", *_tools(job)]
        argv += ["--disallowedTools", NEVER, *words_of(job.deny)]
        argv += ["--model", settings.model] if settings.model else []
        argv += ["--resume", session] if (session := session_of(job)) else []
        return Invocation((*argv, *settings.extra_args), job.prompt.encode("utf-8", "replace"), ENVIRONMENT)

    def reader(self) -> Stream:
        return Stream()

    def version(self, settings: AgentSettings, /) -> tuple[str, ...]:
        return (*(settings.command or PROGRAM), "--version")


def _mode(settings: AgentSettings, job: Job) -> str:
    """A mode from the settings is for those who work; it never widens what a reviewer may do."""
    return settings.permission_mode or "acceptEdits" if job.role in WRITERS else "default"


def _tools(job: Job) -> tuple[str, ...]:
    if job.role in WRITERS:
        return (*WORK, *words_of(job.allow))
    # An Edit rule holds for every tool that writes files; two slashes begin an absolute path.
    return (*LOOK, *(f"Edit(/{path})" for path in reports(job)), *words_of(job.allow))
