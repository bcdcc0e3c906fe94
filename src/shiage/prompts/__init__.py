"""What an agent is told, from Markdown templates in English and Japanese."""

from shiage.prompts.brief import Brief
from shiage.prompts.command_files import slash_commands
from shiage.prompts.dialects import DIALECT_MARKERS, command, detect_dialect
from shiage.prompts.modification import TemplateIssues, issue_type, modification, template_issues
from shiage.prompts.opinion import opinion
from shiage.prompts.rendering import ground_rules, render

__all__ = [
    "DIALECT_MARKERS",
    "Brief",
    "TemplateIssues",
    "command",
    "detect_dialect",
    "ground_rules",
    "issue_type",
    "modification",
    "opinion",
    "render",
    "slash_commands",
    "template_issues",
]
