"""Rules for the tools of Gemini CLI, as a policy file that outranks the person's own."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from shiage.agents.adapter import WRITERS, Job, reports, words_of

SHELL = "run_shell_command"
WRITING = ("replace", "write_file")
#: Its engine takes no pattern with a repeated group, and would go on without the rule. A star is what holds no quote.
ANYTHING, WITHIN_A_NAME = '[^"]*', '[^/"]*'


def policy(job: Job) -> dict[Path, str]:
    """What the role may and may not use, as a file of rules that outranks the person's own; nothing to say, no file."""
    rules = "\n".join(_rules(job))
    return {job.desk.with_name(f"{job.desk.name}.policy.toml"): rules} if job.desk and rules else {}


def _rules(job: Job) -> Iterator[str]:
    """Of several rules that fit, the one of the highest priority decides."""
    if job.role not in WRITERS:
        for path in reports(job):
            for named in {path, path.removeprefix(f"{job.cwd}/")}:  # from the root of the system, or of the project
                yield _rule(WRITING, f'"file_path":"{_starred(named, WITHIN_A_NAME)}"', "allow", 500)
        # With a pattern, or it would take the tools away altogether.
        yield _rule(WRITING, "file_path", "deny", 400)
    for answer, priority, words in (("allow", 600, job.allow), ("deny", 700, job.deny)):
        for word in words_of(words):
            tool, _, pattern = word.removesuffix(")").partition("(")
            yield _rule((tool,), _fitting(tool, pattern), answer, priority)


def _fitting(tool: str, pattern: str) -> str:
    """`run_shell_command(npm test)` fits this command alone; a star stands for anything."""
    name = "command" if tool == SHELL else ANYTHING
    return f'"{name}":"{_starred(pattern, ANYTHING)}"' if pattern else ""


def _starred(words: str, meaning: str) -> str:
    return meaning.join(map(_literal, words.split("*")))


def _literal(words: str) -> str:
    """Words as they stand in the JSON that a pattern is held against."""
    return re.escape(json.dumps(words, ensure_ascii=False)[1:-1])


def _rule(tools: tuple[str, ...], pattern: str, answer: str, priority: int) -> str:
    told = f"argsPattern = {json.dumps(pattern, ensure_ascii=False)}\n" if pattern else ""
    return f'[[rule]]\ntoolName = {json.dumps(tools)}\n{told}decision = "{answer}"\npriority = {priority}\n'
