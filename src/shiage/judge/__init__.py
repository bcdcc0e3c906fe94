"""Turns evidence and criteria into a verdict with findings. Pure: no files, no processes, no clock."""

from shiage.judge.checking import check
from shiage.judge.evaluators import EVALUATORS, TemplateEvaluator, evaluator_of
from shiage.judge.languages import named
from shiage.judge.lexing import Lexed, lex
from shiage.judge.settings import JudgeSettings, settings_from
from shiage.judge.trees import TreeErrors, tree_errors

__all__ = [
    "EVALUATORS", "JudgeSettings", "Lexed", "TemplateEvaluator", "TreeErrors", "check", "evaluator_of", "lex", "named",
    "settings_from", "tree_errors",
]  # fmt: skip
