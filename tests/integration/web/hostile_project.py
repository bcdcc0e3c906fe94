"""A project in which an agent wrote scripts wherever it could write."""

import json
import time
from pathlib import Path

from shiage.domain.events import AttemptAssessed, AttemptExited, AttemptStarted, PhaseEntered, RunStarted
from shiage.domain.outcome import Ending, Outcome
from shiage.domain.run import Assessment, Order, Role
from shiage.domain.verdict import CriterionResult, Finding, Judgment
from shiage.journal.codec import to_draft
from shiage.journal.entry import Draft
from shiage.journal.writing import Journal

RAN = "window.ran = 1"
SCRIPTS = (
    f"<script>{RAN}</script>", f'"><img src=x onerror="{RAN}">', f"'><svg onload=\"{RAN}\">", f"</textarea></title><script>{RAN}</script>",
    f"javascript:{RAN}", f'" onmouseover="{RAN}" autofocus onfocus="{RAN}" x="', "{{ ''.__class__ }}",
    "<iframe srcdoc='<script>parent.ran=1</script>'>",
    "<link rel=stylesheet href=//evil.test/x.css><img src=//evil.test/x.png><meta http-equiv=refresh content='0;url=//evil.test'>",
    f"\x1b]8;;javascript:{RAN}\x07click\x1b]8;;\x07 \u202e<base href=//evil.test>",
)  # fmt: skip
EVIL = " ".join(SCRIPTS)
MARKDOWN = f"""# {EVIL}

[a](javascript:{RAN}) [b](JaVaScRiPt&colon;{RAN}) [c](data:text/html,<script>{RAN}</script>) [d](vbscript:x) [e](<java\nscript:{RAN}>)
[f](//evil.test/f) [g]( javascript:{RAN}) [h](\x01javascript:{RAN}) <javascript:{RAN}> <https://evil.test/" onclick="{RAN}>

![i](https://evil.test/i.png) ![j](data:image/svg+xml,<svg/onload={RAN}>) ![k](x" onerror="{RAN})

{EVIL}

<svg><script>{RAN}</script></svg> <math><mtext><style><img src=x onerror={RAN}></style></mtext></math> <details open ontoggle="{RAN}">

| <img src=x onerror={RAN}> | `<script>{RAN}</script>` |
|:---|---:|
| [x](javascript:{RAN}) | {EVIL} |

```html" onload="{RAN}
</code></pre>{EVIL}
```

- [ ] 1. {EVIL}
- [x] 2. [y](javascript:{RAN})

[ref]: javascript:{RAN} "t"
[ref] [z][ref]
"""


def fill(root: Path) -> None:
    spec = root / ".kiro" / "specs" / "login"
    (spec / "spec.json").write_text(json.dumps({"feature_name": EVIL, "language": "en", "phase": EVIL, "custom": EVIL}))
    for name in (
        "requirements.md",
        "design.md",
        "tasks.md",
        "document-review-1.md",
        "document-review-1-reply.md",
        "inspection-1.md",
    ):
        (spec / name).write_text(MARKDOWN)
    for name in (f'"><img src=x onerror={RAN}>.md', "javascript:alert(1).md"):
        (spec / name).write_text(MARKDOWN)
        (root / ".kiro" / "specs" / name).mkdir()
    _broken(root)
    _journal(root, "login", "r-0001")
    (spec.with_name("evil")).mkdir()
    (spec.with_name("evil") / "spec.json").write_text('{"feature_name": "evil"}')
    _journal(root, "evil", f'r-0002"><img src=x onerror={RAN}>')
    runs = root / ".shiage" / "runs" / "r-0001"
    runs.mkdir(parents=True, exist_ok=True)
    (runs / "attempt-1.log").write_text("\n".join([*SCRIPTS, EVIL, MARKDOWN] * 30))
    (runs / "attempt-1.prompt.md").write_text(MARKDOWN)


def _broken(root: Path) -> None:
    """A spec whose state says nothing, with a message that quotes it."""
    folder = root / ".kiro" / "specs" / "broken"
    folder.mkdir()
    (folder / "spec.json").write_text(f'{{"feature_name": "{RAN}", {EVIL}')
    (folder / "event-log.jsonl").symlink_to(folder)


def _journal(root: Path, name: str, run: str) -> None:
    at = time.time()
    found = Finding(EVIL, EVIL, EVIL, 1, EVIL, EVIL, EVIL)
    assessed = Assessment(
        Judgment.REJECT, (CriterionResult(EVIL, False, EVIL),), (found,), verdict=EVIL, problem=EVIL, question=EVIL, path=EVIL,
        open_tasks=(EVIL,), tampered=EVIL,
    )  # fmt: skip
    facts = (
        RunStarted(run=run, at=at, spec=name),
        PhaseEntered(run=run, at=at, phase="requirements"),
        AttemptStarted(run=run, at=at, attempt=1, agent_id=EVIL, agent=EVIL, order=Order("requirements", Role.AUTHOR)),
        AttemptExited(
            run=run, at=at, attempt=1, agent_id=EVIL, outcome=Outcome(Ending.COMPLETED, detail=EVIL, session=EVIL)
        ),
        AttemptAssessed(run=run, at=at, attempt=1, agent_id=EVIL, assessment=assessed),
    )
    told = {
        "message": EVIL,
        "reason": EVIL,
        "detail": EVIL,
        "phase": EVIL,
        "level": EVIL,
        "notify": True,
        "issues_detected": [{"quote": EVIL}],
    }
    reports = [Draft(kind, "summary", run, told) for kind in ("RUN_PAUSED", "REJECTION_DETAILS", EVIL)]
    head = root / ".shiage" / "heads" / name
    head.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(root / ".kiro" / "specs" / name / "event-log.jsonl", head, time.time).open()
    journal.append([*(to_draft(fact, run, "summary") for fact in facts), *reports])
    journal.close()
