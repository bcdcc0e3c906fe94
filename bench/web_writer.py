"""The other process of bench/web.py: appends through the journal and says when each entry was durable; one spec after the other, if it has several."""

import sys
import time
from pathlib import Path

from web_project import JOURNAL

from shiage.journal.entry import Draft
from shiage.journal.writing import Journal


def main() -> None:
    root, specs = Path(sys.argv[1]), sys.argv[2:]
    heads, folders = root / ".shiage" / "heads", [root / ".kiro" / "specs" / spec for spec in specs]
    journals = [Journal(folder / JOURNAL, heads / folder.name, time.time).open() for folder in folders]
    number = 0
    for turn, line in enumerate(sys.stdin):
        journal, folder = journals[turn % len(specs)], folders[turn % len(specs)]
        drafts = []
        for _ in range(int(line)):
            number += 1
            drafts.append(
                Draft("EVENT_DROPPED", "summary", f"r-{number}", {"event": f"note {number}", "level": "info"})
            )
        boxes = (f"- [{'x' if box < number % 50 else ' '}] {box + 1}. task\n" for box in range(50))
        (folder / "tasks.md").write_text("".join(boxes))  # what a page shows of it: the agent's tick comes first
        if drafts:
            journal.append(drafts)
        print(time.time(), flush=True)
    for journal in journals:
        journal.close()


if __name__ == "__main__":
    main()
