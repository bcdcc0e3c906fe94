"""A worker that lives in the process of something else: in a thread and a loop of its own, so that neither waits."""

import asyncio
import threading
from contextvars import copy_context
from dataclasses import dataclass, field

from shiage.app.queue_keeper import Told
from shiage.app.queue_worker import Worker
from shiage.app.tickets import open_queue
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError

LOOK_SECONDS = 1.0  #: between two looks whether the project is trusted by now, or the queue back


@dataclass(slots=True)
class Resident:
    workspace: Workspace
    told: Told = field(default_factory=Told)
    _over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _stop: list[tuple[asyncio.AbstractEventLoop, Worker]] = field(default_factory=list)

    def start(self) -> None:
        """Work from now on, in the language of whoever calls."""
        self._thread = threading.Thread(target=copy_context().run, args=(self._live,), name="worker")
        self._thread.start()

    def end(self) -> None:
        """Give back what runs, so that somebody goes on with it; returns when all its agents are gone."""
        self._over.set()
        for loop, worker in self._stop:
            loop.call_soon_threadsafe(worker.stop)
        if self._thread:
            self._thread.join()

    def _live(self) -> None:
        """A project that nobody trusts is looked at and not worked on."""
        while not self._over.is_set():
            try:
                workspace = self.workspace.reloaded()
                if workspace.trusted:
                    asyncio.run(self._work(workspace))
                    return
            except UserError as error:
                self.told.trouble(error)
            self._over.wait(LOOK_SECONDS)

    async def _work(self, workspace: Workspace) -> None:
        store = await asyncio.to_thread(lambda: open_queue(workspace, worker=True))
        try:
            worker = Worker(workspace, store, self.told, room=workspace.settings.max_parallel)
            self._stop.append((asyncio.get_running_loop(), worker))
            if not self._over.is_set():  # whoever sets it from here on finds the worker
                await worker.work()
        finally:
            self._stop.clear()
            store.close()
