"""What a page weighs on its way: a figure that is kept, not hoped for."""

import gzip
import re
from typing import Any

import pytest

PAGE, SCRIPTS = 60_000, 35_000  #: bytes, gzipped


@pytest.mark.parametrize("path", ["/", "/specs/login", "/questions", "/queue", "/activity", "/numbers", "/settings"])
def test_a_page_with_all_that_it_loads_is_light(desk: Any, path: str) -> None:
    client = desk.client(Accept="text/html")
    text = client.get(path).text
    asked = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))
    files: dict[str, bytes] = {}
    while asked:
        name = asked.pop()
        files[name] = client.get(name).content
        asked |= {
            f"/static/{each}"
            for each in re.findall(r'from "\./(\w+\.js)"|import "\./(\w+\.js)"', files[name].decode())
            for each in each
            if each
        } - files.keys()
    weights = {name: len(gzip.compress(data)) for name, data in files.items()}
    assert {"/static/live.js", "/static/toasts.js", "/static/keys.js", "/static/folds.js"} <= weights.keys()
    assert sum(size for name, size in weights.items() if name.endswith(".js")) <= SCRIPTS
    assert sum(weights.values()) + len(gzip.compress(text.encode())) <= PAGE
