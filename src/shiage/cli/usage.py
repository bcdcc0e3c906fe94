"""Mistakes on the command line, in the person's language and with what was probably meant."""

from collections.abc import Iterable

import click

from shiage.cli.words import t
from shiage.config.nearest import nearest
from shiage.domain.errors import UsageError


class NoSuchCommand(click.UsageError):
    """The table has no such row."""

    def __init__(self, name: str, known: Iterable[str], ctx: click.Context) -> None:
        super().__init__(name, ctx)
        self.name = name
        self.known = tuple(known)


def explained(error: click.ClickException) -> UsageError:
    """What click found wrong, as an error of ours."""
    return UsageError("usage", _sentence(error), help=_remedy(error))


def _sentence(error: click.ClickException) -> str:
    match error:
        case NoSuchCommand(name=name, known=known):
            return _with_guess(t("usage.command", name=name), nearest(name, known))
        case click.NoSuchOption(option_name=name):
            return _with_guess(t("usage.option", name=name), nearest(name, _options(error.ctx)))
        case click.MissingParameter(param=param) if param is not None:
            return t("usage.missing", name=param.metavar or (param.name or "").upper())
        case click.BadOptionUsage(option_name=name):
            return t("usage.value", name=name, message=error.format_message())
        case click.BadParameter(param=param) if param is not None:
            return t("usage.value", name="/".join(param.opts), message=error.message)
    return error.format_message()


def _with_guess(sentence: str, guess: str | None) -> str:
    return f"{sentence} {t('usage.meant', name=guess)}" if guess else sentence


def _options(ctx: click.Context | None) -> list[str]:
    params = ctx.command.get_params(ctx) if ctx else []
    return [name for param in params for name in param.opts]


def _remedy(error: click.ClickException) -> str:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return t("usage.help", command=ctx.command_path if ctx else "shiage")
