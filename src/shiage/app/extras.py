"""Parts that need an optional package: loaded when they are asked for, or refused with the way to get them."""

from importlib import import_module
from types import ModuleType

from shiage.domain.errors import UserError


def load(module: str, extra: str) -> ModuleType:
    """The module, if the package that the extra of this name brings is there."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != extra:
            raise
        raise UserError(
            "extra-missing",
            f'the package "{extra}" is not installed',
            help=f"`pip install 'shiage[{extra}]'` brings it",
        ) from error
