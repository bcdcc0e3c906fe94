"""Makes the subjects importable."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from queue_worlds import WORLDS, World, ready, server


@pytest.fixture(scope="session")
def servers() -> Iterator[None]:
    """Ends what the worlds of this session have started."""
    yield
    if server.cache_info().currsize:
        server().remove()


@pytest.fixture(params=sorted(WORLDS))
def kind(request: pytest.FixtureRequest, servers: None) -> Callable[[Path], World]:
    return ready(request.param)


@pytest.fixture
def world(kind: Callable[[Path], World], tmp_path: Path) -> Iterator[World]:
    made = kind(tmp_path)
    yield made
    made.close()
