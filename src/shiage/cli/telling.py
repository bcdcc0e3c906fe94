"""An entry of the journal as one line."""

from shiage.app.sentences import sentence
from shiage.cli.text import clean
from shiage.cli.words import language
from shiage.journal.entry import Entry


def told(spec: str, entry: Entry) -> str:
    """When, which spec, what."""
    return f"{entry.timestamp[:19]}Z  {spec}  {clean(sentence(language(), spec, entry))}"
