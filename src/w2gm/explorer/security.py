"""The door: who may ask, what may be asked, and what a page may do with the answer.

The server listens on this machine only, but every page that is open in a browser can send it requests. A name that an
attacker's name server points to 127.0.0.1 (DNS rebinding) is noticed by its Host header; other sites cannot read
answers, embed pages or load them as scripts; the page itself loads and runs nothing but its own files.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Bytes of path and query together: a sentence of 2,000 characters fits, each written as up to twelve bytes.
LONGEST_ADDRESS = 32_768
METHODS = ("GET", "HEAD")

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


class Door:
    """An application behind the checks; `hosts` are the names it answers to, with or without a port."""

    def __init__(self, app: App, hosts: Iterable[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self._any_address = bool(self.hosts & {"0.0.0.0", "::"})  # noqa: S104  (asked for by --host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request; every answer carries the headers."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        app = self.app if refusal is None else JSONResponse({"error": refusal[1]}, status_code=refusal[0])

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        await app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """(status, reason) of a request that is turned away, or None."""
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 421, f"this explorer answers to {', '.join(sorted(self.hosts))} only, not to {hosts[:1]}"
        if scope["method"] not in METHODS:
            return (
                405,
                f"only {' and '.join(METHODS)} are answered, got {scope['method'][:20]}: nothing here can be changed",
            )
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, f"the address is longer than {LONGEST_ADDRESS:,} bytes: ask for less at a time"
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server: one of `hosts`, of any port where they name none."""
        name = host.lower()
        if name in self.hosts or name_of(name) in self.hosts:
            return True
        # Listening on all addresses: any address will do, because only names can be made to point here.
        return self._any_address and (is_address(name_of(name)) or name_of(name) == "localhost")


def own_hosts(host: str, port: int) -> list[str]:
    """The Host headers that a server on `host` and `port` answers to.

    >>> own_hosts("127.0.0.1", 8000)
    ['127.0.0.1:8000', 'localhost:8000']
    """
    if host in ("0.0.0.0", "::"):  # noqa: S104  (asked for by --host)
        return [host, f"{socket.gethostname()}:{port}"]
    names = [host] if not is_address(host) or not ipaddress.ip_address(host).is_loopback else [host, "localhost"]
    return [f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names]


def name_of(host: str) -> str:
    """The name in a Host header, without the port and the brackets of IPv6.

    >>> name_of("localhost:8000"), name_of("[::1]:8000"), name_of("::1")
    ('localhost', '::1', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def is_address(name: str) -> bool:
    """Whether this is an address in numbers.

    >>> is_address("127.0.0.1"), is_address("::1"), is_address("localhost")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
