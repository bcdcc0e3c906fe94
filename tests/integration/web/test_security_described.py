"""The JSON routes do what their published description says, whatever is sent to them."""

import re
from typing import Any

import aimed
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from shiage.web.openapi import GIVEN, described
from shiage.web.row import Row

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
pytestmark = pytest.mark.slow


@pytest.fixture
def api(desk: Any) -> Any:
    """The description as the server gives it; a device of every scope asks."""
    client = desk.client(Accept="application/json")
    (desk.site.workspace.root / aimed.LOG).parent.mkdir(parents=True)
    (desk.site.workspace.root / aimed.LOG).write_text("words\n")
    said = {
        "Accept": "application/json",
        "Cookie": f"{desk.site.cookie}={client.cookies[desk.site.cookie]}",
        "Host": "127.0.0.1:7420",
        "Origin": "http://127.0.0.1:7420",
    }
    found = schemathesis.openapi.from_asgi("/api/openapi.json", client.app, headers=said)
    found.asked_as = said
    return found


BOUNDED = settings(
    max_examples=15, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True,
    database=None,
)  # fmt: skip


@pytest.mark.parametrize("row", [row for row in aimed.TABLE if row.gives], ids=lambda row: row.path)
@pytest.mark.parametrize("there", [True, False], ids=["what exists", "anything"])
def test_whatever_is_sent_is_answered_as_described(api: Any, row: Row, there: bool) -> None:
    operation = api[re.sub(r":\w+}", "}", row.path)]["POST" if row.post else "GET"]

    @BOUNDED
    @given(case=operation.as_strategy())
    def asked(case: Any) -> None:
        if there:
            case.path_parameters = {name: aimed.REAL.get(name, "x") for name in case.path_parameters or {}}
        if case.path == "/api/feed":  # without it the answer is a stream, which has no end
            case.query = {**(case.query or {}), "wait": "0"}
        case.call_and_validate(headers=api.asked_as, checks=CHECKS)

    asked()


def test_every_route_for_programs_is_described() -> None:
    paths: Any = described(aimed.TABLE)["paths"]
    wanted = {row.path for row in aimed.TABLE if row.path.startswith("/api/")}
    assert wanted <= paths.keys()
    assert {row.gives for row in aimed.TABLE if row.gives} <= GIVEN.keys()
