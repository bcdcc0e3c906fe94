"""Who did what over the network: a line in the operator log for every remote action, refused ones included."""

import logging
import time
import traceback
from collections.abc import Mapping

from shiage.app.workspace import Workspace
from shiage.engine import oplog
from shiage.engine.places import Places

STRANGERS = 60  #: lines a minute for those who were not let in: a flood must not push out what matters


class Audit:
    def __init__(self, workspace: Workspace) -> None:
        self._window, self._strangers = 0, 0
        places = Places(workspace.root, "dashboard")
        places.prepare()
        self._logger = oplog.open_log(places.operator_log, places.key)

    def write(self, action: str, device: str, result: str, **fields: object) -> None:
        """`result` is `done`, or the code of what went wrong. Never a code or a token."""
        told: Mapping[str, object] = {"event": "REMOTE_ACTION", "action": action, "device": device, "result": result}
        level = logging.INFO if result == "done" else logging.WARNING
        self._logger.log(level, "remote %s: %s", action, result, extra={"fields": {**told, **fields}})

    def stranger(self, action: str, result: str, **fields: object) -> None:
        """What somebody tried who was not let in; the first of a minute, then no more until the next."""
        window = int(time.monotonic() // 60)
        self._strangers = self._strangers + 1 if window == self._window else 1
        self._window = window
        if self._strangers <= STRANGERS:
            self.write(action, "", result, **fields)

    def failed(self, path: str, error: Exception) -> None:
        """A mistake of ours."""
        told = {"event": "DASHBOARD_FAILED", "path": path, "trace": "".join(traceback.format_exception(error))}
        self._logger.error("the dashboard failed: %s", error, extra={"fields": told})

    def close(self) -> None:
        for handler in self._logger.handlers:
            handler.close()
