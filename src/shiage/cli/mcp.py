"""shiage mcp: the use cases as tools of an MCP server on standard input and output."""

from shiage.app import extras
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.project import workspace


@made("mcp", example="shiage mcp --project .")
def command(context: Context) -> int:
    context.quiet = True  # standard output belongs to the protocol
    extras.load("shiage.cli.mcp_tools", "mcp").serve(workspace(context))
    return 0
