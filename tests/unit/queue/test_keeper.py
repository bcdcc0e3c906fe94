"""What a process has claimed, when it is told to end."""

import asyncio
from pathlib import Path

from shiage.app.queue_keeper import Keeper
from shiage.queue.sqlite import SqliteStore
from shiage.queue.tickets import Wish


class Runner:
    def __init__(self) -> None:
        self.stopped: list[str] = []

    def request_stop(self, by: str = "person") -> None:
        self.stopped.append(by)


def test_what_is_claimed_while_the_end_is_asked_for_is_ended_too(tmp_path: Path) -> None:
    store, early, late = SqliteStore(tmp_path, "one", worker=True), Runner(), Runner()
    for name in ("early", "late"):
        store.add(Wish(name))

    async def ending() -> None:
        async with Keeper(store) as keeper:
            first, second = store.claim(most=5), store.claim(most=5)
            assert first and second
            with keeper.holding(first) as held:
                held.started(early)
                keeper.end("worker")
                with keeper.holding(second) as other:
                    other.started(late)

    asyncio.run(ending())
    store.close()
    assert (early.stopped, late.stopped) == (["worker"], ["worker"])
