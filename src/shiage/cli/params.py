"""Arguments that a shell can complete: names of specs and of phases."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from shiage.app.board import names
from shiage.config import find_project
from shiage.config.settings import BUG_PHASES, PHASES
from shiage.domain.errors import UserError

Items = list[CompletionItem]


class SpecName(StringParamType):
    """The name of a spec; whether there is one is for the use case to say."""

    name = "spec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG002
        try:
            known = names(find_project(Path.cwd()))
        except UserError:  # not inside a project
            known = []
        return [CompletionItem(name) for name in known if name.startswith(incomplete)]


class PhaseName(StringParamType):
    """The name of a phase; which ones there are depends on the workflow."""

    name = "phase"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG002
        return [CompletionItem(name) for name in PHASES + BUG_PHASES if name.startswith(incomplete)]


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def spec_argument(*, required: bool = True) -> Decorator:
    return click.argument("spec", metavar="SPEC", type=SpecName(), required=required)


def phase_argument(*, required: bool = True) -> Decorator:
    return click.argument("phase", metavar="PHASE", type=PhaseName(), required=required)
