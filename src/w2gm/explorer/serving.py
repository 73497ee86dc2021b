"""The server: a socket on this machine, uvicorn behind it, and an end on Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable

import uvicorn

from w2gm.errors import ConfigError
from w2gm.explorer.app import create_app
from w2gm.explorer.security import own_hosts
from w2gm.model import Model

LARGEST_PORT = 65_535
# Connections at one time; more are answered 503.
MOST_CONNECTIONS = 256


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, on a free port for 0; a place that cannot be had raises `ConfigError`.

    >>> with listen("127.0.0.1", 0) as door:
    ...     door.getsockname()[0]
    '127.0.0.1'
    """
    if not 0 <= port <= LARGEST_PORT:
        raise ConfigError(f"port must be from 0 (any free one) to {LARGEST_PORT}, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named asyncio turns off Nagle's algorithm: otherwise every answer waits 40 ms for a packet.
    door = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A port that a server of ours left a moment ago can be had again at once.
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((host, port))
        door.listen(MOST_CONNECTIONS)
    except OSError as error:
        door.close()
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; "
            "choose another --port (0: a free one) or --host"
        ) from None
    return door


def address_of(host: str, door: socket.socket) -> str:
    """What to open in a browser."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (asked for by --host)
    return f"http://{f'[{name}]' if ':' in name else name}:{door.getsockname()[1]}/"


def serve(models: Iterable[tuple[str, Model]], host: str, door: socket.socket, ready: Callable[[], None]) -> None:
    """Answer on a socket until Ctrl-C, which is raised again as `KeyboardInterrupt`; call `ready` at the start."""
    app = create_app(models, own_hosts(host, door.getsockname()[1]))
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    _Announcing(config, ready).run(sockets=[door])


class _Announcing(uvicorn.Server):
    """A server that tells when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()
