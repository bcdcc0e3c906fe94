"""Asks grammars for the judge, in a process of its own: `python -m shiage.engine.parsing`.

A line of JSON in, a line of JSON out. It ends when nobody holds its standard input any more.
"""

import json
import sys

from shiage.judge import lex, named, tree_errors


def main() -> None:
    """Answer until the questions end."""
    for line in sys.stdin:
        language, text = json.loads(line)
        errors = tree_errors(lex(text, named(language)))
        print(json.dumps(None if errors is None else [errors.count, errors.line]), flush=True)  # noqa: T201  # the answer


if __name__ == "__main__":
    main()
