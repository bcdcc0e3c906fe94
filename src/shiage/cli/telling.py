"""An entry of the journal, and the wait of a ticket, as one line."""

from datetime import datetime

from shiage.app.sentences import detail, sentence
from shiage.cli.text import clean
from shiage.cli.words import language, t
from shiage.journal.entry import Entry


def told(spec: str, entry: Entry) -> str:
    """When, which spec, what."""
    return f"{entry.timestamp[:19]}Z  {spec}  {clean(sentence(language(), spec, entry))}"


def waits(why: str, not_before: float, after: int | None, met: str) -> str:
    """What a ticket waits for, and what its last try has met."""
    at = datetime.fromtimestamp(not_before).astimezone().isoformat(" ", "minutes") if not_before else ""
    return "; ".join(filter(None, (t(f"wait.{why}", time=at, ticket=after), clean(detail(language(), met)))))
