"""Goal Drift Guard, the evaluator of the template `goal_drift_guard`."""

from shiage.judge.drift.guard import NAME, TEMPLATE_ID, evaluate

__all__ = ["NAME", "TEMPLATE_ID", "evaluate"]
