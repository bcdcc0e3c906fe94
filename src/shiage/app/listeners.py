"""Who hears of an entry the moment it is durable: the operator log, the notifier, the front end."""

from collections.abc import Callable, Sequence

from shiage import plugins
from shiage.app.audience import Audience
from shiage.app.catalogue import language_of
from shiage.app.sentences import sentence
from shiage.app.workspace import Workspace
from shiage.engine import oplog
from shiage.engine.case import Case
from shiage.engine.notify import Note, Notifier, worth
from shiage.journal.entry import Entry


class Listeners:
    def __init__(self, workspace: Workspace, case: Case, front: Callable[[str, Sequence[Entry]], None]) -> None:
        self._name = case.name
        self._language = language_of(workspace.settings.language, workspace.environ)
        self._front = front
        self._logger = oplog.open_log(case.places.operator_log, case.places.key)
        self._others = Audience(plugins.listeners(), self._logger)
        notify = workspace.settings.notify
        # Where a project sends its text to is the person's decision, also when they only end or approve something.
        webhooks = notify.webhooks if workspace.trusted else ()
        self._notifier = Notifier(notify.desktop, webhooks, self._logger)

    def __call__(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            oplog.write(self._logger, self._name, entry)
        self._notifier.tell([self._note(entry) for entry in entries if worth(entry)])
        self._front(self._name, entries)
        for entry in entries:
            self._others.tell(self._name, entry)

    def close(self) -> None:
        """Let what is under way be sent; a notifier that hangs is given up."""
        self._notifier.close()
        self._others.close()
        for handler in self._logger.handlers:
            handler.close()

    def _note(self, entry: Entry) -> Note:
        level, text = str(entry.content.get("level", "info")), sentence(self._language, self._name, entry)
        if "total" in entry.content:
            text += f" ({entry.content['done']}/{entry.content['total']})"
        return Note(level, f"shiage: {self._name}", text, self._name, entry.event_type)
