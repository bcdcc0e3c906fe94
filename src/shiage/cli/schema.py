"""shiage schema: what programs may rely on, as JSON Schema."""

import json

import click

from shiage.app.schemas import SCHEMAS, schema
from shiage.cli.command import command as made
from shiage.cli.context import Context


@made("schema", example="shiage schema status")
@click.argument("name", metavar="NAME", required=False, type=click.Choice(tuple(SCHEMAS)))
def command(context: Context, name: str | None) -> int:
    found = schema(name) if name else {each: schema(each) for each in SCHEMAS}
    print(json.dumps(found, indent=2))
    return 0
