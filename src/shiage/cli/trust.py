"""shiage trust: accept a project's own settings, after having seen what they would run."""

import os

from shiage.app.carrying import ask_trust_of
from shiage.app.settings_view import Asked, accept, ask_trust
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import agreed, emit, show
from shiage.cli.params import spec_argument
from shiage.cli.project import workspace
from shiage.cli.text import clean
from shiage.cli.words import t
from shiage.config import find_project


@made("trust", example="shiage trust")
@spec_argument(required=False)
def command(context: Context, spec: str | None) -> int:
    root = find_project(context.start)
    asked = ask_trust_of(workspace(context), spec) if spec else ask_trust(root, os.environ)
    if not context.json:
        show(context, _content(asked))
    if not asked.accepted and not agreed(context, t("trust.ask")):
        show(context, [t("trust.refused")])
        return 1
    accept(asked, os.environ)
    if context.json:
        emit(asked.as_json(accepted=True))
    elif not asked.accepted:
        show(context, [t("trust.accepted", root=root)])
    return 0


def _content(asked: Asked) -> list[str]:
    if asked.content.empty:
        return [t("trust.nothing")]
    items = [f"  {key} = {clean(value)}" for key, value in asked.content.items]
    return [t("trust.items"), *items, *([t("trust.already")] if asked.accepted else [])]
