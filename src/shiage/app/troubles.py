"""An error in a person's language. English words come with the error; others are found by its code."""

import re

from shiage.app.catalogue import known, say
from shiage.domain.errors import UserError


def unwritten(error: OSError) -> UserError:
    """A disk that has no room, or a place that takes nothing, for what a command prints or keeps."""
    what = f"{error.filename or 'what is to be printed'} cannot be written: {error.strerror}"
    return UserError("not-written", what, help="make room, then run the command again.")


def said(language: str, error: UserError) -> str:
    """What went wrong."""
    key = f"error.{error.code}"
    if language == "en" or not known(language, key):
        return error.message
    named = re.search('"([^"]*)"', error.message)
    return say(language, key, name=named[1] if named else "", message=error.message)


def remedy(language: str, error: UserError) -> str:
    """What to do about it; empty if nothing is known."""
    meant = re.search('"([^"]*)"', error.help)
    key = f"remedy.{error.code}"
    if meant and known(language, f"{key}-meant"):
        key = f"{key}-meant"
    if not error.help or language == "en" or not known(language, key):
        return error.help
    commands = " / ".join(re.findall("`[^`]+`", error.help))
    listed = error.help.rpartition(": ")[2].rstrip(".")
    return say(language, key, commands=commands, list=listed, meant=meant[1] if meant else "", help=error.help)
