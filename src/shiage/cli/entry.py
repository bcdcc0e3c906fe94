"""Where the program starts. Nothing heavy is imported before it is known to be needed."""

import os
import sys
from importlib import import_module

from shiage.version import VERSION


def main() -> None:
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _opened()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"shiage {VERSION}\n")
        return
    if arguments == ["statusline"]:
        import_module("shiage.cli.quickline").main()
        return
    sys.exit(import_module("shiage.cli.main").run(arguments))


def _opened() -> None:
    """Who closed our streams wants to hear nothing; the next file we open must not stand in their place."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdin, sys.stdout, sys.stderr = (
        there or os.fdopen(number, mode)
        for number, mode, there in ((0, "r", sys.stdin), (1, "w", sys.stdout), (2, "w", sys.stderr))
    )


if __name__ == "__main__":
    main()
