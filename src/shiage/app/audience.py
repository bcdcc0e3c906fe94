"""Listeners of other packages: told in a thread of their own, so that none of them can hold up a run."""

import logging
import queue
import threading
from collections.abc import Mapping

from shiage.journal.entry import Entry
from shiage.plugins import Listener

_CLOSE_SECONDS = 2.0


class Audience:
    def __init__(self, listeners: Mapping[str, Listener], logger: logging.Logger) -> None:
        self._listeners = dict(listeners)
        self._logger = logger
        self._waiting: queue.SimpleQueue[tuple[str, Entry] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._tell_all, daemon=True) if listeners else None
        if self._thread:
            self._thread.start()

    def tell(self, spec: str, entry: Entry) -> None:
        if self._thread:
            self._waiting.put((spec, entry))

    def close(self) -> None:
        """Let what is there be heard; a listener that hangs is given up."""
        if self._thread:
            self._waiting.put(None)
            self._thread.join(_CLOSE_SECONDS)

    def _tell_all(self) -> None:
        while (told := self._waiting.get()) is not None:
            spec, entry = told
            for name in tuple(self._listeners):
                self._tell(name, spec, entry)

    def _tell(self, name: str, spec: str, entry: Entry) -> None:
        """One that fails is told nothing more; the operator log says so."""
        row = {
            "seq": entry.seq, "event_type": entry.event_type, "timestamp": entry.timestamp, "run": entry.run,
            "visibility": entry.visibility, "content": entry.content,
        }  # fmt: skip
        try:
            self._listeners[name](spec, row)
        except Exception as error:
            del self._listeners[name]
            self._logger.error("listener %s failed and is told nothing more: %r", name, error)
