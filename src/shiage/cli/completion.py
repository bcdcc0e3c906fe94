"""shiage completion: the script that makes a shell complete commands, flags, specs and phases."""

import click
from click.shell_completion import get_completion_class

from shiage.cli.command import command as made
from shiage.cli.context import Context

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_SHIAGE_COMPLETE"


@made("completion", example="shiage completion bash")
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, context: Context, shell: str) -> int:
    kind = get_completion_class(shell)
    if kind is not None:
        print(kind(ctx.find_root().command, {}, "shiage", VARIABLE).source())
    return 0
