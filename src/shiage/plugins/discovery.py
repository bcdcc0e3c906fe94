"""Entry points of three groups, by name. Reading what is installed takes tens of milliseconds, so it is done late.

- `shiage.criteria`, named by the criterion's id as in `review_loop.criteria.optional`: called with the keywords
  `report`, `after`, `before` and `request`, it gives findings. Or, named by `review_loop.template`, a TemplateEvaluator.
- `shiage.agents`, named by the kind as in `[agents.NAME] kind`: an Adapter, or a class of one.
- `shiage.listeners`, named at will: called with the spec's name and each journal entry as a mapping.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from shiage.agents.adapter import Adapter
from shiage.domain.errors import UserError
from shiage.engine.panel import Further
from shiage.judge import TemplateEvaluator

CRITERIA, AGENTS, LISTENERS = GROUPS = ("shiage.criteria", "shiage.agents", "shiage.listeners")
Listener = Callable[[str, Mapping[str, object]], object]

_ADAPTER = ("features", "command", "reader", "version")


def installed(group: str) -> Mapping[str, EntryPoint]:
    """The plugins of a group by name, none of them loaded."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise _broken(point, f"{_home(other)} brings one of the same name")
    return found


def criteria(ids: Iterable[str]) -> Mapping[str, Further]:
    """The criteria of these ids; one that nobody brings is an error, since it could never pass."""
    wanted = tuple(ids)
    known = installed(CRITERIA) if wanted else {}
    return {name: _criterion(known, name) for name in wanted}


def _criterion(known: Mapping[str, EntryPoint], name: str) -> Further:
    if name not in known:
        raise UserError(
            "criterion-unknown",
            f'there is no criterion "{name}"',
            help=f"built in: Q1 to Q9, GD1 to GD5; installed: {', '.join(sorted(known)) or 'none'}.",
        )
    found = _loaded(known[name])
    if isinstance(found, TemplateEvaluator) or not callable(found):
        raise _broken(known[name], "a criterion must be something that can be called")
    return found


def evaluators(template: str) -> tuple[TemplateEvaluator, ...]:
    """What a package brings for this template; nothing where nobody does."""
    point = installed(CRITERIA).get(template)
    if point is None:
        return ()
    found = _loaded(point)
    if not isinstance(found, TemplateEvaluator) or found.template_id != template:
        raise _broken(point, f'it must be a TemplateEvaluator with the template_id "{template}"')
    return (found,)


def adapter(kind: str) -> Adapter | None:
    """The adapter that a package brings for this kind of agent, if one does."""
    point = installed(AGENTS).get(kind)
    if point is None:
        return None
    found = _loaded(point)
    made = _made(point, found) if isinstance(found, type) else found
    missing = [name for name in _ADAPTER if not hasattr(made, name)]
    if missing:
        raise _broken(point, f"an adapter must have {', '.join(missing)}")
    return cast(Adapter, made)


def listeners() -> Mapping[str, Listener]:
    """Everything that is told of journal entries, by name."""
    found: dict[str, Listener] = {}
    for name, point in installed(LISTENERS).items():
        told = _loaded(point)
        if not callable(told):
            raise _broken(point, "a listener must be something that can be called")
        found[name] = told
    return found


def _loaded(point: EntryPoint) -> object:
    """Whatever goes wrong in a stranger's module is said with the name of the package that brought it."""
    try:
        found: object = point.load()
    except Exception as error:
        raise _broken(point, f"{type(error).__name__}: {error}") from error
    return found


def _made(point: EntryPoint, kind: type) -> object:
    try:
        made: object = kind()
    except Exception as error:
        raise _broken(point, f"{kind.__name__}() failed: {error}") from error
    return made


def _home(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _broken(point: EntryPoint, problem: str) -> UserError:
    return UserError(
        "plugin-broken",
        f'the plugin "{point.name}" ({point.group}) of {_home(point)} cannot be used: {problem}',
        help=f"update or uninstall {_home(point)}, or take {point.name} out of the settings.",
    )
