"""The slash command files that `shiage init` installs, made from the templates that prompts are made from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from shiage.prompts.rendering import ground_rules
from shiage.prompts.slots import fill, load, template_language

_FOLDER = ".claude/commands/kiro"

#: Claude Code counts positional arguments from 0, so `$0` is the name of the spec.
_SLOTS: Mapping[str, str] = MappingProxyType({"feature": "$0", "spec_dir": ".kiro/specs/$0", "round": "N"})

_WRITES = "Read, Glob, Grep, Write, Edit"
_ROUND = "Bash(printenv SHIAGE_ROUND)"


@dataclass(frozen=True, slots=True)
class _Command:
    """One command file: its templates in order, and what its front matter says."""

    name: str
    bodies: tuple[str, ...]
    hint: str = "<feature-name>"
    tools: str = ""  #: used without asking; empty: as the project's own permissions say, since tests must run there
    closed: str = ""  #: the template that finds the round's number when nobody names it


_COMMANDS = (
    _Command("spec-requirements", ("requirements",), tools=_WRITES),
    _Command("spec-design", ("design",), "<feature-name> [-y]", _WRITES),
    _Command("spec-tasks", ("tasks",), "<feature-name> [-y]", _WRITES),
    _Command(
        "document-review",
        ("document-review",),
        "<feature-name> [round]",
        f"Read, Glob, Grep, Write, {_ROUND}",
        "command-round-review",
    ),
    _Command(
        "document-review-reply",
        ("document-review-reply", "command-modes", "reply-manual", "reply-autofix", "document-review-fix"),
        "<feature-name> [round] [--autofix | --fix]",
        f"{_WRITES}, {_ROUND}",
        "command-round-reply",
    ),
    _Command("spec-impl", ("impl",)),
    _Command("spec-inspection", ("inspection",), "<feature-name> [round]", closed="command-round-inspection"),
)


def slash_commands(language: str) -> Mapping[str, str]:
    """Path in the project and content of each command file."""
    return {f"{_FOLDER}/{command.name}.md": _content(language, command) for command in _COMMANDS}


def _content(language: str, command: _Command) -> str:
    parts = [_front_matter(language, command), _filled(language, "command-arguments")]
    if command.closed:
        round_template = load(template_language(language), "command-round")
        parts.append(fill(round_template, {"closed": _filled(language, command.closed)}))
    parts += [_filled(language, body) for body in command.bodies]
    return "\n\n".join([*parts, ground_rules(language)]) + "\n"


def _front_matter(language: str, command: _Command) -> str:
    title = load(template_language(language), command.bodies[0]).partition("\n")[0]
    about = fill(title, {**_SLOTS, "feature": "<feature-name>"}).lstrip("# ").replace("`", "")
    lines = {"description": about, "argument-hint": command.hint, "allowed-tools": command.tools}
    # A JSON string is a YAML string too, whatever stands in it.
    rows = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in lines.items() if value]
    return "\n".join(["---", *rows, "---"])


def _filled(language: str, name: str) -> str:
    return fill(load(template_language(language), name), _SLOTS)
