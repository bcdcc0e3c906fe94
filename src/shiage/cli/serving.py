"""Serving a project, and working on its queue, until somebody ends it, for whichever command asked."""

import asyncio
import sys
from collections.abc import Callable

from shiage.app.resident import Resident
from shiage.app.workspace import Workspace
from shiage.cli.context import Context
from shiage.cli.output import emit, show
from shiage.cli.words import t
from shiage.cli.worker import told
from shiage.web.ports import refuse_taken
from shiage.web.server import serve
from shiage.web.site import Address, Site, open_site


def serve_project(
    context: Context, project: Workspace, address: Address, begun: Callable[[], object] = lambda: None
) -> int:
    """Serve until somebody ends it; what is to begin then begins when the server answers."""
    site, resident = open_site(project, address), Resident(project, told(context))
    refuse_taken(address)
    try:
        asyncio.run(serve(site, lambda: _ready(context, site, resident, begun)))
    finally:
        resident.end()
        site.devices.served_at("")
        site.audit.close()
    return 0


def _ready(context: Context, site: Site, resident: Resident, begun: Callable[[], object]) -> None:
    _announce(context, site)
    resident.start()
    begun()


def _announce(context: Context, site: Site) -> None:
    """Where it is, with a code that lets one browser in; the code is behind #, which no server ever sees."""
    site.devices.served_at(site.address.url)
    url = f"{site.address.url}/#code={site.devices.invite('control')}"
    if context.json:
        emit({"v": 1, "type": "serving", "url": url, "address": site.address.url})
    else:
        show(context, [t("serve.open", url=url), t("serve.once"), t("serve.stop")])
        sys.stdout.flush()
