"""Tells a person who is not looking: desktop notes and webhooks, from the same reports as everything else."""

import json
import logging
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from queue import SimpleQueue

from shiage.journal.entry import Entry

#: A notifier that hangs must not hold up a run or its end.
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Note:
    level: str
    title: str
    text: str
    spec: str
    event_type: str


def worth(entry: Entry) -> bool:
    return bool(entry.content.get("notify"))


class Notifier:
    """Sends each note to whatever is configured, beside the run; a failure is logged and never fatal."""

    def __init__(self, desktop: bool, webhooks: Sequence[str], logger: logging.Logger) -> None:
        argv = next((argv for argv in _DESKTOPS if desktop and shutil.which(argv[0])), None)
        ways = [partial(_post, url) for url in webhooks] + ([partial(_show, argv)] if argv else [])
        self._lanes = [_Lane(way, logger) for way in ways]

    def tell(self, notes: Sequence[Note]) -> None:
        for lane in self._lanes:
            for note in notes:
                lane.notes.put(note)

    def close(self) -> None:
        """Wait for what is under way, all lanes together no longer than one sending may take."""
        deadline = time.monotonic() + SECONDS
        for lane in self._lanes:
            lane.notes.put(None)
        for lane in self._lanes:
            lane.join(max(0.0, deadline - time.monotonic()))


class _Lane(threading.Thread):
    """One receiver: notes arrive in order, and one that hangs holds up no other. It does not outlive the program."""

    def __init__(self, send: Callable[[Note], None], logger: logging.Logger) -> None:
        super().__init__(name="notify", daemon=True)
        self.notes: SimpleQueue[Note | None] = SimpleQueue()
        self._send, self._logger = send, logger
        self.start()

    def run(self) -> None:
        while note := self.notes.get():
            try:
                self._send(note)
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                self._logger.warning("a notification could not be sent: %s", type(error).__name__)


#: Programs that show a note; {title} and {text} are filled in as whole arguments.
_DESKTOPS = (
    ("notify-send", "--app-name=shiage", "{title}", "{text}"),
    ("osascript", "-e", "display notification {text} with title {title}"),
)


def _show(argv: Sequence[str], note: Note) -> None:
    quote = json.dumps if argv[0] == "osascript" else str
    filled = [part.format(title=quote(note.title), text=quote(note.text)) for part in argv]
    subprocess.run(filled, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL, capture_output=True)


def _post(url: str, note: Note) -> None:
    if not url.startswith(("https://", "http://")):
        raise ValueError("a webhook must be a web address")
    body = {**asdict(note), "content": note.text}  # Discord reads `content`, Slack reads `text`
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310
        pass
