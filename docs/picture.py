"""Makes the README's picture from a terminal's screen: `tmux capture-pane -p -e | python docs/picture.py`.

The name of the demo's own folder is shortened: it is another one each time.
"""

import io
import re
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

WIDTH = 100


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    screen = re.sub(r"shiage-demo-\w+", "shiage-demo", sys.stdin.read().rstrip())
    console.print(Text.from_ansi(f"$ ./dev demo\n{screen}"))  # as one: a colour may go on over the end of a line
    head, _, rest = CONSOLE_SVG_FORMAT.partition("@font-face")
    style = head + rest[rest.index(".{unique_id}-matrix") :]  # the fonts of the reader, not of a server
    svg = console.export_svg(title="shiage demo", code_format=style)
    Path(__file__).with_name("demo.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
