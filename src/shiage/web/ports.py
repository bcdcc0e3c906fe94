"""Ports: a free one, and a clear word where one is taken."""

import socket

from shiage.domain.errors import UserError
from shiage.web.site import Address


def free_port(host: str) -> int:
    with _listening(host, 0) as found:
        port: int = found.getsockname()[1]
        return port


def refuse_taken(address: Address) -> None:
    """Said before the server starts: its own words would be a trace."""
    try:
        _listening(address.host, address.port).close()
    except OSError as error:
        remedy = "`shiage open` opens a dashboard that is there already; `--port` chooses another port."
        said = f'"{address.host}:{address.port}" cannot be listened on: {error.strerror}'
        raise UserError("port-taken", said, help=remedy) from error


def _listening(host: str, port: int) -> socket.socket:
    host = host.strip("[]")
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
