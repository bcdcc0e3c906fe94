"""What the pages share: the project, who may come in and from where."""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from shiage.app.audit import Audit
from shiage.app.board import Boards
from shiage.app.devices import Device, Devices
from shiage.app.feed import Feed
from shiage.app.logs import Logs
from shiage.app.numbers import Numbers
from shiage.app.workspace import Workspace
from shiage.domain.errors import UserError, Where
from shiage.web.guesses import Guesses
from shiage.web.streams import Streams

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 7420


@dataclass(frozen=True, slots=True)
class Address:
    """Where the dashboard listens, and under which names it may be asked for."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    cert: Path | None = None
    key: Path | None = None
    tunnel: str = ""  #: https://name of a tunnel that ends here

    @property
    def url(self) -> str:
        """What a person opens."""
        return self.tunnel or f"{self._scheme}://{self._shown}:{self.port}"

    @property
    def origins(self) -> Mapping[str, str]:
        """Host header -> the origin that its pages have. Any other Host is refused."""
        names = (*LOOPBACK, self._shown) if self.local else (self._shown,)
        known = {f"{name}:{self.port}": f"{self._scheme}://{name}:{self.port}" for name in names}
        return known | ({self.tunnel.partition("://")[2]: self.tunnel} if self.tunnel else {})

    @property
    def local(self) -> bool:
        return self.host in (*LOOPBACK, "::1")

    @property
    def _shown(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def _scheme(self) -> str:
        return "https" if self.cert else "http"


def checked(address: Address) -> Address:
    """The address, refused where a stranger could read along."""
    if bool(address.cert) != bool(address.key):
        raise UserError("tls-incomplete", "a certificate needs its key", help="give both `--cert` and `--key`.")
    for file in (address.cert, address.key):
        if file and not os.access(file, os.R_OK):
            raise UserError("tls-unreadable", f'"{file}" cannot be read', help="name readable PEM files.")
    if address.cert and address.key:
        _loaded(address.cert, address.key)
    if address.tunnel and not _is_origin(address.tunnel):
        raise UserError(
            "tunnel-invalid",
            f'"{address.tunnel}" is not the address of a tunnel',
            help="for example https://desk.example.ts.net",
        )
    if not address.local and not (address.cert or address.tunnel):
        remedy = "give `--cert` and `--key`, or stay on 127.0.0.1 with a tunnel in front and `--behind-tunnel URL`."
        raise UserError("host-needs-tls", f'"{address.host}" can be reached by others, without encryption', help=remedy)
    if address.host in ("0.0.0.0", "::") and not address.tunnel:  # noqa: S104  refused here
        remedy = "name the address or the host name that devices will use; it is checked with every request."
        raise UserError("host-any", f'"{address.host}" names no host', help=remedy)
    return address


def _loaded(cert: Path, key: Path) -> None:
    """A certificate that does not fit its key is told before the server starts: its own words would be a trace."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password=lambda: "")
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        said = f"the certificate cannot be used: {error}"
        remedy = "name a PEM certificate and the key that it was made for, without a passphrase."
        raise UserError("tls-invalid", said, where=Where(str(cert)), help=remedy) from error


def _is_origin(url: str) -> bool:
    scheme, mark, host = url.partition("://")
    return scheme == "https" and bool(mark) and bool(host) and not set(host) & set("/?#@ \\") and host == host.lower()


@dataclass(slots=True)
class Site:
    workspace: Workspace
    address: Address
    devices: Devices
    audit: Audit
    feed: Feed
    logs: Logs
    numbers: Numbers
    boards: Boards
    streams: Streams
    guesses: Guesses = field(default_factory=Guesses)
    knocking: int = 0  #: codes that are being sent or looked at just now

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two projects must not throw each other out."""
        return f"shiage-{self.address.port}"


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def device_of(request: Request) -> Device:
    """Who asks; the guard has seen to it that there is one."""
    device: Device = request.scope["shiage.device"]
    return device


def open_site(workspace: Workspace, address: Address) -> Site:
    devices = Devices(workspace.root, workspace.environ)
    return Site(
        workspace=workspace,
        address=checked(address),
        devices=devices,
        streams=Streams(devices),
        audit=Audit(workspace),
        feed=Feed(workspace),
        logs=Logs(workspace),
        numbers=Numbers(workspace),
        boards=Boards(workspace),
    )
