"""Commands whose words come from the catalogue at the moment they are shown; one screen of help each."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from shiage.cli.context import COMMON, common
from shiage.cli.text import columns, wrapped
from shiage.cli.words import has, t

SETTINGS = {"help_option_names": ["-h", "--help"]}
#: Help is read in windows of all sizes; this fits every one of them.
_WIDTH = 76


class ClosedPipeError(Exception):
    """Nobody reads what a command prints. Click would make a failure of it."""


class Command(click.Command):
    """A command with an example that runs as it is written."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ClosedPipeError from error

    def get_short_help_str(self, limit: int = 60) -> str:
        return t(f"help.{self.name}").partition("\n")[0][:limit]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\n".join(self._page(ctx)) + "\n")

    def _page(self, ctx: click.Context) -> Iterable[str]:
        own = [param for param in self.params if param.name not in COMMON]
        first, *rest = wrapped(" ".join([ctx.command_path, *(_usage(param) for param in own)]), _WIDTH)
        yield from (first, *(f"    {line}" for line in rest))
        yield ""
        said = t(f"help.{self.name}").splitlines()
        yield from (f"  {line}" for part in said for line in wrapped(part, _WIDTH))
        rows = [(_label(param), self._words(param)) for param in own if isinstance(param, click.Option)]
        if rows:
            yield ""
            yield from (f"  {line}" for line in columns(rows))
        yield from ("", f"  $ {self.example}", "", t("help.everywhere"))

    def _words(self, param: click.Parameter) -> str:
        """A flag may mean something of its own for one command."""
        own = f"flag.{self.name}-{param.name}"
        return t(own if has(own) else f"flag.{param.name}")


def _usage(param: click.Parameter) -> str:
    if isinstance(param, click.Option):
        return f"[{_label(param)}]"
    name = param.metavar or (param.name or "").upper()
    name += "..." if param.nargs == -1 else ""
    return name if param.required else f"[{name}]"


def _label(option: click.Option) -> str:
    names = ", ".join(option.opts)
    return names if option.is_flag else f"{names} {option.metavar or (option.name or '').upper()}"


def command(name: str, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A command of the table, with the flags that all of them know; it is called with the Context first."""

    def made(callback: Callable[..., Any]) -> click.Command:
        return click.command(name, cls=Command, example=example, context_settings=SETTINGS)(
            click.pass_obj(common(callback))
        )

    return made
