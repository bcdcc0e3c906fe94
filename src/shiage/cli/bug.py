"""Our own mistakes leave with a report that a person can send us."""

import sys
import tempfile
import traceback
from pathlib import Path

from shiage.cli.errors import show_error
from shiage.cli.words import t
from shiage.domain.errors import ShiageError, UserError
from shiage.journal.masking import mask_text
from shiage.version import VERSION

EXIT_CODE = 3


class _Ours(UserError):
    exit_code = EXIT_CODE


def leave(error: Exception, *, as_json: bool) -> int:
    """Say that it is our mistake, and where the report for us lies."""
    report = Path(tempfile.mkdtemp(prefix="shiage-bug-")) / "report.txt"
    told = "".join(traceback.format_exception(error))
    report.write_text(mask_text(f"shiage {VERSION}\nPython {sys.version}\n{sys.platform}\n\n{told}"), errors="replace")
    kind = str(error) if isinstance(error, ShiageError) else type(error).__name__
    bug = _Ours("our-bug", t("cli.our_bug", kind=kind), help=t("cli.report", report=report))
    show_error(bug, as_json=as_json)
    return bug.exit_code
