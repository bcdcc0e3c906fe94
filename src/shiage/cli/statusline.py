"""shiage statusline: one line for Claude Code's status line."""

from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.quickline import main


@made("statusline", example="shiage statusline")
def command(context: Context) -> int:
    main()
    return 0
