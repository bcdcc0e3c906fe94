"""Where the program starts. Nothing heavy is imported before it is known to be needed."""

import sys
from importlib import import_module

from shiage.version import VERSION


def main() -> None:
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"shiage {VERSION}\n")
        return
    if arguments == ["statusline"]:
        import_module("shiage.cli.quickline").main()
        return
    sys.exit(import_module("shiage.cli.main").run(arguments))


if __name__ == "__main__":
    main()
