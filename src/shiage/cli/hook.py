"""shiage hook stop: the gate as a Stop hook of Claude Code and Codex."""

import json
import os
import sys

import click

from shiage.app import hooks
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.project import workspace
from shiage.cli.words import t
from shiage.domain.errors import UserError
from shiage.domain.verdict import Finding

_MOST_SHOWN = 20


@made("hook", example="shiage hook stop < stop.json")
@click.argument("event", metavar="EVENT", type=click.Choice(["stop"]))
def command(context: Context, event: str) -> int:
    """An agent reads the answer, so trouble of our own is told to its person and holds nobody up."""
    said = "" if sys.stdin.isatty() else sys.stdin.read()
    if os.environ.get("SHIAGE_RUN"):  # whoever started it judges it
        return 0
    try:
        context.quiet = True
        blocked = hooks.stop(workspace(context), hooks.Stop.read(said))
    except UserError as error:
        if error.code != "no-project":
            print(json.dumps({"systemMessage": t("hook.cannot", message=str(error))}, ensure_ascii=False))
        return 0
    if blocked:
        print(json.dumps({"decision": "block", "reason": _reason(blocked)}, ensure_ascii=False))
    return 0


def _reason(blocked: hooks.Blocked) -> str:
    shown = [_line(finding) for finding in blocked.findings[:_MOST_SHOWN]]
    return "\n".join([t("hook.block", count=blocked.count, most=hooks.MOST_BLOCKS), *shown])


def _line(finding: Finding) -> str:
    parts = (finding.place, finding.criteria_id, finding.rule, f"`{finding.quote}`" if finding.quote else "")
    return f"- {' '.join(part for part in parts if part)}: {finding.description} {finding.suggestion}".rstrip()
