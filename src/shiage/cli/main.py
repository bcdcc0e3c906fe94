"""The command table, and the way out for every kind of trouble."""

import errno
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile

import click

from shiage.app.troubles import unwritten
from shiage.cli.command import SETTINGS, ClosedPipeError
from shiage.cli.context import Context, common, language_from
from shiage.cli.errors import show_error
from shiage.cli.text import columns
from shiage.cli.words import speak, t
from shiage.domain.errors import UserError
from shiage.version import VERSION


@dataclass(frozen=True, slots=True)
class Row:
    """A command: its name and under which heading help lists it. Its module has the same name."""

    name: str
    group: str


COMMANDS = (
    Row("demo", "start"),
    Row("init", "start"),
    Row("new", "start"),
    Row("run", "start"),
    Row("step", "start"),
    Row("task", "start"),
    Row("queue", "start"),
    Row("worker", "start"),
    Row("status", "watch"),
    Row("log", "watch"),
    Row("show", "watch"),
    Row("statusline", "watch"),
    Row("stop", "decide"),
    Row("approve", "decide"),
    Row("answer", "decide"),
    Row("mute", "decide"),
    Row("reset", "decide"),
    Row("land", "decide"),
    Row("check", "check"),
    Row("hook", "check"),
    Row("verify", "check"),
    Row("serve", "serve"),
    Row("open", "serve"),
    Row("pair", "serve"),
    Row("mcp", "serve"),
    Row("doctor", "setup"),
    Row("config", "setup"),
    Row("trust", "setup"),
    Row("completion", "setup"),
    Row("schema", "setup"),
)
_COMPLETE = "_SHIAGE_COMPLETE"  #: set by the completion scripts of the shells
#: How help shows the flags of every command.
_FLAGS = (
    "--project DIR",
    "--json",
    "-q, --quiet",
    "-v, --verbose",
    "--color WHEN",
    "--plain",
    "--ascii",
    "--lang L",
    "--yes",
)


class Table(click.Group):
    """Loads a command's module when that command is asked for: importing all of them would cost every start."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return [row.name for row in COMMANDS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"shiage.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in self.list_commands(ctx):
            raise import_module("shiage.cli.usage").NoSuchCommand(name, self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        formatter.write(overview())


def overview() -> str:
    """One screen: commands under their headings, without loading any of them."""
    groups = dict.fromkeys(row.group for row in COMMANDS)
    names = {group: "  ".join(row.name for row in COMMANDS if row.group == group) for group in groups}
    listed = columns([(t(f"group.{group}"), names[group]) for group in groups])
    flags = columns([(flag, t(f"flag.{flag.partition('--')[2].split()[0]}")) for flag in _FLAGS])
    lines = [t("help.shiage"), "", *listed, "", *flags, "", t("help.more")]
    return "\n".join(f"  {line}" if line in (*listed, *flags) else line for line in lines) + "\n"


def command_table() -> click.Group:
    def nothing(*, version: bool) -> None:
        """The group itself only answers for its flags."""

    table = Table(name="shiage", callback=nothing, no_args_is_help=False, context_settings=SETTINGS)
    return click.option("--version", is_flag=True, is_eager=True, expose_value=True, callback=_version)(common(table))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        print(f"shiage {VERSION}")
        ctx.exit()
    return value


def run(arguments: Sequence[str]) -> int:
    """Parse, do, and leave by the right exit code."""
    speak(language_from(arguments, os.environ))
    as_json = "--json" in list(takewhile(lambda argument: argument != "--", arguments))
    _ready(as_json=as_json)
    try:
        code = _led_out(arguments, as_json=as_json)
        sys.stdout.flush()
    except (BrokenPipeError, ClosedPipeError):
        _silenced()
        return 0
    except OSError as error:
        _silenced()
        show_error(unwritten(error), as_json=False)
        return UserError.exit_code
    return code


def _silenced() -> None:
    """Nothing more is printed, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ready(*, as_json: bool) -> None:
    """No character may stop the program: JSON is UTF-8 everywhere, a terminal shows what it can."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        if as_json:
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        else:
            sys.stdout.reconfigure(errors="replace")


def _led_out(arguments: Sequence[str], *, as_json: bool) -> int:
    if not arguments and _COMPLETE not in os.environ:
        print(overview(), end="")
        return 0
    try:
        code = command_table().main(
            list(arguments), prog_name="shiage", standalone_mode=False, obj=Context(), complete_var=_COMPLETE
        )
    except UserError as error:
        show_error(error, as_json=as_json)
        return error.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        usage = import_module("shiage.cli.usage").explained(error)
        show_error(usage, as_json=as_json)
        return 2
    except (KeyboardInterrupt, click.Abort):
        return 130
    except ClosedPipeError:
        raise
    except Exception as error:  # the one place where our own mistakes leave
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        our_bug: int = import_module("shiage.cli.bug").leave(error, as_json=as_json)
        return our_bug
    return code if isinstance(code, int) else 0
