"""The project that a command works on."""

import os
import sys
from collections.abc import Mapping

from shiage.app.troubles import said
from shiage.app.workspace import Workspace, open_workspace
from shiage.cli.context import Context
from shiage.cli.text import clean
from shiage.cli.words import language, speak, t


def workspace(context: Context, overrides: Mapping[str, object] | None = None, *, bare: bool = False) -> Workspace:
    """Open it, warn once of what looks wrong in its settings, and speak its language if none was asked for."""
    found = open_workspace(context.start, os.environ, {**(overrides or {}), **_language(context)}, bare=bare)
    if found.settings.language:
        speak(found.settings.language)
    if not context.quiet and not context.json:
        for warning in found.loaded.warnings:
            print(t("cli.warning", text=clean(warning)), file=sys.stderr)
    return found


def warn_stale(context: Context, project: Workspace) -> None:
    """Say that the repository does not answer: what is shown of runs elsewhere is what was known last."""
    trouble = project.out_of_touch
    if trouble and not context.quiet:
        print(t("cli.stale", text=clean(said(language(), trouble))), file=sys.stderr)


def _language(context: Context) -> dict[str, object]:
    """`--lang` is a setting like any other: the strongest layer."""
    return {"language": context.lang} if context.lang else {}
