"""shiage pair: let a further device in, see which there are, and end one."""

import sys
from datetime import UTC, datetime
from io import StringIO

import click
import segno

from shiage.app.devices import CODE_SECONDS, SCOPES, Device, Devices
from shiage.cli.command import command as made
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.project import workspace
from shiage.cli.text import clean, columns
from shiage.cli.words import t


@made("pair", example="shiage pair --scope answer")
@click.option("--list", "listed", is_flag=True)
@click.option("--revoke", metavar="ID")
@click.option("--scope", type=click.Choice(list(SCOPES)), default="control")
@click.option("--url", metavar="URL", default="")
def command(context: Context, listed: bool, revoke: str | None, scope: str, url: str) -> int:
    project = workspace(context)
    devices = Devices(project.root, project.environ)
    if revoke:
        gone = devices.revoke(revoke)
        _tell(context, {"v": 1, "revoked": gone.as_json()}, [t("pair.revoked", name=clean(gone.name))])
    elif listed:
        found = devices.all()
        rows = columns([_row(device) for device in found]) if found else [t("pair.none")]
        _tell(context, {"v": 1, "devices": [device.as_json() for device in found]}, rows)
    else:
        _invite(context, devices, scope, url.rstrip("/"))
    return 0


def _invite(context: Context, devices: Devices, scope: str, url: str) -> None:
    code, place = devices.invite(scope), url or devices.address
    address = f"{place}/#code={code}" if place else ""
    lines = [t("pair.code", code=code, minutes=int(CODE_SECONDS / 60), scope=scope)]
    if address:
        lines += [address, *_picture(context, address)]
    else:
        lines += [t("pair.serve")]
    _tell(context, {"v": 1, "code": code, "scope": scope, "url": address or None}, lines)


def _picture(context: Context, address: str) -> list[str]:
    """For the camera of a phone; only where somebody looks."""
    if context.ascii or context.plain or not sys.stdout.isatty():
        return []
    drawn = StringIO()
    segno.make(address, error="l").terminal(drawn, compact=True)
    return drawn.getvalue().splitlines()


def _row(device: Device) -> tuple[str, ...]:
    seen = datetime.fromtimestamp(device.seen, UTC).strftime("%Y-%m-%d %H:%MZ")
    return (device.id, device.scope, seen, clean(device.name))


def _tell(context: Context, value: dict[str, object], lines: list[str]) -> None:
    if context.json:
        emit(value)
    else:
        show(context, lines)
