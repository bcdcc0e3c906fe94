"""shiage runs a feature spec to its real end with coding agents, and never believes an agent that says it is done."""

from importlib import import_module

__all__ = ["Verdict", "check"]

_HOMES = {"check": "shiage.judge", "Verdict": "shiage.domain.verdict"}


def __getattr__(name: str) -> object:
    """Load the library's names when they are asked for: most commands need none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
