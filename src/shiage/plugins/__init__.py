"""What other packages bring along: found by their entry points, checked at the door, loaded only when named."""

from shiage.plugins.discovery import GROUPS, Listener, adapter, criteria, evaluators, installed, listeners

__all__ = ["GROUPS", "Listener", "adapter", "criteria", "evaluators", "installed", "listeners"]
