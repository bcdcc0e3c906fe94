"""Templates and languages: everything that becomes HTML goes through here, and is escaped."""

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from shiage.app.catalogue import LANGUAGES, amount, known, messages, say
from shiage.app.devices import NEEDS
from shiage.app.sentences import detail, next_step, role_name, sentence, why
from shiage.version import VERSION
from shiage.web.escapes import visible
from shiage.web.site import site_of

THEMES = ("system", "dark", "light")
_HERE = Path(__file__).parent


def language_of(request: Request) -> str:
    """What the person chose, else what the browser prefers."""
    chosen = request.cookies.get("lang", "")
    if chosen in LANGUAGES:
        return chosen
    for part in request.headers.get("accept-language", "").lower().split(","):
        if (tag := part.strip()[:2]) in LANGUAGES:
            return tag
    return LANGUAGES[0]


def theme_of(request: Request) -> str:
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else THEMES[0]


@pass_context
def _t(context: Context, key: str, **values: object) -> str:
    return say(context["language"], key, **values)


@pass_context
def _count(context: Context, unit: str, number: int) -> str:
    return amount(context["language"], unit, number)


def _spoken(function: Callable[..., str]) -> Callable[..., str]:
    """A function of the language, for templates."""

    @pass_context
    def called(context: Context, *args: object, **kwargs: object) -> str:
        return function(context["language"], *args, **kwargs)

    return called


@pass_context
def _barred(context: Context, action: str) -> str:
    """Why this device may not do it, if it may not; the server refuses it all the same."""
    device = context["device"]
    return say(context["language"], "obstacle.scope") if device and device.allowed < NEEDS[action] else ""


def duration(seconds: float) -> str:
    """12:04, or 1:02:33."""
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def left(until: float) -> str:
    """The time that is left until then."""
    return duration(max(0.0, until - time.time()))


def moment(at: float) -> Markup:
    """A time that the browser shows in its own zone and manner."""
    told = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Markup('<time datetime="{0}">{1}</time>').format(told, told[:10] + " " + told[11:16])


def commands(text: str) -> Markup:
    """What stands between backticks is typed or named as it is."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # one is left over, so nobody can tell what belongs together
        return escape(text)
    shown = (Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
    return Markup("").join(shown)


def money(usd: float | None) -> str:
    return "–" if usd is None else f"${usd:.2f}"


def _script_words(language: str) -> str:
    """What scripts say, in the person's language."""
    return json.dumps(
        {key.removeprefix("js."): text for key, text in messages(language).items() if key.startswith("js.")}
    )


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals |= {
    "t": _t,
    "barred": _barred,
    "count": _count,
    "next_step": _spoken(next_step),
    "why": _spoken(why),
    "detail": _spoken(detail),
    "role_name": _spoken(role_name),
    "told": _spoken(sentence),
    "script_words": _spoken(_script_words),
    "known": known,
    "visible": visible,
    "version": VERSION,
}
_ENVIRONMENT.filters |= {"duration": duration, "left": left, "moment": moment, "money": money, "commands": commands}


def page(request: Request, template: str, status: int = 200, **values: object) -> Response:
    """A whole page in the person's language."""
    shared: Mapping[str, object] = {
        "language": language_of(request),
        "theme": theme_of(request),
        "path": request.url.path,
        "opened": frozenset(request.query_params.get("open", "").split(",")),
        "done": request.query_params.get("done", ""),
        "subject": request.path_params.get("name", ""),
        "device": request.scope.get("shiage.device"),
        "seen": site_of(request).boards.last,  # as last looked at: a script asks anew how much is asked of a person
    }
    text = _ENVIRONMENT.get_template(template).render({**shared, **values})
    return HTMLResponse(text, status)


def door_page(request: Request, status: int, problem: str = "", code: str = "") -> Response:
    """Where a code is traded for a place among the devices."""
    return page(request, "door.html", status, problem=problem, to=request.url.path, code=code)
