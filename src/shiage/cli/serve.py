"""shiage serve: the dashboard, and a worker for what is started there."""

from pathlib import Path

import click

from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.project import workspace
from shiage.cli.serving import serve_project
from shiage.web.ports import free_port
from shiage.web.site import DEFAULT_HOST, DEFAULT_PORT, Address

_FILE = click.Path(path_type=Path)


@made("serve", example="shiage serve --port 7421")
@click.option("--host", metavar="H", default=DEFAULT_HOST)
@click.option("--port", metavar="P", type=click.IntRange(0, 65535), default=DEFAULT_PORT)
@click.option("--cert", metavar="F", type=_FILE)
@click.option("--key", metavar="F", type=_FILE)
@click.option("--behind-tunnel", metavar="URL", default="")
def command(context: Context, host: str, port: int, cert: Path | None, key: Path | None, behind_tunnel: str) -> int:
    address = Address(host, port or free_port(host), cert, key, behind_tunnel.rstrip("/"))
    return serve_project(context, workspace(context), address)
