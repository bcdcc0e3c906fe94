"""The workflows as tables: phases, who works in them, and which gates they must pass."""

from shiage.domain.run import Role
from shiage.flow.gates import exited_cleanly, inspected, judged, reviewed, tasks_all_checked, tasks_sealed, unasked
from shiage.flow.step import Phase, Workflow

_WRITTEN = (exited_cleanly, unasked, judged)

SPEC = Workflow(
    "spec",
    (
        Phase("requirements", (Role.AUTHOR,), _WRITTEN, "requirements.md"),
        Phase("design", (Role.AUTHOR,), _WRITTEN, "design.md"),
        Phase("tasks", (Role.AUTHOR,), _WRITTEN, "tasks.md"),
        Phase(
            "document-review",
            (Role.REVIEWER, Role.RESPONDER),
            (exited_cleanly, reviewed),
            "document-review-{round}-reply.md",
            rounds=True,
            records=(Role.RESPONDER,),
        ),
        Phase(
            "impl",
            (Role.IMPLEMENTER,),
            (exited_cleanly, tasks_sealed, unasked, tasks_all_checked, judged),
            "tasks.md",
            seals=True,
        ),
        Phase(
            "inspection",
            (Role.INSPECTOR, Role.FIXER),
            (exited_cleanly, unasked, judged, inspected),
            "inspection-{round}.md",
            rounds=True,
            records=(Role.INSPECTOR, Role.FIXER),
        ),
        Phase("deploy", (), (), optional=True),
    ),
)

BUG = Workflow(
    "bug",
    (
        Phase("analyze", (Role.AUTHOR,), _WRITTEN, "analysis.md"),
        Phase("fix", (Role.IMPLEMENTER,), _WRITTEN, "fix.md"),
        Phase(
            "verify",
            (Role.INSPECTOR, Role.FIXER),
            (exited_cleanly, unasked, judged, inspected),
            "verification.md",
            rounds=True,
            records=(Role.INSPECTOR, Role.FIXER),
        ),
    ),
)

TASK = Workflow("task", (Phase("task", (Role.IMPLEMENTER,), _WRITTEN),))

WORKFLOWS = {workflow.name: workflow for workflow in (SPEC, BUG, TASK)}

#: Which roles the judge looks at: those who make something.
JUDGED = frozenset({Role.AUTHOR, Role.IMPLEMENTER, Role.FIXER})
