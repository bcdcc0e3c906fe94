"""shiage demo: one story with every idea in it, played to its end in a temporary project."""

import asyncio
import os
import tempfile
from functools import cache
from pathlib import Path

import click

from shiage.app import demo as story
from shiage.app import ordering, runs
from shiage.app.runs import Watch
from shiage.app.views import status
from shiage.app.workspace import open_workspace
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.driving import front
from shiage.cli.front import End
from shiage.cli.interrupts import Interrupts
from shiage.cli.output import show
from shiage.cli.pages import counts_line
from shiage.cli.serving import serve_project
from shiage.cli.text import columns, duration
from shiage.cli.words import language, t
from shiage.web.ports import free_port
from shiage.web.site import DEFAULT_HOST, Address


@made("demo", example="shiage demo --speed 0")
@click.option("--speed", metavar="N", type=click.FloatRange(min=0), default=1.0)
@click.option("--keep", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--serve", is_flag=True)
def command(context: Context, speed: float, keep: Path | None, serve: bool) -> int:
    if serve:
        return _served(context, speed, keep)
    root = keep or Path(tempfile.mkdtemp(prefix="shiage-demo-"))
    try:
        return asyncio.run(_play(context, speed, root))
    except asyncio.CancelledError:  # the second Ctrl-C
        return runs.STOPPED


def _served(context: Context, speed: float, folder: Path | None) -> int:
    """The same story, begun when the dashboard is there, to be watched in a browser."""
    project = story.stage(folder, language=language(), speed=speed, environ=os.environ)
    address = Address(port=free_port(DEFAULT_HOST))
    return serve_project(context, project, address, lambda: ordering.run(project, story.SPEC_NAME))


async def _play(context: Context, speed: float, root: Path) -> int:
    project = cache(lambda: open_workspace(root, os.environ))
    with front(context, project) as shown, Interrupts(shown) as interrupts:
        shown.began(story.SPEC_NAME)
        watch = Watch(entries=shown.entries, agent=shown.agent, started=interrupts.started)
        result = await story.play(root, language=language(), speed=speed, environ=os.environ, watch=watch)
        code = runs.exit_code(result.run)
        if context.json or code != 0:  # a story that ended well has a farewell of its own
            view = status(project(), project().folder(story.SPEC_NAME))
            shown.ended(End(view, result.seconds, code))
    if not context.json:
        show(context, _farewell(result))
    return code


def _farewell(result: story.DemoResult) -> list[str]:
    counts = {"phase": result.phases, "round": result.rounds, "rerun": result.reruns, "rejection": result.rejections}
    took = duration(result.seconds)
    done = result.run.status == "completed"
    first = t("demo.finished", seconds=took) if done else t("demo.ended", seconds=took, status=result.run.status)
    place = f"--project {result.root}"
    rows = (
        (t("demo.again"), f"shiage log demo {place}"),
        ("", f"shiage show demo {place}"),
        (t("demo.turn"), "cd your-project && shiage init"),
        ("", 'shiage new login "…" && shiage run login'),
    )
    return ["", f"{first}    {counts_line(counts)}", *columns(rows), t("demo.kept", root=result.root)]
