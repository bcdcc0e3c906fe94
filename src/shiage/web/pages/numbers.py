"""Figures over time: charts, and the same as tables and files."""

import json
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from shiage.app.board import names
from shiage.app.catalogue import known, say
from shiage.app.numbers import Chart
from shiage.web.site import site_of
from shiage.web.words import language_of, page


def show(request: Request) -> Response:
    site, spec = site_of(request), request.query_params.get("spec", "")
    found, unread = site.numbers.soon(spec)
    language = language_of(request)
    charts = [(named, _data(named)) for chart in found for named in (_named(language, chart),)]
    return page(request, "numbers.html", charts=charts, spec=spec, specs=names(site.workspace.root), unread=unread)


def _named(language: str, chart: Chart) -> Chart:
    """What is not a value has a name in each language; the file has the same names everywhere."""
    keys = [(each, f"series.{each.name}") for each in chart.series]
    named = (replace(each, name=say(language, key)) if known(language, key) else each for each, key in keys)
    return replace(chart, series=tuple(named))


def _data(chart: Chart) -> str:
    series = [(each.name, each.values) for each in chart.series]
    return json.dumps({"labels": chart.labels, "series": series, "shape": chart.shape})


def as_csv(request: Request) -> Response:
    charts = site_of(request).numbers.charts(request.query_params.get("spec", ""))
    chart = next((each for each in charts if each.id == request.path_params["chart"]), None)
    if chart is None:
        raise HTTPException(404)
    headers = {"Content-Disposition": f'attachment; filename="{chart.id}.csv"'}
    return Response(chart.csv, media_type="text/csv; charset=utf-8", headers=headers)
